"""Judged rankings: runs joined once with the qrels, grades in rank order, many rankings at once.

This is what every measure reads. Ties, unjudged documents and missing topics have been decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import numpy as np

from assay.model.arrays import Bools, Codes, Floats, Ints, expand_ranges, sorted_distinct
from assay.model.from_grades import encode_grades
from assay.model.grade_codes import match_codes, ungraded, ungraded_codes
from assay.model.joined import JoinedRun, join_run
from assay.model.policies import Policies
from assay.model.random_orders import draw

if TYPE_CHECKING:
    from assay.model.qrels import Qrels
    from assay.model.run import Run

Made = TypeVar("Made")
_BLOCK = 1 << 18  # documents looked at together
_SHORT = 64  # documents of short rankings
_CACHED = 2_000_000  # documents, above which their places are not kept


class Rows(NamedTuple):
    """Some documents of some rankings: the ranking, the rank and the gain of each, in rank order."""

    ranking: Ints
    rank: Ints
    gain: Floats

    def only(self, keep: Bools) -> Rows:
        """Return some of the documents, by a mask."""
        return self if keep.all() else Rows(self.ranking[keep], self.rank[keep], self.gain[keep])


@dataclass(frozen=True, eq=False)
class Judged:
    """Many judged rankings as flat columns: ranking *i* holds ``code[start[i]:start[i + 1]]``.

    Attributes
    ----------
    levels
        The distinct grades of the qrels, ascending.
    counts
        Topics x levels: how many documents were judged with that grade.
    topic
        For each ranking, the row of its topic in *counts*.
    start
        Offsets of the rankings, one more than there are.
    code
        For each document 0 when unjudged, else 1 + the place of its grade in *levels*.
    answered
        For each ranking, whether the run has the topic at all.
    tied
        For each document, whether it ties with the one before; None unless ties are ``expected``.
    streams
        For each topic, the number that random orders of its tied documents are drawn from; None if it does not matter.
    depth
        The length of the longest ranking of those that these were taken from; None if these are all.
    condensed_depth
        The same without unjudged documents.
    """

    levels: Floats
    counts: Ints
    topic: Ints
    start: Ints
    code: Codes
    answered: Bools
    policies: Policies = Policies()
    tied: Bools | None = None
    streams: np.ndarray | None = None
    depth: int | None = None
    condensed_depth: int | None = None
    # Not an argument, so that ``replace`` gives every copy a cache of its own.
    _cache: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def join(cls, qrels: Qrels, runs: Iterable[Run], policies: Policies = Policies()) -> Judged:
        """Join *runs* with *qrels*: one ranking for each run and each topic of the qrels, run by run."""
        whole = cls.assemble(qrels, [join_run(qrels, run.table, policies.ties) for run in runs], policies)
        return whole.with_policies(policies)

    @classmethod
    def assemble(cls, qrels: Qrels, runs: Sequence[JoinedRun], policies: Policies) -> Judged:
        """Combine runs that were joined without their documents; unjudged documents are kept."""
        length = np.zeros((len(runs), len(qrels.topics)), dtype=np.int64)
        for row, run in zip(length, runs, strict=True):
            row[run.topic] = run.length
        tied = [run.tied for run in runs if run.tied is not None]
        code = np.concatenate([np.zeros(0, dtype=qrels.code_type), *(run.code for run in runs)])
        return cls.from_columns(qrels, length, code, np.concatenate(tied) if tied else None, policies)

    @classmethod
    def from_columns(cls, qrels: Qrels, length: Ints, code: Codes, tied: Bools | None, policies: Policies) -> Judged:
        """Return the rankings of runs x topics of these lengths, one after the other; unjudged documents are kept."""
        return cls(
            levels=qrels.levels,
            counts=qrels.counts,
            topic=np.tile(np.arange(len(qrels.topics)), len(length)),
            start=np.concatenate([[0], np.cumsum(length)]),
            code=code,
            answered=length.ravel() > 0,
            policies=replace(policies, unjudged="nonrelevant"),
            tied=tied,
            streams=None if tied is None else qrels.streams,
        )

    def with_policies(self, policies: Policies) -> Judged:
        """Apply the policies to rankings with all their documents; the tie order is that of the join."""
        if policies == self.policies:
            return self
        judged = self.condensed() if policies.unjudged == "condensed" else self
        return replace(judged, policies=policies)

    @classmethod
    def from_grades(
        cls,
        rankings: Iterable[Sequence[float | None]],
        judged: Mapping[float, int] | None = None,
        policies: Policies = Policies(),
    ) -> Judged:
        """Return judged rankings of one topic from literal lists of grades; None is an unjudged document.

        *judged* has the number of documents of the topic judged with each grade; by default the largest number in any
        of the rankings.

        >>> Judged.from_grades([[1, 0, None, 2]]).code.tolist()
        [2, 1, 0, 3]
        """
        levels, counts, codes = encode_grades(rankings, judged)
        return cls(
            levels=levels,
            counts=counts.reshape(1, -1),
            topic=np.zeros(len(codes), dtype=np.int64),
            start=np.cumsum([0, *map(len, codes)]),
            code=np.concatenate([*codes, np.zeros(0, dtype=np.int32)]),
            answered=np.ones(len(codes), dtype=bool),
            policies=policies,
        )

    def __len__(self) -> int:
        return len(self.topic)

    # What measures read -----------------------------------------------------------------------------------

    @property
    def length(self) -> Ints:
        """How many documents each ranking holds."""
        return np.diff(self.start)

    @property
    def longest(self) -> int:
        """The length of the longest ranking, also where only some of them are looked at."""
        return int(self.length.max(initial=0)) if self.depth is None else self.depth

    @property
    def longest_condensed(self) -> int:
        """The same without unjudged documents."""
        if self.condensed_depth is None:
            return self.cached("longest condensed", self._longest_condensed)
        return self.condensed_depth

    def _longest_condensed(self) -> int:
        return int(np.diff(self._counted_before(~ungraded_codes(self.levels), self.start)).max(initial=0))

    def cached(self, key: object, make: Callable[[], Made]) -> Made:
        """Return the result of *make*, computed once."""
        if key not in self._cache:
            self._cache[key] = make()
        return cast("Made", self._cache[key])

    def recall_base(self, rel: float) -> Ints:
        """For each ranking, how many documents of its topic have at least the grade *rel*."""
        return np.asarray(self.counts[:, self.levels >= rel].sum(axis=1)[self.topic])

    def judged_below(self, rel: float) -> Ints:
        """For each ranking, how many documents of its topic have a grade from 0 to below *rel*."""
        return np.asarray(self.counts[:, (self.levels >= 0) & (self.levels < rel)].sum(axis=1)[self.topic])

    def relevance(self, rel: float) -> Floats:
        """The gain by code when a document counts 1 if its grade is at least *rel*."""
        return np.concatenate([[0.0], self.levels >= rel])

    def rows(self, gain: Floats) -> Rows:
        """The documents with a gain, in rank order; *gain* is a table by code.

        When ties are ``expected``, tied documents share the gains of their group equally.
        """
        cached = self._cache.get(key := gain.tobytes())
        if isinstance(cached, Rows):
            return cached
        if self.tied is None:
            place, ranking, rank = self._matching_places(gain != 0)
            rows = Rows(ranking, rank, gain.take(self.code.take(place)))
        else:
            shared = self._shared(gain[self.code])
            place = np.flatnonzero(shared)
            rows = Rows(*self._places(place), shared[place])
        if len(place) <= _CACHED:
            self._cache[key] = rows
        return rows

    def ideal(self, gain: Floats) -> Rows:
        """The ideal ranking of each topic: every judged document with a gain, the largest gains first.

        The rankings of these rows are topics (rows of *counts*).
        """
        return self.cached((b"ideal", gain.tobytes()), lambda: self._ideal(gain))

    def _ideal(self, gain: Floats) -> Rows:
        best_first = np.argsort(-gain[1:], kind="stable")
        best_first = best_first[gain[1:][best_first] > 0]
        counts = self.counts[:, best_first]
        topic = np.repeat(np.arange(len(counts)), counts.sum(axis=1))
        gains = np.repeat(np.tile(gain[1:][best_first], len(counts)), counts.ravel())
        start = np.cumsum(counts.sum(axis=1)) - counts.sum(axis=1)
        return Rows(topic, np.arange(len(topic)) - start[topic] + 1, gains)

    def total(self, ranking: Ints, amount: Floats) -> Floats:
        """The sum of *amount* for each ranking, added in rank order."""
        return np.bincount(ranking, weights=amount, minlength=len(self)).astype(np.float64, copy=False)

    def ideal_total(self, topic: Ints, amount: Floats) -> Floats:
        """The sum of *amount* over an ideal ranking, for each ranking of the topic."""
        sums = np.bincount(topic, weights=amount, minlength=len(self.counts))
        return np.asarray(sums.astype(np.float64, copy=False)[self.topic])

    def found(self, rows: Rows) -> Ints:
        """The number of each row among the rows of its ranking: 1, 2, 3 and so on."""
        number = np.bincount(rows.ranking, minlength=len(self))
        first = np.cumsum(number) - number
        return np.arange(1, len(rows.ranking) + 1) - first.take(rows.ranking)

    def above(self, rows: Rows, counted: Bools) -> Ints:
        """How many documents whose code is *counted* (a truth table by code) stand above each row."""
        before = self._counted_before(counted, self.start[:-1])
        place = self.start.take(rows.ranking) + rows.rank - 1
        return self._counted_before(counted, place) - before.take(rows.ranking)

    def _counted_before(self, counted: Bools, place: Ints) -> Ints:
        """How many documents before each place (ascending) are counted; in blocks, so that no large array is made."""
        before = np.empty(len(place), dtype=np.int64)
        total = 0
        for begin in range(0, len(self.code), _BLOCK):
            running = np.cumsum(match_codes(self.code[begin : begin + _BLOCK], counted))
            inside = slice(*np.searchsorted(place, [begin, begin + len(running)]).tolist())
            offset = place[inside] - begin
            before[inside] = total + np.where(offset > 0, running[offset - 1], 0)
            total += int(running[-1])
        before[np.searchsorted(place, len(self.code)) :] = total
        return before

    def condensed(self) -> Judged:
        """The rankings without unjudged documents (and those with a negative grade); ranks close up."""
        return self.cached("condensed", self._condensed)

    def _condensed(self) -> Judged:
        keep = ~ungraded(self.code, self.levels)
        kept = np.concatenate([[0], np.cumsum(keep)])
        tied = None
        if self.tied is not None:
            group = np.cumsum(~self.tied)[keep]
            tied = np.concatenate([[False], group[1:] == group[:-1]])[: len(group)]
        start, depth = kept[self.start], self.condensed_depth
        return replace(self, code=self.code[keep], start=start, tied=tied, depth=depth)

    def top(self, most: int) -> Judged:
        """The first *most* documents of each ranking."""
        place = np.repeat(self.start[:-1], kept := np.minimum(self.length, most))
        start = np.concatenate([[0], np.cumsum(kept)])
        place += np.arange(start[-1]) - np.repeat(start[:-1], kept)
        tied = None if self.tied is None else self.tied[place]
        return replace(self, code=self.code[place], start=start, tied=tied, depth=None, condensed_depth=None)

    def with_max_depth(self, depth: int | None, condensed_depth: int | None) -> Judged:
        """Return a copy with the campaign-wide maximum depth set, with and without unjudged documents."""
        return replace(self, depth=depth, condensed_depth=condensed_depth)

    def regraded(self, levels: Floats) -> Judged:
        """The same rankings with other grades, in the same order, for the same documents."""
        return replace(self, levels=levels)

    def only(self, rankings: Ints) -> Judged:
        """Some of the rankings."""
        length = self.length[rankings]
        place = expand_ranges(self.start[:-1][rankings], length)
        return replace(
            self,
            topic=self.topic[rankings],
            start=np.concatenate([[0], np.cumsum(length)]),
            code=self.code[place],
            answered=self.answered[rankings],
            tied=None if self.tied is None else self.tied[place],
            depth=self.longest,
            condensed_depth=self.longest_condensed,
        )

    def blocks(self, documents: int, rankings: int) -> Iterator[tuple[slice, Judged]]:
        """Divide the rankings into blocks of at most *documents* and *rankings*, with at least one ranking each.

        Each block comes with the slice of its rankings, knows the maximum depth of all rankings, and has only the
        topics that occur in it.
        """
        begin = 0
        while begin < len(self) or not begin:
            within = int(np.searchsorted(self.start, self.start[begin] + documents, side="right")) - 1
            end = min(max(within, begin + 1), begin + rankings, len(self))
            yield slice(begin, end), self._block(begin, end)
            begin = max(end, 1)

    def _block(self, begin: int, end: int) -> Judged:
        if end - begin == len(self):
            return self
        first, last = self.start[begin], self.start[end]
        block = replace(
            self,
            topic=self.topic[begin:end],
            start=self.start[begin : end + 1] - first,
            code=np.asarray(self.code[first:last]),
            answered=self.answered[begin:end],
            tied=None if self.tied is None else np.asarray(self.tied[first:last]),
            depth=self.longest,
            condensed_depth=self.longest_condensed,
        )
        return block if end - begin >= len(self.counts) else block.compact()

    def select_topics(self, topics: Ints) -> Judged:
        """Renumber the topics to some of them, by their rows in *counts*; the rankings must be of these topics."""
        number = np.full(len(self.counts), -1)
        number[topics] = np.arange(len(topics))
        streams = None if self.streams is None else self.streams[topics]
        return replace(self, counts=self.counts[topics], topic=number[self.topic], streams=streams)

    @classmethod
    def together(cls, several: Sequence[Judged]) -> Judged:
        """Rankings of the same qrels and policies, one after the other."""
        length = np.concatenate([one.length for one in several])
        tied = [one.tied for one in several if one.tied is not None]
        return replace(
            several[0],
            topic=np.concatenate([one.topic for one in several]),
            start=np.concatenate([[0], np.cumsum(length)]),
            code=np.concatenate([one.code for one in several]),
            answered=np.concatenate([one.answered for one in several]),
            tied=np.concatenate(tied) if tied else None,
            depth=max(one.longest for one in several),
            condensed_depth=max(one.longest_condensed for one in several),
        )

    def compact(self) -> Judged:
        """The same rankings without topics that none of them has: less to go through when they are few of many."""
        return self.select_topics(sorted_distinct(self.topic))

    # Ties -------------------------------------------------------------------------------------------------

    def tie_groups(self) -> tuple[Ints, Ints]:
        """The group of tied documents that each document is in (alone or not), and where each group starts."""
        tied = np.zeros(len(self.code), dtype=bool) if self.tied is None else self.tied
        return np.cumsum(~tied) - 1, np.flatnonzero(~tied)

    def mixed(self) -> Ints:
        """The rankings in which documents of different grades are tied: only there does their order matter."""
        if self.tied is None:
            return np.zeros(0, dtype=np.int64)
        differs = np.flatnonzero(self.tied[1:] & (self.code[1:] != self.code[:-1])) + 1
        return np.unique(self._ranking_of(differs))

    def fixed(self) -> Judged:
        """The rankings in the order they stand in, ties forgotten."""
        return self if self.tied is None else replace(self, tied=None)

    def shuffled(self, sample: int) -> Judged:
        """Return the rankings with tied documents in a random order, no longer tied.

        The order depends on the seed of the policies, the *sample*, the topic and the ranks of the documents only.
        """
        place, group = self._unsettled()
        stream, rank = self.cached("drawn from", lambda: self._drawn_from(place))
        drawn = draw(self.policies.seed, sample, stream, rank)
        code = self.code.copy()
        code[place] = code[place[np.argsort(group + drawn)]]
        return replace(self, code=code, tied=None)

    def _drawn_from(self, place: Ints) -> tuple[np.ndarray, Ints]:
        """The stream of the topic and the rank of some documents."""
        ranking = np.searchsorted(self.start, place, side="right") - 1
        streams = np.zeros(len(self.counts), dtype=np.uint64) if self.streams is None else self.streams
        return streams[self.topic[ranking]], place - self.start[ranking]

    def _unsettled(self) -> tuple[Ints, Ints]:
        """The documents that are tied with one of another grade, and the number of the group of each."""
        return self.cached("unsettled", self._find_unsettled)

    def _find_unsettled(self) -> tuple[Ints, Ints]:
        group, first = self.tie_groups()
        differs = np.flatnonzero((group[1:] == group[:-1]) & (self.code[1:] != self.code[:-1])) + 1
        unsettled = np.zeros(len(first), dtype=bool)
        unsettled[group[differs]] = True
        place = np.flatnonzero(unsettled[group])
        return place, np.cumsum(np.diff(group[place], prepend=-1) > 0) - 1

    def by_worth(self, worth: Floats, *, best_first: bool) -> Judged:
        """The same rankings with tied documents in the order of their *worth* (a table by code), no longer tied."""
        place_of_worth = np.unique(worth, return_inverse=True)[1].astype(np.int64)
        return self.cached((best_first, place_of_worth.tobytes()), lambda: self._by_place(place_of_worth, best_first))

    def _by_place(self, place_of_worth: Ints, best_first: bool) -> Judged:
        place, group = self._unsettled()
        value = (-place_of_worth if best_first else place_of_worth)[self.code[place]]
        code = self.code.copy()
        code[place] = code[place[np.lexsort((value, group))]]
        return replace(self, code=code, tied=None)

    def _shared(self, gain: Floats) -> Floats:
        group, _ = self.tie_groups()
        return (np.bincount(group, weights=gain) / np.bincount(group))[group] if len(gain) else gain

    # Places -----------------------------------------------------------------------------------------------

    def _ranking_of(self, place: Ints) -> Ints:
        """Return the ranking of ascending places in ``code``."""
        if len(self.code) < _SHORT * len(self):  # many short rankings: a search for each takes longer
            return self.cached("ranking", self.ranking).take(place)
        first = np.searchsorted(place, self.start)
        return np.repeat(np.arange(len(self)), np.diff(first))

    def _matching_places(self, wanted: Bools) -> tuple[Ints, Ints, Ints]:
        """The places in ``code``, the rankings and the ranks of wanted codes (a truth table); many gains share them."""
        cached = self._cache.get(key := ("places", wanted.tobytes()))
        if isinstance(cached, tuple):
            return cached
        place = np.flatnonzero(match_codes(self.code, wanted))
        places = (place, *self._places(place))
        if len(place) <= _CACHED:
            self._cache[key] = places
        return places

    def _places(self, place: Ints) -> tuple[Ints, Ints]:
        """The ranking and the rank of ascending places in ``code``."""
        ranking = self._ranking_of(place)
        return ranking, place - self.start.take(ranking) + 1

    def rank(self) -> Ints:
        """The rank of every document."""
        return np.arange(1, len(self.code) + 1) - np.repeat(self.start[:-1], self.length)

    def ranking(self) -> Ints:
        """The ranking of every document."""
        return np.repeat(np.arange(len(self)), self.length)
