"""Bounds of binary measures that depend on how many ungraded documents are relevant, and on their order.

If t ungraded documents are relevant, the recall base R is known. A measure that obeys the swap axiom is then largest if
these are the t highest-ranked ungraded documents, and smallest if they are the t lowest-ranked: any other choice of t
documents can be turned into these by swaps that move a relevant document up (or down). So it suffices to try all t.
Sums for t + 1 are computed from the sums for t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from assay.model.arrays import Bools, Floats, Ints, Numbers
from assay.uncertainty.completions.problem import Interval, Problem

if TYPE_CHECKING:
    from assay.measures.average_precision import PrecisionSum

_CELLS = 1_000_000  # documents of a grid of rankings


class RankingGrid(NamedTuple):
    """Rankings as rows of matrices; shorter rankings are padded with False.

    *rows* are the indices of the rankings. *relevant* and *ungraded* are masks (rankings x ranks), and *rank* contains
    the ranks.
    """

    rows: Ints
    relevant: Bools
    ungraded: Bools
    rank: Ints


def iterate_grids(problem: Problem) -> Iterator[RankingGrid]:
    """Yield the rankings in blocks of limited size."""
    judged = problem.judged
    length = judged.length
    # The appended False, at index -1, pads the shorter rankings.
    relevant = np.append(judged.relevance(getattr(problem.measure, "rel", 1))[judged.code] > 0, False)
    ungraded = np.append(problem.ungraded, False)
    step = max(_CELLS // max(int(length.max(initial=1)), 1), 1)
    for begin in range(0, len(judged), step):
        rows = np.arange(begin, min(begin + step, len(judged)))
        column = np.arange(max(int(length[rows].max(initial=0)), 1))
        position = np.where(column < length[rows][:, None], judged.start[rows][:, None] + column, -1)
        yield RankingGrid(rows, relevant[position], ungraded[position], column + 1)


def _bound_grids(problem: Problem, bound: Callable[[RankingGrid], tuple[Floats, Floats]]) -> Interval:
    low, high = np.zeros(len(problem.judged)), np.zeros(len(problem.judged))
    for grid in iterate_grids(problem):
        low[grid.rows], high[grid.rows] = bound(grid)
    return Interval(low, high, np.ones(len(low), dtype=bool))


def _bound_rows(problem: Problem, bound: Callable[[int, Bools, Bools], tuple[float, float]]) -> Interval:
    """Bound the rankings one by one; *bound* takes a ranking and its masks of relevant and ungraded documents."""

    def bound_grid(grid: RankingGrid) -> tuple[Floats, Floats]:
        rows = zip(grid.rows.tolist(), grid.relevant, grid.ungraded, strict=True)
        low, high = np.array([bound(*row) for row in rows]).T
        return low, high

    return _bound_grids(problem, bound_grid)


# AP and related measures -----------------------------------------------------------------------------------


def bound_precision_sums(problem: Problem) -> Interval:
    """Bound AP, with any of its three divisors, and the measures YAAP, AP* and infAP; the bounds are exact.

    If the t highest-ranked ungraded documents are relevant, the next ungraded document, at rank i, adds
    (1 + relevant documents above) / i, and 1 / j for every relevant document at a rank j below. The sum for the
    lowest-ranked documents grows in the same way. Relevant documents outside the ranking only increase the divisor; AP*
    does not depend on them.
    """
    return _bound_grids(problem, lambda grid: _bound_precision_sums(problem, grid))


def _bound_precision_sums(problem: Problem, grid: RankingGrid) -> tuple[Floats, Floats]:
    """Bound the values of the rankings of a grid.

    In column i of the sums, the relevant ungraded documents are those in the first i ranks (for the largest sums) or
    those after the first i ranks (for the smallest sums).
    """
    measure = cast("PrecisionSum", problem.measure)
    # A relevant document adds *base_term*, and *per_relevant* for each relevant document above it.
    base_term, per_relevant = measure.terms(grid.rank)
    relevant_above: Ints = np.cumsum(grid.relevant, axis=1) - grid.relevant
    sum_below = _sum_below(np.where(grid.relevant, per_relevant, 0.0))
    ungraded = np.cumsum(grid.ungraded, axis=1)
    known_sum = ((base_term + relevant_above * per_relevant) * grid.relevant).sum(axis=1, keepdims=True)
    from_top = np.where(grid.ungraded, base_term + (relevant_above + ungraded - 1) * per_relevant + sum_below, 0.0)
    largest_sum = np.hstack([known_sum, known_sum + np.cumsum(from_top, axis=1)])
    ungraded_below = _sum_below(np.where(grid.ungraded, per_relevant, 0.0))
    from_bottom = np.where(grid.ungraded, base_term + relevant_above * per_relevant + sum_below + ungraded_below, 0.0)
    smallest_sum = np.hstack([known_sum + np.cumsum(from_bottom[:, ::-1], axis=1)[:, ::-1], known_sum])
    relevant_from_top = np.hstack([np.zeros((len(ungraded), 1), dtype=np.int64), ungraded])
    relevant_from_bottom = relevant_from_top[:, -1:] - relevant_from_top
    base, outside = problem.known_relevant[grid.rows][:, None], problem.outside
    if measure.divides_by_retrieved:
        base, outside = grid.relevant.sum(axis=1, keepdims=True), 0.0
    with np.errstate(divide="ignore"):  # YAAP is -inf if the number of missed relevant documents is unlimited
        high = measure.normalise(largest_sum, base + relevant_from_top).max(axis=1)
        low = measure.normalise(smallest_sum, base + relevant_from_bottom + outside).min(axis=1)
    return np.minimum(low, high), high


def _sum_below(amount: Floats) -> Floats:
    """Return the sum over the ranks below each rank."""
    return np.asarray(np.cumsum(amount[:, ::-1], axis=1)[:, ::-1] - amount)


def _divide(numerator: Floats, denominator: Numbers) -> Floats:
    """Return quotients; 0 where the denominator is not positive."""
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator > 0)


# R-precision -----------------------------------------------------------------------------------------------


def bound_r_precision(problem: Problem) -> Interval:
    """Bound R-precision and its multiples by trying all values of R; the bounds are exact.

    R determines the evaluated depth c. The value is largest if as many as possible of the R documents are ungraded
    documents of the ranking, preferably within the top c. It is smallest if as few as possible of the R documents are
    ungraded documents of the ranking, preferably below rank c.
    """
    return _bound_rows(problem, lambda row, relevant, ungraded: _bound_r_precision(problem, row, relevant, ungraded))


def _bound_r_precision(problem: Problem, row: int, relevant: Bools, ungraded: Bools) -> tuple[float, float]:
    """Bound one ranking; see ``bound_r_precision``."""
    base = int(problem.known_relevant[row])
    multiple: float | None = getattr(problem.measure, "multiple", None)
    cumulative_relevant = np.concatenate([[0], np.cumsum(relevant)])
    cumulative_ungraded = np.concatenate([[0], np.cumsum(ungraded)])
    num_ungraded, outside = int(cumulative_ungraded[-1]), problem.outside
    # Recall bases R to try. Once c exceeds the length of the ranking, the value only falls with R. So much larger
    # values of R need not be tried, except the largest possible values.
    covering_base = len(ungraded) if multiple is None else math.ceil(len(ungraded) / multiple) + 1
    small_bases = np.arange(base, base + num_ungraded + int(min(outside, covering_base)) + 1)
    if math.isinf(outside):
        large_bases = np.arange(0)
    else:
        large_bases = np.arange(base + int(outside), base + int(outside) + num_ungraded + 1)
    recall_base = np.concatenate([small_bases, large_bases])
    # trec_eval adds 0.9 to the multiple of R and truncates.
    depth = recall_base if multiple is None else np.floor(multiple * recall_base + 0.9).astype(np.int64)
    evaluated = np.minimum(depth, len(ungraded))
    max_count = np.minimum(num_ungraded, recall_base - base)
    min_count = np.maximum(0, recall_base - base - outside)
    is_possible = (recall_base - base - max_count <= outside) & (depth > 0)
    max_retrieved = cumulative_relevant[evaluated] + np.minimum(cumulative_ungraded[evaluated], max_count)
    max_retrieved = np.where(is_possible, max_retrieved, 0)
    ungraded_below = num_ungraded - cumulative_ungraded[evaluated]
    min_retrieved = cumulative_relevant[evaluated] + np.maximum(0, min_count - ungraded_below)
    high = _divide(max_retrieved.astype(np.float64), depth.astype(np.float64)).max()
    low = np.where(is_possible, _divide(min_retrieved.astype(np.float64), depth.astype(np.float64)), np.inf).min()
    # The value is 0 without relevant documents or at depth 0. It tends to 0 as the number of documents outside the
    # ranking grows.
    can_be_zero = math.isinf(outside) or base == 0 or not is_possible.all()
    return float(min(low, 0.0 if can_be_zero else np.inf)), float(high)


# Accuracy --------------------------------------------------------------------------------------------------


def bound_accuracy(problem: Problem) -> Interval:
    """Bound Accuracy; the bounds are exact.

    If c of n documents are relevant, Accuracy depends only on the sum of their ranks.
    """
    return _bound_grids(problem, lambda grid: _bound_accuracy(problem, grid))


def _bound_accuracy(problem: Problem, grid: RankingGrid) -> tuple[Floats, Floats]:
    """Bound the values of the rankings of a grid.

    In column i of the counts and rank sums, the relevant ungraded documents are those in the first i ranks
    (``from_top``) or those in the last i ranks (``from_bottom``).
    """
    cutoff: int | None = getattr(problem.measure, "cutoff", None)
    is_within_cutoff = grid.rank <= (cutoff or np.inf)
    length = np.minimum(problem.judged.length[grid.rows], cutoff or np.inf)[:, None]
    relevant, ungraded = grid.relevant & is_within_cutoff, grid.ungraded & is_within_cutoff
    rank_sum = (relevant * grid.rank).sum(axis=1, keepdims=True).astype(np.float64)
    num_relevant = relevant.sum(axis=1, keepdims=True)

    def evaluate(more_relevant: Ints, more_rank_sum: Floats) -> Floats:
        c = num_relevant + more_relevant
        inversions = rank_sum + more_rank_sum - c * (c + 1) / 2  # pairs with the non-relevant document first
        return np.where(c > 0, 1 - _divide(inversions, c * (length - c)), 0.0)

    zero = np.zeros((len(relevant), 1))
    weights = (1, grid.rank)
    from_top = [np.hstack([zero, np.cumsum(ungraded * weight, axis=1)]) for weight in weights]
    from_bottom = [np.hstack([zero, np.cumsum((ungraded * weight)[:, ::-1], axis=1)]) for weight in weights]
    return evaluate(*from_bottom).min(axis=1), evaluate(*from_top).max(axis=1)


# bpref -----------------------------------------------------------------------------------------------------


def bound_bpref(problem: Problem) -> Interval:
    """Bound bpref; the bounds are exact if no document outside the ranking may be relevant.

    A completion judges every document of the ranking, so non-relevant documents of the ranking count as judged.
    Relevant documents outside the ranking increase R, by which the sum is divided. They also increase the limit on the
    number of non-relevant documents that count. The upper bound combines the smallest R with the largest limit. The
    lower bound combines the largest R with the smallest limit.
    """

    def bound(row: int, relevant: Bools, ungraded: Bools) -> tuple[float, float]:
        length = int(problem.judged.length[row])
        return _PreferenceCounts.from_ranking(problem, row, relevant[:length], ungraded[:length]).bound()

    interval = _bound_rows(problem, bound)
    return interval._replace(exact=np.full(len(interval.low), problem.outside == 0))


class _PreferenceCounts(NamedTuple):
    """Counts that determine bpref of one ranking, for each number t of relevant documents among the ungraded.

    Attributes
    ----------
    nonrelevant_above, ungraded_above
        For each relevant document: number of judged non-relevant documents, and of ungraded documents, above it.
    nonrelevant_above_ungraded
        For each ungraded document: number of judged non-relevant documents above it.
    base, limit, num_nonrelevant
        For each t: R, the maximum number of non-relevant documents that count, and the number of non-relevant
        documents.
    outside
        Maximum number of relevant documents outside the ranking.
    """

    nonrelevant_above: Floats
    ungraded_above: Floats
    nonrelevant_above_ungraded: Floats
    base: Floats
    limit: Floats
    num_nonrelevant: Floats
    outside: float

    @classmethod
    def from_ranking(cls, problem: Problem, row: int, relevant: Bools, ungraded: Bools) -> _PreferenceCounts:
        """Count the documents of one ranking; *relevant* and *ungraded* are masks over its ranks."""
        measure, levels = problem.measure, problem.judged.levels
        nonrelevant_above = np.cumsum(~relevant & ~ungraded).astype(np.float64)
        ungraded_above = np.cumsum(ungraded).astype(np.float64)
        num_ungraded = int(ungraded.sum())
        t = np.arange(num_ungraded + 1.0)
        base = problem.known_relevant[row] + t
        below_rel = (levels >= 0) & (levels < getattr(measure, "rel", 1))
        return cls(
            nonrelevant_above=nonrelevant_above[relevant],
            ungraded_above=ungraded_above[relevant],
            nonrelevant_above_ungraded=nonrelevant_above[ungraded],
            base=base,
            limit=base + float(getattr(measure, "k", 0)),
            num_nonrelevant=problem.graded_counts[row][below_rel].sum() + num_ungraded - t,
            outside=problem.outside,
        )

    def bound(self) -> tuple[float, float]:
        """Return the lower and the upper bound over all t."""
        num_ungraded = len(self.nonrelevant_above_ungraded)
        t = np.arange(num_ungraded + 1)
        num_known = len(self.nonrelevant_above)
        # Upper bound: the t highest-ranked ungraded documents are relevant.
        max_limit = self.limit + self.outside
        divisor = max_limit if self.outside else np.minimum(max_limit, self.num_nonrelevant)
        above = self.nonrelevant_above + np.maximum(self.ungraded_above - t[:, None], 0.0)
        penalty = np.minimum(above, max_limit[:, None]).sum(axis=1)
        penalty = penalty + _sum_capped(self.nonrelevant_above_ungraded, t, max_limit)
        largest_sum = num_known + t - _divide(penalty, divisor)
        # Lower bound: the t lowest-ranked ungraded documents are relevant.
        above = self.nonrelevant_above + np.minimum(self.ungraded_above, num_ungraded - t[:, None])
        penalty = np.minimum(above, self.limit[:, None]).sum(axis=1)
        # All other n - t ungraded documents are above each of these t documents, so with x judged non-relevant
        # documents above, the penalty is min(x + n - t, limit) = min(x, cap) + n - t.
        cap = self.limit - (num_ungraded - t)
        all_ungraded = np.full(num_ungraded + 1, num_ungraded)
        penalty += _sum_capped(self.nonrelevant_above_ungraded, all_ungraded, cap) - _sum_capped(
            self.nonrelevant_above_ungraded, num_ungraded - t, cap
        )
        penalty += t * (num_ungraded - t)
        smallest_sum = num_known + t - _divide(penalty, np.minimum(self.limit, self.num_nonrelevant))
        high = _divide(largest_sum, self.base).max()
        return float(min(_divide(smallest_sum, self.base + self.outside).min(), high)), float(high)


def _sum_capped(ascending_values: Floats, count: Ints, cap: Floats) -> Floats:
    """Return the sum of min(value, *cap*) over the first *count* of ascending values."""
    sums = np.concatenate([[0.0], np.cumsum(ascending_values)])
    uncapped_count = np.minimum(np.searchsorted(ascending_values, cap, side="right"), count)
    capped_count = count - uncapped_count
    return np.asarray(sums[uncapped_count] + capped_count * np.where(capped_count > 0, cap, 0.0))
