"""The order of a run's documents: where the tie policy is applied, and nowhere else."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.model.policies import IGNORING_SCORES

if TYPE_CHECKING:
    from assay.model.run import Run


class Segments:
    """Stretches of lines of one topic, in the order of the file.

    *topic* is the number of the topic of each stretch among the topics of the qrels, -1 for one without judgments.
    """

    def __init__(self, topic: np.ndarray, length: np.ndarray) -> None:
        self.topic = topic
        self.length = length
        self.first = np.cumsum(length) - length

    @cached_property
    def of_row(self) -> np.ndarray:
        """The topic of each line."""
        return np.repeat(self.topic, self.length)

    @property
    def whole(self) -> bool:
        """Whether each topic stands in one stretch (topics without judgments do not matter)."""
        known = self.topic[self.topic >= 0]
        return len(np.unique(known)) == len(known)

    def documents(self, topics: int) -> np.ndarray:
        """Return the number of documents of each of the *topics*; topics without judgments are left out."""
        known = self.topic >= 0
        counts = np.bincount(self.topic[known], weights=self.length[known], minlength=topics)
        return counts.astype(np.int64)

    def in_order(self, within: np.ndarray, descending: bool) -> bool:
        """Whether the lines of each stretch are in order."""
        fits = within[1:] <= within[:-1] if descending else within[1:] >= within[:-1]
        fits[self.first[1:] - 1] = True
        return bool(fits.all())

    def by_topic(self, values: np.ndarray) -> np.ndarray:
        """Values of lines, with whole stretches put in the order of their topics, those without judgments left out."""
        known = np.flatnonzero(self.topic >= 0)
        if len(known) == len(self.topic) and (self.topic[1:] > self.topic[:-1]).all():
            return values
        order = known[np.argsort(self.topic[known], kind="stable")]
        begin, end = self.first[order].tolist(), (self.first + self.length)[order].tolist()
        return np.concatenate([values[:0], *(values[b:e] for b, e in zip(begin, end, strict=True))])


def order_by_rank(run: Run, segments: Segments, code: np.ndarray, ties: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the codes of *run* by topic and rank, and which documents tie with the one before them.

    *code* has a code for each line. Tied documents with equal codes may stand in any order, so only groups with
    different codes are sorted by id. The ties are None where scores do not order the documents.
    """
    within, descending = _criterion(run, ties)
    if segments.whole and (within is None or segments.in_order(within, descending)):
        rows, first = None, segments.first
    else:
        rows = _sorted(segments.of_row, within, descending)
        first = np.flatnonzero(np.diff(segments.of_row[rows], prepend=-2))
        code = code[rows]
    tied = None
    if within is not None and descending:
        score = within if rows is None else within[rows]
        tied = _tied(score, first)
        if ties != "score-file":  # the sort is stable, so that tied documents stand in the order of the input
            code = _by_document(run.doc, rows, tied, code, descending=ties != "score-id")
    if rows is None:
        code, tied = segments.by_topic(code), None if tied is None else segments.by_topic(tied)
    else:
        foreign = int(segments.length[segments.topic < 0].sum())
        code, tied = code[foreign:], None if tied is None else tied[foreign:]
    return code, tied


def contradicted_topics(run: Run, segments: Segments, ties: str) -> int:
    """Count the judged topics whose documents the policy orders against their scores."""
    if ties not in IGNORING_SCORES:
        return 0
    within, descending = _criterion(run, ties)
    rows = _sorted(segments.of_row, within, descending)
    topic, score = segments.of_row[rows], run.score[rows]
    rises = (score[1:] > score[:-1]) & (topic[1:] == topic[:-1]) & (topic[1:] >= 0)
    return len(np.unique(topic[1:][rises]))


def _criterion(run: Run, ties: str) -> tuple[np.ndarray | None, bool]:
    """What orders the lines of a topic (None: the file does), and whether it descends."""
    if ties == "file":
        return None, False
    if ties == "rank":
        return run.rank, False
    if ties == "trec_eval-9":
        with np.errstate(over="ignore"):
            return run.score.astype(np.float32), True
    return run.score, True


def _sorted(topic: np.ndarray, within: np.ndarray | None, descending: bool) -> np.ndarray:
    """A stable order by topic and then by *within*."""
    if within is None:
        return np.argsort(topic, kind="stable")
    return np.lexsort((-within if descending else within, topic))


def _tied(score: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Which rows have the topic and the score of the row before them; topics begin at *first*."""
    tied = np.zeros(len(score), dtype=bool)
    np.equal(score[1:], score[:-1], out=tied[1:])
    tied[first] = False
    return tied


def _by_document(
    doc: pl.Series, rows: np.ndarray | None, tied: np.ndarray, code: np.ndarray, *, descending: bool
) -> np.ndarray:
    """Order tied documents of different grades by id (byte order, as ``strcmp``)."""
    differs = tied[1:] & (code[1:] != code[:-1])
    if not differs.any():
        return code
    group = np.cumsum(~tied)
    mixed = np.zeros(group[-1] + 1, dtype=bool)
    mixed[group[1:][differs]] = True
    place = np.flatnonzero(mixed[group])
    docs = pl.DataFrame({"group": group[place], "doc": doc.gather(place if rows is None else rows[place])})
    by_id = docs.select(pl.arg_sort_by("group", "doc", descending=[False, descending])).to_series().to_numpy()
    ordered = code.copy()
    ordered[place] = code[place[by_id]]
    return ordered
