"""The chunk function: rows of a run and the judgments in, grade codes out.

There is a fast implementation and a careful one. The fast one either joins every row or declines; the careful one
knows the line of each row and collects the problems, which are merged in the order of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError, encodable
from assay.io.checks import check_rows
from assay.io.chunks import Chunk, ParsedRows
from assay.io.keys import keys, repeated
from assay.io.problems import Place, Problems
from assay.io.table import RowTable
from assay.model.joined import JoinedRun, join_run
from assay.model.qrels import Qrels


@dataclass(frozen=True, eq=False)
class Join:
    """The parameters of a join: a function that returns the judgments, the tie policy, and what to keep."""

    qrels: Callable[[], Qrels | None]
    ties: str
    keep: str = "grades"

    @property
    def rank(self) -> bool:
        """True if the rank column is needed."""
        return self.ties == "rank"

    def table(self, table: RowTable) -> JoinedRun:
        """Join the rows of one run that were checked."""
        return join_run(self.qrels(), table, self.ties, self.keep)


class ReadChunk(NamedTuple):
    """Facts about a source from one of its chunks.

    *lines* counts lines, also those without rows; *tag* is the tag of the last line and *tags* are the different ones;
    *names* are the names of the runs in a table, None for the one run of a text; *problems* are those of bad lines.
    """

    lines: int
    tag: str | None
    tags: frozenset[str]
    names: tuple[str | None, ...]
    problems: Problems | None = None


class Failure(NamedTuple):
    """A problem that no reader can skip, such as a rank that is not a number."""

    line: int
    message: str


class JoinedChunk(NamedTuple):
    """The rankings of a chunk, by the name of their run.

    *checks* are problems of rows, such as duplicates; *failures* has the first failure of each run that has one.
    """

    read: ReadChunk
    runs: dict[str | None, JoinedRun]
    checks: dict[str | None, Problems]
    failures: dict[str | None, Failure]


def join_fast(chunk: Chunk, join: Join) -> JoinedChunk | None:
    """Join the rows of a chunk; None if anything about it needs a careful look."""
    frame = chunk.parse_fast()
    if frame is None:
        return None
    read, frame = describe_rows(chunk, frame)
    runs: dict[str | None, JoinedRun] = {}
    for name, rows, _ in _split_runs(frame):
        key = keys(rows["topic"], rows["doc"])
        table = RowTable(encodable(chunk.source), rows, key, chunk.place, tag=name or read.tag)
        if repeated(key, table.segments):
            return None
        try:
            runs[name] = join.table(table)
        except InputError:
            return None
    return JoinedChunk(read, runs, {}, {})


def join_carefully(chunk: Chunk, join: Join, lenient: bool, before: int = 0) -> JoinedChunk:
    """Join the rows of a chunk, and collect the problems; *before* lines of the source precede it."""
    parsed, problems = parse_carefully(chunk, lenient, before)
    read, frame = describe_rows(chunk, parsed.frame, problems)
    joined = JoinedChunk(read, {}, {}, {})
    for name, rows, numbers in _split_runs(frame, parsed.numbers):
        checks = joined.checks[name] = Problems(chunk.source, lenient, defer=True)
        where = _Places(chunk, numbers)
        table = check_rows(rows, "run", where, checks, tag=name or read.tag)
        try:
            joined.runs[name] = join.table(table)
        except InputError as error:
            joined.failures[name] = Failure(where.last, str(error))
            # The topics matter nonetheless: one that occurs again may have duplicates, which are reported first.
            joined.runs[name] = join_run(join.qrels(), table, "file", join.keep)
    return joined


def parse_carefully(chunk: Chunk, lenient: bool, before: int) -> tuple[ParsedRows, Problems]:
    """Return the rows of a chunk and the problems of its lines; *before* lines of the source precede it.

    A bad line stops a strict reader at once, since chunks are merged in the order of the file. Problems of rows
    (duplicates, missing ids) wait for the end of the file, because a bad line further down is reported first.
    """
    problems = Problems(chunk.source, lenient)
    return chunk.parse_carefully(before, problems), problems


class _Places:
    """The places of rows; *last* is the line of the one that was last asked for."""

    def __init__(self, chunk: Chunk, numbers: np.ndarray) -> None:
        self._chunk = chunk
        self._numbers = numbers
        self.last = 0

    def __call__(self, row: int) -> Place:
        self.last = int(self._numbers[row])
        return Place.at(self._chunk.place(self.last), self.last)


def describe_rows(
    chunk: Chunk, frame: pl.DataFrame, problems: Problems | None = None
) -> tuple[ReadChunk, pl.DataFrame]:
    """Return the facts that the rows show about their source, and the rows without their tags."""
    names = tuple(frame["run"].unique(maintain_order=True).to_list()) if "run" in frame.columns else (None,)
    if "tag" not in frame.columns or frame.is_empty():
        return ReadChunk(chunk.count_lines(), None, frozenset(), names, problems), frame.drop("tag", strict=False)
    tags = frame["tag"]
    last = str(tags[-1])
    every = frozenset([last] if (tags == last).all() else tags.unique().to_list())
    return ReadChunk(chunk.count_lines(), last, every, names, problems), frame.drop("tag")


def _split_runs(
    frame: pl.DataFrame, numbers: np.ndarray | None = None
) -> Iterator[tuple[str | None, pl.DataFrame, np.ndarray]]:
    """Yield the name, the rows and the line numbers of each run of a table."""
    numbers = np.zeros(0, dtype=np.int64) if numbers is None else numbers
    if "run" not in frame.columns:
        yield None, frame, numbers
    elif len(frame):
        for part in frame.with_row_index("row").partition_by("run", maintain_order=True):
            row = part["row"].to_numpy()
            yield str(part["run"][0]), part.drop("row", "run"), numbers[row] if len(numbers) else numbers
