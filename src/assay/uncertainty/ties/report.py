"""What is told of ties: for every run, topic and measure the values in each order of tied documents."""

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
"""What the extremes are called where they are not exact."""


class Column(NamedTuple):
    """One thing that a report tells: a value for each of the labels, runs and topics, NaN where there is none.

    *applies* says for which labels there can be values, *exact* for which these are not sampled.
    """

    name: str
    values: Floats
    applies: Bools
    exact: Bools


@dataclass(frozen=True, eq=False)
class TieReport:
    """What :func:`tie_report` returns.

    Attributes
    ----------
    runs, topics, measures
        What the values belong to.
    values
        Orders (``ORDERS``: the tie policies, min, max) x measures x runs x topics; NaN where there is no value.
    exact
        Orders x measures: whether the values are exact or come from sampled orders. A *min* or *max* that is not
        exact is the lowest or highest value that was seen; the true one may lie beyond.
    counts
        Precisions (scores as 64-bit numbers, then as 32-bit ones) x ``COUNTS`` x runs x topics.
    provenance, notes
        The inputs and policies behind the report, and what was ignored or assumed.
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
        """Everything as a polars frame: run, measure, topic, ties, value, exact; the topic ``all`` is over topics.

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
        """The rows for each run: the orders; extremes under another name where some measure has no exact ones."""
        ends = [end for end in SEEN if self.exact[ORDERS.index(end)].any()]
        seen = [name for end, name in SEEN.items() if not self.exact[ORDERS.index(end)].all()]
        return (*TIES, *ends, *seen)

    def shown(self, per_topic: bool) -> tuple[str, ...]:
        """The topics that :meth:`columns` has: perhaps each, then all."""
        return (*self.topics, ALL) if per_topic else (ALL,)

    def columns(self, per_topic: bool = False) -> list[Column]:
        """The numbers of documents, then the measures, each as labels x runs x topics."""
        return [*self._counted(per_topic), *(self._measured(i, per_topic) for i in range(len(self.measures)))]

    def _counted(self, per_topic: bool) -> list[Column]:
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

    def _measured(self, index: int, per_topic: bool) -> Column:
        measure = self.measures[index]
        column = self._blank(str(measure), per_topic)
        for order, of_runs, exact in zip(ORDERS, self.values[:, index], self.exact[:, index], strict=True):
            row = self.labels.index(order if exact else SEEN.get(order, order))
            over_topics = np.array([_over_topics(of_run, measure) for of_run in of_runs]).reshape(-1, 1)
            column.values[row] = np.hstack([of_runs, over_topics]) if per_topic else over_topics
            column.applies[row], column.exact[row] = True, exact
        return column

    def _blank(self, name: str, per_topic: bool) -> Column:
        labels = len(self.labels)
        nothing = np.full((labels, len(self.runs), len(self.shown(per_topic))), np.nan)
        return Column(name, nothing, np.zeros(labels, dtype=bool), np.ones(labels, dtype=bool))


def _over_topics(of_run: Floats, measure: Measure) -> float:
    """The value of a run; NaN, not a sum of 0, for an order that the run does not have."""
    return np.nan if np.isnan(of_run).all() else aggregated(of_run, measure.aggregate)
