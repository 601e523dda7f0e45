"""A small campaign, on which pages try what they tell of."""

from __future__ import annotations

from functools import cache

from assay.simulation import Collection, simulate


@cache
def sample() -> Collection:
    """Six runs on six topics."""
    return simulate(systems=6, topics=6, depth=30, pool=20)
