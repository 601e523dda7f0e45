r"""Maximized effectiveness distance of ERR: exact for any scale of grades, by the best path in a lattice.

With x_d the probability that document d satisfies, :math:`ERR = \sum_i x_i / i \prod_{j<i} (1 - x_j)`.

*Two labels are enough.* In ERR(Y) - ERR(Z) each x_d occurs in every product at most once: the difference is linear in
each x_d while the others stay as they are. So it is largest where every x_d of an unjudged document is the smallest or
the largest that there is: grade 0, or the grade that is worth most.

*Dominance* (see ``lattice``). ERR is the mean of 1/T, where T is the rank at which the user stops, and T > m has the
probability :math:`\prod_{i \le m} (1 - x_i)`. If a label goes to a document that stands earlier in Y, none of these
products grows, so that ERR(Y) does not fall; if it stands later in Z, none falls, so that ERR(Z) does not rise. The
grades of judged documents do not matter.

*The state.* Labelled documents all have the same x. So the term of a document depends on its rank, on the judged
documents above it, which are known, and on how many labels stand above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.analyses.distance.med.extreme import Extreme
from assay.analyses.distance.med.labels import Worth, labelled, worth
from assay.analyses.distance.med.lattice import Profile, profile
from assay.analyses.distance.med.pairs import Pair, Side
from assay.analyses.distance.med.terms import Table, table_weights
from assay.model.arrays import Floats, Ints
from assay.model.rankings import Lists

if TYPE_CHECKING:
    from assay.measures.cascade import ERR


@dataclass(frozen=True)
class Cascade:
    """MED of ERR."""

    measure: ERR
    cost: ClassVar[str] = "slow"

    def largest(self, lists: Lists, a: Ints, b: Ints) -> Extreme:
        """The largest ERR(a) - ERR(b) for each pair: exact, also where it is negative."""
        scale = worth(self.measure, lists.levels)
        found = [_profile(lists, i, j, scale).best.max() for i, j in zip(a, b, strict=True)]
        values = np.array(found, dtype=np.float64)
        return Extreme(values, values.copy())

    def labels(self, lists: Lists, a: int, b: int) -> Floats:
        """Grades that reach the largest ERR(a) - ERR(b)."""
        scale = worth(self.measure, lists.levels)
        traced = _profile(lists, a, b, scale, trace=True)
        return labelled(lists, traced.documents(int(np.argmax(traced.best))), scale.grade)


def _profile(lists: Lists, a: int, b: int, scale: Worth, *, trace: bool = False) -> Profile:
    pair = Pair.of(lists, a, b)
    return profile(pair, table_weights(pair, stops(pair.first, scale), stops(pair.second, scale)), trace=trace)


def stops(side: Side, scale: Worth) -> Table:
    """Return 1/rank times the probability of stopping at each document, by the number of labels down to it."""
    judged = np.where(side.free, 0.0, scale.by_code[side.code])
    looking = np.cumprod(np.concatenate([[1.0], 1 - judged]))[:-1]
    above = np.maximum(np.arange(np.sum(side.free) + 1) - side.free[:, None], 0)
    chance = np.where(side.free, scale.gain, judged) * looking / side.rank
    return Table(chance[:, None] * (1 - scale.gain) ** above)
