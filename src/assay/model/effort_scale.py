"""What topics say of relative positions, whatever was retrieved: where grades belong, and what they cost elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.errors import InputError, MeasureError, suggestion
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.segmented_scan import running

LENGTHS = {
    "extend": "a topic has at least 2 R ranks, filled up with documents that are not relevant",
    "error": "a topic with more than N / 2 relevant documents is refused",
    "asis": "N ranks for all topics (but R at least), whatever comes out",
}


@dataclass(frozen=True)
class Setting:
    """The length of rankings, how long topics are treated, weights of misplacements, and the lowest relevant grade."""

    depth: int | None = None
    length: str = "extend"
    weights: Gains | None = None
    persistence: float = 1.0
    rel: float = 1

    def __post_init__(self) -> None:
        if self.depth is not None and self.depth < 1:
            raise InputError(f"depth must be at least 1, got {self.depth}")
        if self.length not in LENGTHS:
            hint = suggestion(self.length, LENGTHS)
            raise InputError(f"length {self.length!r}: choose one of {', '.join(LENGTHS)}{hint}")
        if not self.rel > 0:
            raise InputError(f"rel must be above 0, got {self.rel:g}")


@dataclass(frozen=True, eq=False)
class EffortScale:
    """What the topics say, whatever was retrieved: for each, R, its length and the intervals of its grades.

    *low* and *high* are the ends of the intervals by topic and code. *ideal* holds the codes of the ideal rankings down
    to rank R, one behind the other. *cost* is what a document that is not relevant costs there, with a 0 for all deeper
    ranks, *sums* its running sum with a 0 in front: both have R + 1 places for a topic, from *begin* on. *falls* is the
    last rank where it costs anything: R, unless low grades weigh nothing. *worth* are the gains by code if RP is
    weighed, *rounding* what may be taken for 0 then.
    """

    relevant: Ints
    length: Ints
    low: Ints
    high: Ints
    first: Ints
    ideal: Ints
    worth: Floats | None
    persistence: float

    @classmethod
    def of(cls, judged: Judged, setting: Setting) -> EffortScale:
        """The scale of the topics of *judged*."""
        positive = judged.levels >= setting.rel
        counts = np.where(positive, judged.counts, 0)
        relevant = counts.sum(axis=1)
        depth = judged.longest if setting.depth is None else setting.depth
        high = np.flip(np.cumsum(np.flip(counts, axis=1), axis=1), axis=1)
        low = high - counts + 1
        codes = np.flip(np.arange(1, len(positive) + 1))
        ideal = np.repeat(np.tile(codes, len(counts)), np.flip(counts, axis=1).ravel())
        first = np.cumsum(relevant) - relevant
        unjudged = np.zeros((len(counts), 1), dtype=np.int64)
        worth = None if setting.weights is None else setting.weights.table(judged.levels, setting.rel, None)
        if worth is not None and (np.diff(worth[1:][positive], prepend=worth[0]) < 0).any():
            raise MeasureError(f"weights {setting.weights}: a higher grade must not be worth less than a lower one")
        return cls(
            relevant=relevant,
            length=_lengths(relevant, depth, setting.length),
            low=np.hstack([unjudged, low]),
            high=np.hstack([unjudged, high]),
            first=first,
            ideal=ideal,
            worth=worth,
            persistence=setting.persistence,
        )

    @property
    def weighed(self) -> bool:
        """Whether positions are anything else than whole numbers."""
        return self.worth is not None or self.persistence != 1

    @cached_property
    def begin(self) -> Ints:
        """Where the topics begin in *cost* and *sums*."""
        return self.first + np.arange(len(self.first))

    @cached_property
    def cost(self) -> Floats:
        """What documents that are not relevant cost at ranks 1 to R, and 0 for what is deeper."""
        topic = np.repeat(np.arange(len(self.relevant)), self.relevant)
        rank = np.arange(len(topic)) - self.first[topic] + 1
        cost = np.zeros(len(topic) + len(self.relevant))
        price = self.factor(np.zeros(len(topic), dtype=np.int64), topic, rank)
        cost[self.begin[topic] + rank - 1] = (rank - self.relevant[topic] - 1) * price
        return cost

    @cached_property
    def sums(self) -> Floats:
        """The running sums of the costs of each topic, beginning with 0."""
        topic = np.repeat(np.arange(len(self.relevant)), self.relevant + 1)
        sums = np.zeros(len(topic))
        sums[1:] = running(np.add, topic, self.cost)[:-1]
        sums[self.begin] = 0
        return sums

    @cached_property
    def falls(self) -> Ints:
        """The last rank where a document that is not relevant costs anything."""
        topic = np.repeat(np.arange(len(self.relevant)), self.relevant + 1)
        return np.bincount(topic[self.cost < 0], minlength=len(self.relevant))

    @cached_property
    def rounding(self) -> Floats:
        """What may be taken for 0 in each topic."""
        return np.asarray(-ROUNDING * self.weighed * self.sums[self.begin + self.relevant])

    def factor(self, code: Ints, topic: Ints, rank: Ints) -> Floats:
        """What a misplacement is multiplied with."""
        worth = np.ones(len(code))
        if self.worth is not None:
            here = np.zeros(len(code), dtype=np.int64)
            inside = rank <= self.relevant[topic]
            here[inside] = self.ideal[self.first[topic[inside]] + rank[inside] - 1]
            worth = np.abs(self.worth.take(code) - self.worth.take(here))
        if self.persistence == 1:
            return worth
        begins = np.where(code > 0, np.minimum(rank, self.high[topic, code]), rank)
        return worth * np.power(self.persistence, begins - 1.0)

    def cost_at(self, topic: Ints, rank: Ints) -> Floats:
        """The relative position of a document that is not relevant."""
        return self.cost.take(self.begin.take(topic) + np.minimum(rank - 1, self.relevant.take(topic)))

    def cost_to(self, topic: Ints, rank: Ints) -> Floats:
        """CRP at a rank of a ranking that has no relevant documents."""
        return self.sums.take(self.begin.take(topic) + np.minimum(rank, self.relevant.take(topic)))


def _lengths(relevant: Ints, depth: int, how: str) -> Ints:
    if how == "error" and (2 * relevant > depth).any():
        most = int(relevant.max())
        raise InputError(
            f"a topic has {most} relevant documents and needs rankings of {2 * most} documents, not {depth}; "
            "choose length=extend or asis"
        )
    return np.maximum(depth, 2 * relevant if how == "extend" else relevant)
