"""Evaluate runs in parts: what is kept of each topic is its values."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np

from assay.engine.joining import add_topic_notes
from assay.engine.sources import RunSource, as_qrels, find_sources, refuse_reading_twice
from assay.engine.workers import Progress, await_result, thread_pool
from assay.errors import InputError
from assay.io.dataset import is_dataset
from assay.io.dataset import size as dataset_size
from assay.io.paths import file_errors, path_text
from assay.measures import Measure
from assay.measures._threshold import refuse_unreached
from assay.memory import shown
from assay.model.arrays import Bools, Floats
from assay.model.joined import JoinedRun
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.parts import budget as budgets
from assay.parts.budget import Budget
from assay.parts.files import File, opened
from assay.parts.gathering import GatheredRun, Gathering, TopicAgainError, joined, new_run
from assay.parts.later import Later
from assay.parts.partitions import Partitions
from assay.parts.scoring import Scoring
from assay.parts.work import Outcome, PartRead, evaluated, of_run, read_part

Given = TypeVar("Given")
Made = TypeVar("Made")
Mapped = Callable[[Callable[[Given], Made], Iterable[Given]], Iterator[Made]]


class Evaluated(NamedTuple):
    """Values and standard errors, measures x runs x topics; *undefined* marks measures x topics.

    *runs* are without their rankings. *notes* say which files took room on disk.
    """

    qrels: Qrels
    runs: list[JoinedRun]
    values: Floats
    errors: Floats
    undefined: Bools
    notes: tuple[str, ...]


def evaluate_in_parts(
    qrels: Any,
    runs: Any,
    measures: tuple[Measure, ...],
    policies: Policies,
    *,
    memory: int,
    lenient: bool = False,
    temporary: str | Path | None = None,
    progress: Progress | None = None,
) -> Evaluated:
    """Evaluate *runs* within about *memory* bytes; files that need sorting go through the directory *temporary*.

    *progress* is called with the number of bytes read and their total.
    """
    refuse_reading_twice(qrels, runs)
    listed = find_sources(runs, lenient)
    with _directory(temporary) as directory:
        judgments = as_qrels(qrels, lenient=lenient).prepared()
        refuse_unreached(measures, judgments.levels)
        allowed = budgets.budget(memory, _taken(judgments, len(listed), len(measures)))
        scoring = Scoring.of(judgments, measures, policies)
        later = Later(scoring, Path(directory), allowed)
        told = _Told(progress, sum(_size(source) for source in listed))
        work = _Work(scoring, allowed, later, Path(directory), lenient, told)
        with thread_pool(allowed.threads) as executor:
            found = work.all(listed, executor)
        return _put_together(found, scoring, later, tuple(work.notes))


def _directory(temporary: str | Path | None) -> AbstractContextManager[str]:
    if temporary is not None and not os.path.isdir(path_text(temporary)):
        raise InputError(f"temporary files: there is no directory {temporary}")
    # A thread that is still at work after an error may take a file away at the same time.
    with file_errors(temporary or gettempdir(), "temporary files cannot be written"):
        return TemporaryDirectory(prefix="assay-", dir=temporary, ignore_cleanup_errors=True)


def _taken(qrels: Qrels, runs: int, measures: int) -> int:
    """About how many bytes judgments and values take while the runs are gone through."""
    judgments = qrels.frame().estimated_size() * 5 // 4 + 48 * len(qrels)
    return int(judgments + len(qrels.topics) * (200 + 8 * qrels.counts.shape[1] + runs * (9 * measures + 8)))


def _size(source: RunSource) -> int:
    if source.path is not None and is_dataset(source.path):
        return dataset_size(source.path)
    return os.path.getsize(source.path) if source.path is not None and os.path.isfile(source.path) else 0


class _Told:
    """Progress by bytes, from several threads."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._lock = Lock()

    def __call__(self, size: int) -> None:
        if self._progress is not None:
            with self._lock:
                self._done = min(self._done + size, self._total)
                self._progress(self._done, self._total)


@dataclass
class _Work:
    """What goes through sources: one large one at a time, or several small ones."""

    scoring: Scoring
    budget: Budget
    later: Later
    directory: Path
    lenient: bool
    told: Callable[[int], None]
    notes: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def all(self, listed: list[RunSource], executor: ThreadPoolExecutor) -> list[GatheredRun]:
        """The runs of all sources, in their order."""
        found: list[GatheredRun] = []
        small: deque[Future[list[GatheredRun]]] = deque()
        for source in listed:
            if self._is_small(source):
                small.append(executor.submit(self.one, source, map))
                if len(small) > self.budget.threads:
                    found.extend(_result(small.popleft()))
                continue
            while small:
                found.extend(_result(small.popleft()))
            found += self.one(source, _side_by_side(executor, self.budget.threads))
        while small:
            found.extend(_result(small.popleft()))
        return found

    def _is_small(self, source: RunSource) -> bool:
        return source.path is not None and 0 < budgets.text_size(source.path) < self.budget.piece

    def one(self, source: RunSource, mapped: Any) -> list[GatheredRun]:
        """The runs of one source; *mapped* maps a function over parts, perhaps in several threads."""
        rank = self.scoring.policies.ties == "rank"
        file = None
        if source.path is not None and not source.path.startswith("irds:"):
            file = opened(source.path, self.budget, lenient=self.lenient, rank=rank, spool=self._new)
        found = self._whole(source, rank) if file is None else self._in_parts(file, mapped)
        if source.name is not None:
            if len(found) != 1:
                raise InputError(f"runs: {source.name!r} names {len(found)} runs; give each a name of its own")
            found = [found[0]._replace(joined=found[0].joined._replace(name=source.name))]
        policies = self.scoring.policies
        return [run._replace(joined=add_topic_notes(run.joined, self.scoring.qrels, policies)) for run in found]

    def _new(self, name: str) -> Path:
        return self.directory / f"{name}-{next(self._numbers)}"

    def _whole(self, source: RunSource, rank: bool) -> list[GatheredRun]:
        found = []
        for run in source.read(rank):
            outcome = of_run(run, self.scoring)
            known = new_run(None, run.source, self.scoring, self.lenient)
            known.add(outcome, self.scoring.at_once)
            self.later.add(known, outcome)
            kept = joined(known, run.name, run.source, run.digest, run.notes, topics=self.scoring.qrels.topics)
            found.append(GatheredRun(kept, known.value, known.key))
        self.told(_size(source))
        if source.path is not None and not self.budget.holds(budgets.text_size(source.path)):
            self.notes.append(f"{source.path}: files of this format are read as a whole, whatever memory that takes")
        return found

    def _in_parts(self, file: File, mapped: Any) -> list[GatheredRun]:
        gathering = Gathering(file, self.scoring, self.lenient)
        try:
            for read, outcomes in mapped(lambda part: self._evaluated(file, part), file.parts(self.told)):
                gathering.read(read)
                self._add(gathering, outcomes)
        except TopicAgainError:
            for run in gathering.runs:
                self.later.forget(run.key)
            gathering = self._partitioned(file, mapped)
        return gathering.finished()

    def _evaluated(self, file: File, part: Any) -> tuple[PartRead, list[Outcome]]:
        chunk, read = read_part(file, part)
        return read, evaluated(chunk, self.scoring)

    def _add(self, gathering: Gathering, outcomes: list[Outcome]) -> None:
        for outcome in outcomes:
            self.later.add(gathering.add(outcome), outcome)

    def _partitioned(self, file: File, mapped: Any) -> Gathering:
        """A file in which a topic stands in several places: its rows go to disk, and come back topic by topic."""
        gathering = Gathering(file, self.scoring, self.lenient)
        directory = self._new("partitions")
        directory.mkdir()
        number = self.budget.partitions(file.size)
        with Partitions(directory, number) as partitions:

            def packed(part: Any) -> tuple[PartRead, list[bytes]]:
                chunk, read = read_part(file, part)
                return read, partitions.packed(chunk)

            for read, data in mapped(packed, file.parts(lambda _: None)):
                gathering.read(read)
                partitions.add(data)

        def of_partition(place: int) -> list[Outcome]:
            chunk = partitions.load(place, file.name, file.place, file.complete)
            return [] if chunk is None else evaluated(chunk, self.scoring)

        for outcomes in mapped(of_partition, range(number)):
            self._add(gathering, outcomes)
        room = shown(partitions.size)
        self.notes.append(f"{file.name}: topics stand in several places; sorted on disk, which took {room}B")
        return gathering


def _result(future: Future[list[GatheredRun]]) -> list[GatheredRun]:
    return await_result(future)


def _side_by_side(executor: ThreadPoolExecutor, most: int) -> Mapped[Any, Any]:
    """A ``map`` in several threads that takes things only when there is room for them."""

    def mapped(work: Callable[[Given], Made], things: Iterable[Given]) -> Iterator[Made]:
        waiting: deque[Future[Made]] = deque()
        for thing in things:
            waiting.append(executor.submit(work, thing))
            del thing  # it may be large, and the next is read before this name is used again
            if len(waiting) >= most:
                yield await_result(waiting.popleft())
        while waiting:
            yield await_result(waiting.popleft())

    return mapped


def _put_together(found: list[GatheredRun], scoring: Scoring, later: Later, notes: tuple[str, ...]) -> Evaluated:
    shape = (len(scoring.measures), len(found), len(scoring.qrels.topics))
    value = np.full(shape, np.nan)
    for place, run in enumerate(found):
        value[:, place] = run.value
    errors = np.zeros(shape)
    later.finish(found, value, errors)
    return Evaluated(scoring.qrels, [run.joined for run in found], value, errors, later.undefined, notes)
