"""One run joined with the judgments: grades in rank order, topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assay.model.arrays import Bools, Codes, Ints
from assay.model.ordering import Segments, contradicted_topics, order_by_rank

if TYPE_CHECKING:
    from assay.model.qrels import Qrels
    from assay.model.run import Run

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
        As in ``Run``.
    topics
        The topics, in the order of the grades: those of the qrels; with documents those of the run itself.
    length
        Number of documents of each topic.
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
        return np.asarray(self.length > 0)


def join_run(qrels: Qrels | None, run: Run, ties: str, keep: str = "grades") -> JoinedRun:
    """Join one run with the judgments and put its documents in rank order.

    *keep* is one of ``KEEP``. Documents are kept for every topic of the run, also for those without judgments; they
    are all there is without *qrels*.
    """
    if keep == "documents" or qrels is None:
        return _join_documents(qrels, run, ties)
    segments = qrels.segments(run.topic)
    find = qrels.judgment_numbers if keep == "judgments" else qrels.grade_codes
    # Documents of one grade may be tied in any order, unless their judgments may be told apart later.
    code, tied = order_by_rank(run, segments, find(run.key, segments.of_row, run.doc), ties)
    judgment = code if keep == "judgments" else None
    known = segments.topic >= 0
    return JoinedRun(
        name=run.name,
        source=run.source,
        digest=run.digest,
        notes=run.notes,
        topics=qrels.topics,
        length=segments.documents(len(qrels.topics)),
        code=code if judgment is None else qrels.codes_of(judgment),
        tied=tied if ties == "expected" else None,
        judgment=judgment,
        unjudged_topics=frozenset(run.topic.gather(segments.first[~known]).to_list()),
        unjudged_rows=int(segments.length[~known].sum()),
        contradicted=contradicted_topics(run, segments, ties),
    )


def _join_documents(qrels: Qrels | None, run: Run, ties: str) -> JoinedRun:
    """Join one run and keep its documents, for every topic that it has."""
    topics, own = _own_segments(run.topic)
    rows, tied = order_by_rank(run, own, np.arange(len(run)), ties)
    judged = own if qrels is None else qrels.segments(run.topic)
    grades = np.zeros(len(run), np.uint8) if qrels is None else qrels.grade_codes(run.key, judged.of_row, run.doc)
    known = judged.topic >= 0
    return JoinedRun(
        name=run.name,
        source=run.source,
        digest=run.digest,
        notes=run.notes,
        topics=topics,
        length=own.documents(len(topics)),
        code=grades[rows],
        tied=tied,
        documents=Documents(run.key[rows], run.doc.gather(rows)),
        unjudged_topics=frozenset(run.topic.gather(judged.first[~known]).to_list()),
        unjudged_rows=int(judged.length[~known].sum()),
        contradicted=contradicted_topics(run, judged, ties),
    )


def _own_segments(topic: pl.Series) -> tuple[tuple[str, ...], Segments]:
    """Return the topics of a run, sorted, and its segments numbered by them."""
    rle = topic.rle().struct.unnest()
    topics, number = np.unique(np.array(rle["value"].to_list(), dtype=object), return_inverse=True)
    return tuple(topics.tolist()), Segments(number.astype(np.int32), rle["len"].to_numpy().astype(np.int64))


def merge_chunks(chunks: Sequence[JoinedRun]) -> JoinedRun | None:
    """Merge the chunks of one run; None if a topic occurs in more than one of them."""
    lengths = np.array([chunk.length for chunk in chunks])
    unjudged = [name for chunk in chunks for name in chunk.unjudged_topics]
    if (lengths > 0).sum(axis=0).max(initial=0) > 1 or len(set(unjudged)) < len(unjudged):
        return None
    length = lengths.sum(axis=0)
    start = np.cumsum(length) - length
    # Within a chunk the topics stand in their order, so that each is moved as a block to where it belongs.
    places = [
        np.repeat(start - (np.cumsum(chunk.length) - chunk.length), chunk.length) + np.arange(len(chunk.code))
        for chunk in chunks
    ]
    return chunks[0]._replace(
        length=length,
        code=_scatter([chunk.code for chunk in chunks], places),
        tied=_scatter_column([chunk.tied for chunk in chunks], places),
        judgment=_scatter_column([chunk.judgment for chunk in chunks], places),
        unjudged_topics=frozenset(unjudged),
        unjudged_rows=sum(chunk.unjudged_rows for chunk in chunks),
        contradicted=sum(chunk.contradicted for chunk in chunks),
    )


def _scatter_column(columns: Sequence[np.ndarray | None], places: Sequence[Ints]) -> np.ndarray | None:
    """Merge a column that the chunks have, or lack all of them."""
    values = [column for column in columns if column is not None]
    return _scatter(values, places) if values else None


def _scatter(values: Sequence[np.ndarray], places: Sequence[Ints]) -> np.ndarray:
    """Put the values of each chunk at its places."""
    merged = np.empty(sum(map(len, places)), dtype=values[0].dtype)
    for value, place in zip(values, places, strict=True):
        merged[place] = value
    return merged
