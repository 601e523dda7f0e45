"""Grades by subtopic, for measures that declare the facet ``subtopic``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.arrays import Bools, Codes, Floats, Ints, expand_ranges

if TYPE_CHECKING:
    from assay.model.judged import Judged
    from assay.model.qrels import Qrels


@dataclass(frozen=True, eq=False)
class SubtopicGrades:
    """The grades of judged documents by subtopic: a sparse table, sorted by topic and document.

    Attributes
    ----------
    first
        For each judgment (topic and document), its first row; and as a last entry the number of rows.
    topic, subtopic
        For each row, the index of its topic, and the number of the subtopic within the topic, from 0.
    level, levels
        For each row 1 + the index of its grade in *levels*, the distinct grades, ascending.
    topic_first
        For each topic, its first row; and as a last entry the number of rows.
    docs
        The id of the document of each judgment.
    weights
        Topics x subtopics: the weight of each subtopic; None if all weigh the same.
    """

    first: Ints
    topic: Ints
    subtopic: Ints
    level: Ints
    levels: Floats
    topic_first: Ints
    docs: pl.Series
    weights: Floats | None = None


@dataclass(frozen=True, eq=False)
class DocumentFacets:
    """Facets of the documents of judged rankings, parallel to ``Judged.code``.

    Attributes
    ----------
    judgment
        For each document 1 + the row of its judgment in ``Qrels.frame()``, or 0; None without facets of judgments.
    subtopics
        The grades by subtopic; None if the judgments have no subtopics.
    topics
        The index in *subtopics* of each row of ``Judged.counts``; None if they are the same.
    cost
        The cost of each document; None if costs were not requested.
    """

    judgment: Codes | None = None
    subtopics: SubtopicGrades | None = None
    topics: Ints | None = None
    cost: Floats | None = None

    @classmethod
    def of(cls, qrels: Qrels, judgment: Codes | None) -> DocumentFacets | None:
        """Return the facets of documents with these judgments; None for judgments without facets."""
        return cls(judgment, qrels.subtopics) if qrels.facets and judgment is not None else None

    def take(self, documents: Ints | Bools | slice) -> DocumentFacets:
        """Return the facets of some documents, given by position, mask or slice."""
        judgment = None if self.judgment is None else np.asarray(self.judgment[documents])
        return replace(self, judgment=judgment, cost=None if self.cost is None else self.cost[documents])

    def select_topics(self, topics: Ints) -> DocumentFacets:
        """Keep some topics, given as rows of ``Judged.counts``."""
        return replace(self, topics=topics if self.topics is None else self.topics[topics])

    @staticmethod
    def concatenate(parts: list[DocumentFacets]) -> DocumentFacets:
        """Concatenate the facets of rankings with the same judgments."""
        judgments = [part.judgment for part in parts if part.judgment is not None]
        costs = [part.cost for part in parts if part.cost is not None]
        return replace(
            parts[0],
            judgment=np.concatenate(judgments) if judgments else None,
            cost=np.concatenate(costs) if costs else None,
        )


class SubtopicRows(NamedTuple):
    """Grades of retrieved documents by subtopic, in rank order: a row for each document and subtopic.

    Attributes
    ----------
    ranking, rank
        The ranking and the rank of the document.
    subtopic
        The number of the subtopic within the topic.
    grade
        The grade of the document for the subtopic.
    """

    ranking: Ints
    rank: Ints
    subtopic: Ints
    grade: Floats


class SubtopicTable(NamedTuple):
    """Grades of all judged documents by subtopic: a row for each document and subtopic, topic by topic.

    Attributes
    ----------
    topic
        The row of the topic in ``Judged.counts``.
    document
        The number of the document; documents are numbered across all topics.
    subtopic
        The number of the subtopic within the topic.
    grade
        The grade of the document for the subtopic.
    """

    topic: Ints
    document: Ints
    subtopic: Ints
    grade: Floats

    @property
    def subtopic_count(self) -> int:
        """The largest number of subtopics of a topic."""
        return int(self.subtopic.max(initial=-1)) + 1

    def find_subtopics(self, topics: int, rel: float | None) -> Bools:
        """Return topics x subtopics: True if a document has a grade of at least *rel* (None: above 0)."""
        found = np.zeros((topics, max(self.subtopic_count, 1)), dtype=bool)
        relevant = self.grade > 0 if rel is None else self.grade >= rel
        found[self.topic[relevant], self.subtopic[relevant]] = True
        return found


def find_rows(judged: Judged) -> SubtopicRows:
    """Return the grades of the retrieved documents by subtopic.

    Rankings that were made from literal grades have one subtopic for each topic.
    """
    position, judgment = _judged_positions(judged)
    ranking, rank = judged.locate(position)
    grades = _subtopics_of(judged)
    if grades is None:
        grade = judged.levels[judged.code[position].astype(np.int64) - 1]
        return SubtopicRows(ranking, rank, np.zeros(len(rank), dtype=np.int64), grade)
    number = grades.first[judgment + 1] - grades.first[judgment]
    row = expand_ranges(grades.first[judgment], number)
    return SubtopicRows(
        np.repeat(ranking, number), np.repeat(rank, number), grades.subtopic[row], grades.levels[grades.level[row] - 1]
    )


def find_table(judged: Judged) -> SubtopicTable:
    """Return the grades of all judged documents of the topics of *judged* by subtopic."""
    grades = _subtopics_of(judged)
    if grades is None:
        topic, level = np.nonzero(judged.counts)
        number = judged.counts[topic, level]
        size = int(number.sum())
        return SubtopicTable(
            np.repeat(topic, number),
            np.arange(size),
            np.zeros(size, dtype=np.int64),
            np.repeat(judged.levels[level], number),
        )
    topics = _topics_of(judged)
    length = grades.topic_first[topics + 1] - grades.topic_first[topics]
    row = expand_ranges(grades.topic_first[topics], length)
    document = np.searchsorted(grades.first, row, side="right") - 1
    grade = grades.levels[grades.level[row] - 1]
    return SubtopicTable(np.repeat(np.arange(len(topics)), length), document, grades.subtopic[row], grade)


def weigh_subtopics(judged: Judged, counted: Bools) -> Floats:
    """Return topics x subtopics: weights that sum to 1 over the subtopics that count, given by a mask."""
    grades = _subtopics_of(judged)
    weights = counted.astype(np.float64)
    if grades is not None and grades.weights is not None:
        weights *= grades.weights[_topics_of(judged)][:, : counted.shape[1]]
    total = weights.sum(axis=1, keepdims=True)
    if (counted.any(axis=1) & (total[:, 0] == 0)).any():
        raise InputError(
            "subtopic weights: every subtopic with relevant documents has weight 0 in at least one topic; give it a "
            "weight above 0"
        )
    shares: Floats = np.divide(weights, total, out=np.zeros(weights.shape), where=total > 0)
    return shares


def slice_subtopics(judged: Judged) -> Iterator[Judged]:
    """Yield judged rankings for the first subtopic of each topic, then for the second, and so on.

    A document without a grade for a subtopic is unjudged in its slice. The policies on unjudged documents and on ties
    were applied before.
    """
    grades = _subtopics_of(judged)
    if grades is None:
        yield replace(judged, facets=None)
        return
    table = judged.subtopic_table()
    level = np.searchsorted(grades.levels, table.grade)
    rows = judged.subtopic_rows()
    row_code = np.searchsorted(grades.levels, rows.grade) + 1
    position = judged.start[rows.ranking] + rows.rank - 1
    shape = (len(judged.counts), len(grades.levels))
    policies = replace(judged.policies, unjudged="nonrelevant")
    for number in range(max(table.subtopic_count, 1)):
        of_table, of_rows = table.subtopic == number, rows.subtopic == number
        cell = table.topic[of_table] * shape[1] + level[of_table]
        code = np.zeros(len(judged.code), dtype=np.int32)
        code[position[of_rows]] = row_code[of_rows]
        yield replace(
            judged,
            levels=grades.levels,
            counts=np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape),
            code=code,
            policies=policies,
            depth=judged.max_depth,
            condensed_depth=None,
            facets=None,
        )


def find_ids(judged: Judged) -> pl.Series | None:
    """Return the ids of the documents of ``find_table`` by their number; None for literal grades."""
    grades = _subtopics_of(judged)
    return None if grades is None else grades.docs


def _subtopics_of(judged: Judged) -> SubtopicGrades | None:
    """Return the grades by subtopic; None for rankings that were made from literal grades."""
    if judged.facets is None:
        return None
    if judged.facets.subtopics is None:
        raise InputError("the judgments have no subtopics; read them with --qrels-format subtopics")
    return judged.facets.subtopics


def _topics_of(judged: Judged) -> Ints:
    facets = judged.facets
    return np.arange(len(judged.counts)) if facets is None or facets.topics is None else facets.topics


def _judged_positions(judged: Judged) -> tuple[Ints, Ints]:
    """Return the positions of judged documents, and the row of the judgment of each."""
    if judged.facets is None or judged.facets.judgment is None:
        position = np.flatnonzero(judged.code)
        return position, position
    position = np.flatnonzero(judged.facets.judgment)
    return position, judged.facets.judgment[position].astype(np.int64) - 1
