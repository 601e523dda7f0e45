"""MED of sums of weight x gain: each free document is labelled by itself, for the list that ranks it higher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.distance._med.interface import Extreme
from assay.distance._med.rank_table import Labels, RankTable, settled_grades
from assay.errors import MeasureError
from assay.measures._base import Additive as Sum
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings

_NOTHING = Judged.from_grades([[]])


def weights(measure: Sum, depth: int) -> Floats:
    """The weights of the ranks down to a depth, by rank: 0 for rank 0 (not retrieved) and beyond the cutoff."""
    rank = np.arange(1, depth + 1)
    within = rank <= float(measure.depth(_NOTHING))
    return np.concatenate([[0.0], np.where(within, measure.weighed(np.ones(depth), rank), 0.0)])


@dataclass(frozen=True)
class AdditiveMed:
    r"""MED of a static weighted-precision measure.

    M(a) - M(b) is the sum over documents of gain x (weight in a - weight in b), the weight in a list that does not
    have the document being 0. Labels do not interfere: a free document gets the largest gain where the difference is
    positive and the smallest where it is negative, so

    .. math:: \max (M(a) - M(b)) = base + g_{max} \sum_{free} \max(0, w_a - w_b)
              - g_{min} \sum_{free} \max(0, w_b - w_a)

    where *base* is the difference due to judged documents. Weights are at least 0; nothing else is assumed of them,
    nor of the order of gains. Exact, whatever its sign.

    With *residual* the documents behind the end of each list, cut at its own length, are labelled as well: those of a
    with the largest gain, those of b with the smallest (or left out, whichever is worth less). They are taken to be
    others than those of the rankings. The labels do not show them.

    References
    ----------
    Tan & Clarke, *A family of rank similarity measures based on maximized effectiveness difference*, TKDE 27 (2015);
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, section 1.
    """

    measure: Sum
    residual: bool = False
    cost: ClassVar[str] = "linear"

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """The largest M(a) - M(b)."""
        labels, table = Labels.of(self.measure, rankings), RankTable.of(rankings)
        weight = weights(self.measure, table.depth)
        by_run = weight[table.rank]
        judged = by_run[:, :-1] @ labels.own
        free = by_run @ table.free
        by_document = np.ascontiguousarray(
            by_run.T
        )  # the weights of a document lie together, which is how they are read
        ahead = np.zeros(len(a))
        for run in np.unique(a):
            pairs = np.flatnonzero(a == run)
            ahead[pairs] = _ahead(table, by_document, run, b[pairs])
        behind = ahead - (free[a] - free[b])
        value = judged[a] - judged[b] + labels.gain[-1] * ahead - labels.gain[0] * behind
        value /= float(self.measure.scale(_NOTHING))
        if self.residual:
            tail = self._tails(rankings.length)
            value = value + tail[a] * max(labels.gain[-1], 0.0) - tail[b] * min(labels.gain[0], 0.0)
        return Extreme(value, value)

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """The labels: the largest gain where a is ahead, the smallest where b is, 0 where it does not matter."""
        labels, table = Labels.of(self.measure, rankings), RankTable.of(rankings)
        weight = weights(self.measure, table.depth)
        gap = weight[rankings.rank[a]] - weight[rankings.rank[b]]
        label = np.where(gap > 0, labels.grade[-1], np.where(gap < 0, labels.grade[0], 0.0))
        return np.where(table.free[:-1], label, settled_grades(rankings))

    def _tails(self, length: Ints) -> Floats:
        """Return the sum of the weights beyond the end of each list, divided by the scale."""
        measure, cut = self.measure, float(self.measure.depth(_NOTHING))
        seen = np.minimum(length, cut)
        beyond = measure.tail_weight(seen)
        if beyond is not None:
            return beyond
        if np.isinf(cut):
            raise MeasureError(
                f"measure '{measure}': has no residual: its weights need have no finite sum; add a cutoff"
            )
        total = np.cumsum(weights(measure, int(cut)))
        return np.asarray((total[-1] - total[seen.astype(np.int64)]) / float(measure.scale(_NOTHING)))


def _ahead(table: RankTable, by_document: Floats, run: int, others: Ints) -> Floats:
    """The sum over the free documents of a run of how much more they weigh there than in each of the others."""
    document = table.document[run]
    weight = by_document[document[table.free[document]]]
    gap = weight[:, [run]] - weight[:, others]
    return np.asarray(np.maximum(gap, 0.0, out=gap).sum(axis=0))
