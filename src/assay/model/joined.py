"""One run joined with the judgments: grades in rank order, topic by topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assay.io.problems import ProblemKind
from assay.model.arrays import Bools, Codes, Ints
from assay.model.ordering import Segments, count_contradicted_topics, order_by_rank
from assay.model.run_facts import RunFacts

if TYPE_CHECKING:
    from assay.io.table import RowTable
    from assay.model.qrels import Qrels

KEEP = ("grades", "judgments", "documents")
"""The data that a join keeps for each retrieved document; each choice includes the choices before it."""


class Documents(NamedTuple):
    """The documents of a run, in the order of its grade codes: 64-bit hashes of (topic, document), and ids.

    The probability that two of a million documents share a hash is about 10^-7, so a join also compares ids.
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
        The topics that *topic* refers to: the topics of the run if documents are kept, else the topics of the qrels.
    topic, length
        For each ranking the index of its topic, ascending, and its number of documents.
    code
        In rank order, for each document 0 if it is unjudged, else 1 + the index of its grade in ``Qrels.levels``.
    tied
        For each document, whether its score equals that of the document before it. None unless ties are ``expected``,
        or documents or tie flags are kept and ordered by score.
    judgment
        For each document 1 + the row of its judgment in ``Qrels.frame()``, or 0; None unless judgments are kept.
    documents
        The documents; None unless they are kept.
    unjudged_topics, unjudged_document_count
        The topics without judgments, and the number of documents retrieved for them.
    contradicted_topic_count
        Number of topics in which a tie policy that ignores scores orders documents in contradiction to the scores.
    problems
        Problems of skipped lines and rows.
    facts
        Facts about the rows; None unless they were requested.
    is_named
        Whether the user gave the run its name.
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
    unjudged_document_count: int = 0
    contradicted_topic_count: int = 0
    problems: tuple[ProblemKind, ...] = ()
    facts: RunFacts | None = None
    is_named: bool = False

    @property
    def answered(self) -> Bools:
        """For each of ``topics``, whether the run has documents for it."""
        answered = np.zeros(len(self.topics), dtype=bool)
        answered[self.topic] = True
        return answered


def join_run(
    qrels: Qrels | None, rows: RowTable, ties: str, keep: str = "grades", *, tie_flags: bool = False
) -> JoinedRun:
    """Join the rows of one run with the judgments and put its documents in rank order.

    *keep* is one of ``KEEP``. Judgments with facets are kept even if only grades are requested. With ``documents``, all
    topics of the run are kept, including those without judgments. Without *qrels*, documents are always kept. With
    *tie_flags*, tied documents are marked under every tie policy that orders documents by score.
    """
    if keep == "grades" and qrels is not None and qrels.facets:
        keep = "judgments"
    code: Codes
    judgment: Codes | None = None
    documents: Documents | None = None
    if keep == "documents" or qrels is None:
        topics, segments = _number_topics(rows)
        order, tied = order_by_rank(rows, segments, np.arange(len(rows)), ties)
        documents = Documents(rows.key[order], rows.doc.gather(order))
        qrels_segments, code = segments, np.zeros(len(order), dtype=np.uint8)
        if qrels is not None:
            qrels_segments = qrels.segments(rows)
            code = qrels.grade_codes(rows.key, qrels_segments.row_topic, rows.doc, qrels_segments.topic)[order]
    else:
        topics, segments = qrels.topics, qrels.segments(rows)
        qrels_segments = segments
        find = qrels.judgment_numbers if keep == "judgments" else qrels.grade_codes
        row_code = find(rows.key, segments.row_topic, rows.doc, segments.topic)
        # Tied documents are sorted only if their codes differ. Judgment numbers always differ, so they cause all tied
        # judged documents to be sorted, even those with the same grade.
        code, tied = order_by_rank(rows, segments, row_code, ties)
        if keep == "judgments":
            judgment, code = code, qrels.codes_of(code)
        tied = tied if ties == "expected" or tie_flags else None
    topic, length = segments.topic_lengths()
    is_unjudged = qrels_segments.topic < 0
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
        judgment=judgment,
        documents=documents,
        unjudged_topics=frozenset(rows.topic.gather(qrels_segments.first[is_unjudged]).to_list()),
        unjudged_document_count=int(qrels_segments.length[is_unjudged].sum()),
        contradicted_topic_count=count_contradicted_topics(rows, qrels_segments, ties),
        problems=rows.problems,
    )


def _number_topics(rows: RowTable) -> tuple[tuple[str, ...], Segments]:
    """Return the sorted topics of a run, and its segments with indices into them."""
    names, length = rows.segments["value"].to_list(), rows.segments["len"].to_numpy()
    topics, number = np.unique(np.array(names, dtype=object), return_inverse=True)
    return tuple(topics.tolist()), Segments(number.astype(np.int32), length.astype(np.int64))
