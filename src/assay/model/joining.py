"""One run joined with the qrels: grade codes in rank order, topic by topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.model.ordering import arranged, contradicted_topics

if TYPE_CHECKING:
    from assay.model.policies import Policies
    from assay.model.qrels import Qrels
    from assay.model.run import Run


class Part(NamedTuple):
    """One run, or a piece of it, after the join.

    *code* are the grades in rank order, *length* the number of documents of each topic of the qrels, *tied* which
    documents tie with the one before (None unless ties are expected), *foreign* the topics without judgments,
    *foreign_rows* the number of their documents and *contradicted* the number of topics in which the tie policy
    ignores the scores and contradicts them.
    """

    code: np.ndarray
    length: np.ndarray
    tied: np.ndarray | None
    foreign: frozenset[str]
    foreign_rows: int
    contradicted: int = 0

    @property
    def answered(self) -> np.ndarray:
        """Whether the run has documents for each topic."""
        return np.asarray(self.length > 0)


def judge(qrels: Qrels, run: Run, policies: Policies, *, numbered: bool = False) -> Part:
    """Join one run with the qrels and put its documents in order.

    With *numbered* the codes are not those of grades but 1 + the number of each judgment, so that any part of the
    judgments can be used later.
    """
    segments = qrels.segments(run.topic)
    found = qrels.judgment_numbers if numbered else qrels.grade_codes
    code, tied = arranged(run, segments, found(run.key, segments.of_row, run.doc), policies.ties)
    known = segments.topic >= 0
    length = np.bincount(segments.topic[known], weights=segments.length[known], minlength=len(qrels.topics))
    foreign = frozenset(run.topic.gather(segments.first[~known]).to_list()) if not known.all() else frozenset()
    against = contradicted_topics(run, segments, policies.ties)
    return Part(code, length.astype(np.int64), tied, foreign, int(segments.length[~known].sum()), against)


def merged(parts: Sequence[Part]) -> Part | None:
    """The pieces of one run as one; None when a topic stands in more than one of them."""
    lengths = np.array([part.length for part in parts])
    foreign = [name for part in parts for name in part.foreign]
    if (lengths > 0).sum(axis=0).max(initial=0) > 1 or len(set(foreign)) < len(foreign):
        return None
    length = lengths.sum(axis=0)
    start = np.cumsum(length) - length
    # Within a piece the topics stand in their order, so that each is moved as a block to where it belongs.
    places = [
        np.repeat(start - (np.cumsum(part.length) - part.length), part.length) + np.arange(len(part.code))
        for part in parts
    ]
    code = np.empty(int(length.sum()), dtype=parts[0].code.dtype)
    tied = None if parts[0].tied is None else np.empty(len(code), dtype=bool)
    for part, place in zip(parts, places, strict=True):
        code[place] = part.code
        if tied is not None and part.tied is not None:
            tied[place] = part.tied
    return Part(
        code=code,
        length=length,
        tied=tied,
        foreign=frozenset(foreign),
        foreign_rows=sum(part.foreign_rows for part in parts),
        contradicted=sum(part.contradicted for part in parts),
    )
