"""MED of measures that become weighted sums for a known recall base: R-precision, F, MeanNDCG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

import numpy as np

from assay.distance._med.interface import Maximum
from assay.distance._med.normalised import NormalisedMed
from assay.distance._med.rank_table import Labels, RankTable, known_grades, split_into_blocks
from assay.measures._base import Additive, ratio
from assay.measures.dcg import nDCG
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.dcg import MeanNDCG

LIMIT = 2000
"""Maximum number of multisets of labels that are tried."""


@dataclass(frozen=True)
class FixedRecallBaseMed:
    """MED of Rprec, RprecMult, F and MeanNDCG.

    Fix the number of free documents with each label, that is, a multiset of labels. Then the recall base and the ideal
    ranking are known, so the measure is a weighted sum of gains with known weights. The weights may differ between the
    runs, because F divides by the length of the ranking. By the rearrangement inequality, the best assignment gives
    larger gains to documents with larger weight differences w_a - w_b. All multisets are tried. For f free documents
    there are f + 1 multisets if there are two gains, and C(f + q, q) if there are q + 1 gains. The maximum is exact,
    even if it is negative.

    If there are more than *limit* multisets, the result is an interval. This occurs only with more than two gains, that
    is, only for MeanNDCG. For the lower bound, only multisets with the lowest label and one other label are tried. For
    the upper bound, note that MeanNDCG@k is the mean of nDCG@i over i = 1..k. So its maximum is at most the mean of the
    maxima of nDCG@i, which :class:`NormalisedMed` computes exactly.
    """

    measure: Additive
    limit: int = LIMIT
    cost: ClassVar[str] = "slow"

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return the maximum of M(a) - M(b) for each pair, or an interval for it."""
        topic = _FixedBaseTopic.from_rankings(self.measure, rankings)
        low, exact = np.full(len(a), -np.inf), np.ones(len(a), dtype=bool)
        for block in split_into_blocks(len(a), 2 * topic.table.depth):
            free_counts = topic.table.union(a[block], b[block])[1].sum(axis=1)
            # Pairs with the same number of free documents have the same multisets of labels.
            for free_count in np.unique(free_counts).tolist():
                pairs = np.arange(len(a))[block][free_counts == free_count]
                exact[pairs] = self._can_enumerate(topic, free_count)
                for labels in self._label_multisets(topic, free_count):
                    low[pairs] = np.maximum(low[pairs], topic.maximize(labels, a[pairs], b[pairs]))
        high = low.copy()
        if not exact.all():
            bound = _bound_by_prefixes(self.measure, rankings, a[~exact], b[~exact])
            high[~exact] = np.maximum(low[~exact], bound)
        return Maximum(low, high)

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return grades that attain the lower end of the interval.

        Documents with larger weight differences get larger gains.
        """
        topic, one, other = _FixedBaseTopic.from_rankings(self.measure, rankings), np.array([a]), np.array([b])
        free_count = int(topic.table.union(one, other)[1].sum())
        multisets = self._label_multisets(topic, free_count)
        best = max(multisets, key=lambda labels: float(topic.maximize(labels, one, other)[0]))
        grade = known_grades(rankings)
        grade[topic.table.order_free_documents(topic.weights(best), a, b)] = topic.labels.grade[best]
        return grade

    def _can_enumerate(self, topic: _FixedBaseTopic, free_count: int) -> bool:
        """Return True if all multisets of labels for *free_count* documents can be tried."""
        q = len(topic.labels.gain) - 1
        return q < 2 or comb(free_count + q, q) <= self.limit

    def _label_multisets(self, topic: _FixedBaseTopic, free_count: int) -> Iterator[Ints]:
        """Yield multisets of labels for *free_count* documents, as indices of labels in non-increasing order.

        Multisets in which few documents have more than the lowest label come first.
        """
        label_count = len(topic.labels.gain)
        if self._can_enumerate(topic, free_count):
            for multiset in combinations_with_replacement(range(label_count), free_count):
                yield np.array(multiset[::-1], dtype=np.int64)
            return
        for label in range(1, label_count):
            for labelled_count in range(free_count + 1):
                yield np.where(np.arange(free_count) < labelled_count, label, 0)


class _FixedBaseTopic(NamedTuple):
    """Data of a topic that all pairs of runs share.

    Attributes
    ----------
    measure, labels, table
        The measure, the possible labels, and the ranks of the documents.
    weight
        The weight of each rank before scaling, from rank 0 (not retrieved).
    gain
        The gains of all judged documents of the topic.
    template
        Rankings with the lengths of the runs but without relevant documents; the recall base is set in copies.
    """

    measure: Additive
    labels: Labels
    table: RankTable
    weight: Floats
    gain: Floats
    template: Judged

    @classmethod
    def from_rankings(cls, measure: Additive, rankings: TopicRankings) -> _FixedBaseTopic:
        """Prepare a topic."""
        labels, table = Labels.from_rankings(measure, rankings), RankTable.from_rankings(rankings)
        judged = rankings.levels >= 0
        runs = len(rankings.length)
        template = Judged(
            levels=np.array([float(getattr(measure, "rel", None) or 1)]),
            counts=np.zeros((1, 1), dtype=np.int64),
            topic=np.zeros(runs, dtype=np.int64),
            start=np.concatenate([[0], np.cumsum(rankings.length)]),
            code=np.zeros(int(rankings.length.sum()), dtype=np.uint8),
            answered=np.ones(runs, dtype=bool),
        )
        gain = np.repeat(labels.by_level[judged], rankings.counts[judged])
        rank = np.arange(1, table.depth + 1)
        weight = np.concatenate([[0.0], measure.weighted_gain(np.ones(len(rank)), rank)])
        return cls(measure, labels, table, weight, gain, template)

    def maximize(self, labels: Ints, a: Ints, b: Ints) -> Floats:
        """Return the maximum difference of each pair if its free documents get these labels in the best order."""
        by_run = self.weights(labels)
        _, free, difference = self.table.weight_differences(by_run, a, b)
        ordered = -np.sort(np.where(free, -difference, np.inf), axis=1)[:, : len(labels)]
        judged = by_run[:, :-1] @ self.labels.judged_gain
        # Sum row by row, not by a matrix product: the value of a pair must not depend on the other pairs of a block.
        return np.asarray(judged[a] - judged[b] + (ordered * self.labels.gain[labels]).sum(axis=1))

    def weights(self, labels: Ints) -> Floats:
        """Return the weights of gains (runs x documents) if the free documents have these labels."""
        gain = np.concatenate([self.gain, self.labels.gain[labels]])
        if self.measure.med_strategy == "mean-of-prefixes":
            by_rank = self._prefix_mean_weights(gain)
        else:
            by_rank = self._recall_base_weights(int((gain > 0).sum()))
        return np.asarray(np.take_along_axis(by_rank, self.table.rank, axis=1))

    def _recall_base_weights(self, relevant: int) -> Floats:
        """Return the weights (runs x ranks) if the recall base is *relevant*."""
        topic = replace(self.template, counts=np.array([[relevant]]))
        rank = np.arange(len(self.weight))
        is_within_depth = rank <= np.broadcast_to(self.measure.depth(topic), len(topic))[:, None]
        scale = np.broadcast_to(self.measure.scale(topic), len(topic))[:, None]
        return ratio(np.where(is_within_depth, self.weight, 0.0), scale)

    def _prefix_mean_weights(self, gain: Floats) -> Floats:
        """Return the weights (runs x ranks) of MeanNDCG@k if *gain* contains the gains of all documents of the topic.

        A document at rank i contributes to nDCG@j for j = i..k. So its weight is discount(i) / k times the sum of
        1 / IDCG@j over j = i..k.
        """
        cutoff = int(cast("MeanNDCG", self.measure).cutoff)
        length = min(cutoff, max(len(gain), len(self.weight) - 1))
        rank = np.arange(1, length + 1)
        ideal_gain = np.zeros(length)
        ideal_gain[: len(gain)] = -np.sort(-gain)[:length]
        ideal_dcg = np.cumsum(self.measure.weighted_gain(ideal_gain, rank))
        # From rank *length* on, IDCG@j is constant, so the last rank represents all later ranks up to the cutoff.
        repetitions = np.ones(length)
        repetitions[-1:] += cutoff - length
        tail = np.cumsum(ratio(repetitions, ideal_dcg)[::-1])[::-1] / cutoff
        by_rank = np.zeros(len(self.weight))
        by_rank[1 : length + 1] = self.weight[1 : length + 1] * tail[: len(self.weight) - 1]
        return np.broadcast_to(by_rank, (len(self.template), len(by_rank)))


def _bound_by_prefixes(measure: Additive, rankings: TopicRankings, a: Ints, b: Ints) -> Floats:
    """Return the mean over i = 1..k of the maximum difference of nDCG@i, an upper bound for MeanNDCG@k."""
    mean_ndcg = cast("MeanNDCG", measure)
    parameters = {name: getattr(mean_ndcg, name) for name in ("base", "gains", "rel", "max_rel")}
    # nDCG@i does not change once i exceeds the number of documents: the last nDCG@i is computed once and repeated.
    last = min(mean_ndcg.cutoff, int(rankings.counts.sum() + 2 * rankings.length.max()))
    total = np.zeros(len(a))
    for cutoff in range(1, last + 1):
        repetitions = 1 if cutoff < last else mean_ndcg.cutoff - last + 1
        total += repetitions * NormalisedMed(nDCG(cutoff=cutoff, **parameters)).maximize(rankings, a, b).high
    return total / mean_ndcg.cutoff
