"""The chunk function: join the rows of a chunk with the judgments and return grade codes.

It has two implementations. ``join_fast`` joins every row, or returns None if anything is unusual. ``join_carefully``
knows the line of each row and collects the problems, which are then merged in the order of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError, escape_surrogates
from assay.io.checks import check_rows
from assay.io.chunks import Chunk, ParsedRows
from assay.io.document_hash import has_duplicates, hash_documents
from assay.io.problems import Place, Problems
from assay.io.table import RowTable
from assay.model.joined import JoinedRun, join_run
from assay.model.qrels import Qrels
from assay.model.run_facts import describe_run


@dataclass(frozen=True, eq=False)
class Join:
    """Parameters of a join.

    Attributes
    ----------
    qrels
        Function that returns the judgments; it may wait until they are read.
    ties
        The tie policy.
    keep
        The data to keep for each document: one of ``joined.KEEP``.
    facts
        True to mark tied documents and to collect ``JoinedRun.facts``, which needs the rank column.
    """

    qrels: Callable[[], Qrels | None]
    ties: str
    keep: str = "grades"
    facts: bool = False

    @property
    def needs_rank(self) -> bool:
        """True if the tie policy or the facts need the rank column."""
        return self.ties == "rank" or self.facts

    def join_table(self, table: RowTable) -> JoinedRun:
        """Join the checked rows of one run."""
        joined = join_run(self.qrels(), table, self.ties, self.keep, tie_flags=self.facts)
        return joined._replace(facts=describe_run(table)) if self.facts else joined


class ChunkFacts(NamedTuple):
    """Facts about a source from one of its chunks.

    *line_count* is the number of lines, including lines without rows. *tag* is the tag of the last line, and *tags* are
    the distinct tags. *names* are the names of the runs in a table; a text has one run, with name None. *problems* are
    the problems of bad lines.
    """

    line_count: int
    tag: str | None
    tags: frozenset[str]
    names: tuple[str | None, ...]
    problems: Problems | None = None


class Failure(NamedTuple):
    """A problem that even a lenient reader cannot skip, such as a rank that is not a number."""

    line: int
    message: str


class JoinedChunk(NamedTuple):
    """The rankings of a chunk by name of the run.

    *checks* are problems of rows, such as duplicates. *failures* has the first failure of each run that failed.
    """

    facts: ChunkFacts
    runs: dict[str | None, JoinedRun]
    checks: dict[str | None, Problems]
    failures: dict[str | None, Failure]


def join_fast(chunk: Chunk, join: Join) -> JoinedChunk | None:
    """Join the rows of a chunk; return None if anything is unusual."""
    frame = chunk.parse_fast()
    if frame is None:
        return None
    facts, frame = describe_rows(chunk, frame)
    runs: dict[str | None, JoinedRun] = {}
    for name, rows, _ in _split_runs(frame):
        key = hash_documents(rows["topic"], rows["doc"])
        table = RowTable(escape_surrogates(chunk.source), rows, key, chunk.place, tag=name or facts.tag)
        if has_duplicates(key, table.segments):
            return None
        try:
            runs[name] = join.join_table(table)
        except InputError:
            return None
    return JoinedChunk(facts, runs, {}, {})


def join_carefully(chunk: Chunk, join: Join, lenient: bool, preceding_lines: int = 0) -> JoinedChunk:
    """Join the rows of a chunk and collect its problems; *preceding_lines* counts the lines before the chunk."""
    parsed, problems = parse_carefully(chunk, lenient, preceding_lines)
    facts, frame = describe_rows(chunk, parsed.frame, problems)
    joined = JoinedChunk(facts, {}, {}, {})
    for name, rows, numbers in _split_runs(frame, parsed.numbers):
        checks = joined.checks[name] = Problems(chunk.source, lenient, defer=True)
        locate = _RowPlaces(chunk, numbers)
        table = check_rows(rows, "run", locate, checks, tag=name or facts.tag)
        try:
            joined.runs[name] = join.join_table(table)
        except InputError as error:
            joined.failures[name] = Failure(locate.last_line, str(error))
            # Join in file order to find the topics. A topic that occurs again in another chunk may have duplicates, and
            # duplicates are reported before this failure.
            joined.runs[name] = join_run(join.qrels(), table, "file", join.keep)
    return joined


def parse_carefully(chunk: Chunk, lenient: bool, preceding_lines: int) -> tuple[ParsedRows, Problems]:
    """Return the rows of a chunk and the problems of its lines; *preceding_lines* counts the lines before the chunk.

    A bad line stops a strict reader immediately, since chunks are merged in the order of the file. Problems of rows
    (duplicates, missing ids) are reported at the end of the file, after the problems of all lines.
    """
    problems = Problems(chunk.source, lenient)
    return chunk.parse_carefully(preceding_lines, problems), problems


class _RowPlaces:
    """Maps rows to places in the source, for messages; *last_line* is the line of the row mapped last."""

    def __init__(self, chunk: Chunk, numbers: np.ndarray) -> None:
        self._chunk = chunk
        self._numbers = numbers
        self.last_line = 0

    def __call__(self, row: int) -> Place:
        self.last_line = int(self._numbers[row])
        return Place.at(self._chunk.place(self.last_line), self.last_line)


def describe_rows(
    chunk: Chunk, frame: pl.DataFrame, problems: Problems | None = None
) -> tuple[ChunkFacts, pl.DataFrame]:
    """Return facts about the source of the rows (tags, names of runs), and the rows without their tags."""
    names = tuple(frame["run"].unique(maintain_order=True).to_list()) if "run" in frame.columns else (None,)
    if "tag" not in frame.columns or frame.is_empty():
        return ChunkFacts(chunk.count_lines(), None, frozenset(), names, problems), frame.drop("tag", strict=False)
    tags = frame["tag"]
    last_tag = str(tags[-1])
    distinct = frozenset([last_tag] if (tags == last_tag).all() else tags.unique().to_list())
    return ChunkFacts(chunk.count_lines(), last_tag, distinct, names, problems), frame.drop("tag")


def _split_runs(
    frame: pl.DataFrame, numbers: np.ndarray | None = None
) -> Iterator[tuple[str | None, pl.DataFrame, np.ndarray]]:
    """Yield the name, the rows and the line numbers of each run of a table."""
    numbers = np.zeros(0, dtype=np.int64) if numbers is None else numbers
    if "run" not in frame.columns:
        yield None, frame, numbers
    elif len(frame):
        for rows in frame.with_row_index("row").partition_by("run", maintain_order=True):
            index = rows["row"].to_numpy()
            yield str(rows["run"][0]), rows.drop("row", "run"), numbers[index] if len(numbers) else numbers
