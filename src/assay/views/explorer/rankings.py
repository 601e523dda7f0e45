"""The first documents of a few runs on a topic, side by side, and their movements from the first run to the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.errors import AssayError
from assay.measures import Measure
from assay.measures._threshold import relevant_levels
from assay.model.arrays import Bools
from assay.significance._topics import topics as compare_topics
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import ExplorerState
from assay.views.explorer.texts import describe_documents

MAX_RUNS = 5
"""Maximum number of runs side by side."""
DEFAULT_RUNS = 2
TOP, MAX_TOP = 10, 50
"""Default and maximum number of documents of each run."""


def rankings(state: ExplorerState, query: Query) -> dict[str, Any]:
    """First documents of up to five runs on a topic; the movements are from the first run to each other run."""
    topic, measure, runs = query.topic(), query.measure(), query.runs(most=MAX_RUNS)
    top = query.integer("top", TOP, 1, MAX_TOP)
    query.reject_unknown_parameters()
    results = state.values(measure)
    runs = runs or list(results.best(measure)[:DEFAULT_RUNS])
    index = state.topic_index[topic]
    relevant = np.concatenate([[False], relevant_levels(measure, state.rankings.levels)])
    columns = [_describe_run(state, run, index, relevant, top) for run in runs]
    texts = describe_documents(state, [row["document"] for column in columns for row in column["documents"]])
    for column in columns:
        column["value"] = results.values[0, state.run_index[column["run"]], index]
        for row in column["documents"]:
            row.update(texts.get(row["document"], {"title": None, "text": None}))
    return {
        "topic": topic,
        "query": state.campaign.queries.get(topic),
        "measure": str(measure),
        "top": top,
        "relevant": int(state.relevant[index]),
        "runs": columns,
        "moves": [_list_moves(state, (runs[0], run), topic, measure, top) for run in runs[1:]],
        **_neighbours(state, runs, index, measure),
    }


def _describe_run(state: ExplorerState, run: str, topic: int, relevant: Bools, top: int) -> dict[str, Any]:
    """Return the first documents of a run, and familiar quantities about them."""
    rankings = state.rankings
    start, stop = (int(ends[state.run_index[run], topic]) for ends in (rankings.start, rankings.stop))
    first = slice(start, min(start + top, stop))
    code = rankings.code[first]
    is_relevant = relevant[code]
    grade = np.concatenate([[np.nan], rankings.levels])[code]
    hits = np.flatnonzero(relevant[rankings.code[start:stop]])
    documents = pl.DataFrame(
        {
            "rank": np.arange(1, len(code) + 1),
            "document": rankings.doc[first].cast(pl.String),
            "grade": pl.Series(grade).fill_nan(None),
            "relevant": is_relevant,
        }
    )
    return {
        "run": run,
        "retrieved": stop - start,
        "relevant_in_top": int(is_relevant.sum()),
        "unjudged_in_top": int((code == 0).sum()),
        "relevant_retrieved": len(hits),
        "first_relevant": int(hits[0]) + 1 if len(hits) else None,
        "documents": documents.to_dicts(),
    }


def _list_moves(state: ExplorerState, pair: tuple[str, str], topic: str, measure: Measure, top: int) -> dict[str, Any]:
    """Return the documents that moved from the first run of a pair to the second, with their movements in words."""
    campaign = state.campaign.select(pair, [topic])
    try:
        movers = compare_topics(campaign, measure, pair=pair, top=top, most=1).movers()
    except AssayError as error:
        return {"from": pair[0], "run": pair[1], "rows": [], "problem": str(error)}
    levels = state.rankings.levels
    is_relevant = dict(zip(levels.tolist(), relevant_levels(measure, levels).tolist(), strict=True))
    rows = []
    for row in movers.filter(pl.col("change") != "same").drop("topic").iter_rows(named=True):
        judged_relevant = is_relevant.get(row["grade"], False)
        words = f"{describe_move(row, top)}, {describe_judgment(row, top, judged_relevant)}"
        rows.append({**row, "relevant": judged_relevant, "words": words})
    return {"from": pair[0], "run": pair[1], "rows": rows, "problem": None}


def describe_move(row: dict[str, Any], top: int) -> str:
    """Describe how a document moved from *rank_a* to *rank_b*; a rank is None if the run does not retrieve it.

    >>> describe_move({"change": "entered", "rank_a": 14, "rank_b": 3}, 10)
    'entered at rank 3 (before: 14)'
    """
    before, after = row["rank_a"], row["rank_b"]
    if row["change"] == "entered":
        return f"entered at rank {after} (before: {'not retrieved' if before is None else before})"
    if row["change"] == "left":
        return f"left the top {top} from rank {before} (now: {'not retrieved' if after is None else after})"
    return f"{row['change']} from rank {before} to {after}"


def describe_judgment(row: dict[str, Any], top: int, relevant: bool) -> str:
    """Describe the judgment of a document: relevant with its grade, not relevant, or unjudged."""
    if row["grade"] is None:
        in_top = row["rank_b"] is not None and row["rank_b"] <= top
        return f"unjudged in the top {top}" if in_top else "unjudged"
    return f"relevant (grade {row['grade']:g})" if relevant else "not relevant"


def _neighbours(state: ExplorerState, runs: list[str], topic: int, measure: Measure) -> dict[str, Any]:
    """Return the neighbours of a topic in the order of the difference between the runs, the largest first.

    With one run, the topics are ordered by its value, the worst first.
    """
    values = state.values(measure).select(runs).values[0]
    if len(runs) > 1:
        key = values.min(axis=0) - np.where(
            values.max(axis=0) == values.min(axis=0), values.min(axis=0), values.max(axis=0)
        )
    else:
        key = -values[0] if measure.lower_is_better else values[0]
    order = np.argsort(np.where(np.isnan(key), np.inf, key), kind="stable").tolist()
    place = order.index(topic)
    names = state.campaign.topics
    spread = None if len(runs) < 2 else float(-key[topic])
    return {
        "place": place + 1,
        "topics": len(order),
        "difference": spread,
        "previous": names[order[place - 1]] if place > 0 else None,
        "next": names[order[place + 1]] if place + 1 < len(order) else None,
    }
