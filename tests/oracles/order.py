"""Partial order on runs by its definition, and single steps upwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate


def count_at_least(run: Sequence[float], grade: float) -> list[int]:
    """Return, for each depth 1, 2, ..., the number of documents with at least this grade."""
    return list(accumulate(int(each >= grade) for each in run))


def is_below(r: Sequence[float], s: Sequence[float], ranked: bool = True) -> bool:
    depths = range(len(r)) if ranked else range(len(r) - 1, len(r))
    for grade in {grade for grade in [*r, *s] if grade > 0}:
        lower, upper = count_at_least(r, grade), count_at_least(s, grade)
        if any(lower[depth] > upper[depth] for depth in depths):
            return False
    return True


def compare(r: Sequence[float], s: Sequence[float], ranked: bool = True) -> str:
    is_less, is_greater = is_below(r, s, ranked), is_below(s, r, ranked)
    return "equal" if is_less and is_greater else "less" if is_less else "greater" if is_greater else "incomparable"


def compare_gains(r: Sequence[float], s: Sequence[float], gain: Mapping[float, Fraction], ranked: bool = True) -> str:
    """Compare the sums of gains of rankings of equal length at every rank, or only at the last rank."""
    lower, upper = (list(accumulate((gain[grade] for grade in run), initial=Fraction(0))) for run in (r, s))
    pairs = list(zip(lower, upper, strict=True))
    pairs = pairs if ranked else pairs[-1:]
    is_less, is_greater = all(a <= b for a, b in pairs), all(a >= b for a, b in pairs)
    return "equal" if is_less and is_greater else "less" if is_less else "greater" if is_greater else "incomparable"


def is_step(before: Sequence[float], after: Sequence[float]) -> str | None:
    """Return the kind of a single upward step, or None."""
    positions = [i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    if len(positions) == 1 and after[positions[0]] > before[positions[0]]:
        return "replacement"
    if len(positions) == 2:
        i, j = positions
        if (after[i], after[j]) == (before[j], before[i]) and before[i] < before[j]:
            return "swap"
    return None


def printed_chain(r: Sequence[float], s: Sequence[float]) -> list[list[float]]:
    """Return the chain as printed in the paper: from the last rank up, swap with the closest of the lowest grades."""
    current, target = list(r), list(s)
    visited = [list(current)]
    for rank in range(len(current) - 1, -1, -1):
        if current[rank] > target[rank] and rank > 0:
            lowest = min(current[:rank])
            closest = max(i for i in range(rank) if current[i] == lowest)
            current[rank], current[closest] = current[closest], current[rank]
            visited.append(list(current))
        if current[rank] < target[rank]:
            current[rank] = target[rank]
            visited.append(list(current))
    return visited
