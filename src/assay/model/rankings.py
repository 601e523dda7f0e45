"""Rankings with their documents: what comparisons of rankings and choices of documents read.

Measures need only grades in rank order (see ``judged``); here it matters which document stands where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assay.model.arrays import Bools, Codes, Floats, Ints
from assay.model.judged import Judged
from assay.model.ordering import Segments, arranged, contradicted_topics

if TYPE_CHECKING:
    from assay.model.qrels import Qrels
    from assay.model.run import Run


class Listed(NamedTuple):
    """One run: its documents in rank order, topic by topic, and how many each topic has.

    *key* tells documents of a topic apart (64 bits: two of a million would share one in a case of 10^7), *code* is the
    grade as in ``Judged``, *tied* says which documents tie with the one before.
    """

    name: str
    source: str
    digest: str | None
    notes: tuple[str, ...]
    topics: tuple[str, ...]
    length: Ints
    key: np.ndarray
    code: Codes
    tied: Bools | None
    doc: pl.Series
    foreign: frozenset[str]
    foreign_rows: int
    contradicted: int = 0


def listed(run: Run, qrels: Qrels | None, ties: str, depth: int | None = None) -> Listed:
    """The first *depth* documents of a run for each topic, in rank order.

    With *qrels* only their topics are kept, those that the run lacks with no documents. Ties are known if *ties* is
    ``expected``; the order of tied documents is then that of trec_eval.
    """
    topics, segments = (qrels.topics, qrels.segments(run.topic)) if qrels is not None else _own(run.topic)
    rows, tied = arranged(run, segments, np.arange(len(run)), ties)
    known = segments.topic >= 0
    length = np.bincount(segments.topic[known], weights=segments.length[known], minlength=len(topics)).astype(np.int64)
    grades = qrels.grade_codes(run.key, segments.of_row, run.doc) if qrels is not None else np.zeros(len(run), np.uint8)
    if depth is not None:
        start = np.cumsum(length) - length
        keep = np.arange(len(rows)) - np.repeat(start, length) < depth
        rows, tied = rows[keep], None if tied is None else tied[keep]
        length = np.minimum(length, depth)
    return Listed(
        name=run.name,
        source=run.source,
        digest=run.digest,
        notes=run.notes,
        topics=topics,
        length=length,
        key=run.key[rows],
        code=grades[rows],
        tied=tied,
        doc=run.doc.gather(rows),
        foreign=frozenset(run.topic.gather(segments.first[~known]).to_list()),
        foreign_rows=int(segments.length[~known].sum()),
        contradicted=contradicted_topics(run, segments, ties),
    )


def _own(topic: pl.Series) -> tuple[tuple[str, ...], Segments]:
    """The topics of a run, sorted, and its stretches."""
    rle = topic.rle().struct.unnest()
    topics, number = np.unique(np.array(rle["value"].to_list(), dtype=object), return_inverse=True)
    return tuple(topics.tolist()), Segments(number.astype(np.int32), rle["len"].to_numpy().astype(np.int64))


@dataclass(frozen=True, eq=False)
class Lists:
    """The rankings of one topic by several runs, over one set of documents.

    Attributes
    ----------
    topic
        The topic.
    rank
        Runs x documents: the rank of each document, 0 where a run does not have it.
    length
        How many documents each run has.
    code
        For each document 0 when unjudged, else 1 + the place of its grade in *levels*.
    levels
        The grades of the qrels, ascending.
    counts
        How many documents of the topic were judged with each of the levels, wherever they stand.
    place
        For each document where it stands first in ``Rankings``.
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

    def unsettled(self) -> Bools:
        """Which documents have no grade yet: unjudged, or with a negative one."""
        return np.asarray(np.concatenate([[True], self.levels < 0])[self.code])

    def judged(self) -> Judged:
        """The rankings as measures read them."""
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

    def top(self, depth: int | None) -> Lists:
        """The same, cut at a depth; documents that nobody has any more are left out."""
        if depth is None or depth >= self.length.max(initial=0):
            return self
        rank = np.where(self.rank <= depth, self.rank, 0)
        keep = rank.any(axis=0)
        tied = None
        if self.tied is not None:  # a group that the depth cuts ends there
            first, last = (np.where(rank > 0, end, 0)[:, keep] for end in self.tied)
            tied = first, np.minimum(last, depth)
        length = np.minimum(self.length, depth)
        return Lists(
            self.topic, rank[:, keep], length, self.code[keep], self.levels, self.counts, self.place[keep], tied
        )

    def only(self, runs: Sequence[int]) -> Lists:
        """Some of the runs, with their documents only."""
        rank = self.rank[list(runs)]
        keep = rank.any(axis=0)
        tied = None
        if self.tied is not None:
            tied = self.tied[0][list(runs)][:, keep], self.tied[1][list(runs)][:, keep]
        length = self.length[list(runs)]
        return Lists(
            self.topic, rank[:, keep], length, self.code[keep], self.levels, self.counts, self.place[keep], tied
        )


@dataclass(frozen=True, eq=False)
class Rankings:
    """Runs with their documents: run *i* has for topic *j* the documents from ``start[i, j]`` to ``stop[i, j]``."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    levels: Floats
    counts: Ints
    start: Ints
    stop: Ints
    key: np.ndarray
    code: Codes
    tied: Bools | None
    doc: pl.Series

    @classmethod
    def of(cls, runs: Sequence[Listed], names: Sequence[str], qrels: Qrels | None) -> Rankings:
        """Put runs together; without *qrels* the topics are those that any run has."""
        topics = qrels.topics if qrels is not None else tuple(sorted({t for run in runs for t in run.topics}))
        start, stop = _places(runs, topics)
        tied = [run.tied for run in runs if run.tied is not None]
        return cls(
            runs=tuple(names),
            topics=topics,
            levels=qrels.levels if qrels is not None else np.zeros(0),
            counts=qrels.counts if qrels is not None else np.zeros((len(topics), 0), dtype=np.int64),
            start=start,
            stop=stop,
            key=np.concatenate([run.key for run in runs]),
            code=np.concatenate([run.code for run in runs]),
            tied=np.concatenate(tied) if tied else None,
            doc=pl.concat([run.doc for run in runs], rechunk=True),
        )

    @property
    def length(self) -> Ints:
        """Runs x topics: how many documents there are."""
        return self.stop - self.start

    def names(self, lists: Lists) -> list[str]:
        """The documents of lists."""
        return self.doc.gather(lists.place).to_list()

    def __iter__(self) -> Iterator[Lists]:
        return (self.lists(topic) for topic in range(len(self.topics)))

    def lists(self, topic: int) -> Lists:
        """The rankings of one topic, by its number."""
        length = self.length[:, topic]
        begin = np.cumsum(length) - length
        at = np.repeat(self.start[:, topic] - begin, length) + np.arange(length.sum())
        run = np.repeat(np.arange(len(length)), length)
        key, first, column = np.unique(self.key[at], return_index=True, return_inverse=True)
        rank = np.zeros((len(length), len(key)), dtype=np.int64)
        rank[run, column] = np.arange(len(at)) - begin[run] + 1
        tied = None
        if self.tied is not None:
            tied = self._groups(at, run, column, begin, rank)
        return Lists(
            topic=self.topics[topic],
            rank=rank,
            length=length,
            code=self.code[at[first]],
            levels=self.levels,
            counts=self.counts[topic],
            place=at[first],
            tied=tied,
        )

    def _groups(self, at: Ints, run: Ints, column: Ints, begin: Ints, rank: Ints) -> tuple[Ints, Ints]:
        fresh = np.ones(len(at), dtype=bool) if self.tied is None else ~self.tied[at]
        group = np.cumsum(fresh) - 1
        first = np.flatnonzero(fresh)
        last = np.append(first[1:], len(at)) - 1
        tops, bottoms = np.zeros_like(rank), np.zeros_like(rank)
        tops[run, column] = first[group] - begin[run] + 1
        bottoms[run, column] = last[group] - begin[run] + 1
        return tops, bottoms


def _places(runs: Sequence[Listed], topics: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Runs x topics: from where to where the documents stand when those of all runs are put one behind the other."""
    number = {topic: i for i, topic in enumerate(topics)}
    start, stop = np.zeros((2, len(runs), len(topics)), dtype=np.int64)
    before = 0
    for row, run in enumerate(runs):
        own = np.array([number[topic] for topic in run.topics], dtype=np.int64)
        end = before + np.cumsum(run.length)
        start[row, own], stop[row, own] = end - run.length, end
        before += len(run.key)
    return start, stop
