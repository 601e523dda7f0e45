"""How many preferences of the groups of one topic a ranking fulfils, and the values that follow.

The definitions are those of :mod:`.preferences`. Pairs of documents are looked at in blocks of a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.compat.trec_eval.groups import Group
from assay.model.arrays import Bools, Floats, Ints

_CELLS = 1 << 22  # pairs of documents looked at together


class Share(NamedTuple):
    """How many of the possible preferences (or pairs of documents) are fulfilled."""

    fulfilled: float
    possible: int

    @property
    def value(self) -> float:
        """The ratio, 0 if nothing is possible."""
        return self.fulfilled / self.possible if self.possible else 0.0

    @property
    def undefined(self) -> float:
        """The ratio, nan if nothing is possible."""
        return self.fulfilled / self.possible if self.possible else np.nan


class Shares(NamedTuple):
    """Over all preferences, over those between retrieved documents, over those with at least one retrieved document."""

    every: Share
    ret: Share
    imp: Share


@dataclass(frozen=True, eq=False)
class Ranked:
    """A group and a ranking of its documents: places in the group, the first *retrieved* by rank, then the others."""

    group: Group
    order: Ints
    retrieved: int

    @property
    def level(self) -> Floats:
        """The level of each document."""
        return self.group.level[self.order]

    @cached_property
    def shares(self) -> Shares:
        """The preferences of the group that the ranking fulfils."""
        fulfilled = possible = implied = 0
        for block in _blocks(0, self.retrieved, len(self.order)):
            over = self.group.over(self.order[block], self.order)
            inside = over[:, : self.retrieved]
            possible += _number(inside)
            fulfilled += _number(inside & _behind(block, slice(0, self.retrieved)))
            implied += _number(over[:, self.retrieved :])
        missed = neither = 0
        for block in _blocks(self.retrieved, len(self.order), len(self.order)):
            over = self.group.over(self.order[block], self.order)
            missed += _number(over[:, : self.retrieved])
            neither += _number(over[:, self.retrieved :])
        either = Share(fulfilled + implied, possible + implied + missed)
        return Shares(Share(either.fulfilled, either.possible + neither), Share(fulfilled, possible), either)

    def without(self, dropped: Ints) -> Ranked:
        """The ranking without the documents that stand at *dropped*."""
        return Ranked(self.group, np.delete(self.order, dropped), self.retrieved - _number(dropped < self.retrieved))

    def balanced(self) -> Share:
        """The preferences when as many documents are not relevant as are relevant."""
        relevant, hits = _number(self.level > 0), _number(self.level[: self.retrieved] > 0)
        more = relevant - self._nonrelevant(self.level)
        if more >= 0:
            fulfilled, possible = self.shares.every
            return Share(fulfilled + hits * more, possible + relevant * more)
        if not self.group.complete:
            return self._with_zeros(relevant).shares.every
        fulfilled, possible = self.without(self._lowest).shares.every
        kept = self._lowest[:relevant]
        before = int(np.minimum(kept, self.retrieved).sum())
        return Share(fulfilled + before, possible + len(self.order) * len(kept))

    def balanced_ret(self) -> Share:
        """The same among retrieved documents."""
        relevant, hits = _number(self.level > 0), _number(self.level[: self.retrieved] > 0)
        more = hits - self._nonrelevant(self.level[: self.retrieved])
        if more >= 0:
            fulfilled, possible = self.shares.ret
            return Share(fulfilled + hits * more, possible + relevant * more)
        if not self.group.complete:
            return self._with_zeros(relevant).shares.ret
        fulfilled, possible = self.without(self._lowest).shares.ret
        kept = self._lowest[:hits]
        kept = kept[kept < self.retrieved]
        return Share(fulfilled + int(kept.sum()), possible + self.retrieved * len(kept))

    @property
    def _lowest(self) -> Ints:
        return np.flatnonzero(self.level == self.level.min())

    def _with_zeros(self, most: int) -> Ranked:
        """The ranking with only the first documents of level 0."""
        return self.without(np.flatnonzero(self.level == 0)[most:])

    def _nonrelevant(self, level: Floats) -> int:
        return _number(level <= 0 if self.group.complete else level == 0)


def topic_values(groups: Sequence[Group], order: Ints, retrieved: int) -> dict[str, float]:
    """Every preference measure for a topic whose documents stand in *order*, the first *retrieved* by rank."""
    places = [_places(group, order) for group in groups]
    ranked = [_ranked(group, place, retrieved) for group, place in zip(groups, places, strict=True)]
    found = [each.shares for each in ranked]
    total = Shares(*(Share(*map(sum, zip(*shares, strict=True))) for shares in zip(*found, strict=True)))
    pairs = _Matrix(groups, places).pairs(retrieved) if len(groups) > 1 else total
    values: dict[str, float] = {
        "prefs_num_prefs_poss": total.every.possible,
        "prefs_num_prefs_ful": total.every.fulfilled,
        "prefs_num_prefs_ful_ret": total.ret.fulfilled,
        "prefs_avgjg_Rnonrel": _mean([each.balanced().undefined for each in ranked]),
        "prefs_avgjg_Rnonrel_ret": _mean([each.balanced_ret().undefined for each in ranked]),
    }
    for part, ending in enumerate(("", "_ret", "_imp")):
        values[f"prefs_simp{ending}"] = total[part].value
        values[f"prefs_pair{ending}"] = pairs[part].value
        values[f"prefs_avgjg{ending}"] = _mean([shares[part].value for shares in found])
    return values


def _places(group: Group, order: Ints) -> Ints:
    """For each document of the topic its place in the group."""
    places = np.full(len(order), len(group.member))
    places[group.member] = np.arange(len(group.member))
    return places[order]


def _ranked(group: Group, places: Ints, retrieved: int) -> Ranked:
    inside = places < len(group.member)
    return Ranked(group, places[inside], _number(inside[:retrieved]))


def _mean(shares: Sequence[float]) -> float:
    """The mean over groups, added one after the other; a sum that is nan counts as none, as in trec_eval."""
    total = 0.0
    for share in shares:
        total += share
    return total / len(shares) if total > 0 else 0.0


@dataclass(frozen=True, eq=False)
class _Matrix:
    """All documents of a topic against each other, whatever group they are in."""

    groups: Sequence[Group]
    places: Sequence[Ints]

    def pairs(self, retrieved: int) -> Shares:
        """Over pairs of documents on which a group has a preference, the sum of the shares that are fulfilled."""
        above, under = slice(0, retrieved), slice(retrieved, len(self.places[0]))
        ret = self._added(above, above, Share(0.0, 0))
        imp = self._added(above, under, ret)
        return Shares(Share(imp.fulfilled, self._added(under, under, imp).possible), ret, imp)

    def _added(self, rows: slice, columns: slice, before: Share) -> Share:
        """The pairs in a part of the matrix and those *before*; shares are added as trec_eval adds them, in a row."""
        total, number = before
        for block in _blocks(rows.start, rows.stop, columns.stop - columns.start):
            shape = (block.stop - block.start, columns.stop - columns.start)
            over = np.zeros(shape, dtype=np.min_scalar_type(len(self.groups)))
            under = np.zeros_like(over)
            for group, place in zip(self.groups, self.places, strict=True):
                over += group.over(place[block], place[columns])
                under += group.under(place[block], place[columns])
            compared = (over + under > 0) & _behind(block, columns)
            fulfilled, failed = over[compared].astype(np.float64), under[compared].astype(np.float64)
            total = float(np.cumsum(np.concatenate([[total], fulfilled / (fulfilled + failed)]))[-1])
            number += len(fulfilled)
        return Share(total, number)


def _blocks(begin: int, end: int, width: int) -> Iterator[slice]:
    """Rows of a matrix with *width* columns, so few at a time that no large part of it is ever there."""
    size = max(1, _CELLS // max(width, 1))
    for start in range(begin, end, size):
        yield slice(start, min(start + size, end))


def _behind(rows: slice, columns: slice) -> Bools:
    """Whether a column stands behind a row in the ranking."""
    return np.asarray(np.arange(columns.start, columns.stop) > np.arange(rows.start, rows.stop)[:, None])


def _number(mask: Bools) -> int:
    return int(np.count_nonzero(mask))
