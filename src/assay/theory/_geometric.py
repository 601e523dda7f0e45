"""Rank-biased measures in rational numbers, for the balancing index.

The weight of ranks b to n comes closer to the weight of rank 1 than rounding can tell, without ever reaching it: with
persistence 0.5 it lags behind by 0.5^n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from assay.measures.rank_biased import RBP, RBPnorm
from assay.model.arrays import ROUNDING

NONE = -math.inf
"""The index where not even a ranking full of relevant documents makes up for the one on top."""


@dataclass(frozen=True)
class Geometric:
    """A rank-biased measure for rankings of n documents, in rational numbers: no rounding hides how close a limit is.

    *relevant* and *other* are the persistences after a relevant document and after another one; *ratio* is the gain of
    the largest grade over that of the smallest. Persistences are taken as they are written: 0.8 is 4/5.
    """

    n: int
    relevant: Fraction
    other: Fraction
    ratio: Fraction

    def balances(self, b: int) -> bool:
        """Whether relevant documents at ranks b to n are worth at least the one of the largest grade at rank 1."""
        return self.ratio * self._value(1, 1) <= self._value(b, self.n)

    def _value(self, first: int, last: int) -> Fraction:
        """The value of a ranking whose documents at ranks *first* to *last* are relevant.

        Looks at relevant documents over looks at all of them; behind the last one the user sees others only.
        """
        arrive, many = self.other ** (first - 1), last - first + 1
        leave = arrive * self.relevant**many
        seen = (arrive - leave) / (1 - self.relevant)
        return seen / ((1 - arrive) / (1 - self.other) + seen + leave / (1 - self.other))


def geometric(measure: RBP | RBPnorm, n: int, nothing: float, least: float, most: float) -> Geometric | None:
    """Return a rank-biased measure in rational numbers; None if its value is no quotient of looks."""
    written = (measure.p, measure.p) if measure.p is not None else (measure.p1, measure.p2)
    relevant, other = (Fraction(str(p)) for p in written)
    if nothing != 0 or least <= 0 or relevant == 1 or other == 1:
        return None
    # Gains such as 1/3 are rounded when they get here; the simplest quotient within rounding is the one that is meant.
    quotient = Fraction(most) / Fraction(least)
    simple = quotient.limit_denominator(10**6)
    ratio = simple if abs(simple - quotient) <= ROUNDING * quotient else quotient
    return Geometric(n if measure.cutoff is None else min(n, measure.cutoff), relevant, other, ratio)


def rank_biased(measure: RBP, n: int, least: float, most: float) -> float:
    """B is the whole part of 1 + log_p((most / least) (1 - p) + p^n): the printed inequality is reversed.

    Where the logarithm is within rounding of a whole number, an exact comparison decides.
    """
    exact = geometric(measure, n, 0.0, least, most)
    if exact is None:
        return NONE
    p = float(measure.p or 0)
    low, high = (_whole_part(p, most / least * (1 - p) * slack + p**n, n) for slack in (1 + 1e-9, 1 - 1e-9))
    b = next((b for b in range(high, low, -1) if exact.balances(b)), low)
    return b if b >= 1 else NONE


def _whole_part(p: float, needed: float, n: int) -> int:
    """The largest b up to n with p^(b-1) at least *needed*; 0 if there is none."""
    if needed > 1 or p == 0:
        return int(needed <= 1)
    return min(n, math.floor(1 + math.log(needed) / math.log(p)))
