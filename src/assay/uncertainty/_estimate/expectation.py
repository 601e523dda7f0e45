"""Exact means and distributions of values over the grades of ungraded documents.

Grades of different documents are independent. The value of a weighted sum is linear in the gains, so its mean is the
value of the expected gains. The mean of a sum of precisions follows from the probabilities p of relevance:

    E[sum of precisions] = sum over i of p_i (first_i + second_i (p_1 + ... + p_(i-1)))

where ``terms`` of the measure are first and second; both are 1 / i for AP. Other means are exact for rankings with
few ungraded documents, whose completions are enumerated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assay.measures import Measure
from assay.measures._base import Additive, ratio
from assay.measures._possible_grades import tabulate_gains
from assay.measures.average_precision import AP, SP, SSP, PrecisionSum
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.judged import Judged, Rows
from assay.uncertainty.completions.exhaustive import list_assignments
from assay.uncertainty.completions.problem import Problem

MAX_COMPLETIONS = 1 << 16
"""Largest number of completions of the rankings of a run that are enumerated."""


@dataclass(frozen=True, eq=False)
class RandomGrades:
    """Rankings whose ungraded documents have random grades.

    Attributes
    ----------
    problem
        The measure and the rankings.
    grades
        The grades that an ungraded document can have, ascending.
    probabilities
        Ungraded documents x grades.
    completed
        True if documents with random grades enter the recall base and the ideal ranking; False if these are those of
        the judged documents.
    """

    problem: Problem
    grades: Floats
    probabilities: Floats
    completed: bool

    @classmethod
    def build(
        cls, measure: Measure, judged: Judged, grades: Floats, probabilities: Floats, completed: bool
    ) -> RandomGrades:
        """Combine a measure, rankings, and the distribution of the grades of their ungraded documents."""
        return cls(Problem.from_measure(measure, judged, 0), grades, probabilities, completed)

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.problem.measure

    @property
    def judged(self) -> Judged:
        """The rankings."""
        return self.problem.judged

    @cached_property
    def codes(self) -> Ints:
        """The grade code of each of the grades."""
        return np.asarray(1 + np.searchsorted(self.judged.levels, self.grades))

    @cached_property
    def depends_on_base(self) -> bool:
        """True if the grades of ungraded documents change the recall base or the ideal ranking of the measure."""
        return self.completed and self.uses_recall_base

    @property
    def uses_recall_base(self) -> bool:
        """True if the measure, or the measure inside a wrapper, uses the recall base."""
        return self.measure.uses_recall_base or self.measure.core.uses_recall_base

    @cached_property
    def depth(self) -> int | None:
        """Depth below which the grades have no effect; None if there is no such depth."""
        measure = self.measure
        if self.depends_on_base or measure.reads_beyond_cutoff or measure.uses_max_depth or measure.inner is not None:
            return None
        cutoff = getattr(measure, "cutoff", None)
        return None if cutoff is None else int(cutoff)

    def drop_below_depth(self) -> tuple[RandomGrades, Bools]:
        """Drop the documents below the depth; return the rankings and a mask of the remaining ungraded documents."""
        if self.depth is None:
            return self, np.ones(len(self.probabilities), dtype=bool)
        keep = self.judged.rank()[self.problem.ungraded] <= self.depth
        top = self.judged.top(self.depth).with_max_depth(self.judged.max_depth, self.judged.max_condensed_depth)
        return replace(self, problem=replace(self.problem, judged=top), probabilities=self.probabilities[keep]), keep

    def score_current(self) -> Floats:
        """Return the values if ungraded documents are non-relevant; 0 where the measure is undefined."""
        return self.problem.score_or_zero(self.judged)


def expect_values(random: RandomGrades) -> Floats:
    """Return the exact mean of each ranking's value; NaN where it must be sampled."""
    measure = random.measure
    if isinstance(measure, Additive) and measure.is_plain_sum and _has_constant_weights(random):
        return _expect_sum(random, measure)
    if _is_linear_precision_sum(measure) and not random.depends_on_base:
        return _expect_precision_sum(random, measure)
    return _enumerate(random)


def _has_constant_weights(random: RandomGrades) -> bool:
    """Return True if random grades change only the gains of a weighted sum, not its weights, depth or scale."""
    measure = random.measure
    assert isinstance(measure, Additive)
    return not random.depends_on_base if measure.uses_recall_base else measure.has_fixed_weights


def _is_linear_precision_sum(measure: Measure) -> bool:
    """Return True for the measures that are a precision sum times a factor that depends on the recall base only."""
    return type(measure) in (AP, SP, SSP)


def _expect_sum(random: RandomGrades, measure: Additive) -> Floats:
    """Return the value of the expected gains."""
    random, _ = random.drop_below_depth()
    judged = random.judged
    by_code, by_grade = tabulate_gains(measure, judged.levels, random.grades)
    gain = by_code[judged.code]
    gain[random.problem.ungraded] = random.probabilities @ by_grade
    depth = np.broadcast_to(np.asarray(measure.depth(judged), dtype=np.float64), len(judged))
    rows = Rows(judged.ranking(), judged.rank(), gain)
    rows = rows.filter((gain != 0) & (rows.rank <= depth[rows.ranking]))
    total = judged.total(rows.ranking, measure.weighted_gain(rows.gain, rows.rank))
    return _fill_zeros(random, ratio(total, measure.scale(judged)))


def _expect_precision_sum(random: RandomGrades, measure: Measure) -> Floats:
    assert isinstance(measure, PrecisionSum)
    judged = random.judged
    by_code, by_grade = (table > 0 for table in tabulate_gains(measure, judged.levels, random.grades))
    relevant = by_code[judged.code].astype(np.float64)
    relevant[random.problem.ungraded] = random.probabilities @ by_grade
    running = np.concatenate([[0.0], np.cumsum(relevant)])
    above = running[:-1] - np.repeat(running[judged.start[:-1]], judged.length)
    first, second = measure.terms(judged.rank())
    total = judged.total(judged.ranking(), relevant * (first + second * above))
    return _fill_zeros(random, measure.normalise(total, judged.recall_base(measure.rel)))


def _fill_zeros(random: RandomGrades, values: Floats) -> Floats:
    return np.where(random.measure.is_defined(random.judged), values, 0.0)


def _enumerate(random: RandomGrades) -> Floats:
    """Return the mean over all completions of rankings with few ungraded documents; NaN for other rankings."""
    random, _ = random.drop_below_depth()
    counts = random.problem.num_ungraded
    means = np.where(counts == 0, random.score_current(), np.nan)
    if random.uses_recall_base and not random.completed:
        return means
    classes = len(random.problem.class_gain)
    # Each ranking gets the same share of the completions; otherwise, enumerating takes longer than sampling.
    share = max(MAX_COMPLETIONS // max(int((counts > 0).sum()), 1), 1)
    limit = int(np.log2(share) / np.log2(max(classes, 2)) + ROUNDING)
    class_probabilities = _sum_by_class(random)
    first = np.cumsum(counts) - counts
    for row in np.flatnonzero((counts > 0) & (counts <= limit)).tolist():
        assignments = list_assignments(int(counts[row]), classes)
        own = class_probabilities[first[row] : first[row] + counts[row]]
        weights = own[np.arange(counts[row]), assignments].prod(axis=1)
        values = random.problem.score_assignments(row, assignments, np.zeros(len(assignments), dtype=np.int64))
        means[row] = weights @ values
    return means


def _sum_by_class(random: RandomGrades) -> Floats:
    """Return ungraded documents x classes of equal gain."""
    problem = random.problem
    _, gain = tabulate_gains(problem.measure, problem.judged.levels, random.grades)
    in_class = gain[:, None] == problem.class_gain
    return np.asarray(random.probabilities @ in_class)


def count_distribution(probabilities: Floats) -> Floats:
    """Return the distribution of the number of relevant documents, given the probability of each (Poisson binomial).

    >>> count_distribution(np.array([0.3, 0.1])).round(2).tolist()
    [0.63, 0.34, 0.03]
    """
    distribution = np.ones(1)
    for probability in probabilities.tolist():
        distribution = np.convolve(distribution, [1 - probability, probability])
    return distribution


def find_unit(random: RandomGrades) -> float | None:
    """Return the value of one relevant document if all relevant documents have the same value, as in P@10; else None.

    The value of such a measure is a constant plus this value times the number of relevant documents.
    """
    measure, gain = random.measure, random.problem.class_gain
    if not isinstance(measure, Additive) or not measure.has_fixed_weights or random.depth is None:
        return None
    if measure.aggregate not in ("mean", "sum"):
        return None
    weights = measure.weight(np.arange(1, random.depth + 1))
    if len(gain) != 2 or gain[0] != 0 or np.ptp(weights) != 0:
        return None
    return float(weights[0] * gain[1] / np.max(measure.scale(random.judged)))


def split_relevance(random: RandomGrades) -> list[Floats]:
    """Return for each ranking the probability of relevance of each ungraded document above the depth."""
    random, _ = random.drop_below_depth()
    ends = np.cumsum(random.problem.num_ungraded)
    return np.split(_sum_by_class(random)[:, -1], ends[:-1])
