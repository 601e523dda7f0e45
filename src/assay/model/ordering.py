"""The order of the documents of a run: the only module that applies the tie policy."""

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
    """Segments of a run: consecutive rows of one topic, in the order of the source.

    *topic* holds the index of the topic of each segment in ``Qrels.topics``, or -1 for a topic without judgments.
    *length* holds the number of rows of each segment.
    """

    def __init__(self, topic: np.ndarray, length: np.ndarray) -> None:
        self.topic = topic
        self.length = length
        self.first = np.cumsum(length) - length

    @cached_property
    def row_topic(self) -> np.ndarray:
        """The index of the topic of each row."""
        return np.repeat(self.topic, self.length)

    @cached_property
    def ascending(self) -> bool:
        """True if all topics have judgments and are in the order of the qrels, each in one segment."""
        return bool(len(self.topic) == 0 or (self.topic[0] >= 0 and (self.topic[1:] > self.topic[:-1]).all()))

    def topic_lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the topics with judgments, ascending, and the number of rows of each."""
        if self.ascending:
            return self.topic, self.length
        known = self.topic >= 0
        topics, inverse = np.unique(self.topic[known], return_inverse=True)
        length = np.bincount(inverse, weights=self.length[known], minlength=len(topics))
        return topics, length.astype(np.int64)

    def is_sorted(self, sort_key: np.ndarray | None, descending: bool) -> bool:
        """Return whether the rows of each topic with judgments are in one segment and sorted by *sort_key*.

        Without *sort_key*, the rows of a segment may be in any order.
        """
        if not self.ascending:
            known = self.topic[self.topic >= 0]
            if len(np.unique(known)) < len(known):
                return False
        if sort_key is None:
            return True
        in_order = sort_key[1:] <= sort_key[:-1] if descending else sort_key[1:] >= sort_key[:-1]
        # The last row of a segment and the first row of the next segment may be in any order.
        in_order[self.first[1:] - 1] = True
        return bool(in_order.all())

    def sort_by_topic(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the rows in the order of the topics; omit rows of topics without judgments."""
        if self.ascending:
            return values
        known = np.flatnonzero(self.topic >= 0)
        order = known[np.argsort(self.topic[known], kind="stable")]
        return np.asarray(values[expand_ranges(self.first[order], self.length[order])])


def order_by_rank(
    rows: RowTable, segments: Segments, code: np.ndarray, ties: str
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the codes of a run by topic and rank, and whether each document is tied with the previous document.

    *code* has a code for each row. The order of tied documents with equal codes has no effect, so only tie groups with
    different codes are sorted by id. The second array is None if the tie policy does not order documents by score.
    """
    sort_key, descending = _sort_key(rows, ties)
    if segments.is_sorted(sort_key, descending):
        order, first = None, segments.first
    else:
        order = _sort_rows(segments.row_topic, sort_key, descending)
        first = np.flatnonzero(np.diff(segments.row_topic[order], prepend=-2))
        code = code[order]
    tied = None
    if sort_key is not None and descending:
        score = sort_key if order is None else sort_key[order]
        tied = _find_ties(score, first)
        if ties != "score-file":  # the sort is stable: tied documents are still in the order of the input
            code = _sort_ties(rows.doc, order, tied, code, descending=ties != "score-id")
    if order is None:
        code, tied = segments.sort_by_topic(code), None if tied is None else segments.sort_by_topic(tied)
    else:
        # Rows of topics without judgments have topic -1 and are sorted to the front.
        unjudged_row_count = int(segments.length[segments.topic < 0].sum())
        code, tied = code[unjudged_row_count:], None if tied is None else tied[unjudged_row_count:]
    return code, tied


def count_contradicted_topics(rows: RowTable, segments: Segments, ties: str) -> int:
    """Count the judged topics in which a tie policy that ignores scores puts a higher score below a lower one."""
    if ties not in IGNORING_SCORES:
        return 0
    sort_key, descending = _sort_key(rows, ties)
    order = _sort_rows(segments.row_topic, sort_key, descending)
    topic, score = segments.row_topic[order], rows.score[order]
    rises = (score[1:] > score[:-1]) & (topic[1:] == topic[:-1]) & (topic[1:] >= 0)
    return len(np.unique(topic[1:][rises]))


def _sort_key(rows: RowTable, ties: str) -> tuple[np.ndarray | None, bool]:
    """Return the column by which the rows of a topic are sorted (None: input order), and whether it descends."""
    if ties == "file":
        return None, False
    if ties == "rank":
        return rows.rank, False
    if ties == "trec_eval-9":
        # trec_eval 9 stores scores as 32-bit floats, so different doubles may be tied; large scores become infinite.
        with np.errstate(over="ignore"):
            return rows.score.astype(np.float32), True
    return rows.score, True


def _sort_rows(topic: np.ndarray, sort_key: np.ndarray | None, descending: bool) -> np.ndarray:
    """Return the stable order of rows by topic and then by *sort_key*."""
    if sort_key is None:
        return np.argsort(topic, kind="stable")
    return np.lexsort((-sort_key if descending else sort_key, topic))


def _find_ties(score: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return whether each row has the topic and score of the previous row; *first* has the first row of each topic."""
    tied = np.zeros(len(score), dtype=bool)
    np.equal(score[1:], score[:-1], out=tied[1:])
    tied[first] = False
    return tied


def _sort_ties(
    doc: pl.Series, order: np.ndarray | None, tied: np.ndarray, code: np.ndarray, *, descending: bool
) -> np.ndarray:
    """Sort tied documents of different codes by id, in byte order, as ``strcmp`` does."""
    # A tie group is mixed if two adjacent documents of the group have different codes.
    differs = tied[1:] & (code[1:] != code[:-1])
    if not differs.any():
        return code
    group = np.cumsum(~tied)
    is_mixed = np.zeros(group[-1] + 1, dtype=bool)
    is_mixed[group[1:][differs]] = True
    position = np.flatnonzero(is_mixed[group])
    docs = pl.DataFrame({"group": group[position], "doc": doc.gather(position if order is None else order[position])})
    id_order = docs.select(pl.arg_sort_by("group", "doc", descending=[False, descending])).to_series().to_numpy()
    sorted_code = code.copy()
    sorted_code[position] = code[position[id_order]]
    return sorted_code
