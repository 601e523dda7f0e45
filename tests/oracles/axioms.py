"""Axioms by their definition: every ranking, every pair of ranks, one step at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from assay.measures import Measure

Run = tuple[float, ...]
Counts = dict[float, int]


def topics(grades: tuple[float, ...], most: int) -> list[Counts]:
    """Return topics with 1 to *most* relevant documents: fewest first, then fewest of the highest grades."""
    above = grades[1:]
    every = [counts for counts in product(range(most + 1), repeat=len(above)) if 1 <= sum(counts) <= most]
    every.sort(key=lambda counts: (sum(counts), counts[::-1]))
    return [dict(zip(above, counts, strict=True)) for counts in every]


def feasible(run: Run, counts: Counts) -> bool:
    return all(run.count(grade) <= counts[grade] for grade in set(run) - {0})


def swaps(run: Run) -> Iterator[tuple[Run, tuple[int, ...]]]:
    for i, j in combinations(range(len(run)), 2):
        if run[i] < run[j]:
            other = list(run)
            other[i], other[j] = run[j], run[i]
            yield tuple(other), (i + 1, j + 1)


def replacements(run: Run, counts: Counts) -> Iterator[tuple[Run, tuple[int, ...]]]:
    for i in range(len(run)):
        for grade in counts:
            other = (*run[:i], grade, *run[i + 1 :])
            if grade > run[i] and feasible(other, counts):
                yield other, (i + 1,)


def violations(
    measure: Measure, axiom: str, grades: tuple[float, ...], length: int, most: int
) -> Iterator[tuple[Counts, Run, Run, tuple[int, ...], float, float]]:
    """Yield the steps that lower the value, in order of the length of the ranking and the size of the topic."""
    for n in range(1, length + 1):
        for counts in topics(grades, most):
            judged = {0: n, **counts}
            for run in product(grades, repeat=n):
                if not feasible(run, counts):
                    continue
                steps = swaps(run) if axiom == "swap" else replacements(run, counts)
                for other, ranks in steps:
                    before, after = measure.of(run, judged), measure.of(other, judged)
                    if after < before - 1e-12:
                        yield counts, run, other, ranks, before, after
