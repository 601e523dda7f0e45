"""PartRankings that are needed again when all have been seen.

Measures that look at the longest ranking wait for it, their rankings being on disk; rankings with ties between
documents of different grades are kept for measures whose expected value is sampled, as one random stream goes through
all of them.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError, InputError
from assay.measures._values import Values, values
from assay.memory import shown
from assay.parts.partitions import unwritable
from assay.parts.scoring import Some

if TYPE_CHECKING:
    from assay.model.arrays import Bools, Floats
    from assay.parts.budget import Budget
    from assay.parts.gathering import GatheredRun, OneRun
    from assay.parts.scoring import Scored, Scoring
    from assay.parts.work import Outcome, PartRankings

_AT_WORK = 64  # bytes for each document while orders are drawn


class Later:
    """What is known of all runs together."""

    def __init__(self, scoring: Scoring, directory: Path, budget: Budget) -> None:
        self._scoring = scoring
        self._path = directory / "rankings"
        self._budget = budget
        self._lock = Lock()
        self._mixed: dict[int, list[PartRankings]] = {}
        self._mixed_size = 0
        self._longest = (0, 0)
        self._failed: dict[int, AssayError] = {}
        self.sampled: set[int] = set()
        self.undefined: Bools = np.zeros((len(scoring.measures), len(scoring.qrels.topics)), dtype=bool)

    def add(self, run: OneRun, outcome: Outcome) -> None:
        """Keep of a part of a run what is needed again."""
        with self._lock:
            self._longest = (
                max(self._longest[0], outcome.longest[0]),
                max(self._longest[1], outcome.longest[1]),
            )
            if outcome.scored is not None:
                self._note(outcome.scored, self._scoring.at_once)
            if outcome.rankings is not None:
                self._write(run.key, outcome.rankings)
            if outcome.mixed is not None and len(outcome.mixed.topics):
                self._keep(run.key, outcome.mixed)

    def _write(self, key: int, rankings: PartRankings) -> None:
        try:
            with self._path.open("ab") as file:
                pickle.dump((key, rankings), file, pickle.HIGHEST_PROTOCOL)
        except OSError as error:
            raise unwritable(self._path.parent, error) from None

    def _note(self, scored: Scored, chosen: list[int]) -> None:
        self.sampled |= scored.sampled
        for number, error in scored.failed.items():
            self._failed.setdefault(number, error)
        self.undefined[np.ix_(np.array(chosen, dtype=np.int64), scored.topics)] |= scored.undefined

    def _keep(self, key: int, mixed: PartRankings) -> None:
        self._mixed.setdefault(key, []).append(mixed)
        self._mixed_size += self._at_work(mixed)
        if self._mixed_size > self._budget.left:
            raise InputError(
                f"memory {shown(self._budget.memory)}: too little to sample the orders of so many tied documents; "
                "give more, or choose other ties than expected"
            )

    def forget(self, key: int) -> None:
        """Forget the rankings of a run that is gone through again."""
        with self._lock:
            self._mixed_size -= sum(map(self._at_work, self._mixed.pop(key, [])))

    def _at_work(self, mixed: PartRankings) -> int:
        """What drawing orders takes."""
        return _AT_WORK * len(mixed.code) + 8 * self._scoring.policies.samples * len(mixed.topics)

    def finish(self, runs: list[GatheredRun], value: Floats, errors: Floats) -> None:
        """Fill in what waited; *value* and *errors* are measures x runs x topics."""
        self._waited(runs, value)
        self._lacking(runs, value)
        self._refuse_failed()
        self._sampled(runs, value, errors)

    def _waited(self, runs: list[GatheredRun], value: Floats) -> None:
        waiting = sorted(self._scoring.waiting)
        place = {run.key: number for number, run in enumerate(runs)}
        for key, kept in self._read():
            if key in place:
                judged = self._scoring.judged(kept.topics, kept.code, kept.length, kept.tied, depths=self._longest)
                scored = self._scoring.scored(kept.topics, judged, waiting)
                self._note(scored, waiting)
                for number, row in zip(waiting, scored.value, strict=True):
                    value[number, place[key], kept.topics] = row

    def _read(self) -> Iterator[tuple[int, PartRankings]]:
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            size = self._path.stat().st_size
            while file.tell() < size:
                yield pickle.load(file)

    def _lacking(self, runs: list[GatheredRun], value: Floats) -> None:
        """The values of topics that runs lack: those of empty rankings, the same for all runs."""
        answered = [run.joined.answered for run in runs]
        topics = np.flatnonzero(~np.logical_and.reduce(answered)) if runs else np.zeros(0, dtype=np.int64)
        if not len(topics):
            return
        chosen = list(range(len(self._scoring.measures)))
        scored = self._scoring.scored(topics, self._empty(topics), chosen)
        self._note(scored, chosen)
        for number, has in enumerate(answered):
            lacks = ~has[topics]
            value[:, number, topics[lacks]] = scored.value[:, lacks]

    def _empty(self, topics: np.ndarray) -> Some:
        nothing = np.zeros(0, dtype=np.uint8)
        tied = nothing.astype(bool) if self._scoring.policies.ties == "expected" else None
        length = np.zeros(len(topics), dtype=np.int64)
        judged = self._scoring.judged(topics, nothing, length, tied, answered=False, depths=self._longest)
        assert isinstance(judged, Some)
        return judged

    def _refuse_failed(self) -> None:
        for number in sorted(self._failed):
            # What is said depends on all topics.
            values(self._scoring.measures[number], self._empty(np.arange(len(self._scoring.qrels.topics))))
            raise self._failed[number]

    def _sampled(self, runs: list[GatheredRun], value: Floats, errors: Floats) -> None:
        order = [(place, kept) for place, run in enumerate(runs) for kept in self._mixed.get(run.key, [])]
        if not self.sampled or not order:
            return
        run, topic, judged = self._together(order)
        for number in sorted(self.sampled):
            drawn: Values = values(self._scoring.measures[number], judged)
            value[number, run, topic] = drawn.value
            if drawn.error is not None:
                errors[number, run, topic] = drawn.error

    def _together(self, order: list[tuple[int, PartRankings]]) -> tuple[np.ndarray, np.ndarray, Some]:
        """All mixed rankings as they stand in memory: run by run, and in a run topic by topic."""
        run = np.concatenate([np.full(len(kept.topics), place) for place, kept in order])
        topic = np.concatenate([kept.topics for _, kept in order])
        length = np.concatenate([kept.length for _, kept in order])
        by = np.lexsort((topic, run))
        first = (np.cumsum(length) - length)[by]
        start = np.concatenate([[0], np.cumsum(length[by])])
        rows = np.repeat(first - start[:-1], length[by]) + np.arange(start[-1])
        scoring = self._scoring
        condensed = scoring.policies.unjudged == "condensed"
        judged = Some(
            levels=scoring.qrels.levels,
            counts=scoring.qrels.counts,
            topic=topic[by],
            start=start,
            code=np.concatenate([kept.code for _, kept in order])[rows],
            answered=np.ones(len(by), dtype=bool),
            policies=scoring.policies,
            tied=np.concatenate([kept.tied for _, kept in order if kept.tied is not None])[rows],
            streams=scoring.qrels.streams,
            depth=self._longest[1] if condensed else self._longest[0],
            condensed_depth=self._longest[1],
        )
        return run[by], topic[by], judged
