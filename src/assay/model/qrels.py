"""Relevance judgments."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import dicts, files, frames, ir_datasets, trec
from assay.io.columns import parse_columns
from assay.io.document_hash import find_segments
from assay.io.paths import path_text
from assay.io.table import RowTable
from assay.model.arguments import check_arguments
from assay.model.arrays import expand_ranges, sorted_distinct
from assay.model.facets import FacetOptions, JudgmentFacets, separate_facets
from assay.model.hash_index import HashIndex
from assay.model.ordering import Segments
from assay.model.random_orders import topic_streams
from assay.model.subtopics import SubtopicGrades

_INDEX_LOCK = Lock()
_FEW_LEVELS = 16  # up to this number of grades, comparisons are faster than a binary search
_CHUNK = 1 << 16  # grades encoded in one step; these fit into the processor's cache
_MANY_TOPICS = 10_000  # above this number of topics, a join is faster than a dictionary
_CACHED_JUDGMENTS = 1 << 15  # up to about this number of judgments, an index fits into the processor's cache


class Qrels:
    """Relevance judgments: the grades of documents for topics. Immutable.

    Judgments may have facets, such as subtopics; ``facets`` names them and ``facet_frame()`` returns them.

    Create them with :func:`read_qrels` or ``Qrels.from_dict``, ``from_tuples``, ``from_frame``, ``from_ir_datasets``.

    >>> qrels = Qrels.from_dict({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}})
    >>> qrels
    Qrels(3 judgments of 2 topics, grades 0 1 2)
    """

    def __init__(self, table: RowTable, options: FacetOptions = FacetOptions()) -> None:
        table, self._facets = separate_facets(table, options)
        topics = table.segments
        key, frame = table.key, table.frame
        if not (topics["value"][1:] > topics["value"][:-1]).all():
            order = frame.select(pl.arg_sort_by("topic", maintain_order=True)).to_series()
            key, frame = key[order.to_numpy()], frame[order].rechunk()
            topics = find_segments(frame["topic"])
        self.source, self.digest, self.notes, self.problems = table.source, table.digest, table.notes, table.problems
        self._topic_names = topics["value"]
        self._set_columns(
            pl.DataFrame([frame["topic"], frame["doc"], frame["value"].alias("grade")]),
            key,
            tuple(topics["value"].to_list()),
            np.repeat(np.arange(len(topics), dtype=np.int32), topics["len"].to_numpy()),
        )

    def _set_columns(
        self,
        frame: pl.DataFrame,
        key: np.ndarray,
        topics: tuple[str, ...],
        topic: np.ndarray,
        levels: np.ndarray | None = None,
    ) -> None:
        """Set the columns; rows are sorted by topic, and *topic* has the index of the topic of each row."""
        self._frame, self._key, self._topic = frame, key, topic
        self._index: HashIndex | None = None
        self.topics = topics
        """The topics, in the byte order of their ids, as in the output of trec_eval."""
        grade = frame["grade"].to_numpy()
        self.levels, level = _encode_grades(grade) if levels is None else (levels, _find_levels(levels, grade))
        """The distinct grades, ascending."""
        self.code_type = np.dtype(np.uint8 if len(self.levels) < 255 else np.int32)
        """The type of grade codes."""
        self._level = level.astype(self.code_type, copy=False)
        self.counts = self._count(topic, self._level)
        """Topics x levels: number of documents judged with each grade."""

    def _count(self, topic: np.ndarray, level: np.ndarray) -> np.ndarray:
        """Count judgments: topics x levels."""
        shape = (len(self.topics), len(self.levels))
        cell = topic.astype(np.int64) * shape[1] + level
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)

    def _derive(
        self,
        frame: pl.DataFrame,
        key: np.ndarray,
        topics: tuple[str, ...],
        topic: np.ndarray,
        levels: np.ndarray,
        *,
        facets: JudgmentFacets | None,
    ) -> Qrels:
        """Return judgments of the same source with other columns."""
        derived = object.__new__(type(self))
        derived._facets = facets
        derived.source, derived.digest, derived.notes = self.source, self.digest, self.notes
        derived.problems = self.problems
        derived._set_columns(frame, key, topics, topic, levels)
        return derived

    def with_levels(self, levels: np.ndarray) -> Qrels:
        """Return these judgments encoded with *levels*, the grades of a larger set of judgments that contains them."""
        return self._derive(self._frame, self._key, self.topics, self._topic, levels, facets=self._facets)

    @classmethod
    def from_dict(cls, judgments: Mapping[str, Mapping[str, float]], *, lenient: bool = False) -> Qrels:
        """Create judgments from ``{topic: {document: grade}}``."""
        return cls(dicts.read_mapping(judgments, "qrels", lenient=lenient))

    @classmethod
    def from_tuples(cls, judgments: Iterable[tuple[str, str, float]], *, lenient: bool = False) -> Qrels:
        """Create judgments from ``(topic, document, grade)`` tuples."""
        return cls(dicts.read_tuples(judgments, "qrels", lenient=lenient))

    @classmethod
    def from_frame(cls, frame: Any, *, lenient: bool = False) -> Qrels:
        """Create judgments from a frame of polars, pandas, pyarrow or any library with Arrow's PyCapsule interface."""
        return cls(frames.read_qrels(frame, lenient))

    @classmethod
    def from_ir_datasets(cls, name: str, *, lenient: bool = False) -> Qrels:
        """Create judgments from a dataset of the ``ir_datasets`` package, by its id."""
        return cls(ir_datasets.read(name, "qrels", lenient))

    def __len__(self) -> int:
        return len(self._frame)

    def __repr__(self) -> str:
        grades = " ".join(f"{level:g}" for level in self.levels[:8])
        ellipsis = " …" if len(self.levels) > 8 else ""
        return f"Qrels({len(self)} judgments of {len(self.topics)} topics, grades {grades}{ellipsis})"

    def frame(self) -> pl.DataFrame:
        """Return the judgments as a polars frame: topic, doc, grade."""
        return self._frame.clone()

    def with_grades(self, grades: Mapping[float, float]) -> Qrels:
        """Return the judgments with some grades replaced by others, such as ``{4: 3, -2: 0}``.

        >>> Qrels.from_dict({"q1": {"d1": 4, "d2": -2, "d3": 1}}).with_grades({4: 3, -2: 0})
        Qrels(3 judgments of 1 topics, grades 0 1 3)
        """
        known = self.levels if self._facets is None else np.unique(self._facets.frame["grade"].to_numpy())
        unknown = [grade for grade in grades if grade not in known]
        if unknown:
            levels_text = " ".join(f"{level:g}" for level in known)
            raise InputError(f"{self.source}: has no grade {unknown[0]:g}; it has {levels_text}")
        pairs = {float(old): float(new) for old, new in grades.items()}
        if self._facets is not None:
            facets = self._facets.with_grades(pairs)
            frame = self._frame.with_columns(grade=facets.collapsed_grades())
            levels = np.unique(frame["grade"].to_numpy())
            return self._derive(frame, self._key, self.topics, self._topic, levels, facets=facets)
        levels = np.unique([pairs.get(level, level) for level in self.levels.tolist()])
        frame = self._frame.with_columns(pl.col("grade").cast(pl.Float64).replace(pairs))
        return self._derive(frame, self._key, self.topics, self._topic, levels, facets=None)

    # Facets -----------------------------------------------------------------------------------------------------

    @property
    def facets(self) -> tuple[str, ...]:
        """The names of the facets of the judgments: subtopic, judge, stratum, probability, groups."""
        return () if self._facets is None else self._facets.names

    def facet_frame(self) -> pl.DataFrame:
        """Return the judgments with their facets as a polars frame: topic, doc, the facets, grade."""
        if self._facets is None:
            return self.frame()
        rows = self._facets.frame
        places = self._frame[rows["judgment"].to_numpy()]
        return pl.DataFrame([places["topic"], places["doc"], *(rows[name] for name in self.facets), rows["grade"]])

    @cached_property
    def subtopics(self) -> SubtopicGrades | None:
        """The grades by subtopic as arrays; None if the judgments have no subtopics."""
        return None if self._facets is None else self._facets.subtopics(self._topic, self.topics, self._frame["doc"])

    def with_subtopic_weights(self, weights: Mapping[str, Mapping[str, float]], notes: Iterable[str] = ()) -> Qrels:
        """Return the judgments with weights of subtopics, ``{topic: {subtopic: weight}}``."""
        if self._facets is None or "subtopic" not in self._facets.names:
            raise InputError(
                f"{self.source}: weights need judgments with subtopics; read them with --qrels-format subtopics"
            )
        facets = replace(self._facets, weights=weights)
        derived = self._derive(self._frame, self._key, self.topics, self._topic, self.levels, facets=facets)
        derived.notes = (*self.notes, *notes)
        return derived

    def write(self, path: str | Path) -> None:
        """Write the judgments as TREC text."""
        trec.write_qrels(path, self._frame["topic"], self._frame["doc"], self._frame["grade"].to_numpy())

    @cached_property
    def streams(self) -> np.ndarray:
        """For each topic, the random stream that orders its tied documents."""
        return topic_streams(self.topics)

    def counts_of(self, topics: Sequence[str]) -> np.ndarray:
        """Return the rows of ``counts`` for these topics; zeros for topics without judgments."""
        row = self.topic_numbers(topics)
        return np.where(row[:, None] >= 0, self.counts[row], 0)

    def topic_numbers(self, topics: Sequence[str]) -> np.ndarray:
        """Return the index of each topic in ``topics``; -1 for topics without judgments."""
        return self._find_topics(pl.Series(topics, dtype=pl.String)).astype(np.int64)

    def rows_of(self, topics: np.ndarray) -> np.ndarray:
        """Return a mask over the rows of ``frame()``: True if the topic is one of *topics*, given by index."""
        return np.isin(self._topic, topics)

    def select(self, topics: np.ndarray) -> Qrels:
        """Return the judgments of some topics, given by index; the order of the topics does not change."""
        selected = np.unique(topics)
        rows = self.rows_of(selected)
        names = tuple(self.topics[i] for i in selected.tolist())
        topic = np.searchsorted(selected, self._topic[rows])
        facets = None if self._facets is None else self._facets.keep(rows)
        frame = self._frame.filter(pl.Series(rows))
        return self._derive(frame, self._key[rows], names, topic, self.levels, facets=facets)

    def keep(self, rows: np.ndarray) -> Qrels:
        """Return some of the judgments; *rows* is a mask over the rows of ``frame()``.

        Topics and levels remain those of all judgments.
        """
        frame = self._frame.filter(pl.Series(rows))
        facets = None if self._facets is None else self._facets.keep(rows)
        return self._derive(frame, self._key[rows], self.topics, self._topic[rows], self.levels, facets=facets)

    def segments(self, rows: RowTable) -> Segments:
        """Return the segments of a run: consecutive rows of one topic, with the index of the topic."""
        segments = rows.segments
        return Segments(self._find_topics(segments["value"]), segments["len"].to_numpy().astype(np.int64))

    def _find_topics(self, topics: pl.Series) -> np.ndarray:
        """Return the index of each topic; -1 for topics without judgments."""
        # Runs are usually sorted like the judgments. One comparison of columns then shows that the topics are
        # consecutive, and no topic has to be looked up.
        first = bisect_left(self.topics, topics[0]) if len(topics) else 0
        if len(topics) > 1 and self._topic_names.slice(first, len(topics)).equals(topics):
            return np.arange(first, first + len(topics), dtype=np.int32)
        if len(topics) > _MANY_TOPICS:
            numbers = pl.DataFrame({"topic": self._topic_names}).with_row_index("number")
            rows = pl.DataFrame({"topic": topics}).join(numbers, on="topic", how="left", maintain_order="left")
            return rows["number"].cast(pl.Int32).fill_null(-1).to_numpy()
        number = self._topic_numbers
        return np.array([number.get(topic, -1) for topic in topics.to_list()], dtype=np.int32)

    @cached_property
    def _topic_names(self) -> pl.Series:
        return pl.Series(self.topics, dtype=pl.String)

    @cached_property
    def _topic_numbers(self) -> dict[str, int]:
        return {topic: number for number, topic in enumerate(self.topics)}

    def grade_codes(
        self, key: np.ndarray, topic: np.ndarray, doc: pl.Series, topics: np.ndarray | None = None
    ) -> np.ndarray:
        """Return 1 + the index of the grade in ``levels`` for each document; 0 for unjudged documents.

        *key*, *topic* (index in ``topics``, -1 if it has no judgments) and *doc* describe the documents of a run.
        *topics* are the indices of the topics of these documents; the search is faster if they are given.
        """
        row, judgment = self._match(key, topic, doc, topics)
        codes = np.zeros(len(key), dtype=self.code_type)
        codes[row] = self._level.take(judgment) + 1
        return codes

    def judgment_numbers(
        self, key: np.ndarray, topic: np.ndarray, doc: pl.Series, topics: np.ndarray | None = None
    ) -> np.ndarray:
        """Return 1 + the row of the judgment in ``frame()`` for each document; 0 for unjudged documents."""
        row, judgment = self._match(key, topic, doc, topics)
        numbers = np.zeros(len(key), dtype=np.int32)
        numbers[row] = judgment + 1
        return numbers

    def _match(
        self, key: np.ndarray, topic: np.ndarray, doc: pl.Series, topics: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of judged documents, and the row of each document's judgment.

        An index of the judgments of a few topics is built quickly and fits into the processor's cache. If the topics
        have more than a quarter of all judgments, an index of all judgments is built once for all runs instead.
        """
        if topics is None:
            return self._verify(*self._hash_index.find(key), topic, doc)
        judged = sorted_distinct(topics[topics >= 0])
        ends = np.cumsum(self._lengths(judged))
        if 4 * ends.max(initial=0) > len(self):
            return self._verify(*self._hash_index.find(key), topic, doc)
        if not (topics[1:] > topics[:-1]).all():
            return self._match_topics(judged, key, topic, doc)
        # The rows are in the order of the topics, so consecutive topics have consecutive rows. Match a group of topics
        # at a time, such that the index of their judgments fits into the cache.
        groups = np.split(judged, np.unique(ends // _CACHED_JUDGMENTS, return_index=True)[1][1:])
        borders = [0, *np.searchsorted(topic, [group[0] for group in groups[1:]]).tolist(), len(key)]
        rows, judgments = [], []
        for group, (begin, end) in zip(groups, pairwise(borders), strict=True):
            row, judgment = self._match_topics(group, key[begin:end], topic[begin:end], doc[begin:end])
            rows.append(row + begin)
            judgments.append(judgment)
        return np.concatenate(rows), np.concatenate(judgments)

    def _match_topics(
        self, topics: np.ndarray, key: np.ndarray, topic: np.ndarray, doc: pl.Series
    ) -> tuple[np.ndarray, np.ndarray]:
        """Match documents with the judgments of some topics (ascending), as ``_match`` does."""
        rows = expand_ranges(self._first[topics], self._lengths(topics))
        row, judgment = HashIndex(self._key[rows]).find(key)
        return self._verify(row, rows[judgment], topic, doc)

    def _verify(
        self, row: np.ndarray, judgment: np.ndarray, topic: np.ndarray, doc: pl.Series
    ) -> tuple[np.ndarray, np.ndarray]:
        """Keep the pairs of rows and judgments that have the same topic and document, not only the same hash."""
        same = topic.take(row) == self._topic.take(judgment)
        same &= (doc[row] == self._frame["doc"][judgment]).to_numpy()
        return (row, judgment) if same.all() else (row[same], judgment[same])

    def _lengths(self, topics: np.ndarray) -> np.ndarray:
        """Return the number of judgments of each topic."""
        return np.asarray(self._first[topics + 1] - self._first[topics])

    @cached_property
    def _first(self) -> np.ndarray:
        """The first row of each topic, and the number of rows."""
        # A matrix product is several times faster than ``sum(axis=1)`` over a few columns.
        return np.concatenate([[0], np.cumsum(self.counts @ np.ones(len(self.levels), dtype=np.int64))])

    def codes_of(self, judgment: np.ndarray) -> np.ndarray:
        """Return the grade codes for the numbers that ``judgment_numbers`` returns."""
        table, _ = self.code_table(np.ones(len(self), dtype=bool))
        return np.asarray(table[judgment])

    def code_table(self, keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the grade code of each judgment number, and ``counts``, for a selection of the judgments.

        *keep* is a mask over the rows of ``frame()``; all other judgments get the code 0.
        """
        code = np.zeros(len(self) + 1, dtype=self.code_type)
        code[1:][keep] = self._level[keep] + 1
        return code, self._count(self._topic[keep], self._level[keep])

    @property
    def _hash_index(self) -> HashIndex:
        """The index of all judgments, built once even if several threads need it at the same time."""
        with _INDEX_LOCK:
            if self._index is None:
                self._index = HashIndex(self._key)
            return self._index


def _encode_grades(grade: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct grades, ascending, and the index of each grade among them."""
    # Usually all grades occur in the first chunk, so only this chunk is sorted. If a new grade occurs later, all
    # judgments are sorted.
    levels = sorted_distinct(grade[:_CHUNK])
    index = np.zeros(len(grade), dtype=np.uint8)
    for begin in range(0, len(grade), _CHUNK):
        chunk, chunk_index = (values[begin : begin + _CHUNK] for values in (grade, index))
        if len(levels) <= _FEW_LEVELS:
            chunk_index[:] = _find_levels(levels, chunk)
        if not (levels.take(chunk_index) == chunk).all():
            levels = sorted_distinct(grade)
            return levels, _find_levels(levels, grade)
    return levels, index


def _find_levels(levels: np.ndarray, grade: np.ndarray) -> np.ndarray:
    """Return the index of each grade in *levels*."""
    if len(levels) > _FEW_LEVELS:
        return np.searchsorted(levels, grade)
    index = np.zeros(len(grade), dtype=np.uint8)
    for level in levels[1:].tolist():  # several times faster than a binary search for each grade
        index += grade >= level
    return index


@check_arguments
def read_qrels(
    path: str | Path, *, lenient: bool = False, columns: Mapping[str, str | Sequence[str]] | None = None
) -> Qrels:
    """Read judgments from a file: TREC text, CSV, TSV, JSON, JSON Lines or Parquet, optionally compressed.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    lenient
        Skip bad lines and keep only the first of duplicate judgments; ``Qrels.notes`` reports their numbers.
    columns
        Names of columns that have none of the usual names, such as ``{"doc": "product_id"}``.
    """
    return Qrels(files.read_qrels(path_text(path), lenient, parse_columns(columns)))
