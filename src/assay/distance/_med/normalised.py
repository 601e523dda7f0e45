"""MED of normalised sums: nDCG, nCG, recall and F, whose divisor grows with every label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from assay.distance._med.additive import weights
from assay.distance._med.interface import Extreme
from assay.distance._med.rank_table import Labels, RankTable, blocks, settled_grades
from assay.errors import InputError
from assay.measures._base import Additive, ratio
from assay.measures._graded import Normalised as OverIdeal
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings

VARIANTS = ("exact", "max-grade")


@dataclass(frozen=True)
class NormalisedMed:
    r"""MED of nDCG, nCG, R and F@k: exact for any number of grades, in polynomial time.

    For f free documents let :math:`\Delta_d` be the weight of d in a less that in b. Of all labels with given numbers
    of each gain, the divisor is the same, so the best are those that give larger gains to larger :math:`\Delta`
    (rearrangement inequality). Let gains be :math:`g_0 < ... < g_q`, :math:`m_l` the number of free documents with at
    least the gain :math:`g_l`, so that :math:`f \ge m_1 \ge ... \ge m_q`, and :math:`\delta_l = g_l - g_{l-1}`. Then

    .. math:: M(a) - M(b) = \frac{N_0 + \sum_l \delta_l D(m_l)}{I_0 + \sum_l \delta_l C(J_l + m_l)}

    where D(m) is the sum of the m largest :math:`\Delta`, C(n) the sum of the first n weights down to the cutoff, and
    :math:`J_l` the number of judged documents with at least the gain :math:`g_l`, wherever they stand: the ideal value
    of gains :math:`x_1 \ge x_2 \ge ...` is the sum of their weights x :math:`x_i`, which is the integral over t of
    C(number of gains above t). (For recall C(n) = n, or min(n, k), and for F@k it is :math:`\beta^2 n + k`.)

    With two gains there is one m to choose, and all are tried: Algorithm 1 of the reference, which stops where
    :math:`\Delta` is not positive (more labels can only raise a value below 0). With more gains Dinkelbach's method
    finds the largest quotient. At a value :math:`\lambda` that some labels reach, the numerator less :math:`\lambda`
    times the divisor is a sum over l of terms that depend on :math:`m_l` alone, and the best monotone numbers follow by
    dynamic programming, l by l with a running maximum over m, in O(q f). If that sum is above 0 they give a larger
    value, with which to go on; otherwise no labels do. No numbers come up twice, so this ends, after a handful of
    rounds. (Trying all non-increasing sequences of gains, of which there are C(f + q, q), gives the same.)

    Exact, whatever its sign. Where no document is worth anything the value is 0. A document with a negative grade
    counts as unjudged: outside both rankings it is worth nothing.

    *variant* ``max-grade`` gives free documents the largest gain or that of grade 0, as the reference says is enough
    for grades. It is not: C is concave, so a label in between may add more to the numerator than to the divisor.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, Algorithm 1;
    Dinkelbach, *On nonlinear fractional programming*, Management Science 13 (1967).
    """

    measure: Additive
    variant: str = "exact"
    cost: ClassVar[str] = "linear"

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise InputError(f"variant must be one of {', '.join(VARIANTS)}, got {self.variant}")

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """The largest M(a) - M(b)."""
        topic = self._topic(rankings)
        value = np.zeros(len(a))
        for at in blocks(len(a), 2 * topic.table.depth * len(topic.labels.gain)):
            value[at] = topic.gaps(a[at], b[at]).best()[0]
        return Extreme(value, value)

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """The labels: as few above the lowest as the search finds."""
        topic = self._topic(rankings)
        _, number = topic.gaps(np.array([a]), np.array([b])).best()
        document = topic.order(a, b)
        grade = settled_grades(rankings)
        grade[document] = topic.labels.grade[(np.arange(len(document)) < number).sum(axis=0)]
        return grade

    def _topic(self, rankings: TopicRankings) -> _NormalisedTopic:
        labels, table = Labels.of(self.measure, rankings), RankTable.of(rankings)
        if self.variant == "max-grade":
            keep = np.unique([np.flatnonzero(labels.grade == 0)[0], len(labels.gain) - 1])
            labels = labels._replace(grade=labels.grade[keep], gain=labels.gain[keep])
        by_run = weights(self.measure, table.depth)[table.rank]
        return _NormalisedTopic(
            labels=labels,
            table=table,
            by_run=by_run,
            judged=by_run[:, :-1] @ labels.own,
            cost=_costs(self.measure, rankings, labels, 2 * table.depth),
        )


class _NormalisedTopic(NamedTuple):
    """Data that all pairs of runs share: weights by run and document, sums over judged documents, the divisor.

    *cost* (labels x numbers) is what it adds to the divisor that so many free documents have at least a label; the
    lowest all have.
    """

    labels: Labels
    table: RankTable
    by_run: Floats
    judged: Floats
    cost: Floats

    def gaps(self, a: Ints, b: Ints) -> _Gaps:
        """Return the choices for pairs of runs."""
        _, free, ahead = self._ahead(a, b)
        number = free.sum(axis=1)
        ordered = -np.sort(np.where(free, -ahead, np.inf), axis=1)[:, : number.max(initial=0)]
        added = np.zeros((len(a), ordered.shape[1] + 1))
        np.cumsum(np.where(np.isfinite(ordered), ordered, 0.0), axis=1, out=added[:, 1:])
        return _Gaps(
            free=number,
            base=self.judged[a] - self.judged[b] + self.labels.gain[0] * added[:, -1],
            divisor=self.cost[0, number],
            step=np.diff(self.labels.gain),
            added=added,
            cost=self.cost[1:, : added.shape[1]],
        )

    def order(self, a: int, b: int) -> Ints:
        """The free documents of two runs, first the one that weighs most in a compared with b."""
        document, free, ahead = (one[0] for one in self._ahead(np.array([a]), np.array([b])))
        found: Ints = document[free][np.argsort(-ahead[free], kind="stable")]
        return found

    def _ahead(self, a: Ints, b: Ints) -> tuple[Ints, Bools, Floats]:
        """The documents of pairs, which are free, and how much more they weigh in a than in b."""
        document, free = self.table.union(a, b)
        return document, free, self.by_run[a[:, None], document] - self.by_run[b[:, None], document]


class _Gaps(NamedTuple):
    """The quotients of pairs, when free documents get labels in the order of how much more they weigh in a than in b.

    Attributes
    ----------
    free
        How many free documents there are.
    base, divisor
        Numerator and divisor when all of them have the lowest label.
    step
        How much more each label counts than the one before.
    added
        Pairs x numbers: what is added to the numerator, times *step*, when so many have at least a label.
    cost
        Labels x numbers: what that adds to the divisor.
    """

    free: Ints
    base: Floats
    divisor: Floats
    step: Floats
    added: Floats
    cost: Floats

    def best(self) -> tuple[Floats, Ints]:
        """The largest quotient of each pair, and how many documents have at least each label but the lowest."""
        if len(self.step) == 1:
            return self._best_of_all()
        number = np.zeros((len(self.step), len(self.base)), dtype=np.int64)
        value = self._value(number)
        rising = np.arange(len(value))
        while len(rising):
            part = self._only(rising)
            found = part._best_at(value[rising])
            reached = part._value(found)
            better = reached > value[rising]
            rising = rising[better]
            value[rising], number[:, rising] = reached[better], found[:, better]
        return value, number

    def _best_of_all(self) -> tuple[Floats, Ints]:
        """With two labels there is one number to choose: try all."""
        every = ratio(self.base[:, None] + self.step[0] * self.added, self.divisor[:, None] + self.cost[0])
        every[np.arange(every.shape[1]) > self.free[:, None]] = -np.inf
        number = every.argmax(axis=1)
        return every[np.arange(len(every)), number], number[None, :]

    def _only(self, pairs: Ints) -> _Gaps:
        return self._replace(
            free=self.free[pairs], base=self.base[pairs], divisor=self.divisor[pairs], added=self.added[pairs]
        )

    def _value(self, number: Ints) -> Floats:
        """The quotients when so many documents have at least each label."""
        pair = np.arange(len(self.base))
        above, below = self.base.copy(), self.divisor.copy()
        for step, cost, m in zip(self.step, self.cost, number, strict=True):
            above += step * self.added[pair, m]
            below += cost[m]
        return ratio(above, below)

    def _best_at(self, value: Floats) -> Ints:
        """The numbers, falling from label to label, that make numerator - *value* x divisor largest."""
        m = np.arange(self.added.shape[1])
        possible = m <= self.free[:, None]
        sums: list[Floats] = []
        for step, cost in zip(self.step, self.cost, strict=True):
            own = step * self.added - value[:, None] * cost
            if sums:
                own += np.maximum.accumulate(sums[-1][:, ::-1], axis=1)[:, ::-1]
            sums.append(np.where(possible, own, -np.inf))
        number = np.zeros((len(sums), len(value)), dtype=np.int64)
        least = np.zeros(len(value), dtype=np.int64)
        for label in reversed(range(len(sums))):
            least = np.where(m >= least[:, None], sums[label], -np.inf).argmax(axis=1)
            number[label] = least
        return number


def _costs(measure: Additive, rankings: TopicRankings, labels: Labels, most: int) -> Floats:
    """Labels x numbers: what the divisor owes to the gains between a label and the one before, with more labelled.

    Gains are cut into pieces where a judged document counts more than a label and less than the next.
    """
    judged = rankings.levels >= 0
    gain, count = labels.by_level[judged], rankings.counts[judged]
    ends = np.unique(np.concatenate([[0.0], labels.gain, gain]))
    reach = count @ (gain[:, None] >= ends[1:])
    divisor = _divisor(measure, int(reach.max(initial=0)) + most)
    piece = np.diff(ends)[:, None] * divisor[reach[:, None] + np.arange(most + 1)]
    cost = np.zeros((len(labels.gain), most + 1))
    np.add.at(cost, np.searchsorted(labels.gain, ends[1:]), piece)
    return cost


def _divisor(measure: Additive, most: int) -> Floats:
    """The divisor for a topic that has 0, 1, ... documents of gain 1."""
    if isinstance(measure, OverIdeal):
        return np.cumsum(weights(measure, most))
    relevant = float(getattr(measure, "rel", 1))
    topics = Judged(
        levels=np.array([relevant]),
        counts=np.arange(most + 1)[:, None],
        topic=np.arange(most + 1),
        start=np.zeros(most + 2, dtype=np.int64),
        code=np.zeros(0, dtype=np.uint8),
        answered=np.ones(most + 1, dtype=bool),
    )
    return np.asarray(measure.scale(topics), dtype=np.float64)
