"""Rank-biased overlap: how much two rankings agree, the top more than the rest, with nothing judged.

A user compares the rankings down to depth d and goes on to the next depth with probability p; RBO is the agreement that
she sees on average, (1 - p) sum_d p^(d-1) A_d, where A_d is the share of documents that the first d have in common
(W. Webber, A. Moffat, J. Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010). Rankings end, so
three values say what is known: *min* if no document beyond the ends is shared, *max* if as many are as can be, and
*ext*, in which the agreement at the end goes on. max - min is the *residual*.

With S the shorter ranking, of s documents, and L the longer one, of l, X_d is the number of documents shared down to
depth d and X_d / d = A_d as long as d <= s. Beyond s the unseen documents of S are taken

* for *min* to be in nobody's ranking;
* for *max* to be those of L from the top that S does not have; beyond l each ranking goes on with what the other has,
  so that X_d grows by two with each rank until all agrees, at depth f = l + s - X_l;
* for *ext* to be in L as often as those seen were, A_s = X_s / s of them (equation 32 of the paper); beyond l the
  agreement stays what it is there, (X_l + (l - s) A_s) / l.

Ties follow M. Corsi, J. Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024. A document whose group of
ties spans ranks t to b contributes c = 0 to depths above t and 1 from b on; in between 1 if documents share a rank
(*w*, as Webber et al. have it) and (d - t + 1) / (b - t + 1) if their order is not known (*a*, *b*). X_d is the sum of
c_S c_L over documents, and

* w: A_d = 2 X_d / (sum c_S + sum c_L);
* a: A_d = X_d / d, its mean over all orders of the tied documents;
* b: A_d = X_d / sqrt(sum c_S^2 sum c_L^2), so that a ranking agrees with itself fully, ties or not.

Documents beyond the ends are not tied. For *ext* the unseen documents of S contribute as those of L do on average that
are reached at that depth and that S does not have. So *a* is the mean of RBO over all orders, *ext* and *max* included,
unless L is longer and has ties beyond the end of S: the paper settles what S goes on with before it breaks those ties,
and its *ext* and *max* are then no larger than the mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from assay.distance.aligned import Aligned, Groups, check_treatment, of_sequences
from assay.errors import InputError
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints


class RBO(NamedTuple):
    """Rank-biased overlap of two rankings: 0 <= min <= ext <= max <= 1, and residual = max - min."""

    ext: float
    min: float
    max: float
    residual: float


class Overlaps(NamedTuple):
    """Rank-biased overlap of many pairs, and the number of documents that they share."""

    ext: Floats
    min: Floats
    max: Floats
    residual: Floats
    shared: Ints


@check_arguments
def rank_biased_overlap(a: Iterable[object], b: Iterable[object], p: float = 0.9, *, tied: str = "a") -> RBO:
    """RBO of two rankings of documents, best first; a set, list or tuple in the place of a document holds tied ones.

    Parameters
    ----------
    a, b
        The rankings; they may have different lengths and documents.
    p
        Persistence, above 0 and below 1: the first 1 / (1 - p) ranks have most of the weight.
    tied
        ``w``, ``a`` or ``b`` (see above), or ``order``: tied documents stand in the order given.

    Examples
    --------
    >>> rank_biased_overlap("abc", "abc", 0.9).ext, rank_biased_overlap("abc", "xyz", 0.9).ext
    (1.0, 0.0)
    >>> rank_biased_overlap(["a", {"b", "c"}], ["a", {"b", "c"}], 0.9, tied="b").ext
    1.0
    >>> round(rank_biased_overlap("ab", "abcd", 0.9).min, 4)
    0.4117
    """
    check_persistence(p)
    check_treatment(tied)
    pair = of_sequences(a, b)
    found = overlaps(pair, p, tied)
    return RBO(*(float(value[0]) for value in found[:4]))


def check_persistence(p: float) -> None:
    """Refuse what is no persistence."""
    if isinstance(p, bool) or not isinstance(p, int | float | np.number) or not 0 < p < 1:
        raise InputError(f"p must lie between 0 and 1, such as 0.9, got {p!r}")


def overlaps(pairs: Aligned, p: float, tied: str) -> Overlaps:
    """RBO of each pair of rankings."""
    weights = _DepthWeights.of(p, 2 * int(pairs.length.max(initial=1)))
    if tied == "order" or pairs.groups is None:
        return _untied(pairs, weights)
    return _tied(pairs, pairs.groups, weights, tied)


class _DepthWeights(NamedTuple):
    """Of depth d (from 1) the weight (1 - p) p^(d-1); of what lies beyond depth n (from 0) the weight, and over d."""

    at: Floats
    beyond: Floats
    beyond_over_depth: Floats

    @classmethod
    def of(cls, p: float, deepest: int) -> _DepthWeights:
        depth = np.arange(1.0, deepest + 1)
        at = (1 - p) * p ** (depth - 1)
        over = at / depth
        # The sum to infinity is -log(1 - p) (1 - p) / p; summed from the end so that small numbers keep their digits.
        rest = max(0.0, -np.log1p(-p) * (1 - p) / p - float(over.sum()))
        return cls(at, p ** np.arange(deepest + 1.0), np.cumsum(np.append(rest, over[::-1]))[::-1])


class _SeenOverlap(NamedTuple):
    """The seen part of pairs of rankings: s, l, X_l, A_s and *min*."""

    short: Ints
    long: Ints
    shared: Ints
    agreement: Floats
    least: Floats


def _untied(pairs: Aligned, weights: _DepthWeights) -> Overlaps:
    """A shared document counts from the larger of its ranks on, so *min* is a sum over shared documents."""
    row, place, rank = pairs.shared
    above = np.maximum(place, rank - 1)
    rows = len(pairs)
    least = np.bincount(row, weights=weights.beyond_over_depth[above], minlength=rows).astype(np.float64)
    shared = np.bincount(row, minlength=rows)
    short, long = pairs.length.min(axis=1), pairs.length.max(axis=1)
    early = np.bincount(row[above < short[row]], minlength=rows)
    seen = _SeenOverlap(short, long, shared, early / np.maximum(short, 1), least)
    beyond, over = weights.beyond, weights.beyond_over_depth
    # Between s and l, of a weight of one at each depth the share (d - s) / d.
    stretch = beyond[short] - beyond[long] - short * (over[short] - over[long])
    return _bounded(weights, seen, stretch * seen.agreement, stretch)


def _bounded(weights: _DepthWeights, seen: _SeenOverlap, stretch_ext: Floats, stretch_max: Floats) -> Overlaps:
    """All values from *min*, from what is added between s and l, and from what lies beyond.

    That 0 <= min <= ext <= max <= 1 is a theorem; here it also holds to the last digit.
    """
    short, long, shared, agreement, least = seen
    beyond, over = weights.beyond, weights.beyond_over_depth
    down_to_long = least - shared * over[long]
    last = (shared + (long - short) * agreement) / np.maximum(long, 1)
    full = long + short - shared
    most = down_to_long + stretch_max + 2 * beyond[long] - beyond[full] - full * (over[long] - over[full])
    low = np.clip(least, 0, 1)
    high = np.clip(most, low, 1)
    ext = np.clip(down_to_long + stretch_ext + beyond[long] * last, low, high)
    return Overlaps(ext, low, high, high - low, shared)


class _ReadGroups(NamedTuple):
    """The part of rankings that has been read down to each depth (rows x depths).

    Documents of groups that were read to their end, the size of the group that is read in part (0 if none is) and what
    each of its documents contributes.
    """

    whole: Ints
    part: Ints
    share: Floats

    @classmethod
    def of(cls, groups: tuple[Ints, Ints], share_a_rank: bool) -> _ReadGroups:
        first, last = groups
        depth = np.arange(1, first.shape[1] + 1)
        inside = depth < last
        share = np.where(inside, 1.0 if share_a_rank else (depth - first + 1) / (last - first + 1), 0.0)
        return cls(np.where(inside, first - 1, depth), np.where(inside, last - first + 1, 0), share)

    def of_rows(self, rows: Ints) -> _ReadGroups:
        return _ReadGroups(self.whole[rows], self.part[rows], self.share[rows])

    @property
    def sum(self) -> Ints:
        return self.whole + self.part

    @property
    def squares(self) -> Floats:
        return self.whole + self.part * self.share**2


class _Common(NamedTuple):
    """Documents that both rankings have reached, at each depth (rows x depths), by whether their groups were read.

    To the end in both, in part by the first only, in part by the second only, in part by both: whole numbers, so that
    their sums are exact.
    """

    whole: Ints
    part_a: Ints
    part_b: Ints
    parts: Ints

    @classmethod
    def of(cls, pairs: Aligned, groups: Groups) -> _Common:
        (first_a, last_a), (first_b, last_b) = groups
        row, place, rank = pairs.shared
        ta, ba, tb, bb = first_a[row, place], last_a[row, place], first_b[row, rank - 1], last_b[row, rank - 1]
        shape = (len(pairs), pairs.other.shape[1])
        end = np.full_like(row, shape[1] + 1)
        return cls(
            _from_to(row, np.maximum(ba, bb), end, shape),
            _from_to(row, np.maximum(ta, bb), ba, shape),
            _from_to(row, np.maximum(tb, ba), bb, shape),
            _from_to(row, np.maximum(ta, tb), np.minimum(ba, bb), shape),
        )

    def of_rows(self, rows: Ints) -> _Common:
        return _Common(*(column[rows] for column in self))


def _from_to(row: Ints, start: Ints, stop: Ints, shape: tuple[int, int]) -> Ints:
    """Count the intervals from *start* to before *stop* that hold each depth."""
    some = start < stop
    row, start, stop = row[some], start[some], stop[some]
    rows, depths = shape
    change = np.bincount(row * (depths + 1) + start - 1, minlength=rows * (depths + 1))
    change -= np.bincount(row * (depths + 1) + stop - 1, minlength=rows * (depths + 1))
    return np.cumsum(change.reshape(rows, depths + 1)[:, :-1], axis=1)


def _tied(pairs: Aligned, groups: Groups, weights: _DepthWeights, tied: str) -> Overlaps:
    a, b = (_ReadGroups.of(group, tied == "w") for group in groups)
    common = _Common.of(pairs, groups)
    depth = np.arange(1, pairs.other.shape[1] + 1)
    overlap = common.whole + a.share * common.part_a + b.share * common.part_b + a.share * b.share * common.parts
    norm = _norm(a, b, depth, tied)
    short, long = pairs.length.min(axis=1), pairs.length.max(axis=1)
    shared = np.bincount(pairs.shared[0], minlength=len(pairs))
    rows = np.arange(len(pairs))
    agreement = np.where(short > 0, overlap[rows, short - 1] / norm[rows, short - 1], 0.0)
    weight = weights.at[: len(depth)] / norm
    least = (overlap * weight).sum(axis=1) + shared * weights.beyond_over_depth[len(depth)]
    mean, top = np.zeros(len(pairs)), np.zeros(len(pairs))
    uneven = np.flatnonzero(short < long)
    if len(uneven):
        mean[uneven], top[uneven] = _unseen(
            a.of_rows(uneven),
            b.of_rows(uneven),
            common.of_rows(uneven),
            weight[uneven],
            pairs.length[uneven],
        )
    return _bounded(weights, _SeenOverlap(short, long, shared, agreement, least), agreement * mean, top)


def _norm(a: _ReadGroups, b: _ReadGroups, depth: Ints, tied: str) -> Floats:
    """Return the divisor of the overlap; beyond the end of a ranking its documents count one each."""
    if tied == "w":
        return (a.sum + b.sum) / 2
    if tied == "b":
        return np.sqrt(a.squares * b.squares)
    return np.broadcast_to(depth.astype(np.float64), a.whole.shape)


def _unseen(a: _ReadGroups, b: _ReadGroups, common: _Common, weight: Floats, length: Ints) -> tuple[Floats, Floats]:
    """Return what missing documents of S add where S has ended and L has not: all as L's on average, all as the top.

    Here S has read all its groups, so that documents that only L has are those it has read less those shared.
    """
    short, long = length.min(axis=1)[:, None], length.max(axis=1)[:, None]
    depth = np.arange(1, weight.shape[1] + 1)
    weight = np.where((depth > short) & (depth <= long), weight, 0.0)
    missing = depth - short
    longer = length[:, :1] > length[:, 1:]
    share = np.where(longer, a.share, b.share)
    whole = np.where(longer, a.whole, b.whole) - common.whole
    part = np.where(longer, a.part, b.part) - common.part_a - common.part_b
    mean = missing * (whole + share * part) / np.maximum(whole + part, 1)
    top = np.minimum(missing, whole) + share * np.maximum(missing - whole, 0)
    return (mean * weight).sum(axis=1), (top * weight).sum(axis=1)
