"""MED of measures that are sums once the number of documents of each gain is known: R-precision, F, MeanNDCG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

import numpy as np

from assay.distance._med.interface import Extreme
from assay.distance._med.normalised import NormalisedMed
from assay.distance._med.rank_table import Labels, RankTable, blocks, settled_grades
from assay.measures._base import Additive, ratio
from assay.measures.dcg import nDCG
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.dcg import MeanNDCG

LIMIT = 2000
"""How many ways to share labels among free documents are tried."""


@dataclass(frozen=True)
class GivenBase:
    """MED of Rprec, RprecMult, F and MeanNDCG.

    Fix how many free documents get each label. Then the recall base and the ideal ranking are known, so the measure is
    a sum of weight x gain with known weights, which may differ between the runs (F divides by their lengths), and the
    best labels give larger gains to documents that weigh more in a compared with b (rearrangement inequality). All
    ways to share the labels are tried: f + 1 with two gains for f free documents, C(f + q, q) with q + 1. Exact,
    whatever its sign.

    Beyond *limit* ways, which takes several grades and so MeanNDCG, the value is an interval. From below: only ways
    with two different labels are tried. From above: MeanNDCG@k is the mean of nDCG@i over i = 1..k, so its largest
    difference is at most the mean of theirs, each of which is exact (see :class:`NormalisedMed`).
    """

    measure: Additive
    limit: int = LIMIT
    cost: ClassVar[str] = "slow"

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """The largest M(a) - M(b), or an interval."""
        topic = _FixedBaseTopic.of(self.measure, rankings)
        low, exact = np.full(len(a), -np.inf), np.ones(len(a), dtype=bool)
        for at in blocks(len(a), 2 * topic.table.depth):
            free = topic.table.union(a[at], b[at])[1].sum(axis=1)
            for number in np.unique(free).tolist():
                pairs = np.arange(len(a))[at][free == number]
                exact[pairs] = self._few(topic, number)
                for way in self._ways(topic, number):
                    low[pairs] = np.maximum(low[pairs], topic.values(way, a[pairs], b[pairs]))
        high = low.copy()
        if not exact.all():
            high[~exact] = np.maximum(low[~exact], _mean_of_prefixes(self.measure, rankings, a[~exact], b[~exact]))
        return Extreme(low, high)

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """The labels, larger gains for documents that weigh more in a compared with b."""
        topic, one, other = _FixedBaseTopic.of(self.measure, rankings), np.array([a]), np.array([b])
        number = int(topic.table.union(one, other)[1].sum())
        way = max(self._ways(topic, number), key=lambda way: float(topic.values(way, one, other)[0]))
        document, free, ahead = (part[0] for part in topic.ahead(topic.weights(way), one, other))
        grade = settled_grades(rankings)
        grade[document[free][np.argsort(-ahead[free], kind="stable")]] = topic.labels.grade[way]
        return grade

    def _few(self, topic: _FixedBaseTopic, free: int) -> bool:
        """Return whether there are few enough ways to share labels."""
        more = len(topic.labels.gain) - 1
        return more < 2 or comb(free + more, more) <= self.limit

    def _ways(self, topic: _FixedBaseTopic, free: int) -> Iterator[Ints]:
        """Labels for free documents, by number, non-increasing; as few above the lowest as possible first."""
        most = len(topic.labels.gain)
        if self._few(topic, free):
            for way in combinations_with_replacement(range(most), free):
                yield np.array(way[::-1], dtype=np.int64)
            return
        for label in range(1, most):
            for labelled in range(free + 1):
                yield np.where(np.arange(free) < labelled, label, 0)


class _FixedBaseTopic(NamedTuple):
    """Data shared by pairs of runs; *gain* are those of all judged documents, *answers* empty copies of the runs."""

    measure: Additive
    labels: Labels
    table: RankTable
    weight: Floats
    gain: Floats
    answers: Judged

    @classmethod
    def of(cls, measure: Additive, rankings: TopicRankings) -> _FixedBaseTopic:
        """Prepare a topic."""
        labels, table = Labels.of(measure, rankings), RankTable.of(rankings)
        judged = rankings.levels >= 0
        runs = len(rankings.length)
        answers = Judged(
            levels=np.array([float(getattr(measure, "rel", None) or 1)]),
            counts=np.zeros((1, 1), dtype=np.int64),
            topic=np.zeros(runs, dtype=np.int64),
            start=np.concatenate([[0], np.cumsum(rankings.length)]),
            code=np.zeros(int(rankings.length.sum()), dtype=np.uint8),
            answered=np.ones(runs, dtype=bool),
        )
        gain = np.repeat(labels.by_level[judged], rankings.counts[judged])
        rank = np.arange(1, table.depth + 1)
        weight = np.concatenate([[0.0], measure.weighed(np.ones(len(rank)), rank)])
        return cls(measure, labels, table, weight, gain, answers)

    def values(self, way: Ints, a: Ints, b: Ints) -> Floats:
        """The largest differences of pairs if their free documents get these labels, in any order."""
        by_run = self.weights(way)
        _, free, ahead = self.ahead(by_run, a, b)
        ordered = -np.sort(np.where(free, -ahead, np.inf), axis=1)[:, : len(way)]
        judged = by_run[:, :-1] @ self.labels.own
        # Row by row, so that a pair has the same value whichever pairs are looked at together.
        return np.asarray(judged[a] - judged[b] + (ordered * self.labels.gain[way]).sum(axis=1))

    def ahead(self, by_run: Floats, a: Ints, b: Ints) -> tuple[Ints, Bools, Floats]:
        """The documents of pairs, which are free, and how much more they weigh in a than in b."""
        document, free = self.table.union(a, b)
        return document, free, by_run[a[:, None], document] - by_run[b[:, None], document]

    def weights(self, way: Ints) -> Floats:
        """Return the weights of gains (runs x documents) if the free documents have these labels."""
        gain = np.concatenate([self.gain, self.labels.gain[way]])
        over_prefixes = self.measure.med_strategy == "mean-of-prefixes"
        by_rank = self._weights_of_prefixes(gain) if over_prefixes else self._weights_given_base(int((gain > 0).sum()))
        return np.asarray(np.take_along_axis(by_rank, self.table.rank, axis=1))

    def _weights_given_base(self, relevant: int) -> Floats:
        """Return the weights (runs x ranks) if that many documents are relevant."""
        topic = replace(self.answers, counts=np.array([[relevant]]))
        rank = np.arange(len(self.weight))
        within = rank <= np.broadcast_to(self.measure.depth(topic), len(topic))[:, None]
        scale = np.broadcast_to(self.measure.scale(topic), len(topic))[:, None]
        return ratio(np.where(within, self.weight, 0.0), scale)

    def _weights_of_prefixes(self, gain: Floats) -> Floats:
        """Runs x ranks: a document at rank i counts its DCG over k IDCG@j, for every j from i to k."""
        cut = int(cast("MeanNDCG", self.measure).cutoff)
        length = min(cut, max(len(gain), len(self.weight) - 1))
        rank = np.arange(1, length + 1)
        best = np.zeros(length)
        best[: len(gain)] = -np.sort(-gain)[:length]
        ideal = np.cumsum(self.measure.weighed(best, rank))
        times = np.ones(length)
        times[-1:] += cut - length
        tail = np.cumsum(ratio(times, ideal)[::-1])[::-1] / cut
        by_rank = np.zeros(len(self.weight))
        by_rank[1 : length + 1] = self.weight[1 : length + 1] * tail[: len(self.weight) - 1]
        return np.broadcast_to(by_rank, (len(self.answers), len(by_rank)))


def _mean_of_prefixes(measure: Additive, rankings: TopicRankings, a: Ints, b: Ints) -> Floats:
    """The mean over i = 1..k of the largest difference of nDCG@i, which is the same from some rank on."""
    chosen = cast("MeanNDCG", measure)
    given = {name: getattr(chosen, name) for name in ("base", "gains", "rel", "max_rel")}
    last = min(chosen.cutoff, int(rankings.counts.sum() + 2 * rankings.length.max()))
    total = np.zeros(len(a))
    for cut in range(1, last + 1):
        times = 1 if cut < last else chosen.cutoff - last + 1
        total += times * NormalisedMed(nDCG(cutoff=cut, **given)).largest(rankings, a, b).high
    return total / chosen.cutoff
