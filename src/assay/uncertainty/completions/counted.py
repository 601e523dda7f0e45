"""Binary measures for which it is enough to know how many unsettled documents are relevant.

If t of them are relevant, R is known, and a measure that obeys the swap axiom is largest when they are the t topmost
and smallest when they are the t lowest: any other choice turns into these by exchanging two documents so that the
relevant one stands first (or last). So all t are gone through, with sums that are carried on from one t to the next.
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

_CELLS = 1_000_000


class Grid(NamedTuple):
    """Some rankings as the rows of a matrix: which documents are relevant, which unsettled; ranks and cut-off."""

    rows: Ints
    relevant: Bools
    free: Bools
    rank: Ints


def grids(problem: Problem) -> Iterator[Grid]:
    """Yield the rankings in blocks, the shorter ones padded."""
    judged = problem.judged
    length = judged.length
    # One more flag for the ranks behind the end of the shorter rankings.
    relevant = np.append(judged.relevance(getattr(problem.measure, "rel", 1))[judged.code] > 0, False)
    free = np.append(problem.unsettled, False)
    step = max(_CELLS // max(int(length.max(initial=1)), 1), 1)
    for begin in range(0, len(judged), step):
        rows = np.arange(begin, min(begin + step, len(judged)))
        width = np.arange(max(int(length[rows].max(initial=0)), 1))
        place = np.where(width < length[rows][:, None], judged.start[rows][:, None] + width, -1)
        yield Grid(rows, relevant[place], free[place], width + 1)


def _gathered(problem: Problem, bound: Callable[[Grid], tuple[Floats, Floats]], exact: bool = True) -> Interval:
    low, high = np.zeros(len(problem.judged)), np.zeros(len(problem.judged))
    for grid in grids(problem):
        low[grid.rows], high[grid.rows] = bound(grid)
    return Interval(low, high, np.full(len(low), exact))


# AP and its kin --------------------------------------------------------------------------------------------


def precision_sums(problem: Problem) -> Interval:
    """Bound AP with its three divisors, YAAP, AP* and infAP: exact.

    With the t topmost unsettled documents relevant, the next one at rank i adds (1 + relevant above) / i, and 1 / j for
    every relevant document at a rank j below; in the same way from the bottom. Relevant documents outside only make the
    divisor larger (AP* does not know them).
    """
    return _gathered(problem, lambda grid: _precision_sums(problem, grid))


def _precision_sums(problem: Problem, grid: Grid) -> tuple[Floats, Floats]:
    measure = cast("PrecisionSum", problem.measure)
    own, more = measure.terms(grid.rank)
    above: Ints = np.cumsum(grid.relevant, axis=1) - grid.relevant
    known = _below(np.where(grid.relevant, more, 0.0))
    free = np.cumsum(grid.free, axis=1)
    start = ((own + above * more) * grid.relevant).sum(axis=1, keepdims=True)
    from_top = np.where(grid.free, own + (above + free - 1) * more + known, 0.0)
    best = np.hstack([start, start + np.cumsum(from_top, axis=1)])
    from_bottom = np.where(grid.free, own + above * more + known + _below(np.where(grid.free, more, 0.0)), 0.0)
    worst = np.hstack([start + np.cumsum(from_bottom[:, ::-1], axis=1)[:, ::-1], start])
    taken = np.hstack([np.zeros((len(free), 1), dtype=np.int64), free])
    left = taken[:, -1:] - taken
    found = grid.relevant.sum(axis=1, keepdims=True)
    base, outside = problem.worthy[grid.rows][:, None], problem.outside
    if measure.divides_by_found:
        base, outside = found, 0.0
    with np.errstate(divide="ignore"):  # YAAP is -inf if any number of relevant documents may be missed
        high = measure.normalise(best, base + taken).max(axis=1)
        low = measure.normalise(worst, base + left + outside).min(axis=1)
    return np.minimum(low, high), high


def _below(amount: Floats) -> Floats:
    """Return the sum over the ranks below each rank."""
    return np.asarray(np.cumsum(amount[:, ::-1], axis=1)[:, ::-1] - amount)


def _ratio(above: Floats, below: Numbers) -> Floats:
    return np.divide(above, below, out=np.zeros(above.shape), where=below > 0)


# R-precision -----------------------------------------------------------------------------------------------


def at_the_recall_base(problem: Problem) -> Interval:
    """Bound R-precision and its multiples: exact, by trying all values of R.

    If R is known, so is the depth c that is looked at. The more of the R are unsettled documents of the ranking the
    better, those of the top c first; the fewer the worse, those below first.
    """
    low, high = np.zeros(len(problem.judged)), np.zeros(len(problem.judged))
    for grid in grids(problem):
        for row, relevant, free in zip(grid.rows.tolist(), grid.relevant, grid.free, strict=True):
            low[row], high[row] = _at_base(problem, int(problem.worthy[row]), relevant, free)
    return Interval(low, high, np.ones(len(low), dtype=bool))


def _at_base(problem: Problem, base: int, relevant: Bools, free: Bools) -> tuple[float, float]:
    multiple: float | None = getattr(problem.measure, "multiple", None)
    known = np.concatenate([[0], np.cumsum(relevant)])
    open_ = np.concatenate([[0], np.cumsum(free)])
    unsettled, more = int(open_[-1]), problem.outside
    reach = len(free) if multiple is None else math.ceil(len(free) / multiple) + 1
    nearby = np.arange(base, base + unsettled + int(min(more, reach)) + 1)
    beyond = np.arange(0) if math.isinf(more) else np.arange(base + int(more), base + int(more) + unsettled + 1)
    size = np.concatenate([nearby, beyond])
    depth = size if multiple is None else np.floor(multiple * size + 0.9).astype(np.int64)
    seen = np.minimum(depth, len(free))
    most = np.minimum(unsettled, size - base)
    least = np.maximum(0, size - base - more)
    possible = (size - base - most <= more) & (depth > 0)
    best = np.where(possible, known[seen] + np.minimum(open_[seen], most), 0)
    worst = known[seen] + np.maximum(0, least - (unsettled - open_[seen]))
    high = _ratio(best.astype(np.float64), depth.astype(np.float64)).max()
    smallest = np.where(possible, _ratio(worst.astype(np.float64), depth.astype(np.float64)), np.inf).min()
    nothing = 0.0 if math.isinf(more) or base == 0 or not possible.all() else np.inf
    return float(min(smallest, nothing)), float(high)


# Accuracy --------------------------------------------------------------------------------------------------


def accuracy(problem: Problem) -> Interval:
    """Bound Accuracy: exact. With c of n documents relevant it depends on the sum of their ranks only."""
    return _gathered(problem, lambda grid: _accuracy(problem, grid))


def _accuracy(problem: Problem, grid: Grid) -> tuple[Floats, Floats]:
    cut: int | None = getattr(problem.measure, "cutoff", None)
    inside = grid.rank <= (cut or np.inf)
    length = np.minimum(problem.judged.length[grid.rows], cut or np.inf)[:, None]
    relevant, free = grid.relevant & inside, grid.free & inside
    ranks = (relevant * grid.rank).sum(axis=1, keepdims=True).astype(np.float64)
    found = relevant.sum(axis=1, keepdims=True)

    def value(taken: Ints, sums: Floats) -> Floats:
        c = found + taken
        above = ranks + sums - c * (c + 1) / 2
        return np.where(c > 0, 1 - _ratio(above, c * (length - c)), 0.0)

    none = np.zeros((len(relevant), 1))
    from_top = [np.hstack([none, np.cumsum(free * weight, axis=1)]) for weight in (1, grid.rank)]
    from_bottom = [np.hstack([none, np.cumsum((free * weight)[:, ::-1], axis=1)]) for weight in (1, grid.rank)]
    return value(*from_bottom).min(axis=1), value(*from_top).max(axis=1)


# bpref -----------------------------------------------------------------------------------------------------


def bpref(problem: Problem) -> Interval:
    """Bound bpref: exact if nothing is judged outside.

    Every document of the ranking is judged in a completion, so those that are not relevant count as judged. What is
    judged outside can make the divisor larger, but also the number of others that are looked at: the value is then
    bounded from above by the divisor as it is and ever so many others, and from below the other way round.
    """
    low, high = np.zeros(len(problem.judged)), np.zeros(len(problem.judged))
    for grid in grids(problem):
        for row, relevant, free in zip(grid.rows.tolist(), grid.relevant, grid.free, strict=True):
            length = int(problem.judged.length[row])
            low[row], high[row] = _PreferenceCounts.of(problem, row, relevant[:length], free[:length]).interval()
    return Interval(low, high, np.full(len(low), problem.outside == 0))


class _PreferenceCounts(NamedTuple):
    """One ranking as bpref sees it; *others* is how many judged non-relevant documents stand above a document.

    The t-th entries belong to t relevant documents among the unsettled: *base* is R, *limit* how many non-relevant
    ones are looked at, *known* how many there are.
    """

    relevant_others: Floats
    relevant_free: Floats
    free_others: Floats
    base: Floats
    limit: Floats
    known: Floats
    outside: float

    @classmethod
    def of(cls, problem: Problem, row: int, relevant: Bools, free: Bools) -> _PreferenceCounts:
        measure, levels = problem.measure, problem.judged.levels
        others = np.cumsum(~relevant & ~free).astype(np.float64)
        unsettled = np.cumsum(free).astype(np.float64)
        count = int(free.sum())
        taken = np.arange(count + 1.0)
        base = problem.worthy[row] + taken
        below = (levels >= 0) & (levels < getattr(measure, "rel", 1))
        known = problem.settled[row][below].sum() + count - taken
        limit = base + float(getattr(measure, "k", 0))
        return cls(others[relevant], unsettled[relevant], others[free], base, limit, known, problem.outside)

    def interval(self) -> tuple[float, float]:
        count = len(self.free_others)
        taken = np.arange(count + 1)
        widest = self.limit + self.outside
        divisor = widest if self.outside else np.minimum(widest, self.known)
        above = self.relevant_others + np.maximum(self.relevant_free - taken[:, None], 0.0)
        lost = np.minimum(above, widest[:, None]).sum(axis=1) + _capped_sums(self.free_others, taken, widest)
        best = len(self.relevant_others) + taken - _ratio(lost, divisor)
        above = self.relevant_others + np.minimum(self.relevant_free, count - taken[:, None])
        lost = np.minimum(above, self.limit[:, None]).sum(axis=1)
        # Those that are last have all the others above them: raising the cap by as many leaves sums of the rest.
        rest = self.limit - (count - taken)
        lost += _capped_sums(self.free_others, np.full(count + 1, count), rest) - _capped_sums(
            self.free_others, count - taken, rest
        )
        lost += taken * (count - taken)
        worst = len(self.relevant_others) + taken - _ratio(lost, np.minimum(self.limit, self.known))
        high = _ratio(best, self.base).max()
        return float(min(_ratio(worst, self.base + self.outside).min(), high)), float(high)


def _capped_sums(ascending: Floats, number: Ints, cap: Floats) -> Floats:
    """The sums over the first *number* of ascending values of the smaller of each and *cap*."""
    sums = np.concatenate([[0.0], np.cumsum(ascending)])
    uncapped = np.minimum(np.searchsorted(ascending, cap, side="right"), number)
    rest = number - uncapped
    return np.asarray(sums[uncapped] + rest * np.where(rest > 0, cap, 0.0))
