"""A small simulated collection from which the pages compute their examples."""

from __future__ import annotations

from functools import cache

from assay import Campaign, read
from assay.simulation import Collection, simulate


@cache
def simulate_sample() -> Collection:
    """Return six runs on six topics."""
    return simulate(systems=6, topics=6, depth=30, pool=20)


@cache
def read_sample() -> Campaign:
    """Return the sample as a campaign."""
    return read(simulate_sample().qrels, simulate_sample().runs, keep="documents")
