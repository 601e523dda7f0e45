"""What is known of a file while its parts come in, and its runs at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import InputError, encodable
from assay.io.source import stem
from assay.model.joined import JoinedRun
from assay.parts.chunk import CHECKS, Deferred
from assay.parts.work import Outcome, PartRead

if TYPE_CHECKING:
    from assay.model.arrays import Floats, Ints
    from assay.parts.files import File
    from assay.parts.scoring import Scored, Scoring


_KEYS = count()


class TopicAgainError(Exception):
    """A topic stands in more than one place of a file."""


class GatheredRun(NamedTuple):
    """One run of which every part was seen: what was joined, and measures x topics of values."""

    joined: JoinedRun
    value: Floats
    key: int


@dataclass
class OneRun:
    """What is known of one run so far. *key* is under what ``Later`` keeps its rankings."""

    name: str | None
    length: Ints
    value: Floats
    checks: Deferred
    key: int = field(default_factory=partial(next, _KEYS))
    rows: int = 0
    foreign: set[str] = field(default_factory=set)
    foreign_rows: int = 0
    contradicted: int = 0
    failure: tuple[int, str] | None = None

    def add(self, outcome: Outcome, chosen: list[int]) -> None:
        """Take a part over; a topic that was there before is an error."""
        if (self.length[outcome.topics] > 0).any() or not self.foreign.isdisjoint(outcome.foreign):
            raise TopicAgainError
        self.checks.include(outcome.checks)
        self.rows += outcome.rows
        self.foreign |= outcome.foreign
        self.foreign_rows += outcome.foreign_rows
        self.contradicted += outcome.contradicted
        self.length[outcome.topics] = outcome.length
        if outcome.failure is not None:
            self.failure = min(outcome.failure, self.failure or outcome.failure)
        if outcome.scored is not None:
            self.take(outcome.scored, chosen)

    def take(self, scored: Scored, chosen: list[int]) -> None:
        """Take the values of some measures over."""
        self.value[np.ix_(np.array(chosen, dtype=np.int64), scored.topics)] = scored.value


class Gathering:
    """A file whose parts come in, in order."""

    def __init__(self, file: File, scoring: Scoring, lenient: bool) -> None:
        self._file = file
        self._scoring = scoring
        self._lenient = lenient
        self._reading = Deferred(file.name, lenient)
        self._tags: set[str] = set()
        self._tag: str | None = None
        self._blank = True
        self._runs: dict[str | None, OneRun] = {}

    def rows_of(self, name: str | None) -> OneRun:
        """What is known of a run of the file."""
        if name not in self._runs:
            self._runs[name] = new_run(name, self._file.name, self._scoring, self._lenient)
        return self._runs[name]

    @property
    def runs(self) -> list[OneRun]:
        """The runs that were met, in the order of the file."""
        return list(self._runs.values())

    def read(self, read: PartRead) -> None:
        """Take over what reading a part has shown."""
        self._reading.include(read.problems)
        self._tags |= read.tags
        self._tag = read.tag if read.tag is not None else self._tag
        self._blank = self._blank and read.blank
        for name in read.runs:
            self.rows_of(name)

    def add(self, outcome: Outcome) -> OneRun:
        """Take over what a part of a run comes to."""
        run = self.rows_of(outcome.run)
        run.add(outcome, self._scoring.at_once)
        return run

    def finished(self) -> list[GatheredRun]:
        """The runs; what is wrong with the file is said now, in the order in which one looks at a whole file."""
        if self._blank and self._file.complete:
            raise InputError(f"{self._file.name}: the file is empty")
        self._reading.settle(())
        runs = list(self._runs.values()) or [self.rows_of(None)]
        for run in runs:
            run.checks.settle(CHECKS)
            if not run.rows:
                raise InputError(f"{self._file.name}: no results in it{self._first_problem(run)}")
        for run in runs:
            if run.failure is not None:
                raise InputError(run.failure[1])
        return [GatheredRun(self._joined(run), run.value, run.key) for run in runs]

    def _first_problem(self, run: OneRun) -> str:
        """Name a problem of a run all of whose rows were skipped."""
        messages = [message for met in (self._reading.met, run.checks.met) for _, _, message in met.values()]
        return "".join(f"; the first problem is {message}" for message in messages[:1])

    def _joined(self, run: OneRun) -> JoinedRun:
        name = run.name or self._tag or stem(self._file.name)
        several = len(self._tags) > 1
        tags = f"{self._file.name}: holds {len(self._tags)} different tags; named by the last, {self._tag}"
        notes = (*self._file.notes, *[tags] * several, *self._reading.notes(), *run.checks.notes())
        return joined(run, name, self._file.name, self._file.digest(), notes, topics=self._scoring.qrels.topics)


def new_run(name: str | None, source: str, scoring: Scoring, lenient: bool) -> OneRun:
    """A run of which nothing is known."""
    topics = len(scoring.qrels.topics)
    value = np.full((len(scoring.measures), topics), np.nan)
    return OneRun(name, np.zeros(topics, dtype=np.int64), value, Deferred(source, lenient))


def joined(
    run: OneRun, name: str, source: str, digest: str | None, notes: tuple[str, ...], *, topics: tuple[str, ...]
) -> JoinedRun:
    """Return what is kept of a run, without its rankings."""
    return JoinedRun(
        name=name,
        source=encodable(source),  # the name of a file is bytes; tables and JSON need text
        digest=digest,
        notes=notes,
        topics=topics,
        length=run.length,
        code=np.zeros(0, dtype=np.uint8),
        tied=None,
        unjudged_topics=frozenset(run.foreign),
        unjudged_rows=run.foreign_rows,
        contradicted=run.contradicted,
    )
