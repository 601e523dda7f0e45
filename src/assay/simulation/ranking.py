"""What the systems retrieve for a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.simulation.parameters import Parameters
from assay.simulation.scoring import SCALES, Ties, scored
from assay.simulation.systems import System
from assay.simulation.world import Topic

FAMILY_TASTE = 0.18  # how much a family does better or worse on a topic than its quality says
OWN_TASTE = 0.18
FAMILY = 0.55  # the part that a family shares of what not all systems share
SHORT = 0.3  # how often a system that retrieves less does so
RESCORED = 0.1  # how far documents moved when a run was scored again, in square roots of its depth


@dataclass(frozen=True, eq=False)
class Field:
    """The systems as columns, for arithmetic over all of them at once.

    Attributes
    ----------
    quality, shared, family
        Of each system; families are counted from 0.
    styles
        The systems of each kind of scores, by scale and ties.
    pooled, rescored
        The systems whose tops are judged, and those whose lines are not in the order of their scores.
    short, skips
        For each system, whether it sometimes retrieves less, and the topic that it skips (-1: none).
    """

    quality: np.ndarray
    shared: np.ndarray
    family: np.ndarray
    styles: dict[tuple[str, Ties], np.ndarray]
    pooled: np.ndarray
    rescored: np.ndarray
    short: np.ndarray
    skips: np.ndarray

    @classmethod
    def of(cls, systems: Sequence[System]) -> Field:
        """Put *systems* into columns."""
        names = list(dict.fromkeys(system.family for system in systems))
        family = np.array([names.index(system.family) for system in systems])
        return cls(
            quality=np.array([system.quality for system in systems]),
            shared=np.array([system.shared for system in systems]),
            family=family,
            styles=_styles(systems),
            pooled=np.flatnonzero([system.pooled for system in systems]),
            rescored=np.flatnonzero([system.ranks == "before rescoring" for system in systems]),
            short=np.array([system.short for system in systems]),
            skips=np.array([-1 if system.skips is None else system.skips for system in systems]),
        )


@dataclass(frozen=True, eq=False)
class SimulatedRankings:
    """The rankings of one topic, one row for each system.

    *candidate* are places among the candidates of the topic, in the order of the lines of the run; *units* are their
    scores in units of the last digit. Only the first *length* of each row were retrieved.
    """

    candidate: np.ndarray
    units: np.ndarray
    length: np.ndarray

    def retrieved(self) -> np.ndarray:
        """Mark the places of the rows that hold a document."""
        return np.arange(self.candidate.shape[1]) < self.length[:, None]

    def tied(self) -> np.ndarray:
        """Count the documents of each row that have the score of another one."""
        # What was not retrieved is given scores below all others, each its own.
        apart = self.units.min() - 1 - np.arange(self.units.shape[1])
        ordered = np.sort(np.where(self.retrieved(), self.units, apart), axis=1)
        same = ordered[:, 1:] == ordered[:, :-1]
        edge = np.zeros((len(same), 1), dtype=bool)
        return np.asarray((np.hstack([same, edge]) | np.hstack([edge, same])).sum(axis=1))


def _styles(systems: Sequence[System]) -> dict[tuple[str, Ties], np.ndarray]:
    found: dict[tuple[str, Ties], list[int]] = {}
    for i, system in enumerate(systems):
        found.setdefault((system.scale, system.ties), []).append(i)
    return {style: np.array(rows) for style, rows in found.items()}


def retrieve(
    topic: Topic, index: int, field: Field, parameters: Parameters, rng: np.random.Generator
) -> SimulatedRankings:
    """Rank the candidates of *topic*, the topic number *index*, by every system."""
    depth = parameters.depth
    candidate, z = _best(_impressions(topic, field, rng), depth)
    units = np.empty(z.shape, dtype=np.int64)
    for (scale, ties), rows in field.styles.items():
        units[rows] = scored(z[rows], SCALES[scale], ties)
    length = _lengths(index, field, depth, rng)
    for row in field.rescored:
        before = np.argsort(np.arange(depth) + rng.normal(0, RESCORED * np.sqrt(depth), size=depth), kind="stable")
        candidate[row], units[row] = candidate[row, before], units[row, before]
    return SimulatedRankings(candidate, units, length)


def _best(z: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the columns of the *depth* largest values of each row, and these values, the largest first."""
    top = np.argpartition(-z, depth - 1, axis=1)[:, :depth]
    value = np.take_along_axis(z, top, axis=1)
    order = np.argsort(-value, axis=1)
    return np.take_along_axis(top, order, axis=1), np.take_along_axis(value, order, axis=1)


def _impressions(topic: Topic, field: Field, rng: np.random.Generator) -> np.ndarray:
    """How good each candidate (column) looks to each system (row)."""
    families, systems, candidates = field.family.max() + 1, len(field.family), len(topic.doc)
    taste = FAMILY_TASTE * rng.standard_normal(families)[field.family] + OWN_TASTE * rng.standard_normal(systems)
    insight = field.quality * topic.ease * np.exp(taste)
    shared = topic.accord * field.shared
    related = FAMILY * (1 - shared)
    z = rng.standard_normal((systems, candidates)) * np.sqrt(1 - shared - related)[:, None]
    z += rng.standard_normal((families, candidates))[field.family] * np.sqrt(related)[:, None]
    z += topic.appeal * np.sqrt(shared)[:, None]
    relevant = topic.relevant
    z[:, relevant] += insight[:, None] * topic.pull[relevant]
    return z


def _lengths(index: int, field: Field, depth: int, rng: np.random.Generator) -> np.ndarray:
    """How many documents each system retrieves for the topic."""
    count = len(field.family)
    less, share = rng.random(count) < SHORT, rng.random(count)
    length = np.where(field.short & less, np.maximum(1, np.floor(depth * share)), depth).astype(np.int64)
    length[field.skips == index] = 0
    return length
