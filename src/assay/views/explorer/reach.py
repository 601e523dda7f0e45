"""How deep the distance between two runs is looked for: as deep as can be done while a reader waits."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

from assay.analyses.distance.med.additive import Additive
from assay.analyses.distance.med.any_measure import AnyMeasure
from assay.analyses.distance.med.average_precision import AveragePrecision
from assay.analyses.distance.med.choice import Task
from assay.analyses.distance.med.first_relevant import FirstRelevant
from assay.analyses.distance.med.normalised import Normalised
from assay.errors import InputError
from assay.measures import Measure
from assay.measures._effort import Effort
from assay.measures.cascade import nERR


class Pace(NamedTuple):
    """How far a way to the distance goes.

    Attributes
    ----------
    work
        At most so many topics x depth, or topics x depth x depth if it is *steep*.
    steep
        Whether twice the depth takes four times as long, or more.
    usual
        How deep it looks unless it is told; None: at whole rankings.
    deepest
        How deep it may be told to look; None: as deep as the work allows.
    """

    work: int
    steep: bool = True
    usual: int | None = None
    deepest: int | None = None

    def most(self, topics: int) -> int:
        """How deep it can look at so many topics."""
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
    """Of a measure, perhaps cut at a depth: F@10 is fast, F is not."""
    family = Task.of(measure, depth, "exact").family
    if isinstance(family, Additive | FirstRelevant | Normalised):
        return FAST
    if isinstance(family, AveragePrecision):
        return STEADY
    if not isinstance(family, AnyMeasure) or family.beyond is not None or isinstance(family.measure, nERR):
        return SLOW
    return STEADY if isinstance(family.measure, Effort) else HEAVY


def reach(measure: Measure, asked: int | None, longest: int, topics: int) -> int | None:
    """The depth to compare rankings at: what is asked for if that can be done, else what is usual; None: all of them.

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
    """How far down anything is looked at."""
    cut = Task.of(measure, depth, "exact").depth
    return longest if cut is None else min(cut, longest)
