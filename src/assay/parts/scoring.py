"""The values of some rankings, and what must wait until all rankings have been seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError
from assay.measures._base import Measure
from assay.measures._values import Values, settled, values
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.policies import Policies

if TYPE_CHECKING:
    from assay.model.joined import JoinedRun
    from assay.model.qrels import Qrels


class LengthUnknownError(Exception):
    """A measure asks for the length of the longest ranking before all rankings have been seen."""


@dataclass(frozen=True, eq=False)
class Some(Judged):
    """Some of the rankings; *depth* and *condensed_depth* are None until the longest of all is known."""

    @property
    def longest(self) -> int:
        """The length of the longest ranking of all."""
        if self.depth is None:
            raise LengthUnknownError
        return self.depth


@dataclass
class Scored:
    """Values of some topics of a run: measures x topics. *sampled* are measures that wait for all mixed rankings."""

    topics: Ints
    value: Floats
    undefined: Bools
    sampled: frozenset[int]
    failed: dict[int, AssayError]


@dataclass(frozen=True)
class Scoring:
    """What evaluates rankings: judgments, measures, policies; and which measures wait for the longest ranking."""

    qrels: Qrels
    measures: tuple[Measure, ...]
    policies: Policies
    waiting: frozenset[int]

    @classmethod
    def of(cls, qrels: Qrels, measures: tuple[Measure, ...], policies: Policies) -> Scoring:
        """Try each measure on one ranking to see whether it asks for the longest of all."""
        probe = cls(qrels, measures, policies, frozenset())
        # An unjudged document and one of each grade that the first topic has.
        codes = np.concatenate([[0], np.flatnonzero(qrels.counts[0]) + 1]).astype(np.int32)
        judged = probe.judged(np.zeros(1, dtype=np.int64), codes, np.array([len(codes)]))
        waiting = frozenset(number for number, measure in enumerate(measures) if _waits(measure, judged))
        return cls(qrels, measures, policies, waiting)

    @property
    def at_once(self) -> list[int]:
        """The measures that need nothing but a ranking."""
        return [number for number in range(len(self.measures)) if number not in self.waiting]

    def judged(
        self,
        topics: Ints,
        code: np.ndarray,
        length: Ints,
        tied: Bools | None = None,
        *,
        answered: bool = True,
        depths: tuple[int | None, int | None] = (None, None),
    ) -> Judged:
        """Rankings of *topics*, under the policies."""
        judged = Some(
            levels=self.qrels.levels,
            counts=self.qrels.counts[topics],
            topic=np.arange(len(topics)),
            start=np.concatenate([[0], np.cumsum(length)]),
            code=code,
            answered=np.full(len(topics), answered),
            policies=self.policies,
            tied=tied,
            streams=None if tied is None else self.qrels.streams[topics],
            depth=depths[0],
            condensed_depth=depths[1],
        )
        return judged.condensed() if self.policies.unjudged == "condensed" else judged

    def of_part(self, topics: Ints, part: JoinedRun) -> Judged:
        """The rankings of a part of a run, which has *topics*."""
        return self.judged(topics, part.code, part.length[topics], part.tied)

    def scored(self, topics: Ints, judged: Judged, chosen: Sequence[int]) -> Scored:
        """The values of the *chosen* measures."""
        shape = (len(chosen), len(judged))
        out = Scored(topics, np.full(shape, np.nan), np.zeros(shape, dtype=bool), frozenset(), {})
        for row, number in enumerate(chosen):
            try:
                found, sampled = _values(self.measures[number], judged)
            except AssayError as error:
                out.failed[number] = error
                continue
            out.value[row], out.undefined[row] = found.value, found.undefined
            if sampled:
                out.sampled |= {number}
        return out


def _waits(measure: Measure, judged: Judged) -> bool:
    try:
        _values(measure, judged)
    except LengthUnknownError:
        return True
    except AssayError:
        return False  # said when the rankings are evaluated
    return False


def _values(measure: Measure, judged: Judged) -> tuple[Values, bool]:
    """The values, and whether those of mixed rankings are still to be sampled."""
    if judged.tied is None:
        return values(measure, judged), False
    exact = measure.expected(judged)
    if exact is not None:
        return settled(measure, judged, exact), False
    return values(measure, judged.fixed()), True
