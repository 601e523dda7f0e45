"""Letter display by its definition: the fewest groups such that two runs share a group iff they do not differ."""

from __future__ import annotations

from itertools import combinations


def cliques(different: list[list[bool]]) -> list[frozenset[int]]:
    """Return every maximal set of runs without a different pair."""
    runs = range(len(different))
    independent_sets = [
        frozenset(chosen)
        for size in runs
        for chosen in combinations(runs, size + 1)
        if not any(different[a][b] for a, b in combinations(chosen, 2))
    ]
    return [group for group in independent_sets if not any(group < other for other in independent_sets)]


def fewest_groups(different: list[list[bool]]) -> int:
    """Return the smallest number of groups; it suffices to consider maximal ones."""
    groups = cliques(different)
    runs = range(len(different))
    pairs_to_cover = {(a, b) for a in runs for b in runs if a <= b and not different[a][b]}
    for size in range(len(groups) + 1):
        for chosen in combinations(groups, size):
            if {(a, b) for group in chosen for a in group for b in group if a <= b} == pairs_to_cover:
                return size
    raise ValueError("the maximal groups must cover every pair")
