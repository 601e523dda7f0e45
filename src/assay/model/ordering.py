"""The order of a run's documents: where the tie policy is applied, and nowhere else."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.model.arrays import expand_ranges
from assay.model.policies import IGNORING_SCORES

if TYPE_CHECKING:
    from assay.io.table import RowTable


class Segments:
    """Consecutive rows of one topic, in the order of the source.

    *topic* is the index of the topic of each segment among the topics of the qrels, -1 for one without judgments.
    """

    def __init__(self, topic: np.ndarray, length: np.ndarray) -> None:
        self.topic = topic
        self.length = length
        self.first = np.cumsum(length) - length

    @cached_property
    def of_row(self) -> np.ndarray:
        """The topic of each row."""
        return np.repeat(self.topic, self.length)

    @cached_property
    def ascending(self) -> bool:
        """True if the topics are in order, each in one segment, and all have judgments."""
        return bool(len(self.topic) == 0 or (self.topic[0] >= 0 and (self.topic[1:] > self.topic[:-1]).all()))

    @property
    def contiguous(self) -> bool:
        """True if each topic with judgments is in one segment."""
        if self.ascending:
            return True
        known = self.topic[self.topic >= 0]
        return len(np.unique(known)) == len(known)

    def rankings(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the topics with judgments, ascending, and the number of rows of each."""
        if self.ascending:
            return self.topic, self.length
        known = self.topic >= 0
        topics, inverse = np.unique(self.topic[known], return_inverse=True)
        length = np.bincount(inverse, weights=self.length[known], minlength=len(topics))
        return topics, length.astype(np.int64)

    def in_order(self, within: np.ndarray, descending: bool) -> bool:
        """Whether the rows of each segment are in order."""
        fits = within[1:] <= within[:-1] if descending else within[1:] >= within[:-1]
        fits[self.first[1:] - 1] = True
        return bool(fits.all())

    def by_topic(self, values: np.ndarray) -> np.ndarray:
        """Return the values of rows in the order of the topics; topics without judgments are left out."""
        if self.ascending:
            return values
        known = np.flatnonzero(self.topic >= 0)
        order = known[np.argsort(self.topic[known], kind="stable")]
        return np.asarray(values[expand_ranges(self.first[order], self.length[order])])


def order_by_rank(
    rows: RowTable, segments: Segments, code: np.ndarray, ties: str
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the codes of a run by topic and rank, and which documents tie with the one before them.

    *code* has a code for each row. Tied documents with equal codes may stand in any order, so only groups with
    different codes are sorted by id. The ties are None where scores do not order the documents.
    """
    within, descending = _criterion(rows, ties)
    if segments.contiguous and (within is None or segments.in_order(within, descending)):
        order, first = None, segments.first
    else:
        order = _sorted(segments.of_row, within, descending)
        first = np.flatnonzero(np.diff(segments.of_row[order], prepend=-2))
        code = code[order]
    tied = None
    if within is not None and descending:
        score = within if order is None else within[order]
        tied = _tied(score, first)
        if ties != "score-file":  # the sort is stable, so that tied documents stand in the order of the input
            code = _by_document(rows.doc, order, tied, code, descending=ties != "score-id")
    if order is None:
        code, tied = segments.by_topic(code), None if tied is None else segments.by_topic(tied)
    else:
        foreign = int(segments.length[segments.topic < 0].sum())
        code, tied = code[foreign:], None if tied is None else tied[foreign:]
    return code, tied


def contradicted_topics(rows: RowTable, segments: Segments, ties: str) -> int:
    """Count the judged topics whose documents the policy orders against their scores."""
    if ties not in IGNORING_SCORES:
        return 0
    within, descending = _criterion(rows, ties)
    order = _sorted(segments.of_row, within, descending)
    topic, score = segments.of_row[order], rows.score[order]
    rises = (score[1:] > score[:-1]) & (topic[1:] == topic[:-1]) & (topic[1:] >= 0)
    return len(np.unique(topic[1:][rises]))


def _criterion(rows: RowTable, ties: str) -> tuple[np.ndarray | None, bool]:
    """Return the column that orders the rows of a topic (None: the input order), and whether it descends."""
    if ties == "file":
        return None, False
    if ties == "rank":
        return rows.rank, False
    if ties == "trec_eval-9":
        with np.errstate(over="ignore"):
            return rows.score.astype(np.float32), True
    return rows.score, True


def _sorted(topic: np.ndarray, within: np.ndarray | None, descending: bool) -> np.ndarray:
    """Return a stable order by topic and then by *within*."""
    if within is None:
        return np.argsort(topic, kind="stable")
    return np.lexsort((-within if descending else within, topic))


def _tied(score: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return which rows have the topic and the score of the row before them; topics begin at *first*."""
    tied = np.zeros(len(score), dtype=bool)
    np.equal(score[1:], score[:-1], out=tied[1:])
    tied[first] = False
    return tied


def _by_document(
    doc: pl.Series, order: np.ndarray | None, tied: np.ndarray, code: np.ndarray, *, descending: bool
) -> np.ndarray:
    """Order tied documents of different grades by id (byte order, as ``strcmp``)."""
    differs = tied[1:] & (code[1:] != code[:-1])
    if not differs.any():
        return code
    group = np.cumsum(~tied)
    mixed = np.zeros(group[-1] + 1, dtype=bool)
    mixed[group[1:][differs]] = True
    place = np.flatnonzero(mixed[group])
    docs = pl.DataFrame({"group": group[place], "doc": doc.gather(place if order is None else order[place])})
    by_id = docs.select(pl.arg_sort_by("group", "doc", descending=[False, descending])).to_series().to_numpy()
    ordered = code.copy()
    ordered[place] = code[place[by_id]]
    return ordered
