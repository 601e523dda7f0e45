"""The part of relative position that depends on the topics only: grade intervals, ideal rankings and costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.errors import InputError, MeasureError, check_choice
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.segmented_scan import accumulate

LENGTHS = {
    "extend": "rankings are cut or padded to N documents, or to 2 R documents if that is more",
    "error": "a topic with more than N / 2 relevant documents is an error",
    "asis": "rankings are cut or padded to N documents, or to R documents if that is more",
}


@dataclass(frozen=True)
class EffortSettings:
    """Parameters of relative position.

    Attributes
    ----------
    depth
        The length N of rankings; None for the maximum depth.
    length
        Treatment of topics with more than N / 2 relevant documents: a key of ``LENGTHS``.
    weights
        Gains whose differences weight misplacements; None for unweighted relative positions.
    persistence
        Discount: a misplacement that begins at rank i is multiplied by persistence^(i - 1); 1 for none.
    rel
        The lowest relevant grade.
    """

    depth: int | None = None
    length: str = "extend"
    weights: Gains | None = None
    persistence: float = 1.0
    rel: float = 1

    def __post_init__(self) -> None:
        if self.depth is not None and self.depth < 1:
            raise InputError(f"depth must be at least 1, got {self.depth}")
        check_choice(f"length {self.length!r}", self.length, LENGTHS)
        if not self.rel > 0:
            raise InputError(f"rel must be above 0, got {self.rel:g}")


@dataclass(frozen=True, eq=False)
class EffortScale:
    """Grade intervals, ideal rankings and costs of the topics; they do not depend on the runs.

    The *cost* of a rank is the relative position of a non-relevant document at that rank. It is negative at ranks 1 to
    R, where the document takes the position of a relevant one, and 0 after rank R.

    Attributes
    ----------
    recall_base
        R for each topic: the number of its relevant documents.
    length
        N for each topic: the length to which its rankings are cut or padded.
    low, high
        Topics x codes: the first and the last rank at which the ideal ranking has documents of that code.
    first
        For each topic, the index of its first document in *ideal*.
    ideal
        The codes of the ideal rankings at ranks 1 to R, concatenated.
    gain
        Gains by code, whose differences weight misplacements; None for unweighted relative positions.
    persistence
        The discount of misplacements; 1 for none.
    """

    recall_base: Ints
    length: Ints
    low: Ints
    high: Ints
    first: Ints
    ideal: Ints
    gain: Floats | None
    persistence: float

    @classmethod
    def from_judged(cls, judged: Judged, setting: EffortSettings) -> EffortScale:
        """Return the scale of the topics of *judged*."""
        is_relevant = judged.levels >= setting.rel
        counts = np.where(is_relevant, judged.counts, 0)
        recall_base = counts.sum(axis=1)
        depth = judged.max_depth if setting.depth is None else setting.depth
        # Ideal rankings start with the highest grade, so the interval of a grade ends after all documents of at least
        # that grade: a cumulative sum from the highest grade down.
        high = np.flip(np.cumsum(np.flip(counts, axis=1), axis=1), axis=1)
        low = high - counts + 1
        codes = np.flip(np.arange(1, len(is_relevant) + 1))
        ideal = np.repeat(np.tile(codes, len(counts)), np.flip(counts, axis=1).ravel())
        first = np.cumsum(recall_base) - recall_base
        unjudged = np.zeros((len(counts), 1), dtype=np.int64)
        gain = None if setting.weights is None else setting.weights.table(judged.levels, setting.rel, None)
        if gain is not None and (np.diff(gain[1:][is_relevant], prepend=gain[0]) < 0).any():
            raise MeasureError(f"weights {setting.weights}: a higher grade must not have a lower gain")
        return cls(
            recall_base=recall_base,
            length=_topic_lengths(recall_base, depth, setting.length),
            low=np.hstack([unjudged, low]),
            high=np.hstack([unjudged, high]),
            first=first,
            ideal=ideal,
            gain=gain,
            persistence=setting.persistence,
        )

    @property
    def is_weighted(self) -> bool:
        """True if relative positions are weighted; otherwise they are whole numbers and sums are exact."""
        return self.gain is not None or self.persistence != 1

    @cached_property
    def offset(self) -> Ints:
        """For each topic, the index of its first entry in *cost* and *cumulative_cost*."""
        return self.first + np.arange(len(self.first))

    @cached_property
    def cost(self) -> Floats:
        """Costs of ranks 1 to R and a 0 for all later ranks: R + 1 entries per topic, concatenated."""
        topic = np.repeat(np.arange(len(self.recall_base)), self.recall_base)
        rank = np.arange(len(topic)) - self.first[topic] + 1
        cost = np.zeros(len(topic) + len(self.recall_base))
        weight = self.weight(np.zeros(len(topic), dtype=np.int64), topic, rank)
        cost[self.offset[topic] + rank - 1] = (rank - self.recall_base[topic] - 1) * weight
        return cost

    @cached_property
    def cumulative_cost(self) -> Floats:
        """Sums of the costs of the first 0, 1, …, R ranks: R + 1 entries per topic, concatenated."""
        topic = np.repeat(np.arange(len(self.recall_base)), self.recall_base + 1)
        sums = np.zeros(len(topic))
        sums[1:] = accumulate(np.add, topic, self.cost)[:-1]
        sums[self.offset] = 0
        return sums

    @cached_property
    def last_cost_rank(self) -> Ints:
        """For each topic, the last rank with a cost: R, unless the lowest relevant grades have no weight."""
        topic = np.repeat(np.arange(len(self.recall_base)), self.recall_base + 1)
        return np.bincount(topic[self.cost < 0], minlength=len(self.recall_base))

    @cached_property
    def tolerance(self) -> Floats:
        """For each topic, the largest absolute height that counts as 0; exactly 0 for unweighted positions."""
        return np.asarray(-ROUNDING * self.is_weighted * self.cumulative_cost[self.offset + self.recall_base])

    def weight(self, code: Ints, topic: Ints, rank: Ints) -> Floats:
        """Return the weight of the misplacement of each document, given its *code*, *topic* and *rank*.

        The weight is the absolute difference between the gains of the document and of the ideal document at this rank.
        It is multiplied by persistence^(i - 1) if the misplacement begins at rank i.
        """
        weight = np.ones(len(code))
        if self.gain is not None:
            ideal_code = np.zeros(len(code), dtype=np.int64)
            in_top_r = rank <= self.recall_base[topic]
            ideal_code[in_top_r] = self.ideal[self.first[topic[in_top_r]] + rank[in_top_r] - 1]
            weight = np.abs(self.gain.take(code) - self.gain.take(ideal_code))
        if self.persistence == 1:
            return weight
        # The misplacement of a late document begins at the last rank of its interval, not at the rank of the document.
        begins = np.where(code > 0, np.minimum(rank, self.high[topic, code]), rank)
        return weight * np.power(self.persistence, begins - 1.0)

    def cost_at(self, topic: Ints, rank: Ints) -> Floats:
        """Return the relative position of a non-relevant document at a *rank* of each *topic*."""
        return self.cost.take(self.offset.take(topic) + np.minimum(rank - 1, self.recall_base.take(topic)))

    def cumulative_cost_at(self, topic: Ints, rank: Ints) -> Floats:
        """Return CRP at a *rank* of a ranking without relevant documents."""
        return self.cumulative_cost.take(self.offset.take(topic) + np.minimum(rank, self.recall_base.take(topic)))


def _topic_lengths(recall_base: Ints, depth: int, length: str) -> Ints:
    """Return the length N of the rankings of each topic; *length* is a key of ``LENGTHS``."""
    if length == "error" and (2 * recall_base > depth).any():
        largest = int(recall_base.max())
        raise InputError(
            f"a topic has {largest} relevant documents and needs rankings of {2 * largest} documents, not {depth}; "
            "choose length=extend or asis"
        )
    return np.maximum(depth, 2 * recall_base if length == "extend" else recall_base)
