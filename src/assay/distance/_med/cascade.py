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

from assay.distance._med.interface import Extreme
from assay.distance._med.labels import Worth, labelled, worth
from assay.distance._med.lattice import Profile, profile
from assay.distance._med.pairs import Pair, PairSide
from assay.distance._med.terms import TermTable, table_weights
from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings

if TYPE_CHECKING:
    from assay.measures.cascade import ERR


@dataclass(frozen=True)
class Cascade:
    """MED of ERR."""

    measure: ERR
    cost: ClassVar[str] = "slow"

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """The largest ERR(a) - ERR(b) for each pair: exact, also where it is negative."""
        scale = worth(self.measure, rankings.levels)
        found = [_profile(rankings, i, j, scale).best.max() for i, j in zip(a, b, strict=True)]
        values = np.array(found, dtype=np.float64)
        return Extreme(values, values.copy())

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Grades that reach the largest ERR(a) - ERR(b)."""
        scale = worth(self.measure, rankings.levels)
        traced = _profile(rankings, a, b, scale, trace=True)
        return labelled(rankings, traced.documents(int(np.argmax(traced.best))), scale.grade)


def _profile(rankings: TopicRankings, a: int, b: int, scale: Worth, *, trace: bool = False) -> Profile:
    pair = Pair.of(rankings, a, b)
    return profile(pair, table_weights(pair, stops(pair.first, scale), stops(pair.second, scale)), trace=trace)


def stops(side: PairSide, scale: Worth) -> TermTable:
    """Return 1/rank times the probability of stopping at each document, by the number of labels down to it."""
    judged = np.where(side.free, 0.0, scale.by_code[side.code])
    looking = np.cumprod(np.concatenate([[1.0], 1 - judged]))[:-1]
    above = np.maximum(np.arange(np.sum(side.free) + 1) - side.free[:, None], 0)
    chance = np.where(side.free, scale.gain, judged) * looking / side.rank
    return TermTable(chance[:, None] * (1 - scale.gain) ** above)
