"""MED of normalised sums: nDCG, nCG, recall and F, whose divisor grows with every label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from assay.distance._med.additive import rank_weights
from assay.distance._med.interface import Maximum
from assay.distance._med.rank_table import Labels, RankTable, known_grades, split_into_blocks
from assay.measures._base import Additive, ratio
from assay.measures._graded import Normalised
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.rankings import TopicRankings


@dataclass(frozen=True)
class NormalisedMed:
    r"""MED of nDCG, nCG, R and F@k: exact for any number of grades, in polynomial time.

    **The quotient.** For each of the f free documents let :math:`\Delta_d` be its weight in a minus its weight in b.
    All labelings with the same number of documents of each gain have the same divisor. By the rearrangement inequality,
    the best of these labelings assign larger gains to larger :math:`\Delta`. Let the gains be
    :math:`g_0 < ... < g_q`. Let :math:`m_l` be the number of free documents with at least gain :math:`g_l`, so
    :math:`f \ge m_1 \ge ... \ge m_q`. Let :math:`\delta_l = g_l - g_{l-1}`. Then

    .. math:: M(a) - M(b) = \frac{N_0 + \sum_l \delta_l D(m_l)}{I_0 + \sum_l \delta_l C(J_l + m_l)}

    where D(m) is the sum of the m largest :math:`\Delta`, C(n) is the sum of the first n weights (up to the cutoff),
    and :math:`J_l` is the number of judged documents with at least gain :math:`g_l`, retrieved or not. The divisor is
    correct because the ideal value of gains :math:`x_1 \ge x_2 \ge ...` is the sum of weight x :math:`x_i`, which
    equals the integral over t of C(number of gains above t). (For recall, C(n) is n or min(n, k); for F@k, C(n) is
    :math:`\beta^2 n + k`.)

    **Two gains.** There is one m to choose, and all values of m are tried. Algorithm 1 of the reference stops as soon
    as :math:`\Delta` is not positive. This is not enough here, because further labels can still raise a negative value.

    **More gains.** Dinkelbach's method finds the largest quotient. Start from a value :math:`\lambda` that some labels
    attain. The numerator minus :math:`\lambda` times the divisor is a sum over l of terms that depend only on
    :math:`m_l`. Dynamic programming maximizes this sum over non-increasing m in O(q f): label by label, with a running
    maximum over m. If the maximum is positive, its labels have a larger quotient, which becomes the next
    :math:`\lambda`; otherwise :math:`\lambda` is the largest quotient. Each round gives a strictly larger quotient, so
    no labeling occurs twice and the method ends, in practice after a handful of rounds.

    The maximum is exact, even if it is negative. The value is 0 if no document has a gain. A document with a negative
    grade counts as unjudged; if it is outside both rankings, it has no gain.

    *max_grade* restricts the labels to grade 0 and the grade with the largest gain. The reference claims that these two
    labels are sufficient for graded relevance. They are not: C is concave, so a label between the two may add more to
    the numerator than to the divisor. The restricted maximum is therefore only a lower bound; the upper bound is the
    exact maximum.

    References
    ----------
    Moffat, *Computing maximized effectiveness distance for recall-based metrics*, TKDE, Algorithm 1;
    Dinkelbach, *On nonlinear fractional programming*, Management Science 13 (1967).
    """

    measure: Additive
    max_grade: bool = False
    cost: ClassVar[str] = "linear"

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return the exact maximum of M(a) - M(b) for each pair; with *max_grade*, a lower bound and the maximum."""
        topic = self.prepare(rankings)
        value = np.zeros(len(a))
        for pairs in split_into_blocks(len(a), 2 * topic.table.depth * len(topic.labels.gain)):
            value[pairs] = topic.quotients(a[pairs], b[pairs]).maximize()[0]
        return Maximum(value, NormalisedMed(self.measure).maximize(rankings, a, b).high if self.max_grade else value)

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return grades that attain the maximum, with as few documents above the lowest label as the search finds."""
        topic = self.prepare(rankings)
        _, label_counts = topic.quotients(np.array([a]), np.array([b])).maximize()
        document = topic.table.order_free_documents(topic.by_run, a, b)
        grade = known_grades(rankings)
        # The label of the i-th document is the number of labels l with i < m_l.
        grade[document] = topic.labels.grade[(np.arange(len(document)) < label_counts).sum(axis=0)]
        return grade

    def prepare(self, rankings: TopicRankings) -> NormalisedTopic:
        """Return the data of a topic that all pairs of runs share."""
        labels, table = Labels.from_rankings(self.measure, rankings), RankTable.from_rankings(rankings)
        if self.max_grade:
            selected = np.unique([np.flatnonzero(labels.grade == 0)[0], len(labels.gain) - 1])
            labels = labels._replace(grade=labels.grade[selected], gain=labels.gain[selected])
        by_run = rank_weights(self.measure, table.depth)[table.rank]
        return NormalisedTopic(
            labels=labels,
            table=table,
            by_run=by_run,
            judged=by_run[:, :-1] @ labels.judged_gain,
            divisor_parts=divisor_parts(self.measure, rankings, labels, 2 * table.depth),
        )


class NormalisedTopic(NamedTuple):
    """Data of a topic that all pairs of runs share.

    Attributes
    ----------
    labels, table
        The possible labels, and the ranks of the documents.
    by_run
        Runs x documents: the weight of each document in each run.
    judged
        For each run, the sum of weight x gain over its judged documents.
    divisor_parts
        Labels x counts m: the part of the divisor due to the gains between the previous label and this label, if m free
        documents have at least this label. All free documents have at least the lowest label.
    """

    labels: Labels
    table: RankTable
    by_run: Floats
    judged: Floats
    divisor_parts: Floats

    def quotients(self, a: Ints, b: Ints) -> _Quotients:
        """Return the quotients of pairs of runs as functions of the label counts m."""
        _, free, difference = self.table.weight_differences(self.by_run, a, b)
        free_count = free.sum(axis=1)
        # Sort the differences of free documents in descending order; all others become -inf and end up last.
        ordered = -np.sort(np.where(free, -difference, np.inf), axis=1)[:, : free_count.max(initial=0)]
        prefix_sums = np.zeros((len(a), ordered.shape[1] + 1))
        np.cumsum(np.where(np.isfinite(ordered), ordered, 0.0), axis=1, out=prefix_sums[:, 1:])
        return _Quotients(
            free_count=free_count,
            numerator=self.judged[a] - self.judged[b] + self.labels.gain[0] * prefix_sums[:, -1],
            divisor=self.divisor_parts[0, free_count],
            step=np.diff(self.labels.gain),
            prefix_sums=prefix_sums,
            divisor_parts=self.divisor_parts[1:, : prefix_sums.shape[1]],
        )


class _Quotients(NamedTuple):
    """The quotients of pairs as functions of m_1 >= ... >= m_q; see :class:`NormalisedMed`.

    The free documents get labels in descending order of their weight difference.

    Attributes
    ----------
    free_count
        For each pair, the number of free documents.
    numerator, divisor
        For each pair, numerator and divisor if all free documents have the lowest label.
    step
        The increase of the gain from each label to the next.
    prefix_sums
        Pairs x counts m: D(m), the sum of the m largest weight differences.
    divisor_parts
        Labels (without the lowest) x counts m: the increase of the divisor if m documents have at least that label.
    """

    free_count: Ints
    numerator: Floats
    divisor: Floats
    step: Floats
    prefix_sums: Floats
    divisor_parts: Floats

    def maximize(self) -> tuple[Floats, Ints]:
        """Return the largest quotient of each pair, and the counts m (labels x pairs) that attain it."""
        if len(self.step) == 1:
            return self._maximize_two_gains()
        # Dinkelbach's method, for all pairs together. A pair drops out when its quotient stops increasing.
        label_counts = np.zeros((len(self.step), len(self.numerator)), dtype=np.int64)
        value = self._evaluate(label_counts)
        active = np.arange(len(value))
        while len(active):
            subset = self._select(active)
            candidate = subset._maximize_linear(value[active])
            quotient = subset._evaluate(candidate)
            is_better = quotient > value[active]
            active = active[is_better]
            value[active], label_counts[:, active] = quotient[is_better], candidate[:, is_better]
        return value, label_counts

    def _maximize_two_gains(self) -> tuple[Floats, Ints]:
        """Try all counts m of documents with the larger of two gains."""
        quotients = ratio(
            self.numerator[:, None] + self.step[0] * self.prefix_sums, self.divisor[:, None] + self.divisor_parts[0]
        )
        quotients[np.arange(quotients.shape[1]) > self.free_count[:, None]] = -np.inf
        m = quotients.argmax(axis=1)
        return quotients[np.arange(len(quotients)), m], m[None, :]

    def _select(self, pairs: Ints) -> _Quotients:
        return self._replace(
            free_count=self.free_count[pairs],
            numerator=self.numerator[pairs],
            divisor=self.divisor[pairs],
            prefix_sums=self.prefix_sums[pairs],
        )

    def _evaluate(self, label_counts: Ints) -> Floats:
        """Return the quotients for label counts m (labels x pairs)."""
        pair = np.arange(len(self.numerator))
        numerator, divisor = self.numerator.copy(), self.divisor.copy()
        for step, part, m in zip(self.step, self.divisor_parts, label_counts, strict=True):
            numerator += step * self.prefix_sums[pair, m]
            divisor += part[m]
        return ratio(numerator, divisor)

    def _maximize_linear(self, value: Floats) -> Ints:
        """Return the non-increasing counts m (labels x pairs) that maximize numerator - *value* x divisor."""
        m = np.arange(self.prefix_sums.shape[1])
        is_possible = m <= self.free_count[:, None]
        # Forward pass. sums[l][m] is the best sum of the terms of labels 1 to l with m_l = m. The previous count must
        # be at least m, hence the running maximum from the right.
        sums: list[Floats] = []
        for step, part in zip(self.step, self.divisor_parts, strict=True):
            terms = step * self.prefix_sums - value[:, None] * part
            if sums:
                terms += np.maximum.accumulate(sums[-1][:, ::-1], axis=1)[:, ::-1]
            sums.append(np.where(is_possible, terms, -np.inf))
        # Backward pass: choose the last count freely; each previous count must be at least as large as the next.
        label_counts = np.zeros((len(sums), len(value)), dtype=np.int64)
        lower_limit = np.zeros(len(value), dtype=np.int64)
        for label in reversed(range(len(sums))):
            lower_limit = np.where(m >= lower_limit[:, None], sums[label], -np.inf).argmax(axis=1)
            label_counts[label] = lower_limit
        return label_counts


def divisor_parts(measure: Additive, rankings: TopicRankings, labels: Labels, max_free: int) -> Floats:
    """Return labels x counts m: the parts of the divisor, for up to *max_free* free documents.

    The part of a label is the integral of C(number of gains above t), for t from the gain of the previous label to the
    gain of this label. The number of gains above t changes only at the gains of labels and judged documents, so the
    integral is a sum over the intervals between consecutive gains.
    """
    judged = rankings.levels >= 0
    gain, count = labels.by_level[judged], rankings.counts[judged]
    ends = np.unique(np.concatenate([[0.0], labels.gain, gain]))
    judged_above = count @ (gain[:, None] >= ends[1:])
    divisor = _unit_gain_divisors(measure, int(judged_above.max(initial=0)) + max_free)
    interval = np.diff(ends)[:, None] * divisor[judged_above[:, None] + np.arange(max_free + 1)]
    parts = np.zeros((len(labels.gain), max_free + 1))
    np.add.at(parts, np.searchsorted(labels.gain, ends[1:]), interval)
    return parts


def _unit_gain_divisors(measure: Additive, max_relevant: int) -> Floats:
    """Return C(n), the divisor for a topic with n documents of gain 1, for n from 0 to *max_relevant*."""
    if isinstance(measure, Normalised):
        return np.cumsum(rank_weights(measure, max_relevant))
    # One artificial topic for each n, with empty rankings.
    relevant = float(getattr(measure, "rel", 1))
    topics = Judged(
        levels=np.array([relevant]),
        counts=np.arange(max_relevant + 1)[:, None],
        topic=np.arange(max_relevant + 1),
        start=np.zeros(max_relevant + 2, dtype=np.int64),
        code=np.zeros(0, dtype=np.uint8),
        answered=np.ones(max_relevant + 1, dtype=bool),
    )
    return np.asarray(measure.scale(topics), dtype=np.float64)
