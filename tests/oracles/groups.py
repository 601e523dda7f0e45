"""Letters by their definition: the fewest groups such that two runs share one if and only if they do not differ."""

from __future__ import annotations

from itertools import combinations


def cliques(different: list[list[bool]]) -> list[frozenset[int]]:
    """Every set of runs of which no two differ, and to which none can be added."""
    runs = range(len(different))
    alike = [
        frozenset(chosen)
        for size in runs
        for chosen in combinations(runs, size + 1)
        if not any(different[a][b] for a, b in combinations(chosen, 2))
    ]
    return [group for group in alike if not any(group < other for other in alike)]


def fewest_groups(different: list[list[bool]]) -> int:
    """The smallest number of groups; those that cannot be enlarged suffice."""
    groups = cliques(different)
    runs = range(len(different))
    wanted = {(a, b) for a in runs for b in runs if a <= b and not different[a][b]}
    for many in range(len(groups) + 1):
        for chosen in combinations(groups, many):
            if {(a, b) for group in chosen for a in group for b in group if a <= b} == wanted:
                return many
    raise ValueError("the groups that cannot be enlarged have every pair")
