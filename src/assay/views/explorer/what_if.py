"""What if: the values of a run after some of its documents have moved on a topic, or have other grades.

Edits name a document by its rank in the original ranking: ``move=5~1`` moves the document of rank 5 to rank 1, and
``grade=3~2`` gives the document of rank 3 the grade 2 (``grade=3~none``: unjudged). Moves are applied in order. The
measures evaluate the edited rankings, with all policies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.effort._curve import tabulate_curve
from assay.engine.campaign import Campaign
from assay.errors import AssayError, InputError
from assay.measures import Measure, measure
from assay.measures._threshold import relevant_levels
from assay.measures.rank_biased import RBP
from assay.model.arrays import Ints, expand_ranges
from assay.results._evaluate import evaluate
from assay.uncertainty._bounds import bounds
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import ExplorerState
from assay.views.explorer.texts import describe_documents, list_queries

MAX_EDITS = 100
SHOWN, MAX_SHOWN = 20, 200
"""Default and maximum number of documents in the answer."""
MAX_RANKS = 1_000
"""Maximum number of ranks of the curves in the answer."""
UNJUDGED = "none"
CURVE_GAIN = "DCG"


class Edits(NamedTuple):
    """Edits of a ranking.

    Attributes
    ----------
    order
        For each new rank, the index of the document in the original ranking.
    codes
        The new grade code of each document whose grade changes, by its index in the original ranking.
    """

    order: Ints
    codes: dict[int, int]


def what_if(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Ranking, values and curves of a run on a topic before and after edits."""
    run, topic, chosen = query.run(), query.topic(), query.measure()
    edits = read_edits(state, query, run, topic)
    shown = query.integer("most", SHOWN, 1, MAX_SHOWN)
    query.reject_unknown_parameters()
    index, column = state.run_index[run], state.topic_index[topic]
    before = state.campaign.select(topics=[topic])
    after = edit_campaign(state, before, (index, column), edits)
    measures = choose_measures(chosen)
    return {
        "run": run,
        "topic": topic,
        "query": list_queries(state, [topic])[0],
        "measure": str(chosen),
        "relevant": int(state.relevant[column]),
        "runs": len(state.campaign.runs),
        "retrieved": len(edits.order),
        "levels": state.all_rankings.levels,
        "edits": {"moved": bool((np.diff(edits.order) < 0).any()), "graded": len(edits.codes)},
        "documents": list_documents(state, (index, column), edits, chosen)[:shown],
        "values": [compare_values(state, one, (before, after), (index, column), edits) for one in measures],
        "curves": {name: curve_of(one, run) for name, one in (("before", before), ("after", after))},
    }


def choose_measures(chosen: Measure) -> list[Measure]:
    """Return the chosen measure, DCG, RBP and Twist, without duplicates."""
    others = [measure(CURVE_GAIN), *([] if isinstance(chosen, RBP) else [measure("RBP(p=0.8)")]), measure("Twist")]
    return list(dict.fromkeys([chosen, *others]))


# Edits -----------------------------------------------------------------------------------------------------------


def read_edits(state: ExplorerState, query: Query, run: str, topic: str) -> Edits:
    """Return the edits of a request."""
    length = int(state.all_rankings.length[state.run_index[run], state.topic_index[topic]])
    order = list(range(length))
    for text in query.texts("move", MAX_EDITS):
        source, target = (_read_rank(part, text, length, "move") for part in _split(text, "move"))
        order.remove(source)
        order.insert(target, source)
    levels = state.all_rankings.levels.tolist()
    codes = {}
    for text in query.texts("grade", MAX_EDITS):
        rank, grade = _split(text, "grade")
        codes[_read_rank(rank, text, length, "grade")] = _read_code(grade, levels)
    return Edits(np.array(order, dtype=np.int64), codes)


def _split(text: str, name: str) -> tuple[str, str]:
    first, separator, second = text.partition("~")
    if not separator:
        raise InputError(f"{name} {text!r}: write two numbers with ~ between them, such as {name}=3~1")
    return first, second


def _read_rank(text: str, edit: str, length: int, name: str) -> int:
    """Return the index of a rank, from 0."""
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:9]) <= length:
        raise InputError(f"{name} {edit!r}: a rank is a whole number from 1 to {length}")
    return int(text[:9]) - 1


def _read_code(text: str, levels: list[float]) -> int:
    """Return the code of a grade: 0 if unjudged, else 1 + its index among the grades of the judgments."""
    codes = {UNJUDGED: 0, **{f"{level:g}": number for number, level in enumerate(levels, 1)}}
    if text not in codes:
        raise InputError(f"grade {text!r}: choose one of the grades of the judgments, {', '.join(codes)}")
    return codes[text]


def edit_campaign(state: ExplorerState, one_topic: Campaign, position: tuple[int, int], edits: Edits) -> Campaign:
    """Return the campaign of one topic after the edits of a run; *position* holds the run and the topic by index.

    A new grade counts in every run that retrieves the document, and in the recall base.
    """
    run, topic = position
    whole = one_topic.whole
    code, counts = whole.code.copy(), whole.counts.copy()
    rankings = state.all_rankings
    key = rankings.key[expand_ranges(rankings.start[:, topic], rankings.length[:, topic])]
    start, stop = int(whole.start[run]), int(whole.start[run + 1])
    for index, new in edits.codes.items():
        old = int(code[start + index])
        for number, change in ((old, -1), (new, 1)):
            if number:
                counts[0, number - 1] += change
        code[key == key[start + index]] = new
    code[start:stop] = code[start:stop][edits.order]
    return replace(one_topic, _whole=replace(whole, code=code, counts=counts))


# Results of the edits ---------------------------------------------------------------------------------------------


def list_documents(
    state: ExplorerState, position: tuple[int, int], edits: Edits, chosen: Measure
) -> list[dict[str, Any]]:
    """Return the documents of the edited ranking with their grades and their original ranks and grades."""
    rankings, (run, topic) = state.all_rankings, position
    first = edits.order[:MAX_SHOWN]
    start = int(rankings.start[run, topic])
    names = rankings.doc.gather(start + first).cast(pl.String).to_list() if len(first) else []
    texts = describe_documents(state, names)
    grades = [None, *rankings.levels.tolist()]
    relevant = [False, *relevant_levels(chosen, rankings.levels).tolist()]
    rows = []
    for rank, (index, name) in enumerate(zip(first.tolist(), names, strict=True), 1):
        original = int(rankings.code[start + index])
        code = edits.codes.get(index, original)
        row = {"rank": rank, "original_rank": index + 1, "document": name, "grade": grades[code]}
        changed = {"original_grade": grades[original], "relevant": relevant[code]}
        rows.append({**row, **changed, **texts.get(name, {"title": None, "text": None})})
    return rows


def compare_values(
    state: ExplorerState, one: Measure, campaigns: tuple[Campaign, Campaign], position: tuple[int, int], edits: Edits
) -> dict[str, Any]:
    """Return the value of a run on the topic, its mean and its place among all runs, before and after the edits."""
    run, topic = position
    results = state.values(one)
    before = results.values[0]
    # Without new grades, the edits do not affect other runs.
    affected = list(range(len(before))) if edits.codes else [run]
    names = [results.runs[index] for index in affected]
    after = before.copy()
    after[affected, topic] = evaluate(campaigns[1].select(names), one).values[0, :, 0]
    edited = replace(results, values=after[None])
    name = results.runs[run]
    return {
        "measure": str(one),
        "lower_is_better": one.lower_is_better,
        "before": before[run, topic],
        "after": after[run, topic],
        "bounds": [bound_value(campaign, name, one) for campaign in campaigns] if isinstance(one, RBP) else None,
        "mean_before": results.overall()[run, 0],
        "mean_after": edited.overall()[run, 0],
        "place_before": int(results.places(one)[run]),
        "place_after": int(edited.places(one)[run]),
    }


def bound_value(campaign: Campaign, run: str, one: Measure) -> list[float] | None:
    """Return the lower and the upper bound of the value of a run on the only topic; None if there are none."""
    try:
        report = bounds(campaign.select([run]), one)
    except AssayError:
        return None
    return [float(report.low[0, 0, 0]), float(report.high[0, 0, 0])]


def curve_of(campaign: Campaign, run: str) -> dict[str, list[float]]:
    """Return the curves of CRP, DCG and ideal DCG of a run on the only topic, by rank."""
    judged = campaign.select([run]).judged
    frame = tabulate_curve(judged, [""] * int(judged.length[0]), gain=CURVE_GAIN).head(MAX_RANKS)
    return {name: frame[name].to_list() for name in ("crp", "dcg", "ideal_dcg")}
