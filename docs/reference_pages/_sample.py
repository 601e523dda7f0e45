"""A small simulated collection from which the pages compute their examples."""

from __future__ import annotations

from functools import cache

from assay import Campaign, read
from assay.simulation import Collection, simulate


@cache
def sample() -> Collection:
    """Return six runs on six topics."""
    return simulate(systems=6, topics=6, depth=30, pool=20)


@cache
def sample_campaign() -> Campaign:
    """Return the sample as a campaign."""
    return read(sample().qrels, sample().runs, keep="documents")
