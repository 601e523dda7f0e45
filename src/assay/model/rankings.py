"""Rankings with their documents, for analyses that need to know which document stands where.

Measures need only grades in rank order (see ``judged``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.model.arrays import Bools, Codes, Floats, Ints, expand_ranges
from assay.model.grade_codes import ungraded
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.policies import Policies

if TYPE_CHECKING:
    from assay.model.qrels import Qrels


@dataclass(frozen=True, eq=False)
class TopicRankings:
    """The rankings of one topic by several runs, over one set of documents.

    Attributes
    ----------
    topic
        The topic.
    rank
        Runs x documents: the rank of each document, 0 where a run does not have it.
    length
        Number of documents of each run.
    code
        For each document 0 when unjudged, else 1 + the index of its grade in *levels*.
    levels
        The grades of the qrels, ascending.
    counts
        Number of documents of the topic that were judged with each of the levels, retrieved or not.
    place
        For each document its first position in ``Rankings``.
    tied
        Runs x documents, twice: the first and the last rank of the group of tied documents that each document is in;
        None unless ties are known.
    """

    topic: str
    rank: Ints
    length: Ints
    code: Codes
    levels: Floats
    counts: Ints
    place: Ints
    tied: tuple[Ints, Ints] | None = None

    def ungraded(self) -> Bools:
        """For each document, whether it has no grade yet."""
        return ungraded(self.code, self.levels)

    def to_judged(self) -> Judged:
        """Return the rankings as measures read them."""
        run, document = np.nonzero(self.rank)
        order = np.lexsort((self.rank[run, document], run))
        return Judged(
            levels=self.levels,
            counts=self.counts[None],
            topic=np.zeros(len(self.rank), dtype=np.int64),
            start=np.concatenate([[0], np.cumsum(self.length)]),
            code=self.code[document[order]],
            answered=self.length > 0,
        )

    def top(self, depth: int | None) -> TopicRankings:
        """Cut the rankings at a depth; documents that no run has any more are left out."""
        if depth is None or depth >= self.length.max(initial=0):
            return self
        rank = np.where(self.rank <= depth, self.rank, 0)
        tied = None
        if self.tied is not None:  # a group that the depth cuts ends there
            first, last = (np.where(rank > 0, end, 0) for end in self.tied)
            tied = first, np.minimum(last, depth)
        return self._with_rank(rank, np.minimum(self.length, depth), tied)

    def select(self, runs: Sequence[int]) -> TopicRankings:
        """Select some of the runs, with their documents only."""
        chosen = list(runs)
        tied = None if self.tied is None else (self.tied[0][chosen], self.tied[1][chosen])
        return self._with_rank(self.rank[chosen], self.length[chosen], tied)

    def _with_rank(self, rank: Ints, length: Ints, tied: tuple[Ints, Ints] | None) -> TopicRankings:
        keep = rank.any(axis=0)
        return replace(
            self,
            rank=rank[:, keep],
            length=length,
            code=self.code[keep],
            place=self.place[keep],
            tied=None if tied is None else (tied[0][:, keep], tied[1][:, keep]),
        )


@dataclass(frozen=True, eq=False)
class Rankings:
    """Documents of several runs: flat columns in rank order, run by run and topic by topic.

    Attributes
    ----------
    runs, topics
        The names of the runs, and the topics.
    levels, counts
        The grades of the qrels, ascending, and for each topic the number of documents judged with each.
    length
        Runs x topics: number of documents.
    key
        For each document a 64-bit hash of (topic, document).
    code
        For each document 0 when unjudged, else 1 + the index of its grade in *levels*.
    tied
        For each document, whether it has the score of the one before; None where scores do not order documents.
    doc
        The id of each document.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    levels: Floats
    counts: Ints
    length: Ints
    key: np.ndarray
    code: Codes
    tied: Bools | None
    doc: pl.Series

    @classmethod
    def of(cls, joined: Sequence[JoinedRun], names: Sequence[str], qrels: Qrels | None) -> Rankings:
        """Combine runs that were joined with their documents; the topics are those of the runs and of the qrels."""
        judged = () if qrels is None else qrels.topics
        topics = tuple(sorted({*judged, *(topic for run in joined for topic in run.topics)}))
        documents = [run.documents for run in joined if run.documents is not None]
        tied = [run.tied for run in joined if run.tied is not None]
        column = {topic: number for number, topic in enumerate(topics)}
        length = np.zeros((len(joined), len(topics)), dtype=np.int64)
        for row, run in zip(length, joined, strict=True):
            row[[column[run.topics[number]] for number in run.topic.tolist()]] = run.length
        return cls(
            runs=tuple(names),
            topics=topics,
            levels=np.zeros(0) if qrels is None else qrels.levels,
            counts=np.zeros((len(topics), 0), dtype=np.int64) if qrels is None else qrels.counts_of(topics),
            length=length,
            key=np.concatenate([one.key for one in documents]),
            code=np.concatenate([run.code for run in joined]),
            tied=np.concatenate(tied) if tied else None,
            doc=pl.concat([one.doc for one in documents], rechunk=True),
        )

    @cached_property
    def start(self) -> Ints:
        """Runs x topics: the position of the first document."""
        return self.stop - self.length

    @cached_property
    def stop(self) -> Ints:
        """Runs x topics: the position after the last document."""
        return np.cumsum(self.length.ravel()).reshape(self.length.shape)

    @cached_property
    def ranking(self) -> Ints:
        """For each document the number of its ranking: run x number of topics + topic."""
        return np.repeat(np.arange(self.length.size), self.length.ravel())

    @cached_property
    def rank(self) -> Ints:
        """The rank of each document."""
        return np.arange(1, len(self.key) + 1) - np.repeat(self.start.ravel(), self.length.ravel())

    @property
    def longest(self) -> int:
        """The length of the longest ranking."""
        return int(self.length.max(initial=0))

    def ungraded(self) -> Bools:
        """For each document, whether it has no grade yet."""
        return ungraded(self.code, self.levels)

    def _answered(self) -> list[str]:
        return [topic for topic, has in zip(self.topics, np.any(self.length > 0, axis=0), strict=True) if has]

    def only_answered(self) -> Rankings:
        """Return the rankings of the topics that any run has."""
        return self.select(topics=self._answered())

    def names(self, rankings: TopicRankings) -> list[str]:
        """Return the ids of the documents of one topic."""
        return self.doc.gather(rankings.place).to_list()

    def documents(self, run: int, topic: int) -> pl.Series:
        """Return the ids of one ranking."""
        return self.doc[int(self.start[run, topic]) : int(self.stop[run, topic])]

    def select(
        self, runs: Sequence[int] | None = None, topics: Sequence[str] | None = None, depth: int | None = None
    ) -> Rankings:
        """Select some runs by number, some topics by name (a run may lack them) and the first *depth* documents."""
        rows = np.arange(len(self.runs)) if runs is None else np.asarray(runs, dtype=np.int64)
        names = self.topics if topics is None else tuple(topics)
        number = {topic: place for place, topic in enumerate(self.topics)}
        column = np.array([number.get(topic, -1) for topic in names], dtype=np.int64)
        start, length = (table[np.ix_(rows, column)] for table in (self.start, self.length))
        length = np.where(column >= 0, length, 0)
        length = length if depth is None else np.minimum(length, depth)
        chosen = self._take(expand_ranges(start.ravel(), length.ravel()))
        counts = np.where(column[:, None] >= 0, self.counts[column], 0)
        return replace(chosen, runs=tuple(self.runs[i] for i in rows), topics=names, length=length, counts=counts)

    def condensed(self) -> Rankings:
        """Return the rankings without ungraded documents."""
        keep = ~self.ungraded()
        kept = np.bincount(self.ranking[keep], minlength=self.length.size)
        return replace(self._take(np.flatnonzero(keep)), length=kept.reshape(self.length.shape))

    def _take(self, place: Ints) -> Rankings:
        """Take some of the documents; the lengths are left to the caller."""
        if len(place) == len(self.key) and (not len(place) or (place[0] == 0 and (np.diff(place) == 1).all())):
            return self
        tied = None
        if self.tied is not None:  # documents of one group stay tied when others between them are left out
            first, last = (place.min(), place.max()) if len(place) else (0, -1)
            group = np.cumsum(~self.tied[first : last + 1])[place - first]
            tied = np.diff(group, prepend=-1) == 0
        return replace(self, key=self.key[place], code=self.code[place], tied=tied, doc=self.doc.gather(place))

    def with_qrels(self, qrels: Qrels) -> Rankings:
        """Return the rankings with the grades of other judgments; topics are those of the runs and of these."""
        more = tuple(sorted({*qrels.topics, *self._answered()}))
        if more != self.topics:
            return self.select(topics=more).with_qrels(qrels)
        topic = qrels.topic_numbers(self.topics)[self.ranking % max(len(self.topics), 1)]
        code = qrels.grade_codes(self.key, topic, self.doc)
        return replace(self, levels=qrels.levels, counts=qrels.counts_of(self.topics), code=code)

    def judgment_numbers(self, qrels: Qrels) -> Ints:
        """Return for each document 1 + the row of its judgment, or 0; the topics must be those of *qrels*."""
        return qrels.judgment_numbers(self.key, self.ranking % max(len(self.topics), 1), self.doc)

    def to_judged(self, policies: Policies, streams: np.ndarray | None = None) -> Judged:
        """Return the rankings as measures read them."""
        return Judged(
            levels=self.levels,
            counts=self.counts,
            topic=np.tile(np.arange(len(self.topics)), len(self.runs)),
            start=np.concatenate([[0], self.stop.ravel()]),
            code=self.code,
            answered=self.length.ravel() > 0,
            policies=policies,
            tied=self.tied if policies.ties == "expected" else None,
            streams=streams if policies.ties == "expected" else None,
        )

    def __iter__(self) -> Iterator[TopicRankings]:
        return (self.topic(number) for number in range(len(self.topics)))

    def topic(self, number: int) -> TopicRankings:
        """Return the rankings of one topic, by its number."""
        length = self.length[:, number]
        begin = np.cumsum(length) - length
        at = expand_ranges(self.start[:, number], length)
        run = np.repeat(np.arange(len(length)), length)
        key, first, column = np.unique(self.key[at], return_index=True, return_inverse=True)
        rank = np.zeros((len(length), len(key)), dtype=np.int64)
        rank[run, column] = np.arange(len(at)) - begin[run] + 1
        return TopicRankings(
            topic=self.topics[number],
            rank=rank,
            length=length,
            code=self.code[at[first]],
            levels=self.levels,
            counts=self.counts[number],
            place=at[first],
            tied=None if self.tied is None else _tie_groups(self.tied[at], run, column, begin, rank.shape),
        )


def _tie_groups(tied: Bools, run: Ints, column: Ints, begin: Ints, shape: tuple[int, int]) -> tuple[Ints, Ints]:
    """Return the first and the last rank of the group of tied documents that each document is in, runs x documents."""
    group = np.cumsum(~tied) - 1
    first = np.flatnonzero(~tied)
    last = np.append(first[1:], len(tied)) - 1
    tops, bottoms = np.zeros((2, *shape), dtype=np.int64)
    tops[run, column] = first[group] - begin[run] + 1
    bottoms[run, column] = last[group] - begin[run] + 1
    return tops, bottoms
