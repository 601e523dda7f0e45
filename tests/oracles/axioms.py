"""Axioms by their definition: every ranking, every pair of ranks, one step at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from assay.measures import Measure
from assay.model.judged import Judged

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


def extensions(run: Run, counts: Counts) -> Iterator[tuple[Run, tuple[int, ...]]]:
    """Append each relevant document that remains; there are no empty rankings."""
    for grade in counts if run else ():
        if feasible((*run, grade), counts):
            yield (*run, grade), (len(run) + 1,)


def paddings(run: Run) -> Iterator[tuple[Run, tuple[int, ...]]]:
    if run:
        yield (*run, 0), (len(run) + 1,)


def truncations(run: Run) -> Iterator[tuple[Run, tuple[int, ...]]]:
    if len(run) > 1 and run[-1] == 0:
        yield run[:-1], (len(run),)


def steps(axiom: str, run: Run, counts: Counts) -> Iterator[tuple[Run, tuple[int, ...]]]:
    """Yield the rankings after a single step, and the ranks that change."""
    return {
        "swap": lambda: swaps(run),
        "replacement": lambda: replacements(run, counts),
        "extension": lambda: extensions(run, counts),
        "padding": lambda: paddings(run),
        "truncation": lambda: truncations(run),
    }[axiom]()


def violations(
    measure: Measure, axiom: str, grades: tuple[float, ...], length: int, most: int
) -> Iterator[tuple[Counts, Run, Run, tuple[int, ...], float, float]]:
    """Yield the steps that lower the value, in order of the length of the longer ranking and the size of the topic."""
    for n in range(1, length + 1):
        for counts in topics(grades, most):
            judged = {0: n, **counts}
            # These steps lead to a ranking of n documents.
            before_length = n - 1 if axiom in ("extension", "padding") else n
            for run in product(grades, repeat=before_length):
                if not feasible(run, counts):
                    continue
                for other, ranks in steps(axiom, run, counts):
                    # Both rankings belong to one campaign: some measures depend on its longest ranking.
                    before, after = measure.score(Judged.from_grades([run, other], judged)).tolist()
                    if after < before - 1e-12:
                        yield counts, run, other, ranks, before, after
