"""The runs of a campaign with their documents and what has been judged of them, as flat columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from assay.engine.joining import list_all
from assay.engine.sources import as_qrels
from assay.engine.workers import Progress
from assay.measures._possible_grades import unsettled
from assay.model.arrays import Bools, Codes, Floats, Ints
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.model.qrels import Qrels
from assay.model.rankings import Rankings
from assay.results._evaluate import described


@dataclass(frozen=True, eq=False)
class Campaign:
    """Rankings run by run and topic by topic, a row for each document of each.

    *length* (runs x topics) says how many rows each ranking has; *key*, *code*, *tied* and *doc* are as in
    ``Rankings``, *levels* are the grades of the qrels.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    levels: Floats
    length: Ints
    key: np.ndarray
    code: Codes
    tied: Bools | None
    doc: pl.Series
    provenance: Provenance
    notes: tuple[str, ...]

    @cached_property
    def ranking(self) -> Ints:
        """The ranking of each row: run x how many topics there are + topic."""
        return np.repeat(np.arange(self.length.size), self.length.ravel())

    @cached_property
    def rank(self) -> Ints:
        """The rank of each row."""
        length = self.length.ravel()
        return np.arange(1, len(self.key) + 1) - np.repeat(np.cumsum(length) - length, length)

    @property
    def longest(self) -> int:
        """The length of the longest ranking."""
        return int(self.length.max(initial=0))

    def unsettled(self) -> Bools:
        """Which rows hold a document without a grade, or with a negative one."""
        return unsettled(self.code, self.levels)


def read_campaign(
    qrels: Any | None,
    runs: Any,
    ties: str,
    *,
    depth: int | None = None,
    all_topics: bool = False,
    lenient: bool = False,
    progress: Progress | None = None,
) -> Campaign:
    """Read runs, and what of their documents was judged; without *qrels* nothing was.

    Topics are those of the qrels, or with *all_topics* all that any run has.
    """
    judgments = as_qrels(qrels, lenient=lenient).prepared() if qrels is not None and all_topics else None
    known = None if all_topics else qrels
    ready, found = list_all(known, runs, ties, depth=depth, lenient=lenient, progress=progress)
    used = ready or judgments
    names, provenance, notes = described(used, runs, found, Policies(ties))
    rankings = Rankings.of(found, names, ready)
    campaign = Campaign(
        runs=names,
        topics=rankings.topics,
        levels=np.zeros(0) if used is None else used.levels,
        length=rankings.length,
        key=rankings.key,
        code=rankings.code,
        tied=rankings.tied,
        doc=rankings.doc,
        provenance=provenance,
        notes=notes,
    )
    return campaign if judgments is None else _graded(campaign, judgments)


def _graded(campaign: Campaign, qrels: Qrels) -> Campaign:
    """The same with the grades of *qrels*, which may lack some of the topics."""
    number = {topic: i for i, topic in enumerate(qrels.topics)}
    topic = np.array([number.get(topic, -1) for topic in campaign.topics], dtype=np.int64)
    of_row = topic[campaign.ranking % max(len(topic), 1)]
    code = qrels.grade_codes(campaign.key, of_row, campaign.doc)
    return replace(campaign, levels=qrels.levels, code=code)
