"""MED of weighted sums of gains: each free document is labelled independently, in favour of one of the runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.distance._med.interface import Maximum
from assay.distance._med.rank_table import Labels, RankTable, known_grades
from assay.errors import MeasureError
from assay.measures._base import Additive
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings

# The depth and the scale of a measure with fixed weights do not depend on the topic, so an empty ranking is enough.
_EMPTY_RANKING = Judged.from_grades([[]])


def rank_weights(measure: Additive, depth: int) -> Floats:
    """Return the weights of ranks 0 to *depth*: 0 for rank 0 (not retrieved) and for ranks beyond the cutoff."""
    rank = np.arange(1, depth + 1)
    is_within_cutoff = rank <= float(measure.depth(_EMPTY_RANKING))
    return np.concatenate([[0.0], np.where(is_within_cutoff, measure.weighted_gain(np.ones(depth), rank), 0.0)])


@dataclass(frozen=True)
class AdditiveMed:
    r"""MED of a static weighted-precision measure (P, RBP, SDCG, CG, DCG, INSQ).

    M(a) - M(b) is the sum over documents of gain x (weight in a - weight in b), where the weight in a ranking without
    the document is 0. Labels do not interact. So a free document gets the largest gain where its weight difference is
    positive and the smallest gain where it is negative:

    .. math:: \max (M(a) - M(b)) = base + g_{max} \sum_{free} \max(0, w_a - w_b)
              - g_{min} \sum_{free} \max(0, w_b - w_a)

    where *base* is the difference due to judged documents. The weights must be non-negative, but they need not decrease
    with the rank, and gains need not increase with the grade. The maximum is exact, even if it is negative.

    With *residual*, the documents after the end of each ranking are labelled as well. Documents after the end of a get
    the largest gain; documents after the end of b get the smallest gain, or gain 0 if that is smaller. These documents
    are assumed to differ from the documents of both rankings. ``find_labels`` does not return their labels.

    References
    ----------
    Tan & Clarke, *A family of rank similarity measures based on maximized effectiveness difference*, TKDE 27 (2015);
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, section 1.
    """

    measure: Additive
    residual: bool = False
    cost: ClassVar[str] = "linear"

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return the exact maximum of M(a) - M(b) for each pair."""
        labels, table = Labels.from_rankings(self.measure, rankings), RankTable.from_rankings(rankings)
        by_run = rank_weights(self.measure, table.depth)[table.rank]
        judged_sum = by_run[:, :-1] @ labels.judged_gain
        free_weight = by_run @ table.free
        # The table is transposed and copied, so the weights of a document, which are read together, are adjacent in
        # memory.
        by_document = np.ascontiguousarray(by_run.T)
        excess_in_a = np.zeros(len(a))
        for run in np.unique(a):
            pairs = np.flatnonzero(a == run)
            excess_in_a[pairs] = _sum_positive_differences(table, by_document, run, b[pairs])
        # sum max(0, w_b - w_a) = sum max(0, w_a - w_b) - sum (w_a - w_b), so the second sum needs no separate pass.
        excess_in_b = excess_in_a - (free_weight[a] - free_weight[b])
        value = judged_sum[a] - judged_sum[b] + labels.gain[-1] * excess_in_a - labels.gain[0] * excess_in_b
        value /= float(self.measure.scale(_EMPTY_RANKING))
        if self.residual:
            tail = self._tail_weights(rankings.length)
            value = value + tail[a] * max(labels.gain[-1], 0.0) - tail[b] * min(labels.gain[0], 0.0)
        return Maximum(value, value)

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return grades that attain the maximum of M(a) - M(b).

        A free document gets the grade with the largest gain if its weight is larger in a, the grade with the smallest
        gain if its weight is larger in b, and grade 0 if both weights are equal.
        """
        labels, table = Labels.from_rankings(self.measure, rankings), RankTable.from_rankings(rankings)
        weight = rank_weights(self.measure, table.depth)
        difference = weight[rankings.rank[a]] - weight[rankings.rank[b]]
        label = np.where(difference > 0, labels.grade[-1], np.where(difference < 0, labels.grade[0], 0.0))
        return np.where(table.free[:-1], label, known_grades(rankings))

    def _tail_weights(self, length: Ints) -> Floats:
        """Return the sum of the weights after the end of each ranking, divided by the scale."""
        measure, cutoff = self.measure, float(self.measure.depth(_EMPTY_RANKING))
        end = np.minimum(length, cutoff)
        tail = measure.tail_weight(end)
        if tail is not None:
            return tail
        if np.isinf(cutoff):
            raise MeasureError(
                f"measure '{measure}': has no residual, because the sum of its weights is not known to be finite; "
                "add a cutoff"
            )
        total = np.cumsum(rank_weights(measure, int(cutoff)))
        return np.asarray((total[-1] - total[end.astype(np.int64)]) / float(measure.scale(_EMPTY_RANKING)))


def _sum_positive_differences(table: RankTable, by_document: Floats, run: int, others: Ints) -> Floats:
    """Return, for each of the *others*, the sum of max(0, w_run - w_other) over the free documents of *run*.

    Documents that *run* did not retrieve have weight 0 in *run* and add nothing.
    """
    document = table.document[run]
    weight = by_document[document[table.free[document]]]
    difference = weight[:, [run]] - weight[:, others]
    return np.asarray(np.maximum(difference, 0.0, out=difference).sum(axis=0))
