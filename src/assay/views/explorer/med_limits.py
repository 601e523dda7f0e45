"""Limits of the depth at which the distance between two runs is computed, so that a reader need not wait long."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from assay.distance._med.dispatch import Task
from assay.errors import InputError
from assay.measures import Measure


class Pace(NamedTuple):
    """Limits of an algorithm for the distance.

    Attributes
    ----------
    work
        The largest topics x depth, or topics x depth x depth if it is *steep*.
    steep
        Whether twice the depth takes four times as long, or more.
    usual
        The default depth; None: whole rankings.
    deepest
        The largest depth that may be requested; None: as deep as the work allows.
    """

    work: int
    steep: bool = True
    usual: int | None = None
    deepest: int | None = None

    def most(self, topics: int) -> int:
        """Return the largest depth for a number of topics."""
        each = self.work // max(topics, 1)
        able = max(isqrt(each) if self.steep else each, 1)
        return able if self.deepest is None else min(able, self.deepest)


# For 100 topics to rank 1000, a pair of runs took half a second (sums), ten seconds (AP), half a minute (the slowest
# of the measures without an algorithm), several minutes (Q, ERR, nERR, MeanNDCG, R-precision, F without a cutoff).
FAST = Pace(10**7, steep=False)
STEADY = Pace(4 * 10**8)
HEAVY = Pace(10**8, usual=100)
SLOW = Pace(10**6, usual=50, deepest=100)


def pace(measure: Measure, depth: int | None = None) -> Pace:
    """Return the pace of a measure, perhaps cut at a depth: F@10 is fast, F is not."""
    paces = {"linear": FAST, "quadratic": STEADY, "search": HEAVY, "slow": SLOW}
    return paces[Task.prepare(measure, depth, "exact").algorithm.cost]


def reach(measure: Measure, asked: int | None, longest: int, topics: int) -> int | None:
    """Return the depth at which rankings are compared: the requested one, or the default; None: whole rankings.

    *longest* is the length of the longest ranking.

    >>> from assay.measures import measure
    >>> [reach(measure(text), None, 1000, 50) for text in ("AP", "Q", "Q@10", "bpref")]
    [None, 50, None, 100]
    """
    own = pace(measure, asked)
    needed = _needed(measure, asked, longest)
    most = own.most(topics)
    if asked is not None:
        if needed > most:
            raise InputError(f"depth {asked} takes too long for {measure}; give a depth of at most {most}")
        return asked
    usual = most if own.usual is None else min(own.usual, most)
    return usual if needed > usual else None


def _needed(measure: Measure, depth: int | None, longest: int) -> int:
    """Return the lowest rank that matters."""
    cut = Task.prepare(measure, depth, "exact").depth
    return longest if cut is None else min(cut, longest)
