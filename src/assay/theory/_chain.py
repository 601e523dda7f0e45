"""The way from a ranking up to a better one: single swaps and replacements, none of which leaves the order.

The construction is the corrected one: the printed one fails for graded relevance. At the highest grade p whose
documents stand elsewhere in both rankings, the stretch where the lower one lags behind begins at k and ends before l,
where both have as many of them again. The best document below p in that stretch changes places with the one of grade p
at l; if there is no l, it is raised to p. Above p both rankings agree, so the one at l has grade p exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.theory.order import compare


class ChainStep(NamedTuple):
    """One step: a ``swap`` of two ranks, or the ``replacement`` of one document; *run* is the ranking after it."""

    kind: str
    rank: int
    other: int | None
    before: float
    after: float
    run: tuple[float, ...]


def chain(r: Sequence[float], s: Sequence[float]) -> list[ChainStep]:
    """The steps from *r* up to *s*, which must not be below it; both are grades by rank, of one length.

    >>> [(step.kind, step.rank, step.other) for step in chain([0, 1, 2], [0, 2, 1])]
    [('swap', 2, 3)]
    """
    if len(r) != len(s):
        raise InputError(
            f"there is no chain: runs of {len(r)} and {len(s)} documents are incomparable; pad the shorter one with 0"
        )
    outcome = compare(r, s)
    if outcome not in ("less", "equal"):
        raise InputError(f"there is no chain: the first run is {_words(outcome)} the second")
    here, goal = np.maximum(np.array(r, dtype=np.float64), 0), np.maximum(np.array(s, dtype=np.float64), 0)
    steps: list[ChainStep] = []
    while (here != goal).any():
        steps.append(_step(here, goal))
        here = np.array(steps[-1].run)
    return steps


def _words(outcome: str) -> str:
    return "above" if outcome == "greater" else "incomparable with"


def _step(here: Floats, goal: Floats) -> ChainStep:
    top = _highest_difference(here, goal)
    lag: Ints = np.cumsum(goal >= top) - np.cumsum(here >= top)
    start = int(np.flatnonzero(lag > 0)[0])
    level = np.flatnonzero(lag[start:] == 0)
    end = start + int(level[0]) if len(level) else len(here)
    below = np.where(here[start:end] < top, here[start:end], -np.inf)
    place = start + int(np.flatnonzero(below == below.max())[-1])
    after = here.copy()
    if end < len(here):
        after[[place, end]] = here[[end, place]]
        return ChainStep("swap", place + 1, end + 1, float(here[place]), float(after[place]), tuple(after.tolist()))
    after[place] = top
    return ChainStep("replacement", place + 1, None, float(here[place]), top, tuple(after.tolist()))


def _highest_difference(here: Floats, goal: Floats) -> float:
    """The highest grade whose documents stand elsewhere."""
    for grade in np.unique(np.concatenate([here, goal]))[::-1]:
        if ((here >= grade) != (goal >= grade)).any():
            return float(grade)
    raise AssertionError("the rankings are the same")  # pragma: no cover - asked for different rankings only
