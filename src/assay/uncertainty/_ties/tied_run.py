"""Values of one run under every tie policy that gives a fixed order, and counts of its tied documents."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io.table import RowTable
from assay.measures import Measure
from assay.measures._values import compute_values
from assay.model.arrays import Bools, Floats, Ints
from assay.model.joined import JoinedRun, join_run
from assay.model.judged import Judged
from assay.model.notes import pluralize
from assay.model.ordering import order_by_rank
from assay.model.policies import TIES

FIXED = tuple(name for name in TIES if name != "expected")
"""Tie policies that give each ranking a fixed order."""


class TiedRun(NamedTuple):
    """Values of a run in each of the ``FIXED`` orders, and counts of its tied documents.

    Attributes
    ----------
    notes
        Notes on the rank column.
    values
        Orders x measures x topics.
    undefined
        Measures x topics: True where the measure is undefined.
    counts
        Precisions x ``COUNTS`` x topics.
    mixed
        The rankings in which tied documents have different grades, so the order of these documents matters.
    """

    notes: tuple[str, ...]
    values: Floats
    undefined: Bools
    counts: Ints
    mixed: Judged


def evaluate_tied_run(campaign: Campaign, run: RowTable, measures: tuple[Measure, ...]) -> TiedRun:
    """Evaluate one run under every tie policy."""
    qrels, policies = campaign.judgments, replace(campaign.policies, ties="expected")
    depths = campaign.judged.max_depth, campaign.judged.max_condensed_depth
    joined = join_run(qrels, run, "expected")
    segments = qrels.segments(run)
    grades = qrels.grade_codes(run.key, segments.row_topic, run.doc, segments.topic)

    def assemble(run: JoinedRun) -> Judged:
        return Judged.assemble(qrels, [run], policies).with_policies(policies).with_max_depth(*depths)

    def order(run: RowTable, ties: str) -> Judged:
        code, tied = order_by_rank(run, segments, grades, ties)
        return assemble(joined._replace(code=code, tied=tied if ties == "expected" else None))

    tied, rounded = assemble(joined), order(_round_scores(run), "expected")
    orders = {"trec_eval-10": tied.without_ties(), "trec_eval-9": rounded.without_ties()}
    orders |= {ties: order(run, ties) for ties in ("score-file", "score-id", "file")}
    try:
        orders["rank"] = order(run, "rank")
        notes = _note_repeated_ranks(run)
    except InputError as error:
        notes = (f"{str(error).removesuffix('; choose another tie policy')}; no values for ties=rank",)
    return TiedRun(
        notes=notes,
        values=_evaluate(measures, orders),
        undefined=np.stack([~measure.is_defined(tied) for measure in measures]),
        counts=np.stack([count_ties(tied), count_ties(rounded)]),
        mixed=tied.select_rankings(tied.find_mixed_ties()),
    )


def _note_repeated_ranks(run: RowTable) -> tuple[str, ...]:
    """Return a note if several documents of a topic have the same rank."""
    ranks = pl.DataFrame({"topic": run.topic, "rank": run.rank})
    duplicate_count = len(ranks) - ranks.n_unique()
    note = (
        f"{run.source}: duplicate rank of {pluralize(duplicate_count, 'document')} within a topic; documents with the "
        "same rank are in the order of the file"
    )
    return (note,) if duplicate_count else ()


def _round_scores(run: RowTable) -> RowTable:
    """Return the run with scores as 32-bit numbers, for the order and the ties of trec_eval 9."""
    with np.errstate(over="ignore"):
        score = run.score.astype(np.float32).astype(np.float64)
    return replace(run, frame=run.frame.with_columns(pl.Series("value", score)))


def _evaluate(measures: tuple[Measure, ...], orders: dict[str, Judged]) -> Floats:
    """Return the values in each of the ``FIXED`` orders: orders x measures x topics, NaN for a missing order."""
    topic_count = len(next(iter(orders.values())))
    table = np.full((len(FIXED), len(measures), topic_count), np.nan)
    values_by_codes: dict[bytes, Floats] = {}  # for most runs, most orders are the same and need only one evaluation
    for order, judged in orders.items():
        key = judged.code.tobytes()
        if key not in values_by_codes:
            values_by_codes[key] = np.stack([compute_values(measure, judged).value for measure in measures])
        table[FIXED.index(order)] = values_by_codes[key]
    return table


def count_ties(judged: Judged) -> Ints:
    """Return the ``COUNTS`` of each ranking; a tie group has at least two documents."""
    group, first = judged.tie_groups()
    size = np.bincount(group, minlength=len(first))
    # A group is mixed if two adjacent documents of the group have different codes.
    differs = np.flatnonzero((group[1:] == group[:-1]) & (judged.code[1:] != judged.code[:-1])) + 1
    mixed = np.zeros(len(first), dtype=bool)
    mixed[group[differs]] = True
    ranking = judged.ranking()[first]
    is_tied = size > 1
    largest = np.zeros(len(judged), dtype=np.int64)
    np.maximum.at(largest, ranking[is_tied], size[is_tied])

    def add_up(chosen: Bools, amount: Ints) -> Ints:
        return np.bincount(ranking[chosen], weights=amount[chosen], minlength=len(judged)).astype(np.int64)

    ones = np.ones(len(first), dtype=np.int64)
    return np.stack([judged.length, add_up(is_tied, size), add_up(is_tied, ones), largest, add_up(mixed, size)])
