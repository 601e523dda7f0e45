"""One run joined with the judgments: grades in rank order, topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assay.model.arrays import Bools, Codes, Ints
from assay.model.ordering import Segments, contradicted_topics, order_by_rank

if TYPE_CHECKING:
    from assay.io.table import RowTable
    from assay.model.qrels import Qrels

KEEP = ("grades", "judgments", "documents")
"""What can be kept of each retrieved document, each with what comes before it."""


class Documents(NamedTuple):
    """The documents of a run, in the order of its grade codes: 64-bit hashes of (topic, document), and ids.

    Two of a million documents share a hash in one of 10^7 cases; a join therefore compares ids as well.
    """

    key: np.ndarray
    doc: pl.Series


class JoinedRun(NamedTuple):
    """One run, or a chunk of it, after the join.

    Attributes
    ----------
    name, source, digest, notes
        As in ``Run``; the name of a chunk is the tag of its last line.
    topics
        The topics that *topic* refers to: those of the qrels; with documents those of the run itself.
    topic, length
        For each ranking the index of its topic, ascending, and its number of documents.
    code
        For each document 0 when unjudged, else 1 + the index of its grade in ``Qrels.levels``; in rank order.
    tied
        For each document, whether it ties with the one before; None unless ties are ``expected``, or documents are
        kept and ordered by their scores.
    judgment
        For each document 1 + the row of its judgment in ``Qrels.frame()``, or 0; None if grades were enough.
    documents
        The documents, or None if grades were enough.
    unjudged_topics, unjudged_rows
        The topics without judgments, and the number of their documents.
    contradicted
        Number of topics in which the tie policy ignores the scores and contradicts them.
    """

    name: str
    source: str
    digest: str | None
    notes: tuple[str, ...]
    topics: tuple[str, ...]
    topic: Ints
    length: Ints
    code: Codes
    tied: Bools | None
    judgment: Ints | None = None
    documents: Documents | None = None
    unjudged_topics: frozenset[str] = frozenset()
    unjudged_rows: int = 0
    contradicted: int = 0

    @property
    def answered(self) -> Bools:
        """For each topic, whether the run has documents for it."""
        answered = np.zeros(len(self.topics), dtype=bool)
        answered[self.topic] = True
        return answered


def join_run(qrels: Qrels | None, rows: RowTable, ties: str, keep: str = "grades") -> JoinedRun:
    """Join the rows of one run with the judgments and put its documents in rank order.

    *keep* is one of ``KEEP``. Documents are kept for every topic of the run, also for those without judgments; they
    are all there is without *qrels*.
    """
    if keep == "documents" or qrels is None:
        return _join_documents(qrels, rows, ties)
    segments = qrels.segments(rows)
    find = qrels.judgment_numbers if keep == "judgments" else qrels.grade_codes
    matched = find(rows.key, segments.of_row, rows.doc, segments.topic)
    # Documents of one grade may be tied in any order, unless their judgments may be told apart later.
    code, tied = order_by_rank(rows, segments, matched, ties)
    judgment = code if keep == "judgments" else None
    topic, length = segments.rankings()
    unjudged_topics, unjudged_rows = _unjudged(rows, segments)
    return JoinedRun(
        name=rows.name,
        source=rows.source,
        digest=rows.digest,
        notes=rows.notes,
        topics=qrels.topics,
        topic=topic,
        length=length,
        code=code if judgment is None else qrels.codes_of(judgment),
        tied=tied if ties == "expected" else None,
        judgment=judgment,
        unjudged_topics=unjudged_topics,
        unjudged_rows=unjudged_rows,
        contradicted=contradicted_topics(rows, segments, ties),
    )


def _join_documents(qrels: Qrels | None, rows: RowTable, ties: str) -> JoinedRun:
    """Join the rows of one run and keep its documents, for every topic that it has."""
    topics, own = _own_segments(rows)
    order, tied = order_by_rank(rows, own, np.arange(len(rows)), ties)
    judged = own if qrels is None else qrels.segments(rows)
    code = np.zeros(len(order), dtype=np.uint8)
    if qrels is not None:
        code = qrels.grade_codes(rows.key, judged.of_row, rows.doc, judged.topic)[order]
    topic, length = own.rankings()
    unjudged_topics, unjudged_rows = _unjudged(rows, judged)
    return JoinedRun(
        name=rows.name,
        source=rows.source,
        digest=rows.digest,
        notes=rows.notes,
        topics=topics,
        topic=topic,
        length=length,
        code=code,
        tied=tied,
        documents=Documents(rows.key[order], rows.doc.gather(order)),
        unjudged_topics=unjudged_topics,
        unjudged_rows=unjudged_rows,
        contradicted=contradicted_topics(rows, judged, ties),
    )


def _unjudged(rows: RowTable, segments: Segments) -> tuple[frozenset[str], int]:
    """Return the topics without judgments, and the number of their documents."""
    unknown = segments.topic < 0
    return frozenset(rows.topic.gather(segments.first[unknown]).to_list()), int(segments.length[unknown].sum())


def _own_segments(rows: RowTable) -> tuple[tuple[str, ...], Segments]:
    """Return the topics of a run, sorted, and its segments numbered by them."""
    names, length = rows.segments["value"].to_list(), rows.segments["len"].to_numpy()
    topics, number = np.unique(np.array(names, dtype=object), return_inverse=True)
    return tuple(topics.tolist()), Segments(number.astype(np.int32), length.astype(np.int64))
