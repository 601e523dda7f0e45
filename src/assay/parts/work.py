"""What is done with the rows of a part, in any thread: check, join with the judgments, evaluate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError
from assay.io.checks import checked
from assay.model.arrays import Bools, Ints
from assay.model.joined import JoinedRun, join_run
from assay.model.run import Run
from assay.parts.chunk import Chunk, Deferred, Place

if TYPE_CHECKING:
    import polars as pl

    from assay.parts.files import File
    from assay.parts.scoring import Scored, Scoring


class PartRankings(NamedTuple):
    """PartRankings of some topics of one run: what measures that wait will need."""

    topics: Ints
    code: np.ndarray
    length: Ints
    tied: Bools | None


@dataclass
class Outcome:
    """What a part of one run comes to.

    *run* is the name that a table gives the run, *failure* the place and message of a rank that is no rank, *mixed* the
    rankings whose values are to be sampled, *rankings* all of them if a measure waits for the longest.
    """

    run: str | None
    checks: Deferred
    rows: int = 0
    topics: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    length: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    longest: tuple[int, int] = (0, 0)
    foreign: frozenset[str] = frozenset()
    foreign_rows: int = 0
    contradicted: int = 0
    failure: tuple[int, str] | None = None
    scored: Scored | None = None
    rankings: PartRankings | None = None
    mixed: PartRankings | None = None


class PartRead(NamedTuple):
    """What reading a part has shown: problems, the different tags of its lines and the last of them, runs by name."""

    problems: Deferred
    tags: frozenset[str]
    tag: str | None
    runs: tuple[str, ...]
    blank: bool


def read_part(file: File, part: Any) -> tuple[Chunk, PartRead]:
    """The rows of a part, without the tags of TREC text."""
    chunk = file.read(part)
    runs = chunk.frame["run"].unique(maintain_order=True).to_list() if "run" in chunk.frame.columns else []
    if "tag" not in chunk.frame.columns or chunk.frame.is_empty():
        return chunk, PartRead(chunk.problems, frozenset(), None, tuple(runs), chunk.blank)
    tags = chunk.frame["tag"]
    last = str(tags[-1])
    different = frozenset([last] if (tags == last).all() else tags.unique().to_list())
    return _with(chunk, chunk.frame.drop("tag")), PartRead(chunk.problems, different, last, tuple(runs), chunk.blank)


def _with(chunk: Chunk, frame: pl.DataFrame) -> Chunk:
    return Chunk(frame, chunk.numbers, chunk.place, chunk.problems, chunk.complete, chunk.blank)


def evaluated(chunk: Chunk, scoring: Scoring) -> list[Outcome]:
    """Evaluate the topics of a chunk; nothing of them stands elsewhere in the file."""
    return [_outcome(name, frame, where, chunk, scoring) for name, frame, where in _runs(chunk)]


def _runs(chunk: Chunk) -> Iterator[tuple[str | None, pl.DataFrame, Callable[[int], Place]]]:
    """The rows of each run, with their places."""
    if "run" not in chunk.frame.columns:
        yield None, chunk.frame, chunk.where
        return
    if chunk.frame.is_empty():
        return
    for part in chunk.frame.with_row_index("row").partition_by("run", maintain_order=True):
        yield str(part["run"][0]), part.drop("row", "run"), _places(chunk, part["row"].to_numpy())


def _places(chunk: Chunk, rows: np.ndarray) -> Callable[[int], Place]:
    return lambda row: chunk.where(int(rows[row]))


def _outcome(
    name: str | None, frame: pl.DataFrame, where: Callable[[int], Place], chunk: Chunk, scoring: Scoring
) -> Outcome:
    out = Outcome(name, Deferred(chunk.problems.source))
    asked: list[int] = []

    def remembered(row: int) -> str:
        place = where(row)
        asked.append(place.at)
        return place

    table = checked(frame, "run", remembered, out.checks, complete=chunk.complete)
    asked.clear()
    try:
        part = join_run(scoring.qrels, Run(table), scoring.policies.ties)
    except InputError as error:
        out.failure = (asked[-1] if asked else -1, str(error))
        # Which topics there are matters nonetheless: one that comes back may have duplicates, which are said first.
        add_topics(out, join_run(scoring.qrels, Run(table), "file"))
        return out
    add_part(out, part, scoring)
    return out


def of_run(run: Run, scoring: Scoring) -> Outcome:
    """Evaluate a run that was read as a whole."""
    out = Outcome(None, Deferred(run.source))
    add_part(out, join_run(scoring.qrels, run, scoring.policies.ties), scoring)
    return out


def add_topics(out: Outcome, part: JoinedRun) -> None:
    """Note which topics there are."""
    out.topics = np.flatnonzero(part.length)
    out.length = part.length[out.topics]
    out.rows = int(out.length.sum()) + part.unjudged_rows
    out.foreign, out.foreign_rows = part.unjudged_topics, part.unjudged_rows
    out.contradicted = part.contradicted


def add_part(out: Outcome, part: JoinedRun, scoring: Scoring) -> None:
    """Evaluate rankings, and keep those that are needed later."""
    add_topics(out, part)
    judged = scoring.of_part(out.topics, part)
    out.scored = scoring.scored(out.topics, judged, scoring.at_once)
    if scoring.waiting or part.tied is not None:
        condensed = judged.condensed().length
        out.longest = int(judged.length.max(initial=0)), int(condensed.max(initial=0))
    if scoring.waiting:
        out.rankings = PartRankings(out.topics, part.code, out.length, part.tied)
    if judged.tied is not None and (out.scored.sampled or scoring.waiting):
        mixed = judged.mixed()
        code, length, tied = _taken(judged.code, mixed, judged.start), judged.length[mixed], judged.tied
        out.mixed = PartRankings(out.topics[mixed], code, length, _taken(tied, mixed, judged.start))


def _taken(values: np.ndarray, rankings: Ints, start: Ints) -> np.ndarray:
    """The values of some rankings."""
    pieces = [values[start[ranking] : start[ranking + 1]] for ranking in rankings.tolist()]
    return np.concatenate([values[:0], *pieces])
