"""Relative position: how far each document stands from where the ideal ranking has its grade, and the sum of that.

A document of grade g belongs into an interval of ranks, where the ideal ranking of the topic has documents of that
grade. Its *relative position* RP is 0 there, negative above the interval (it came too early, a better one was due) and
positive below it (too late). CRP is the running sum. Documents that are not relevant (a grade below ``rel``, or none)
belong behind rank R, the number of relevant documents: they have RP = rank - R - 1 down to rank R and 0 behind it. So
everything follows from the relevant documents and R, and nothing here looks at the others one by one.

Rankings have one length N: longer ones are cut, shorter ones are filled up with documents that are not relevant. A
topic needs 2 R ranks for its full-scale ranking (the ideal one reversed); see ``LENGTHS``.

Two extensions are ours, not of the papers: RP may be weighed by how much the gains differ that are mistaken for one
another, and by a persistence that lets misplacements count less the deeper they are. The depth of a misplacement is
where it begins: where a document stands that is too early, where it was last due if it comes too late. (Were it where a
late document stands, then to come still later would cost less, and the full-scale ranking next to nothing.)
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from assay.model.arrays import Bools, Floats, Ints
from assay.model.effort_scale import LENGTHS, EffortScale, Setting
from assay.model.judged import Judged
from assay.model.segmented_scan import down_to, running

__all__ = ["CROSSINGS", "ENDPOINTS", "LENGTHS", "Curves", "EffortScale", "Setting"]

CROSSINGS = {
    "strict": "from below the axis to it or beyond (or from above); a curve that never leaves the axis has recovered",
    "literal": "as printed in the paper: also a curve that starts on the axis",
    "matters": "as in the MATTERS toolkit: from the axis or below it to above it",
}
ENDPOINTS = {"left": "the last rank before the crossing", "right": "the first rank behind it"}


class Curves:
    """The curves of many rankings, each given by its relevant documents.

    Parameters
    ----------
    scale
        What the topics say.
    topic
        The topic of each ranking.
    ranking, rank, code
        The relevant documents, by ranking and rank.
    """

    def __init__(self, scale: EffortScale, topic: Ints, ranking: Ints, rank: Ints, code: Ints) -> None:
        self.scale = scale
        self.topic = topic
        self.ranking = ranking
        self.rank = rank
        self.code = code

    @classmethod
    def of(cls, judged: Judged, setting: Setting = Setting()) -> Curves:
        """The curves of all rankings of *judged*; made once for each setting."""
        return judged.cached(("curves", setting), lambda: cls._made(judged, setting))

    @classmethod
    def _made(cls, judged: Judged, setting: Setting) -> Curves:
        scale = EffortScale.of(judged, setting)
        # The code of a document takes the place of its gain: rows come with it, unless tied documents share theirs.
        rows = judged.fixed().rows(
            np.concatenate([[0.0], np.where(judged.levels >= setting.rel, np.arange(1, len(judged.levels) + 1), 0)])
        )
        ranking, rank, code = rows.ranking, rows.rank, rows.gain.astype(np.int64)
        if setting.depth is not None and setting.depth < judged.longest:
            kept = rank <= setting.depth
            ranking, rank, code = ranking[kept], rank[kept], code[kept]
        return cls(scale, judged.topic, ranking, rank, code)

    def __len__(self) -> int:
        return len(self.topic)

    # Of each ranking --------------------------------------------------------------------------------------

    @property
    def relevant(self) -> Ints:
        """R: how many relevant documents the topic has."""
        return self.scale.relevant[self.topic]

    @property
    def length(self) -> Ints:
        """N: how many ranks the topic has."""
        return self.scale.length[self.topic]

    @cached_property
    def full_scale(self) -> Curves:
        """The ideal ranking of each topic reversed: what is farthest from it, as long as N is at least 3 R - 1."""
        scale = self.scale
        topic = np.repeat(np.arange(len(scale.relevant)), scale.relevant)
        from_end = np.arange(len(topic)) - scale.first[topic]
        code = scale.ideal[scale.first[topic] + scale.relevant[topic] - 1 - from_end]
        rank = scale.length[topic] - scale.relevant[topic] + 1 + from_end
        return Curves(scale, np.arange(len(scale.relevant)), topic, rank, code)

    def full_scale_at(self, rank: Ints) -> Floats:
        """The height of the curve of the full-scale ranking, at a rank of each ranking."""
        return self.full_scale._heights(self.topic, rank)

    @cached_property
    def forward(self) -> Floats:
        """The sum of positive relative positions."""
        return self._total(np.maximum(self.position, 0))

    @cached_property
    def backward(self) -> Floats:
        """The magnitude of the sum of negative relative positions."""
        above = self._total(np.minimum(self.position, 0) - self._cost)
        return 0.0 - (self.scale.cost_to(self.topic, self.relevant) + above)

    @property
    def ideal(self) -> Bools:
        """Which rankings never leave the axis."""
        return np.asarray((self.forward == 0) & (self.backward == 0))

    @cached_property
    def arrival(self) -> Floats:
        """The first rank where the curve is back on the axis or above it after having been below; infinite if never."""
        return self._first((self.height >= -self._rounding) & (self._before < -self._rounding))

    def crossing(self, how: str = "strict") -> Floats:
        """The rank before the first crossing of the axis; infinite if there is none."""
        if how == "matters":
            return self._first((self.height > self._rounding) & (self._before <= self._rounding)) - 1
        if how == "literal":
            starts = (self.at(np.ones(len(self), dtype=np.int64)) == 0) & (self.length > 1)
            return np.where(starts, 1.0, self.arrival - 1)
        return self.arrival - 1

    def balance(self, crossing: str = "strict", endpoint: str = "left") -> Floats:
        """The rank where losses have been made up for, at least R; infinite if they never are."""
        where = self.crossing(crossing) + (endpoint == "right")
        return np.where(self.ideal, self.relevant, np.maximum(self.relevant, where))

    def at(self, rank: Ints) -> Floats:
        """The height of each curve at a rank of each."""
        return self._heights(np.arange(len(self)), rank)

    def _heights(self, number: Ints, rank: Ints) -> Floats:
        """The heights of some curves, by their number, at a rank of each."""
        risen = down_to(self.ranking, self.rank, self._risen, number, rank)
        return self.scale.cost_to(self.topic[number], rank) + risen

    @cached_property
    def turn(self) -> Ints:
        """The first rank where the curve is lowest."""
        ranking, rank, height = self._corners
        lowest = np.full(len(self), np.inf)
        np.minimum.at(lowest, ranking, height)
        low = height <= (lowest + self.scale.rounding[self.topic])[ranking]
        first = np.full(len(self), np.iinfo(np.int64).max)
        np.minimum.at(first, ranking[low], rank[low])
        return first

    def dips(self, behind: Floats) -> Bools:
        """Which curves are below the axis somewhere between the rank *behind* of each and rank R."""
        ranking, rank, height = self._corners
        below = height < -self.scale.rounding[self.topic][ranking]
        low = (rank > behind[ranking]) & (rank <= self.relevant[ranking]) & below
        return np.bincount(ranking[low], minlength=len(self)) > 0

    def within(self) -> Ints:
        """How many relevant documents stand at ranks 1 to R."""
        return np.bincount(self.ranking[self.rank <= self.scale.relevant[self._topic]], minlength=len(self))

    def found(self) -> Ints:
        """How many relevant documents there are in each ranking."""
        return np.bincount(self.ranking, minlength=len(self))

    def reversed_ideal(self) -> Bools:
        """Which rankings are the full-scale ranking of their topic."""
        start = np.searchsorted(self.ranking, np.arange(len(self)))
        number = np.arange(len(self.ranking)) - start[self.ranking]
        fits = self.rank == self.scale.length[self._topic] - self.scale.relevant[self._topic] + 1 + number
        place = self.scale.first[self._topic] + self.scale.relevant[self._topic] - 1 - number
        fits &= self.code == self.scale.ideal[np.maximum(place, 0)]
        alike = np.bincount(self.ranking[fits], minlength=len(self))
        return np.asarray((alike == self.relevant) & (self.found() == self.relevant) & (self.relevant > 0))

    # Of each relevant document ----------------------------------------------------------------------------

    @cached_property
    def _topic(self) -> Ints:
        return self.topic[self.ranking]

    @cached_property
    def misplaced(self) -> Ints:
        """RP of each relevant document, as the papers have it."""
        place = self._topic * self.scale.low.shape[1] + self.code
        low, high = self.scale.low.ravel().take(place), self.scale.high.ravel().take(place)
        return np.asarray(np.minimum(self.rank - low, 0) + np.maximum(self.rank - high, 0))

    @cached_property
    def position(self) -> Floats:
        """RP of each relevant document, weighed."""
        if not self.scale.weighed:
            return self.misplaced.astype(np.float64)
        return self.misplaced * self.scale.factor(self.code, self._topic, self.rank)

    @cached_property
    def _risen(self) -> Floats:
        """How much higher the curve is than that of a ranking without relevant documents, after each of them."""
        rise = self.position - self._cost
        if self.scale.weighed:
            return running(np.add, self.ranking, rise)
        # Whole numbers: the sum over all rankings is exact, so what came before a ranking can be taken off again.
        risen = np.concatenate([[0.0], np.cumsum(rise)])
        first = np.searchsorted(self.ranking, np.arange(len(self)))
        return np.asarray(risen[1:] - risen[first].take(self.ranking))

    @cached_property
    def _cost(self) -> Floats:
        """What a document that is not relevant would cost in the place of each."""
        return self.scale.cost_at(self._topic, self.rank)

    @cached_property
    def height(self) -> Floats:
        """CRP at each relevant document."""
        return self.scale.cost_to(self._topic, self.rank) + self._risen

    @cached_property
    def _before(self) -> Floats:
        """CRP just above each relevant document."""
        return self.height - self.position

    @cached_property
    def _corners(self) -> tuple[Ints, Ints, Floats]:
        """Ranking, rank and height where a curve can be lowest: at and above relevant documents, where costs end."""
        above = self.rank > 1
        end = np.maximum(self.scale.falls[self.topic], 1)
        ranking = np.concatenate([self.ranking, self.ranking[above], np.arange(len(self))])
        rank = np.concatenate([self.rank, self.rank[above] - 1, end])
        return ranking, rank, np.concatenate([self.height, self._before[above], self.at(end)])

    @property
    def _rounding(self) -> float | Floats:
        """What may be taken for 0; unweighed positions are whole numbers."""
        return self.scale.rounding[self._topic] if self.scale.weighed else 0.0

    def _total(self, amount: Floats) -> Floats:
        return np.bincount(self.ranking, weights=amount, minlength=len(self)).astype(np.float64, copy=False)

    def _first(self, wanted: Bools) -> Floats:
        """The rank of the first document that is wanted; infinite if there is none."""
        place = np.flatnonzero(wanted)[::-1]
        rank = np.full(len(self), np.inf)
        rank[self.ranking[place]] = self.rank[place]
        return rank

    # One ranking in full ------------------------------------------------------------------------------------

    def vectors(self, number: int) -> tuple[Floats, Floats]:
        """RP and CRP of one ranking at every rank."""
        length = int(self.length[number])
        rank = np.arange(1, length + 1)
        position = self.scale.cost_at(np.full(length, self.topic[number]), rank)
        mine = self.ranking == number
        position[self.rank[mine] - 1] = self.position[mine]
        return position, np.cumsum(position)
