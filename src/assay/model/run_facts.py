"""Facts about the rows of a run that grades in rank order do not contain: ranks, and signatures of the rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assay.model.ordering import Segments, order_by_rank

if TYPE_CHECKING:
    from assay.io.table import RowTable

_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_POSITION, _SCORE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_BLOCK = 1 << 16  # rows mixed in one step; these fit into the processor's cache


class RunFacts(NamedTuple):
    """Facts about a run, or about a chunk of it.

    Attributes
    ----------
    rows
        Number of rows.
    invalid_ranks
        Number of ranks that are not whole numbers; None if the source has no rank column.
    contradicted_topics
        The topics in which a document with a lower rank number has a lower score than a document below it.
    rankings, scores
        Signatures of the rankings, and of the documents with their scores. Two runs have the same signature if they
        have the same documents in the same order (tied documents at the same place), or with the same scores. Two
        different runs have the same signature with a probability of about 2^-64.
    """

    rows: int = 0
    invalid_ranks: int | None = None
    contradicted_topics: tuple[str, ...] = ()
    rankings: int = 0
    scores: int = 0

    def merge(self, other: RunFacts) -> RunFacts:
        """Return the facts about two chunks that have no topic in common."""
        invalid = [facts.invalid_ranks for facts in (self, other) if facts.invalid_ranks is not None]
        return RunFacts(
            self.rows + other.rows,
            sum(invalid) if invalid else None,
            self.contradicted_topics + other.contradicted_topics,
            (self.rankings + other.rankings) % (1 << 64),
            (self.scores + other.scores) % (1 << 64),
        )


def describe_run(rows: RowTable) -> RunFacts:
    """Return the facts about the rows of a run."""
    segments = _number_segments(rows)
    in_file = np.arange(len(rows))
    order, tied = order_by_rank(rows, segments, in_file, "score-file")
    key, score = (rows.key, rows.score) if order is in_file else (rows.key[order], rows.score[order])
    position = _place(tied if tied is not None else np.zeros(len(order), dtype=bool), segments)
    invalid, contradicted = _check_ranks(rows, segments)
    return RunFacts(
        rows=len(rows),
        invalid_ranks=invalid,
        contradicted_topics=contradicted,
        rankings=_sign(key, position.astype(np.uint64), _POSITION),
        scores=_sign(key, (score + 0.0).view(np.uint64), _SCORE),  # + 0.0: -0.0 and 0.0 are the same score
    )


def _number_segments(rows: RowTable) -> Segments:
    """Return the segments of a run with the number of each topic, in the order of the first row of each topic."""
    names = rows.segments["value"]
    length = rows.segments["len"].to_numpy().astype(np.int64)
    topic = np.arange(len(names), dtype=np.int32)
    if names.n_unique() < len(names):
        topic = (names.rank("dense").to_numpy() - 1).astype(np.int32)
    return Segments(topic, length)


def _place(tied: np.ndarray, segments: Segments) -> np.ndarray:
    """Return the place of each document in its ranking, from 0; tied documents share the first place of their group."""
    _, length = segments.topic_lengths()
    index = np.arange(len(tied))
    group_start = np.maximum.accumulate(np.where(tied, 0, index)) if tied.any() else index
    return np.asarray(group_start - np.repeat(np.cumsum(length) - length, length))


def _sign(key: np.ndarray, value: np.ndarray, factor: np.uint64) -> int:
    """Return a signature of pairs of keys and values that does not depend on their order: a sum of 64-bit hashes."""
    total = 0
    for begin in range(0, len(key), _BLOCK):
        block = value[begin : begin + _BLOCK] * factor
        block ^= block >> np.uint64(29)
        block ^= key[begin : begin + _BLOCK].view(np.uint64)
        for multiplier, shift in zip(_MULTIPLIERS, (30, 27), strict=True):
            block ^= block >> np.uint64(shift)
            block *= multiplier
        block ^= block >> np.uint64(31)
        total += int(block.sum(dtype=np.uint64))
    return total % (1 << 64)


def _check_ranks(rows: RowTable, segments: Segments) -> tuple[int | None, tuple[str, ...]]:
    """Return the number of invalid ranks (None without a rank column), and the topics whose ranks contradict scores."""
    if "rank" not in rows.frame.columns:
        return None, ()
    column = rows.frame["rank"]
    ranks = column.cast(pl.Int64, strict=False)
    if column.dtype.is_float():
        ranks = pl.select(pl.when(column == ranks).then(ranks)).to_series()
    invalid = ranks.null_count()
    if invalid:
        return invalid, ()
    rank, score = ranks.to_numpy(), rows.score
    # Rows in the order of their ranks contradict their scores only if a score rises within a topic.
    if segments.is_sorted(rank, descending=False) and segments.is_sorted(score, descending=True):
        return 0, ()
    topic = segments.row_topic
    order = np.lexsort((-score, rank, topic))
    rank, score, topic = rank[order], score[order], topic[order]
    # Documents with the same rank may have any order.
    rises = (score[1:] > score[:-1]) & (rank[1:] > rank[:-1]) & (topic[1:] == topic[:-1])
    numbers = np.unique(topic[1:][rises]).tolist()
    names = dict(zip(segments.topic.tolist(), rows.segments["value"].to_list(), strict=True))
    return 0, tuple(names[number] for number in numbers)
