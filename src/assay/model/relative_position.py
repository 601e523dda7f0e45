"""Relative position (RP): the distance of each document from its ideal ranks; CRP is the cumulated sum.

A document of grade g belongs to an interval of ranks: those at which the ideal ranking of the topic has documents of
grade g. Its relative position is 0 inside the interval. It is negative above the interval, where the document takes the
position of a better document, and positive below the interval, where the document comes too late. CRP at a rank is the
sum of the relative positions down to that rank. Non-relevant documents (unjudged, or with a grade below ``rel``) belong
below rank R, the recall base: their RP is rank - R - 1 at ranks 1 to R, and 0 after rank R. A curve is therefore
determined by R and by the ranks and grades of its relevant documents, and this module does not loop over non-relevant
documents.

All rankings have the same length N: longer rankings are cut, and shorter rankings are padded with non-relevant
documents. The full-scale ranking of a topic is its ideal ranking reversed; it needs 2 R ranks (see ``LENGTHS``).

Two extensions are not in the papers. RP may be weighted by the difference between the gains of the document and of the
ideal document at its rank. It may be discounted by a persistence, so that misplacements further down count less. The
discount uses the rank at which a misplacement begins. This is the rank of the document if it comes too early, and the
last rank of its interval if it comes too late. (If the discount used the rank of the late document, an even later
document would cost less, and the full-scale ranking would cost almost nothing.) Weighted positions no longer cancel
exactly, so the unweighted curve decides where a curve returns to the axis (see ``Curves.unweighted``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from assay.model.arrays import Bools, Floats, Ints
from assay.model.effort_scale import LENGTHS, EffortScale, EffortSettings
from assay.model.judged import Judged
from assay.model.segmented_scan import accumulate, value_at_depth

__all__ = ["CROSSINGS", "ENDPOINTS", "LENGTHS", "Curves", "EffortScale", "EffortSettings"]

CROSSINGS = {
    "strict": "from below the axis to the axis or above it; a curve that never leaves the axis has recovered",
    "literal": "as printed in the paper: a curve that starts on the axis also crosses it",
    "matters": "as in the MATTERS toolkit: from the axis or below it to above the axis",
}
ENDPOINTS = {"left": "the last rank before the crossing", "right": "the first rank after the crossing"}


class Curves:
    """CRP curves of many rankings, each given by its relevant documents.

    Parameters
    ----------
    scale
        Grade intervals and costs of the topics.
    topic
        The topic of each ranking.
    ranking, rank, code
        The relevant documents, sorted by ranking and rank.
    """

    def __init__(self, scale: EffortScale, topic: Ints, ranking: Ints, rank: Ints, code: Ints) -> None:
        self.scale = scale
        self.topic = topic
        self.ranking = ranking
        self.rank = rank
        self.code = code

    @classmethod
    def from_judged(cls, judged: Judged, setting: EffortSettings = EffortSettings()) -> Curves:
        """Return the curves of all rankings of *judged*, cached for each setting."""
        return judged.get_or_compute(("curves", setting), lambda: cls._build(judged, setting))

    @classmethod
    def _build(cls, judged: Judged, setting: EffortSettings) -> Curves:
        scale = EffortScale.from_judged(judged, setting)
        # ``rows`` returns gains. With the code of each relevant document as its gain, it returns codes. Ties must be
        # dropped first, since tied documents would get the mean of their codes.
        codes = np.where(judged.levels >= setting.rel, np.arange(1, len(judged.levels) + 1), 0)
        rows = judged.without_ties().rows(np.concatenate([[0.0], codes]))
        ranking, rank, code = rows.ranking, rows.rank, rows.gain.astype(np.int64)
        if setting.depth is not None and setting.depth < judged.max_depth:
            in_depth = rank <= setting.depth
            ranking, rank, code = ranking[in_depth], rank[in_depth], code[in_depth]
        return cls(scale, judged.topic, ranking, rank, code)

    def __len__(self) -> int:
        return len(self.topic)

    # One value for each ranking -----------------------------------------------------------------------------

    @property
    def recall_base(self) -> Ints:
        """R of each ranking: the number of relevant documents of its topic."""
        return self.scale.recall_base[self.topic]

    @property
    def length(self) -> Ints:
        """The length N to which each ranking is cut or padded; the same for all rankings of a topic."""
        return self.scale.length[self.topic]

    @cached_property
    def full_scale(self) -> Curves:
        """The curve of the full-scale ranking of each topic: its ideal ranking reversed, at the last R ranks.

        If N is at least 3 R - 1, no ranking is farther from the ideal one.
        """
        scale = self.scale
        topic = np.repeat(np.arange(len(scale.recall_base)), scale.recall_base)
        number = np.arange(len(topic)) - scale.first[topic]
        code = scale.ideal[scale.first[topic] + scale.recall_base[topic] - 1 - number]
        rank = scale.length[topic] - scale.recall_base[topic] + 1 + number
        return Curves(scale, np.arange(len(scale.recall_base)), topic, rank, code)

    def full_scale_height_at(self, rank: Ints) -> Floats:
        """Return CRP of the full-scale ranking of each ranking's topic; *rank* has one entry for each ranking."""
        return self.full_scale._heights(self.topic, rank)

    @cached_property
    def forward(self) -> Floats:
        """Sum of the positive relative positions."""
        return self._total(np.maximum(self.position, 0))

    @cached_property
    def backward(self) -> Floats:
        """Absolute value of the sum of the negative relative positions."""
        # Start from a ranking without relevant documents and replace its costs where there are relevant documents.
        replaced = self._total(np.minimum(self.position, 0) - self._cost)
        return 0.0 - (self.scale.cumulative_cost_at(self.topic, self.recall_base) + replaced)

    @property
    def is_ideal(self) -> Bools:
        """True for rankings whose curve never leaves the axis."""
        return np.asarray((self.forward == 0) & (self.backward == 0))

    @cached_property
    def unweighted(self) -> Curves:
        """Curves of the same rankings without weights and persistence.

        With weights, a curve that would return to the axis ends slightly above or below it. The smallest change of a
        weight could then decide whether the curve returns. Therefore the unweighted curve, whose heights are whole
        numbers, determines where a curve returns.
        """
        if not self.scale.is_weighted:
            return self
        scale = replace(self.scale, gain=None, persistence=1.0)
        return Curves(scale, self.topic, self.ranking, self.rank, self.code)

    @cached_property
    def return_rank(self) -> Floats:
        """The first rank at which the unweighted curve returns to the axis from below; infinite if it never does."""
        curve = self.unweighted
        return curve._first_rank((curve.height >= 0) & (curve._height_before < 0))

    def crossing_rank(self, crossing: str = "strict") -> Floats:
        """Return the last rank before the unweighted curve first crosses the axis; infinite if it never does.

        *crossing* is a key of ``CROSSINGS``.
        """
        if self.scale.is_weighted:
            return self.unweighted.crossing_rank(crossing)
        if crossing == "matters":
            return self._first_rank((self.height > 0) & (self._height_before <= 0)) - 1
        if crossing == "literal":
            on_axis = (self.height_at(np.ones(len(self), dtype=np.int64)) == 0) & (self.length > 1)
            return np.where(on_axis, 1.0, self.return_rank - 1)
        return self.return_rank - 1

    def balance_point(self, crossing: str = "strict", endpoint: str = "left") -> Floats:
        """Return the rank at which the curve has recovered, or R if that is larger; infinite if it never recovers.

        *crossing* is a key of ``CROSSINGS`` and *endpoint* one of ``ENDPOINTS``.
        """
        rank = self.crossing_rank(crossing) + (endpoint == "right")
        return np.where(self.unweighted.is_ideal, self.recall_base, np.maximum(self.recall_base, rank))

    def recovery_ratio(self, crossing: str = "strict", endpoint: str = "left") -> Floats:
        """Return R divided by the balance point, discounted by the persistence as in ``RecoveryRatio``."""
        balance_point = self.balance_point(crossing, endpoint)
        recall_base = self.recall_base.astype(np.float64)
        p = self.scale.persistence
        if p == 1:
            return np.divide(recall_base, balance_point, out=np.zeros(len(self)), where=balance_point > 0)
        # -expm1(n log p) is 1 - p^n, exact also for a persistence close to 1.
        seen = np.divide(
            np.expm1(recall_base * np.log(p)),
            np.expm1(balance_point * np.log(p)),
            out=np.zeros(len(self)),
            where=balance_point > 0,
        )
        # An infinite balance point has p^(balance point - R) = 0.
        return np.asarray(np.power(p, balance_point - recall_base) * seen)

    def height_at(self, rank: Ints) -> Floats:
        """Return CRP of each ranking at its *rank*; *rank* has one entry for each ranking."""
        return self._heights(np.arange(len(self)), rank)

    def _heights(self, number: Ints, rank: Ints) -> Floats:
        """Return CRP of the rankings with these indices (*number*), each at its *rank*."""
        rise = value_at_depth(self.ranking, self.rank, self._rise, number, rank)
        return self.scale.cumulative_cost_at(self.topic[number], rank) + rise

    @cached_property
    def turn_around(self) -> Ints:
        """The first rank at which the curve is lowest."""
        ranking, rank, height = self._possible_minima
        lowest = np.full(len(self), np.inf)
        np.minimum.at(lowest, ranking, height)
        is_lowest = height <= (lowest + self.scale.tolerance[self.topic])[ranking]
        first = np.full(len(self), np.iinfo(np.int64).max)
        np.minimum.at(first, ranking[is_lowest], rank[is_lowest])
        return first

    def dips_below_axis(self, after: Floats) -> Bools:
        """Return whether each curve is below the axis at a rank later than *after* and at most R.

        *after* has one rank for each curve.
        """
        ranking, rank, height = self._possible_minima
        is_below = height < -self.scale.tolerance[self.topic][ranking]
        dips = (rank > after[ranking]) & (rank <= self.recall_base[ranking]) & is_below
        return np.bincount(ranking[dips], minlength=len(self)) > 0

    def relevant_in_top_r(self) -> Ints:
        """Return the number of relevant documents at ranks 1 to R of each ranking."""
        return np.bincount(self.ranking[self.rank <= self.scale.recall_base[self._topic]], minlength=len(self))

    def relevant_retrieved(self) -> Ints:
        """Return the number of relevant documents of each ranking."""
        return np.bincount(self.ranking, minlength=len(self))

    def is_full_scale(self) -> Bools:
        """Return whether each ranking is the full-scale ranking of its topic."""
        start = np.searchsorted(self.ranking, np.arange(len(self)))
        number = np.arange(len(self.ranking)) - start[self.ranking]
        recall_base = self.scale.recall_base[self._topic]
        # The n-th relevant document of a full-scale ranking (from 0) is at rank N - R + 1 + n. It has the code of the
        # n-th document from the end of the ideal ranking.
        matches = self.rank == self.scale.length[self._topic] - recall_base + 1 + number
        position = self.scale.first[self._topic] + recall_base - 1 - number
        matches &= self.code == self.scale.ideal[np.maximum(position, 0)]
        all_match = np.bincount(self.ranking[matches], minlength=len(self)) == self.recall_base
        return np.asarray(all_match & (self.relevant_retrieved() == self.recall_base) & (self.recall_base > 0))

    # One value for each relevant document -------------------------------------------------------------------

    @cached_property
    def _topic(self) -> Ints:
        return self.topic[self.ranking]

    @cached_property
    def unweighted_position(self) -> Ints:
        """RP of each relevant document as defined in the papers."""
        # One flat index and ``take`` are faster than indexing by topic and code.
        cell = self._topic * self.scale.low.shape[1] + self.code
        low, high = self.scale.low.ravel().take(cell), self.scale.high.ravel().take(cell)
        return np.asarray(np.minimum(self.rank - low, 0) + np.maximum(self.rank - high, 0))

    @cached_property
    def position(self) -> Floats:
        """RP of each relevant document, times its weight if positions are weighted."""
        if not self.scale.is_weighted:
            return self.unweighted_position.astype(np.float64)
        return self.unweighted_position * self.scale.weight(self.code, self._topic, self.rank)

    @cached_property
    def _rise(self) -> Floats:
        """At each relevant document, the height of the curve minus the height if no document were relevant."""
        rise = self.position - self._cost
        if self.scale.is_weighted:
            return accumulate(np.add, self.ranking, rise)
        # Unweighted positions are whole numbers, so one cumulative sum over all rankings is exact and the sum before
        # each ranking can be subtracted.
        sums = np.concatenate([[0.0], np.cumsum(rise)])
        first = np.searchsorted(self.ranking, np.arange(len(self)))
        return np.asarray(sums[1:] - sums[first].take(self.ranking))

    @cached_property
    def _cost(self) -> Floats:
        """RP of a non-relevant document at the rank of each relevant document."""
        return self.scale.cost_at(self._topic, self.rank)

    @cached_property
    def height(self) -> Floats:
        """CRP at the rank of each relevant document."""
        return self.scale.cumulative_cost_at(self._topic, self.rank) + self._rise

    @cached_property
    def _height_before(self) -> Floats:
        """CRP at the rank before each relevant document."""
        return self.height - self.position

    @cached_property
    def _possible_minima(self) -> tuple[Ints, Ints, Floats]:
        """Ranking, rank and height of the points at which a curve can have its minimum.

        Between relevant documents a curve falls while ranks have a cost and is constant afterwards. It can be lowest
        only at a relevant document, at the rank before one, or at the last rank with a cost.
        """
        has_previous = self.rank > 1
        end = np.maximum(self.scale.last_cost_rank[self.topic], 1)
        ranking = np.concatenate([self.ranking, self.ranking[has_previous], np.arange(len(self))])
        rank = np.concatenate([self.rank, self.rank[has_previous] - 1, end])
        height = np.concatenate([self.height, self._height_before[has_previous], self.height_at(end)])
        return ranking, rank, height

    def _total(self, amount: Floats) -> Floats:
        """Return the sum of *amount* over the relevant documents of each ranking."""
        return np.bincount(self.ranking, weights=amount, minlength=len(self)).astype(np.float64, copy=False)

    def _first_rank(self, mask: Bools) -> Floats:
        """Return the rank of the first relevant document of each ranking that *mask* selects; infinite if none."""
        # Assigned from the last to the first, so the first document of each ranking is the one that remains.
        index = np.flatnonzero(mask)[::-1]
        rank = np.full(len(self), np.inf)
        rank[self.ranking[index]] = self.rank[index]
        return rank

    # One ranking at every rank ------------------------------------------------------------------------------

    def vectors(self, number: int) -> tuple[Floats, Floats]:
        """Return RP and CRP of one ranking at every rank from 1 to N."""
        length = int(self.length[number])
        rank = np.arange(1, length + 1)
        position = self.scale.cost_at(np.full(length, self.topic[number]), rank)
        mask = self.ranking == number
        position[self.rank[mask] - 1] = self.position[mask]
        return position, np.cumsum(position)
