"""The sources of a campaign, and the data that is read from them on demand: documents and judgment numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import RLock
from typing import TypeVar

import numpy as np

from assay.engine.joining import JoinedSources, join_sources, map_tables, note_topics
from assay.engine.sources import RunSource
from assay.engine.workers import Progress
from assay.errors import InputError, escape_surrogates
from assay.io.table import RowTable
from assay.model.judged import Judged
from assay.model.notes import Note, TopicCoverage
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.rankings import Rankings

Result = TypeVar("Result")


class RunStore:
    """The runs of a campaign; they are read again when an analysis first needs more than their grades.

    Campaigns derived from one another share a store. A file that changed since it was read is an error.
    """

    def __init__(
        self,
        sources: Sequence[RunSource],
        qrels: Qrels | None,
        ties: str,
        names: tuple[str, ...],
        digests: Sequence[tuple[str, str | None]],
    ) -> None:
        self.sources = sources
        self.qrels = qrels
        self.names = names
        self._ties = ties
        self._digests = list(digests)
        self._rankings: Rankings | None = None
        self._some_rankings: tuple[tuple[int, ...], Rankings] | None = None
        self._numbers: Judged | None = None
        self._lock = RLock()  # the explorer uses the store from several threads

    def add(self, joined: JoinedSources) -> None:
        """Add the documents and judgment numbers of runs that were just read, if they were kept."""
        if joined.runs and joined.runs[0].documents is not None:
            self._rankings = Rankings.from_joined_runs(joined.runs, self.names, self.qrels)
        self._numbers = joined.numbers

    @property
    def rankings(self) -> Rankings:
        """The rankings of all runs with their documents, for all topics of the runs."""
        with self._lock:
            if self._rankings is None:
                self._read_again("documents")
            if self._rankings is None:
                raise InputError("runs: this needs the documents of runs; name at least one run")
            return self._rankings

    def rankings_of(self, runs: Sequence[int]) -> Rankings:
        """Return the rankings of some runs, given by index, with their documents.

        The first request for a part of the runs reads only these runs. Any further request reads all runs.
        """
        selected = tuple(runs)
        with self._lock:
            is_part = 0 < len(set(selected)) == len(selected) < len(self.names) == len(self.sources)
            if self._rankings is None and self._some_rankings is None and is_part:
                joined = join_sources(
                    lambda: self.qrels, [self.sources[i] for i in selected], Policies(self._ties), keep="documents"
                )
                self._check_digests(
                    [(run.source, run.digest) for run in joined.runs], [self._digests[i] for i in selected]
                )
                names = [self.names[i] for i in selected]
                self._some_rankings = selected, Rankings.from_joined_runs(joined.runs, names, self.qrels)
            if self._some_rankings is not None and self._some_rankings[0] == selected:
                return self._some_rankings[1]
        return self.rankings.select(selected)

    @property
    def judgment_numbers(self) -> Judged:
        """The rankings of the judged topics; ``code`` is 1 + the row of the judgment in ``qrels.frame()``, or 0."""
        with self._lock:
            if self._numbers is None and self._rankings is None:
                self._read_again("judgments")
            if self._numbers is None and self._rankings is not None and self.qrels is not None:
                rankings = self._rankings.select(topics=self.qrels.topics)
                self._numbers = replace(rankings, code=rankings.judgment_numbers(self.qrels)).to_judged(Policies())
            if self._numbers is None:
                raise InputError("runs: this needs judged runs; name qrels and at least one run")
            return self._numbers

    def each_run(self, work: Callable[[RowTable], Result], progress: Progress | None = None) -> list[Result]:
        """Apply *work* to the rows of each run."""

        def work_with_digest(run: RowTable) -> tuple[tuple[str, str | None], Result]:
            return (run.source, run.digest), work(run)

        results = map_tables(self.sources, work_with_digest, needs_rank=True, progress=progress)
        self._check_digests([digest for digest, _ in results])
        return [result for _, result in results]

    def _read_again(self, keep: str) -> None:
        joined = join_sources(lambda: self.qrels, self.sources, Policies(self._ties), keep=keep)
        self._check_digests([(run.source, run.digest) for run in joined.runs])
        self.add(joined)

    def _check_digests(
        self, digests: list[tuple[str, str | None]], previous: Sequence[tuple[str, str | None]] | None = None
    ) -> None:
        """Raise an error if sources or their digests differ from the *previous* ones, by default those of all runs."""
        expected = self._digests if previous is None else previous
        for old, new in zip(expected, digests, strict=False):
            if old != new:
                raise InputError(f"{old[0]}: changed since it was read; read the campaign again")
        if len(digests) != len(expected):
            raise InputError("runs: changed since they were read; read the campaign again")

    def topic_notes(self, policies: Policies) -> list[Note]:
        """Return notes on differences between the topics of runs and judgments.

        A run that shares no topic with the judgments is an error.
        """
        if self.qrels is None:
            return []
        topics = np.array(self.rankings.topics, dtype=object)
        is_judged = self.qrels.topic_numbers(self.rankings.topics) >= 0
        notes = []
        for (source, _), length in zip(self._digests, self.rankings.length, strict=True):
            judged, unjudged = (length > 0) & is_judged, (length > 0) & ~is_judged
            coverage = TopicCoverage(int(judged.sum()), int(unjudged.sum()), int(length[unjudged].sum()))
            notes += note_topics(escape_surrogates(source), coverage, topics[unjudged], self.qrels, policies)
        return notes

    def with_qrels(self, qrels: Qrels) -> RunStore:
        """Return the store with other judgments."""
        store = RunStore(self.sources, qrels, self._ties, self.names, self._digests)
        store._rankings = self.rankings.with_qrels(qrels)
        return store

    def with_grades(self, grades: Mapping[float, float]) -> RunStore:
        """Return the store with some grades replaced by others; data already read is kept."""
        qrels = None if self.qrels is None else self.qrels.with_grades(grades)
        store = RunStore(self.sources, qrels, self._ties, self.names, self._digests)
        store._numbers = self._numbers
        if self._rankings is not None and qrels is not None:
            store._rankings = self._rankings.with_qrels(qrels)
        return store
