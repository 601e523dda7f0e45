"""Weights of judgments: how much judging a document reduces the uncertainty of values.

Consider a measure that is the sum of weight(rank) * gain over the ranks, divided by a scale that no judgment changes.
Its value lies in an interval. At the lower end, every ungraded document has the smallest gain; at the upper end, every
ungraded document has the largest gain. Judging a document narrows this interval by weight(rank) * (largest gain -
smallest gain) / scale, whatever its grade is. So the benefit of each judgment is known beforehand, and benefits add up
over documents, runs and topics.

A document can also be weighted by the runs that retrieved it. Let w be the amount by which its judgment narrows the
interval of a run, r the present width of this interval and b its lower end, both as means over topics. Moffat, Webber
and Zobel (SIGIR 2007) propose three weights, summed over runs:

* method A, ``residual``: w;
* method B, ``residual-weighted``: w r, which prefers runs whose value is most uncertain;
* method C, ``score-weighted``: w r (b + r / 2)^3, which prefers runs that also seem to be good.

The weights of methods B and C change with every judgment. So do those of ``med``, for a pair of runs A and B. Let U and
D be the largest possible values of A - B and of B - A, and let d be the weight of a document in A minus that in B. If d
is positive, a non-relevant document lowers U by d and a fully relevant one lowers D by d; if d is negative, it is the
other way round. The weight of a document is the expected reduction of the larger of U and D, where a document is
relevant with the probability that the judged documents of the two runs suggest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, MeasureError, suggestion
from assay.measures import Measure
from assay.measures._base import Additive
from assay.measures._possible_grades import possible_grades, tabulate_gains
from assay.model.arrays import Bools, Codes, Floats, Ints
from assay.model.checks import find_positions
from assay.model.judged import Judged
from assay.model.rankings import Rankings

RUN_WEIGHTS = {"residual-weighted": 0, "score-weighted": 3}
"""Orders that weight documents by runs; the exponent of the middle of the interval of a run."""
MED_ORDER = "med"
"""Order that reduces the largest possible difference of a pair of runs."""
_ROUNDING = 1e-9
_DIGITS = 12


@dataclass(frozen=True)
class JudgmentWeights:
    """Uncertainty that an ungraded document causes at each rank: weight(rank) * *gain_range* / *scale*.

    Attributes
    ----------
    measure
        The measure.
    levels
        The grades of the judgments, ascending.
    grades
        The grades that an ungraded document could have.
    min_gain, gain_range
        The smallest gain of an ungraded document, and the difference between the largest and the smallest.
    scale
        The divisor of the sum.
    """

    measure: Additive
    levels: Floats
    grades: Floats
    min_gain: float
    gain_range: float
    scale: float

    @classmethod
    def from_measure(cls, measure: Measure, levels: Floats) -> JudgmentWeights:
        """Return the weights for a measure; raise an error unless it is a weighted sum over ranks with one scale."""
        if isinstance(measure, Additive) and not measure.uses_recall_base:
            grades = possible_grades(measure, levels)
            gains = tabulate_gains(measure, levels, grades)[1]
            gain_range, scale = float(np.ptp(gains)), _find_scale(measure, levels)
            if gain_range > 0 and scale is not None:
                return cls(measure, levels, grades, float(gains.min()), gain_range, scale)
        raise MeasureError(
            f"measure '{measure}': is not a weighted sum over ranks, so the benefit of a judgment depends on other "
            "judgments; use RBP, INSQ, P, CG, DCG or SDCG, such as RBP(p=0.8), P@10 or SDCG@10"
        )

    @property
    def cutoff(self) -> int | None:
        """Number of ranks that count; None if all ranks count."""
        cutoff: int | None = getattr(self.measure, "cutoff", None)
        return cutoff

    def share_gains(self, levels: Floats) -> Floats:
        """Return, for each code of a grade of *levels*, the position of its gain in the range of gains.

        The smallest gain has the position 0 and the largest 1. The entry of code 0 (unjudged) has no meaning.
        """
        by_code, _ = tabulate_gains(self.measure, levels, self.grades)
        return np.asarray((by_code - self.min_gain) / self.gain_range)

    def weigh_rows(self, rankings: Rankings) -> Floats:
        """Return the weight of each row; tied documents, if ties are known, share the weights of their ranks."""
        rank: Ints = np.arange(1, rankings.max_depth + 1)
        by_rank = np.where(rank <= (self.cutoff or rankings.max_depth), self.measure.weight(rank), 0.0)
        weight = np.asarray(by_rank * self.gain_range / self.scale)[rankings.rank - 1]
        if rankings.tied is None:
            return weight
        group = np.cumsum(~rankings.tied) - 1
        return np.asarray((np.bincount(group, weights=weight) / np.bincount(group))[group])


def is_weighted_sum(measure: Measure, levels: Floats) -> bool:
    """Return whether :class:`JudgmentWeights` exist for a measure."""
    try:
        JudgmentWeights.from_measure(measure, levels)
    except MeasureError:
        return False
    return True


def _find_scale(measure: Additive, levels: Floats) -> float | None:
    """Return the scale of the sum; None if the measure is not a weighted sum or its scale depends on the ranking.

    The measure is compared with the sum on all rankings of up to three documents, for a topic with relevant documents
    and for a topic without relevant documents.
    """
    grades = possible_grades(measure, levels)[[0, -1]]
    codes = [code for length in range(4) for code in product(range(3), repeat=length)]
    judged = Judged(
        levels=grades,
        counts=np.array([[3, 3], [3, 0]]),
        topic=np.repeat([0, 1], len(codes)),
        start=np.concatenate([[0], np.cumsum([len(code) for code in codes] * 2)]),
        code=np.array([document_code for code in codes for document_code in code] * 2, dtype=np.uint8),
        answered=np.ones(2 * len(codes), dtype=bool),
    )
    scale = np.unique(np.asarray(measure.scale(judged), dtype=np.float64))
    if len(scale) != 1 or not scale[0] > 0:
        return None
    sums = Additive.score(measure, judged)
    is_equal = np.abs(measure.score(judged) - sums) <= _ROUNDING * np.maximum(1, np.abs(sums))
    return float(scale[0]) if is_equal.all() else None


def select_rankings(campaign: Campaign, measure: Measure, *, all_topics: bool = False) -> Rankings:
    """Return the rankings down to the cutoff of the measure, which must be a weighted sum over ranks.

    If tied documents share the weights of their ranks, the cutoff may split a tie group. Whole rankings are then
    returned.
    """
    cutoff = JudgmentWeights.from_measure(measure, np.zeros(0)).cutoff
    depth = None if campaign.policies.ties == "expected" else cutoff
    return campaign.rankings(depth=depth, topics="all" if all_topics else "judged")


def check_order(order: str, orders: Sequence[str], pair: object = None) -> None:
    """Raise an error for an unknown order, and for an order that weights runs if only a pair of runs is compared."""
    if order not in orders:
        raise InputError(f"order {order!r}: choose from {', '.join(orders)}{suggestion(order, orders)}")
    if order in RUN_WEIGHTS and pair is not None:
        raise InputError(f"order {order!r}: weights all runs, so it cannot be combined with pair; omit one of them")
    if order == MED_ORDER and pair is None:
        raise InputError(f"order {order!r}: compares two runs; add pair, such as pair=('A', 'B') (--pair A B)")


def find_pair(runs: tuple[str, ...], pair: Iterable[str]) -> tuple[int, int]:
    """Return the positions of the two runs to compare."""
    positions = find_positions(runs, pair, "run").tolist()
    if len(positions) != 2:
        raise InputError("pair: name two different runs")
    return positions[0], positions[1]


def weigh_runs(order: str, base: Floats, residual: Floats) -> Floats:
    """Return the factor of each run in the weight of its documents; 1 for ``residual``.

    *base* and *residual* are the lower end and the width of the interval of the value of each run. The lower end is
    measured from the lowest possible value.
    """
    if order not in RUN_WEIGHTS:
        return np.ones(len(residual))
    return np.asarray(residual * (base + residual / 2) ** RUN_WEIGHTS[order])


@dataclass(frozen=True, eq=False)
class JudgmentCandidates:
    """Documents to judge, as columns; a document that several runs retrieved occurs once.

    Attributes
    ----------
    topic, code
        Index of the topic, and grade code.
    row
        A row of the rankings that contains this document.
    weight
        Sum of the weights of all rows that contain this document.
    priority
        The sum by which documents are ordered: the weights times the factors of the runs.
    runs, best_rank
        Number of runs that retrieved this document, and its best rank in these runs.
    document_of_row
        For each row from which the candidates were collected, the index of its document.
    """

    topic: Ints
    row: Ints
    code: Codes
    weight: Floats
    priority: Floats
    runs: Ints
    best_rank: Ints
    document_of_row: Ints

    @classmethod
    def from_rows(cls, rankings: Rankings, rows: Ints, weight: Floats) -> JudgmentCandidates:
        """Collect the documents of *rows* and add up their weights, which may be signed (see ``mask_rows``)."""
        key, first, document = np.unique(rankings.key[rows], return_index=True, return_inverse=True)
        best_rank = np.full(len(key), rankings.max_depth + 1)
        np.minimum.at(best_rank, document, rankings.rank[rows])
        row = rows[first]
        total = np.abs(sum_weights(document, weight, len(key)))
        return cls(
            topic=rankings.ranking[row] % len(rankings.topics),
            row=row,
            code=rankings.code[row],
            weight=total,
            priority=total,
            runs=np.bincount(document, minlength=len(key)),
            best_rank=best_rank,
            document_of_row=document,
        )

    def with_factor(self, weight: Floats, factor: Floats) -> JudgmentCandidates:
        """Replace the priorities by the sums of weights times factors, given for each row; see :meth:`from_rows`."""
        return self.with_priority(sum_weights(self.document_of_row, weight * factor, len(self.row)))

    def with_priority(self, priority: Floats) -> JudgmentCandidates:
        """Replace the priorities."""
        return replace(self, priority=priority)

    @cached_property
    def rounded_priority(self) -> Floats:
        """Rounded priorities (see ``round_sums``)."""
        return round_sums(self.priority)

    def look_up_ids(self, rankings: Rankings, documents: Ints) -> pl.Series:
        """Return the ids of *documents*, given by their indices."""
        return rankings.doc.gather(self.row[documents])


def sum_weights(group: Ints, weight: Floats, group_count: int) -> Floats:
    """Return the sum of the weights of each group."""
    return np.asarray(np.bincount(group, weights=weight, minlength=group_count), dtype=np.float64)


def round_sums(sums: Floats) -> Floats:
    """Drop the last digits of sums, because they depend on the order of summation."""
    mantissa, exponent = np.frexp(sums)
    return np.asarray(np.ldexp(np.round(mantissa, _DIGITS), exponent))


def mask_rows(rankings: Rankings, weight: Floats, pair: tuple[int, int] | None) -> tuple[Bools, Floats]:
    """Return a mask of the rows that affect the uncertainty, and the signed weights of all rows.

    Without a *pair*, the mask selects the rows with a positive weight. With a pair, it selects the rows of the two
    runs, and the weights of the second run are negative: a document affects the difference between the two values by
    the difference between its weights.
    """
    if pair is None:
        return weight > 0, weight
    run = rankings.ranking // len(rankings.topics)
    return np.isin(run, pair), np.where(run == pair[1], -weight, weight)
