"""The order on runs by its definition, and the runs that single steps lead to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def count_at_least(run: Sequence[float], grade: float) -> list[int]:
    """How many of the first 1, 2, ... documents have at least a grade."""
    return list(accumulate(int(each >= grade) for each in run))


def is_below(r: Sequence[float], s: Sequence[float], ranked: bool = True) -> bool:
    depths = range(len(r)) if ranked else range(len(r) - 1, len(r))
    for grade in {grade for grade in [*r, *s] if grade > 0}:
        lower, upper = count_at_least(r, grade), count_at_least(s, grade)
        if any(lower[depth] > upper[depth] for depth in depths):
            return False
    return True


def compare(r: Sequence[float], s: Sequence[float], ranked: bool = True) -> str:
    under, over = is_below(r, s, ranked), is_below(s, r, ranked)
    return "equal" if under and over else "less" if under else "greater" if over else "incomparable"


def is_step(before: Sequence[float], after: Sequence[float]) -> str | None:
    """The kind of a single step upwards, or None if it is none."""
    places = [i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    if len(places) == 1 and after[places[0]] > before[places[0]]:
        return "replacement"
    if len(places) == 2:
        i, j = places
        if (after[i], after[j]) == (before[j], before[i]) and before[i] < before[j]:
            return "swap"
    return None


def printed_chain(r: Sequence[float], s: Sequence[float]) -> list[list[float]]:
    """The construction as printed in the paper: from the last rank upwards, swapping with the closest lowest one."""
    here, goal = list(r), list(s)
    visited = [list(here)]
    for rank in range(len(here) - 1, -1, -1):
        if here[rank] > goal[rank] and rank > 0:
            lowest = min(here[:rank])
            closest = max(i for i in range(rank) if here[i] == lowest)
            here[rank], here[closest] = here[closest], here[rank]
            visited.append(list(here))
        if here[rank] < goal[rank]:
            here[rank] = goal[rank]
            visited.append(list(here))
    return visited
