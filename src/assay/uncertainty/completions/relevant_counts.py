"""Bounds of binary measures that depend on how many ungraded documents are relevant, and on their order.

If t ungraded documents are relevant, the recall base R is known. A measure that obeys the swap axiom is then largest if
these are the t topmost ungraded documents and smallest if they are the t lowest: any other choice turns into these by
swaps that move a relevant document up (or down). So it suffices to try all t, with sums carried over from one t to the
next.
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
    """Some rankings as the rows of matrices, shorter rankings padded with False.

    *rows* are the indices of the rankings, *relevant* and *ungraded* are rankings x ranks, *rank* holds the ranks.
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


# AP and related measures -----------------------------------------------------------------------------------


def bound_precision_sums(problem: Problem) -> Interval:
    """Bound AP with its three divisors, YAAP, AP* and infAP: exact.

    If the t topmost ungraded documents are relevant, the next one, at rank i, adds (1 + relevant above) / i, and 1 / j
    for every relevant document at a rank j below. From the bottom the sum grows in the same way. Relevant documents
    outside only increase the divisor; AP* does not depend on them.
    """
    return _bound_grids(problem, lambda grid: _bound_precision_sums(problem, grid))


def _bound_precision_sums(problem: Problem, grid: RankingGrid) -> tuple[Floats, Floats]:
    measure = cast("PrecisionSum", problem.measure)
    # A relevant document adds *own*, and *per_relevant* for each relevant document above it.
    own, per_relevant = measure.terms(grid.rank)
    above: Ints = np.cumsum(grid.relevant, axis=1) - grid.relevant
    below = _sum_below(np.where(grid.relevant, per_relevant, 0.0))
    ungraded = np.cumsum(grid.ungraded, axis=1)
    known_sum = ((own + above * per_relevant) * grid.relevant).sum(axis=1, keepdims=True)
    from_top = np.where(grid.ungraded, own + (above + ungraded - 1) * per_relevant + below, 0.0)
    best = np.hstack([known_sum, known_sum + np.cumsum(from_top, axis=1)])
    ungraded_below = _sum_below(np.where(grid.ungraded, per_relevant, 0.0))
    from_bottom = np.where(grid.ungraded, own + above * per_relevant + below + ungraded_below, 0.0)
    worst = np.hstack([known_sum + np.cumsum(from_bottom[:, ::-1], axis=1)[:, ::-1], known_sum])
    relevant_from_top = np.hstack([np.zeros((len(ungraded), 1), dtype=np.int64), ungraded])
    relevant_from_bottom = relevant_from_top[:, -1:] - relevant_from_top
    base, outside = problem.known_relevant[grid.rows][:, None], problem.outside
    if measure.divides_by_retrieved:
        base, outside = grid.relevant.sum(axis=1, keepdims=True), 0.0
    with np.errstate(divide="ignore"):  # YAAP is -inf if any number of relevant documents may be missed
        high = measure.normalise(best, base + relevant_from_top).max(axis=1)
        low = measure.normalise(worst, base + relevant_from_bottom + outside).min(axis=1)
    return np.minimum(low, high), high


def _sum_below(amount: Floats) -> Floats:
    """Return the sum over the ranks below each rank."""
    return np.asarray(np.cumsum(amount[:, ::-1], axis=1)[:, ::-1] - amount)


def _divide(numerator: Floats, denominator: Numbers) -> Floats:
    """Return quotients; 0 where the denominator is not positive."""
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator > 0)


# R-precision -----------------------------------------------------------------------------------------------


def bound_r_precision(problem: Problem) -> Interval:
    """Bound R-precision and its multiples: exact, by trying all values of R.

    R determines the evaluated depth c. The value is largest if as many of the R documents as possible are ungraded
    documents of the ranking, those of the top c first. It is smallest if as few as possible are, those below c first.
    """
    low, high = np.zeros(len(problem.judged)), np.zeros(len(problem.judged))
    for grid in iterate_grids(problem):
        for row, relevant, ungraded in zip(grid.rows.tolist(), grid.relevant, grid.ungraded, strict=True):
            low[row], high[row] = _bound_r_precision(problem, int(problem.known_relevant[row]), relevant, ungraded)
    return Interval(low, high, np.ones(len(low), dtype=bool))


def _bound_r_precision(problem: Problem, base: int, relevant: Bools, ungraded: Bools) -> tuple[float, float]:
    multiple: float | None = getattr(problem.measure, "multiple", None)
    cumulative_relevant = np.concatenate([[0], np.cumsum(relevant)])
    cumulative_ungraded = np.concatenate([[0], np.cumsum(ungraded)])
    num_ungraded, outside = int(cumulative_ungraded[-1]), problem.outside
    # Recall bases R to try. Once c exceeds the length of the ranking, the value only falls with R, so that values far
    # beyond need not be tried, except the largest possible ones.
    covering = len(ungraded) if multiple is None else math.ceil(len(ungraded) / multiple) + 1
    smallest = np.arange(base, base + num_ungraded + int(min(outside, covering)) + 1)
    if math.isinf(outside):
        largest = np.arange(0)
    else:
        largest = np.arange(base + int(outside), base + int(outside) + num_ungraded + 1)
    size = np.concatenate([smallest, largest])
    # The offset 0.9 is how trec_eval rounds the multiple of R.
    depth = size if multiple is None else np.floor(multiple * size + 0.9).astype(np.int64)
    evaluated = np.minimum(depth, len(ungraded))
    most = np.minimum(num_ungraded, size - base)
    least = np.maximum(0, size - base - outside)
    possible = (size - base - most <= outside) & (depth > 0)
    best = np.where(possible, cumulative_relevant[evaluated] + np.minimum(cumulative_ungraded[evaluated], most), 0)
    ungraded_below = num_ungraded - cumulative_ungraded[evaluated]
    worst = cumulative_relevant[evaluated] + np.maximum(0, least - ungraded_below)
    high = _divide(best.astype(np.float64), depth.astype(np.float64)).max()
    low = np.where(possible, _divide(worst.astype(np.float64), depth.astype(np.float64)), np.inf).min()
    # The value is 0 without relevant documents or at depth 0, and tends to 0 with the number of documents outside.
    can_be_zero = math.isinf(outside) or base == 0 or not possible.all()
    return float(min(low, 0.0 if can_be_zero else np.inf)), float(high)


# Accuracy --------------------------------------------------------------------------------------------------


def bound_accuracy(problem: Problem) -> Interval:
    """Bound Accuracy: exact. With c of n documents relevant it depends only on the sum of their ranks."""
    return _bound_grids(problem, lambda grid: _bound_accuracy(problem, grid))


def _bound_accuracy(problem: Problem, grid: RankingGrid) -> tuple[Floats, Floats]:
    cutoff: int | None = getattr(problem.measure, "cutoff", None)
    inside = grid.rank <= (cutoff or np.inf)
    length = np.minimum(problem.judged.length[grid.rows], cutoff or np.inf)[:, None]
    relevant, ungraded = grid.relevant & inside, grid.ungraded & inside
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
    """Bound bpref: exact if no document outside may be relevant.

    A completion judges every document of the ranking, so that the non-relevant ones count as judged. Relevant documents
    outside increase R, by which the sum is divided, but also the limit on the number of non-relevant documents that
    count. The upper bound combines the smallest R with the largest limit, the lower bound the largest R with the
    smallest limit.
    """
    low, high = np.zeros(len(problem.judged)), np.zeros(len(problem.judged))
    for grid in iterate_grids(problem):
        for row, relevant, ungraded in zip(grid.rows.tolist(), grid.relevant, grid.ungraded, strict=True):
            length = int(problem.judged.length[row])
            counts = _PreferenceCounts.from_ranking(problem, row, relevant[:length], ungraded[:length])
            low[row], high[row] = counts.bound()
    return Interval(low, high, np.full(len(low), problem.outside == 0))


class _PreferenceCounts(NamedTuple):
    """Counts from which bpref of one ranking follows, for each number t of relevant documents among the ungraded.

    Attributes
    ----------
    nonrelevant_above, ungraded_above
        For each relevant document: number of judged non-relevant, and of ungraded, documents above it.
    nonrelevant_above_ungraded
        For each ungraded document: number of judged non-relevant documents above it.
    base, limit, num_nonrelevant
        For each t: R, the number of non-relevant documents that count, and the number that there are.
    outside
        Maximum number of relevant documents outside.
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
        # Upper bound: the t topmost ungraded documents are relevant.
        widest = self.limit + self.outside
        divisor = widest if self.outside else np.minimum(widest, self.num_nonrelevant)
        above = self.nonrelevant_above + np.maximum(self.ungraded_above - t[:, None], 0.0)
        lost = np.minimum(above, widest[:, None]).sum(axis=1)
        lost = lost + _sum_capped(self.nonrelevant_above_ungraded, t, widest)
        best = num_known + t - _divide(lost, divisor)
        # Lower bound: the t lowest ungraded documents are relevant.
        above = self.nonrelevant_above + np.minimum(self.ungraded_above, num_ungraded - t[:, None])
        lost = np.minimum(above, self.limit[:, None]).sum(axis=1)
        # All other n - t ungraded documents are above each of these: min(x + n - t, limit) = min(x, rest) + n - t.
        rest = self.limit - (num_ungraded - t)
        all_ungraded = np.full(num_ungraded + 1, num_ungraded)
        lost += _sum_capped(self.nonrelevant_above_ungraded, all_ungraded, rest) - _sum_capped(
            self.nonrelevant_above_ungraded, num_ungraded - t, rest
        )
        lost += t * (num_ungraded - t)
        worst = num_known + t - _divide(lost, np.minimum(self.limit, self.num_nonrelevant))
        high = _divide(best, self.base).max()
        return float(min(_divide(worst, self.base + self.outside).min(), high)), float(high)


def _sum_capped(ascending: Floats, number: Ints, cap: Floats) -> Floats:
    """Return the sum of min(value, *cap*) over the first *number* of ascending values."""
    sums = np.concatenate([[0.0], np.cumsum(ascending)])
    uncapped = np.minimum(np.searchsorted(ascending, cap, side="right"), number)
    capped = number - uncapped
    return np.asarray(sums[uncapped] + capped * np.where(capped > 0, cap, 0.0))
