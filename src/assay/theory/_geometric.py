"""Exact values of rank-biased measures in rational numbers, for the balancing index.

The total weight of ranks b to n can differ from the weight of rank 1 by less than floating point can represent. For
example, the difference is 0.5^n for persistence 0.5 and b = 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from assay.measures.rank_biased import RBP, RBPnorm
from assay.model.arrays import ROUNDING

NONE = -math.inf
"""Balancing index of a measure for which even relevant documents at all ranks do not balance one at rank 1."""


@dataclass(frozen=True)
class Geometric:
    """A rank-biased measure for rankings of n documents, computed in rational numbers.

    *relevant* is the persistence after a relevant document, and *nonrelevant* is the persistence after a non-relevant
    document. *ratio* is the gain of the largest relevant grade divided by the gain of the smallest. Persistences are
    exact decimals: 0.8 is 4/5.
    """

    n: int
    relevant: Fraction
    nonrelevant: Fraction
    ratio: Fraction

    def balances(self, b: int) -> bool:
        """Return True if documents of the smallest grade at ranks b to n balance one of the largest grade at rank 1."""
        return self.ratio * self._value(1, 1) <= self._value(b, self.n)

    def _value(self, first: int, last: int) -> Fraction:
        """Return the value of a ranking whose documents at ranks *first* to *last* are relevant, with gain 1.

        The value is the expected number of viewed relevant documents divided by the expected number of all viewed
        documents. All documents after rank *last* are non-relevant.
        """
        relevant_count = last - first + 1
        reach_first = self.nonrelevant ** (first - 1)  # Probability of viewing rank *first*.
        reach_after = reach_first * self.relevant**relevant_count  # Probability of viewing the rank after *last*.
        relevant_views = (reach_first - reach_after) / (1 - self.relevant)
        views_before, views_after = (1 - reach_first) / (1 - self.nonrelevant), reach_after / (1 - self.nonrelevant)
        return relevant_views / (views_before + relevant_views + views_after)


def to_geometric(
    measure: RBP | RBPnorm, n: int, nonrelevant: float, smallest: float, largest: float
) -> Geometric | None:
    """Return a rank-biased measure in rational numbers; None if its value is not a ratio of expected views.

    *nonrelevant*, *smallest* and *largest* are the gains of a non-relevant document and of the smallest and the largest
    relevant grade.
    """
    persistences = (measure.p, measure.p) if measure.p is not None else (measure.p1, measure.p2)
    relevant, other = (Fraction(str(p)) for p in persistences)
    if nonrelevant != 0 or smallest <= 0 or relevant == 1 or other == 1:
        return None
    ratio = simplify(Fraction(largest) / Fraction(smallest))
    return Geometric(n if measure.cutoff is None else min(n, measure.cutoff), relevant, other, ratio)


def simplify(number: float | Fraction) -> Fraction:
    """Return the simplest fraction that differs from a number only by rounding errors.

    Gains such as 1/3 are rounded floats; the simplest fraction is probably the intended number. If no fraction with a
    small denominator is near, the result is the number itself.

    >>> simplify(1 / 3)
    Fraction(1, 3)
    """
    exact = Fraction(number)
    simple = exact.limit_denominator(10**6)
    return simple if abs(simple - exact) <= ROUNDING * abs(exact) else exact
