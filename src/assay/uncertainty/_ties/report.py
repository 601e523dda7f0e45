"""The tie report: for every run, topic and measure the values in each order of tied documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.arrays import Bools, Floats, Ints
from assay.model.notes import count
from assay.model.policies import TIES
from assay.model.provenance import Provenance
from assay.results.summary import aggregated

ALL = "all"
COUNTS = ("documents", "tied", "groups", "largest", "mixed")
PRECISIONS = ("trec_eval-10", "trec_eval-9")
"""The policies that compare scores, as 64-bit and as 32-bit numbers: documents are tied under these."""
ORDERS = (*TIES, "min", "max")
SEEN = {"min": "lowest seen", "max": "highest seen"}
"""Labels of extremes that are not exact."""


class TieColumn(NamedTuple):
    """A measure or a count: labels x runs x topics, NaN where there is no value.

    *applies* marks the labels that can have values, *exact* those whose values are not sampled.
    """

    name: str
    values: Floats
    applies: Bools
    exact: Bools


@dataclass(frozen=True, eq=False)
class TieReport:
    """Values in every order of tied documents, and counts of these.

    Attributes
    ----------
    runs, topics, measures
        The names of the runs, the topics and the measures.
    values
        Orders (``ORDERS``: the tie policies, min, max) x measures x runs x topics; NaN where there is no value.
    exact
        Orders x measures: whether the values are exact or come from sampled orders. A *min* or *max* that is not
        exact is the lowest or highest value that was seen; the true one may lie beyond.
    counts
        Precisions (scores as 64-bit numbers, then as 32-bit ones) x ``COUNTS`` x runs x topics.
    provenance, notes
        The inputs and policies behind the report, and notes on reading, ties and sampling.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    exact: Bools
    counts: Ints
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        return f"TieReport({count(len(self.runs), 'run')} x {count(len(self.topics), 'topic')}: {shown})"

    def frame(self, per_topic: bool = False) -> pl.DataFrame:
        """Return run, measure, topic, ties, value, exact; the topic ``all`` is over topics.

        Numbers of documents come first, as measures named documents, tied, share, groups, largest and mixed. *ties*
        is a tie policy, or min, max, lowest seen or highest seen.
        """
        columns = self.columns(per_topic)
        labels, topics = self.labels, self.shown(per_topic)
        value = np.stack([column.values for column in columns]).transpose(2, 0, 3, 1)
        applies = np.stack([column.applies for column in columns])[None, :, None, :]
        keep = np.flatnonzero(np.broadcast_to(applies, value.shape))
        run, thing, topic, label = np.unravel_index(keep, value.shape)
        exact = np.stack([column.exact for column in columns])[thing, label]
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([column.name for column in columns]).gather(thing),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "ties": pl.Series(labels).gather(label),
                "value": pl.Series(value.ravel()[keep]).fill_nan(None),
                "exact": exact,
            }
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the rows of each run: the orders; those of ``SEEN`` if some measure has no exact extremes."""
        ends = [end for end in SEEN if self.exact[ORDERS.index(end)].any()]
        seen = [name for end, name in SEEN.items() if not self.exact[ORDERS.index(end)].all()]
        return (*TIES, *ends, *seen)

    def shown(self, per_topic: bool) -> tuple[str, ...]:
        """Return the topics of :meth:`columns`: with *per_topic* each, then all."""
        return (*self.topics, ALL) if per_topic else (ALL,)

    def columns(self, per_topic: bool = False) -> list[TieColumn]:
        """Return the counts of documents, then the measures."""
        return [
            *self._count_columns(per_topic),
            *(self._measure_column(i, per_topic) for i in range(len(self.measures))),
        ]

    def _count_columns(self, per_topic: bool) -> list[TieColumn]:
        over_topics = self.counts.sum(axis=3)
        largest = COUNTS.index("largest")
        over_topics[:, largest] = self.counts[:, largest].max(axis=2, initial=0)
        every = np.concatenate([self.counts, over_topics[..., None]], axis=3).astype(np.float64)
        share = np.divide(every[:, 1], every[:, 0], out=np.full(every[:, 0].shape, np.nan), where=every[:, 0] > 0)
        named = dict(zip(COUNTS, every.transpose(1, 0, 2, 3), strict=True))
        named = {"documents": named["documents"], "tied": named["tied"], "share": share, **named}
        rows = [self.labels.index(precision) for precision in PRECISIONS]
        columns = []
        for name, number in named.items():
            column = self._blank(name, per_topic)
            column.values[rows] = number if per_topic else number[..., -1:]
            column.applies[rows] = True
            columns.append(column)
        return columns

    def _measure_column(self, index: int, per_topic: bool) -> TieColumn:
        measure = self.measures[index]
        column = self._blank(str(measure), per_topic)
        for order, of_runs, exact in zip(ORDERS, self.values[:, index], self.exact[:, index], strict=True):
            row = self.labels.index(order if exact else SEEN.get(order, order))
            over_topics = np.array([_aggregate(of_run, measure) for of_run in of_runs]).reshape(-1, 1)
            column.values[row] = np.hstack([of_runs, over_topics]) if per_topic else over_topics
            column.applies[row], column.exact[row] = True, exact
        return column

    def _blank(self, name: str, per_topic: bool) -> TieColumn:
        labels = len(self.labels)
        nothing = np.full((labels, len(self.runs), len(self.shown(per_topic))), np.nan)
        return TieColumn(name, nothing, np.zeros(labels, dtype=bool), np.ones(labels, dtype=bool))


def _aggregate(of_run: Floats, measure: Measure) -> float:
    """Return the value of a run over topics; NaN, not a sum of 0, for an order that the run does not have."""
    return np.nan if np.isnan(of_run).all() else aggregated(of_run, measure.aggregate)
