"""Rankings with document ids, for analyses that compare documents across runs.

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
from assay.model.grade_codes import mask_ungraded
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.policies import Policies

if TYPE_CHECKING:
    from assay.model.qrels import Qrels


@dataclass(frozen=True, eq=False)
class TopicRankings:
    """The rankings of one topic by several runs, over the union of their documents.

    Attributes
    ----------
    topic
        The topic.
    rank
        Runs x documents: the rank of each document, 0 if the run did not retrieve it.
    length
        Number of documents retrieved by each run.
    code
        For each document 0 if it is unjudged, else 1 + the index of its grade in *levels*.
    levels
        The grades of the qrels, ascending.
    counts
        Number of documents of the topic judged with each grade, retrieved or not.
    position
        For each document, its first position in the columns of ``Rankings``.
    tied
        Two arrays, runs x documents: the first and the last rank of the tie group of each document; None if ties are
        not known.
    """

    topic: str
    rank: Ints
    length: Ints
    code: Codes
    levels: Floats
    counts: Ints
    position: Ints
    tied: tuple[Ints, Ints] | None = None

    def ungraded_mask(self) -> Bools:
        """Return for each document whether it is unjudged or has a negative grade."""
        return mask_ungraded(self.code, self.levels)

    def to_judged(self) -> Judged:
        """Convert to the judged rankings that measures read."""
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
        """Cut the rankings at *depth* and drop the documents that no run ranks at this depth or above."""
        if depth is None or depth >= self.length.max(initial=0):
            return self
        rank = np.where(self.rank <= depth, self.rank, 0)
        tied = None
        if self.tied is not None:
            # A tie group that extends below the depth ends at the depth.
            first, last = (np.where(rank > 0, end, 0) for end in self.tied)
            tied = first, np.minimum(last, depth)
        return self._with_rank(rank, np.minimum(self.length, depth), tied)

    def select(self, runs: Sequence[int]) -> TopicRankings:
        """Select some of the runs and the documents that they retrieved."""
        rows = list(runs)
        tied = None if self.tied is None else (self.tied[0][rows], self.tied[1][rows])
        return self._with_rank(self.rank[rows], self.length[rows], tied)

    def _with_rank(self, rank: Ints, length: Ints, tied: tuple[Ints, Ints] | None) -> TopicRankings:
        """Replace the ranks and drop the documents that have no rank in any run."""
        keep = rank.any(axis=0)
        return replace(
            self,
            rank=rank[:, keep],
            length=length,
            code=self.code[keep],
            position=self.position[keep],
            tied=None if tied is None else (tied[0][:, keep], tied[1][:, keep]),
        )


@dataclass(frozen=True, eq=False)
class Rankings:
    """Rankings of several runs with document ids: flat columns in rank order, run by run and topic by topic.

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
        For each document 0 if it is unjudged, else 1 + the index of its grade in *levels*.
    tied
        For each document, whether its score equals that of the document before it; None if the tie policy does not
        order documents by score.
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
    def from_joined_runs(cls, joined: Sequence[JoinedRun], names: Sequence[str], qrels: Qrels | None) -> Rankings:
        """Combine runs that were joined with their documents; the topics are those of the runs and of the qrels."""
        judged_topics = () if qrels is None else qrels.topics
        topics = tuple(sorted({*judged_topics, *(topic for run in joined for topic in run.topics)}))
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
            key=np.concatenate([columns.key for columns in documents]),
            code=np.concatenate([run.code for run in joined]),
            tied=np.concatenate(tied) if tied else None,
            doc=pl.concat([columns.doc for columns in documents], rechunk=True),
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
        """For each document, the index of its ranking: run x number of topics + topic."""
        return np.repeat(np.arange(self.length.size), self.length.ravel())

    @cached_property
    def rank(self) -> Ints:
        """The rank of each document."""
        return np.arange(1, len(self.key) + 1) - np.repeat(self.start.ravel(), self.length.ravel())

    @property
    def max_depth(self) -> int:
        """Maximum depth over all rankings."""
        return int(self.length.max(initial=0))

    def ungraded_mask(self) -> Bools:
        """Return for each document whether it is unjudged or has a negative grade."""
        return mask_ungraded(self.code, self.levels)

    def _retrieved_topics(self) -> list[str]:
        """Return the topics for which at least one run retrieved documents."""
        retrieved = np.any(self.length > 0, axis=0)
        return [topic for topic, has_documents in zip(self.topics, retrieved, strict=True) if has_documents]

    def drop_empty_topics(self) -> Rankings:
        """Drop the topics for which no run retrieved documents."""
        return self.select(topics=self._retrieved_topics())

    def names(self, rankings: TopicRankings) -> list[str]:
        """Return the ids of the documents of one topic."""
        return self.doc.gather(rankings.position).to_list()

    def documents(self, run: int, topic: int) -> pl.Series:
        """Return the document ids of one ranking, in rank order."""
        return self.doc[int(self.start[run, topic]) : int(self.stop[run, topic])]

    def select(
        self, runs: Sequence[int] | None = None, topics: Sequence[str] | None = None, depth: int | None = None
    ) -> Rankings:
        """Select runs by index, topics by name (unknown topics are empty) and the first *depth* documents."""
        rows = np.arange(len(self.runs)) if runs is None else np.asarray(runs, dtype=np.int64)
        names = self.topics if topics is None else tuple(topics)
        index = {topic: number for number, topic in enumerate(self.topics)}
        column = np.array([index.get(topic, -1) for topic in names], dtype=np.int64)
        start, length = (table[np.ix_(rows, column)] for table in (self.start, self.length))
        length = np.where(column >= 0, length, 0)
        length = length if depth is None else np.minimum(length, depth)
        selected = self._take(expand_ranges(start.ravel(), length.ravel()))
        counts = np.where(column[:, None] >= 0, self.counts[column], 0)
        return replace(selected, runs=tuple(self.runs[i] for i in rows), topics=names, length=length, counts=counts)

    def condense(self) -> Rankings:
        """Return condensed rankings: unjudged documents and those with a negative grade are removed."""
        keep = ~self.ungraded_mask()
        length = np.bincount(self.ranking[keep], minlength=self.length.size)
        return replace(self._take(np.flatnonzero(keep)), length=length.reshape(self.length.shape))

    def _take(self, position: Ints) -> Rankings:
        """Take the documents at these positions; the caller sets the lengths."""
        is_identity = not len(position) or (position[0] == 0 and (np.diff(position) == 1).all())
        if len(position) == len(self.key) and is_identity:
            return self
        tied = None
        if self.tied is not None:
            # Two documents of one tie group stay tied if documents between them are dropped, so compare tie groups.
            first, last = (position.min(), position.max()) if len(position) else (0, -1)
            group = np.cumsum(~self.tied[first : last + 1])[position - first]
            tied = np.diff(group, prepend=-1) == 0
        return replace(self, key=self.key[position], code=self.code[position], tied=tied, doc=self.doc.gather(position))

    def with_qrels(self, qrels: Qrels) -> Rankings:
        """Return the rankings with the grades of other judgments; the topics are those of the runs and of the qrels."""
        topics = tuple(sorted({*qrels.topics, *self._retrieved_topics()}))
        if topics != self.topics:
            return self.select(topics=topics).with_qrels(qrels)
        topic = qrels.topic_numbers(self.topics)[self.ranking % max(len(self.topics), 1)]
        code = qrels.grade_codes(self.key, topic, self.doc)
        return replace(self, levels=qrels.levels, counts=qrels.counts_of(self.topics), code=code)

    def judgment_numbers(self, qrels: Qrels) -> Ints:
        """Return for each document 1 + the row of its judgment, or 0 if it has none.

        The topics must be those of *qrels*.
        """
        return qrels.judgment_numbers(self.key, self.ranking % max(len(self.topics), 1), self.doc)

    def to_judged(self, policies: Policies, streams: np.ndarray | None = None) -> Judged:
        """Convert to the judged rankings that measures read."""
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
        """Return the rankings of one topic, by its index."""
        length = self.length[:, number]
        begin = np.cumsum(length) - length
        position = expand_ranges(self.start[:, number], length)
        run = np.repeat(np.arange(len(length)), length)
        key, first, column = np.unique(self.key[position], return_index=True, return_inverse=True)
        rank = np.zeros((len(length), len(key)), dtype=np.int64)
        rank[run, column] = np.arange(len(position)) - begin[run] + 1
        return TopicRankings(
            topic=self.topics[number],
            rank=rank,
            length=length,
            code=self.code[position[first]],
            levels=self.levels,
            counts=self.counts[number],
            position=position[first],
            tied=None if self.tied is None else _tie_group_ranks(self.tied[position], run, column, begin, rank.shape),
        )


def _tie_group_ranks(tied: Bools, run: Ints, column: Ints, begin: Ints, shape: tuple[int, int]) -> tuple[Ints, Ints]:
    """Return the first and the last rank of the tie group of each document, as arrays of *shape* runs x documents."""
    group = np.cumsum(~tied) - 1
    first = np.flatnonzero(~tied)
    last = np.append(first[1:], len(tied)) - 1
    first_rank, last_rank = np.zeros((2, *shape), dtype=np.int64)
    first_rank[run, column] = first[group] - begin[run] + 1
    last_rank[run, column] = last[group] - begin[run] + 1
    return first_rank, last_rank
