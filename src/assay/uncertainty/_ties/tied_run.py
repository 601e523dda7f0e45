"""One run under every tie policy that gives an order, with counts of its tied documents."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io.table import RowTable
from assay.measures import Measure
from assay.measures._values import values
from assay.model.arrays import Bools, Floats, Ints
from assay.model.joined import JoinedRun, join_run
from assay.model.judged import Judged
from assay.model.notes import count
from assay.model.ordering import order_by_rank
from assay.model.policies import TIES

FIXED = tuple(name for name in TIES if name != "expected")
"""The policies that put documents into one order."""


class TiedRun(NamedTuple):
    """Values of a run in each of the ``FIXED`` orders, counts, and the rankings in which the order of ties matters.

    *values* is orders x measures x topics, *undefined* measures x topics; *notes* are those on the rank column.
    """

    notes: tuple[str, ...]
    values: Floats
    undefined: Bools
    counts: Ints
    mixed: Judged


def evaluate_tied_run(campaign: Campaign, run: RowTable, measures: tuple[Measure, ...]) -> TiedRun:
    """Evaluate one run under every tie policy."""
    qrels, policies = campaign.judgments, replace(campaign.policies, ties="expected")
    depths = campaign.judged.longest, campaign.judged.longest_condensed
    joined = join_run(qrels, run, "expected")
    segments = qrels.segments(run)
    grades = qrels.grade_codes(run.key, segments.of_row, run.doc, segments.topic)

    def assemble(run: JoinedRun) -> Judged:
        return Judged.assemble(qrels, [run], policies).with_policies(policies).with_max_depth(*depths)

    def order(run: RowTable, ties: str) -> Judged:
        code, tied = order_by_rank(run, segments, grades, ties)
        return assemble(joined._replace(code=code, tied=tied if ties == "expected" else None))

    tied, rounded = assemble(joined), order(_round_scores(run), "expected")
    orders = {"trec_eval-10": tied.fixed(), "trec_eval-9": rounded.fixed()}
    orders |= {ties: order(run, ties) for ties in ("score-file", "score-id", "file")}
    try:
        orders["rank"] = order(run, "rank")
        notes = _repeated_ranks(run)
    except InputError as error:
        notes = (f"{str(error).removesuffix('; choose another tie policy')}; no values for ties=rank",)
    return TiedRun(
        notes=notes,
        values=_evaluate(measures, orders),
        undefined=np.stack([~measure.defined(tied) for measure in measures]),
        counts=np.stack([_count_ties(tied), _count_ties(rounded)]),
        mixed=tied.only(tied.mixed()),
    )


def _repeated_ranks(run: RowTable) -> tuple[str, ...]:
    """Note that the rank column does not distinguish all documents."""
    ranks = pl.DataFrame({"topic": run.topic, "rank": run.rank})
    again = len(ranks) - ranks.n_unique()
    note = f"{run.source}: {count(again, 'document')} with the rank of another of the topic; in the order of the file"
    return (note,) if again else ()


def _round_scores(run: RowTable) -> RowTable:
    """Return the run with scores as 32-bit numbers: its order and its ties are those of trec_eval 9."""
    with np.errstate(over="ignore"):
        score = run.score.astype(np.float32).astype(np.float64)
    return replace(run, frame=run.frame.with_columns(pl.Series("value", score)))


def _evaluate(measures: tuple[Measure, ...], orders: dict[str, Judged]) -> Floats:
    """Return the values in each of the ``FIXED`` orders: orders x measures x topics, NaN for a missing order."""
    topics = len(next(iter(orders.values())))
    table = np.full((len(FIXED), len(measures), topics), np.nan)
    known: dict[bytes, Floats] = {}  # most orders of most runs are the same
    for order, judged in orders.items():
        key = judged.code.tobytes()
        if key not in known:
            known[key] = np.stack([values(measure, judged).value for measure in measures])
        table[FIXED.index(order)] = known[key]
    return table


def _count_ties(judged: Judged) -> Ints:
    """Return the ``COUNTS`` of each ranking; a group holds two documents or more."""
    group, first = judged.tie_groups()
    size = np.bincount(group, minlength=len(first))
    differs = np.flatnonzero((group[1:] == group[:-1]) & (judged.code[1:] != judged.code[:-1])) + 1
    mixed = np.zeros(len(first), dtype=bool)
    mixed[group[differs]] = True
    ranking = judged.ranking()[first]
    several = size > 1
    largest = np.zeros(len(judged), dtype=np.int64)
    np.maximum.at(largest, ranking[several], size[several])

    def add_up(chosen: Bools, amount: Ints) -> Ints:
        return np.bincount(ranking[chosen], weights=amount[chosen], minlength=len(judged)).astype(np.int64)

    one = np.ones(len(first), dtype=np.int64)
    return np.stack([judged.length, add_up(several, size), add_up(several, one), largest, add_up(mixed, size)])
