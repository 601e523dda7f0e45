"""One run under every tie policy that gives an order, its tied documents counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.inputs import count, join_one
from assay.io.table import Table
from assay.measures import Measure
from assay.measures._values import values
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.ordering import arranged
from assay.model.policies import TIES, Policies
from assay.model.run import Run

if TYPE_CHECKING:
    from assay.model.qrels import Qrels

FIXED = tuple(name for name in TIES if name != "expected")
"""The policies that put documents into one order."""


class OneRun(NamedTuple):
    """What is kept of a run: values in each of the ``FIXED`` orders, and the rankings in which ties matter.

    *orders* are all its rankings in each of them, if a measure waits for the longest ranking of all runs.
    """

    name: str
    source: str
    digest: str | None
    notes: tuple[str, ...]
    values: Floats
    orders: dict[str, Judged]
    undefined: Bools
    counts: Ints
    mixed: Judged


def tied_run(qrels: Qrels, run: Run, chosen: tuple[Measure, ...], policies: Policies) -> OneRun:
    """Join one run with the qrels, and put it in order under every tie policy."""
    joined = join_one(qrels, run, policies)
    segments = qrels.segments(run.topic)
    grades = qrels.grade_codes(run.key, segments.of_row, run.doc)

    def ordered(run: Run, ties: str) -> Judged:
        code, tied = arranged(run, segments, grades, ties)
        return Judged.assemble(qrels, [joined.part._replace(code=code, tied=tied)], policies)

    tied = Judged.assemble(qrels, [joined.part], policies)
    rounded = ordered(_rounded(run), "expected")
    orders = {"trec_eval-10": tied.fixed(), "trec_eval-9": rounded.fixed()}
    orders |= {ties: ordered(run, ties) for ties in ("score-file", "score-id", "file")}
    notes = joined.notes
    try:
        orders["rank"] = ordered(run, "rank")
        notes += _repeated_ranks(run)
    except InputError as error:
        notes += (f"{str(error).removesuffix('; choose another tie policy')}; no values for ties=rank",)
    return OneRun(
        name=joined.name,
        source=joined.source,
        digest=joined.digest,
        notes=notes,
        values=valued(chosen, orders),
        orders=orders if any(measure.core.uses_max_depth for measure in chosen) else {},
        undefined=np.stack([~measure.defined(tied) for measure in chosen]),
        counts=np.stack([_counted(tied), _counted(rounded)]),
        mixed=tied.only(tied.mixed()),
    )


def _repeated_ranks(run: Run) -> tuple[str, ...]:
    """That the rank column does not tell all documents apart."""
    ranks = pl.DataFrame({"topic": run.topic, "rank": run.rank})
    again = len(ranks) - ranks.n_unique()
    many = f"{run.source}: {count(again, 'document')} with the rank of another of the topic; in the order of the file"
    return (many,) if again else ()


def _rounded(run: Run) -> Run:
    """The run with scores as 32-bit numbers: its order and its ties are those of trec_eval 9."""
    with np.errstate(over="ignore"):
        score = run.score.astype(np.float32).astype(np.float64)
    frame = pl.DataFrame({"topic": run.topic, "doc": run.doc, "value": score})
    return Run(Table(run.source, frame, run.key, lambda row: f"{run.source}, row {row + 1}"), run.name)


def valued(chosen: tuple[Measure, ...], orders: dict[str, Judged]) -> Floats:
    """The values in each of the ``FIXED`` orders: orders x measures x topics, NaN for one that is not there."""
    topics = len(next(iter(orders.values())))
    found = np.full((len(FIXED), len(chosen), topics), np.nan)
    known: dict[bytes, Floats] = {}  # most orders of most runs are the same
    for order, judged in orders.items():
        key = judged.code.tobytes()
        if key not in known:
            known[key] = np.stack([values(measure, judged).value for measure in chosen])
        found[FIXED.index(order)] = known[key]
    return found


def _counted(judged: Judged) -> Ints:
    """The ``COUNTS`` of each ranking; a group holds two documents or more."""
    group, first = judged.tie_groups()
    size = np.bincount(group, minlength=len(first))
    differs = np.flatnonzero((group[1:] == group[:-1]) & (judged.code[1:] != judged.code[:-1])) + 1
    mixed = np.zeros(len(first), dtype=bool)
    mixed[group[differs]] = True
    ranking = judged.ranking()[first]
    several = size > 1
    largest = np.zeros(len(judged), dtype=np.int64)
    np.maximum.at(largest, ranking[several], size[several])

    def of_rankings(chosen: Bools, amount: Ints) -> Ints:
        return np.bincount(ranking[chosen], weights=amount[chosen], minlength=len(judged)).astype(np.int64)

    one = np.ones(len(first), dtype=np.int64)
    return np.stack(
        [judged.length, of_rankings(several, size), of_rankings(several, one), largest, of_rankings(mixed, size)]
    )
