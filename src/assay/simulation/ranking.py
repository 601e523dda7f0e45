"""Rankings that the simulated systems retrieve for a topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.simulation.parameters import Parameters
from assay.simulation.scoring import SCALES, Ties, compute_scores
from assay.simulation.systems import System
from assay.simulation.topics import Topic

FAMILY_TOPIC_EFFECT = 0.18  # standard deviation of the log quality of a family between topics
SYSTEM_TOPIC_EFFECT = 0.18  # standard deviation of the log quality of a system within its family, between topics
FAMILY_FRACTION = 0.55  # a family shares this fraction of the variance that is not shared by all systems
SHORT_PROBABILITY = 0.3  # probability that a short system retrieves fewer documents for a topic
# Standard deviation of the rank changes of a rescored run, in units of the square root of its depth.
RESCORING_SPREAD = 0.1


@dataclass(frozen=True, eq=False)
class SystemColumns:
    """The systems as arrays, for vectorized arithmetic.

    Attributes
    ----------
    quality, shared, family
        Quality, shared variance and family number (from 0) of each system.
    styles
        Indices of the systems with the same scale and kind of ties.
    pooled, rescored
        Indices of the systems that contribute to the pool, and of those whose lines are not in the order of the scores.
    short, skips
        Mask of the systems that sometimes retrieve fewer documents, and the topic that each system skips (-1: none).
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
    def from_systems(cls, systems: Sequence[System]) -> SystemColumns:
        """Convert *systems* to arrays."""
        names = list(dict.fromkeys(system.family for system in systems))
        styles = [(system.scale, system.ties) for system in systems]
        return cls(
            quality=np.array([system.quality for system in systems]),
            shared=np.array([system.shared for system in systems]),
            family=np.array([names.index(system.family) for system in systems]),
            styles={style: np.flatnonzero([one == style for one in styles]) for style in dict.fromkeys(styles)},
            pooled=np.flatnonzero([system.pooled for system in systems]),
            rescored=np.flatnonzero([system.ranks == "before rescoring" for system in systems]),
            short=np.array([system.short for system in systems]),
            skips=np.array([-1 if system.skips is None else system.skips for system in systems]),
        )


@dataclass(frozen=True, eq=False)
class SimulatedRankings:
    """The rankings of one topic, one row for each system.

    Attributes
    ----------
    candidate
        Indices of candidates of the topic, in the order of the lines of the run.
    units
        Scores in units of the last digit.
    length
        Number of documents retrieved; later columns of the row are ignored.
    """

    candidate: np.ndarray
    units: np.ndarray
    length: np.ndarray

    def retrieved_mask(self) -> np.ndarray:
        """Return a mask of the columns of each row that are retrieved."""
        return np.arange(self.candidate.shape[1]) < self.length[:, None]

    def count_tied(self) -> np.ndarray:
        """Return the number of documents of each row that share their score with another document."""
        # Documents that are not retrieved get distinct scores below all others, so they are never tied.
        distinct = self.units.min() - 1 - np.arange(self.units.shape[1])
        ordered = np.sort(np.where(self.retrieved_mask(), self.units, distinct), axis=1)
        same = ordered[:, 1:] == ordered[:, :-1]
        padding = np.zeros((len(same), 1), dtype=bool)
        return np.asarray((np.hstack([same, padding]) | np.hstack([padding, same])).sum(axis=1))


def retrieve(
    topic: Topic, index: int, columns: SystemColumns, parameters: Parameters, rng: np.random.Generator
) -> SimulatedRankings:
    """Return the rankings of the candidates of *topic* by all systems; *index* is the index of the topic."""
    depth = parameters.depth
    candidate, z = _select_top(_draw_scores(topic, columns, rng), depth)
    units = np.empty(z.shape, dtype=np.int64)
    for (scale, ties), rows in columns.styles.items():
        units[rows] = compute_scores(z[rows], SCALES[scale], ties)
    length = _draw_lengths(index, columns, depth, rng)
    for row in columns.rescored:
        # The lines keep the order before rescoring, which differs from the order of the scores.
        shift = rng.normal(0, RESCORING_SPREAD * np.sqrt(depth), size=depth)
        original_order = np.argsort(np.arange(depth) + shift, kind="stable")
        candidate[row], units[row] = candidate[row, original_order], units[row, original_order]
    return SimulatedRankings(candidate, units, length)


def _select_top(z: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns of the *depth* largest values of each row and these values, in descending order."""
    top = np.argpartition(-z, depth - 1, axis=1)[:, :depth]
    value = np.take_along_axis(z, top, axis=1)
    order = np.argsort(-value, axis=1)
    return np.take_along_axis(top, order, axis=1), np.take_along_axis(value, order, axis=1)


def _draw_scores(topic: Topic, columns: SystemColumns, rng: np.random.Generator) -> np.ndarray:
    """Draw the standardised score of each candidate (column) by each system (row).

    A score is the sum of four components: one for the system, one for its family, one shared by all systems, and the
    relevance signal times the skill of the system on this topic. The variances of the first three add up to 1.
    """
    families, systems, candidates = columns.family.max() + 1, len(columns.family), len(topic.doc)
    family_effect = FAMILY_TOPIC_EFFECT * rng.standard_normal(families)[columns.family]
    topic_effect = family_effect + SYSTEM_TOPIC_EFFECT * rng.standard_normal(systems)
    skill = columns.quality * topic.ease * np.exp(topic_effect)
    shared_variance = topic.agreement * columns.shared
    family_variance = FAMILY_FRACTION * (1 - shared_variance)
    own_variance = 1 - shared_variance - family_variance
    z = rng.standard_normal((systems, candidates)) * np.sqrt(own_variance)[:, None]
    z += rng.standard_normal((families, candidates))[columns.family] * np.sqrt(family_variance)[:, None]
    z += topic.appeal * np.sqrt(shared_variance)[:, None]
    relevant = topic.relevant
    z[:, relevant] += skill[:, None] * topic.signal[relevant]
    return z


def _draw_lengths(index: int, columns: SystemColumns, depth: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the number of documents that each system retrieves for the topic."""
    count = len(columns.family)
    is_short, fraction = rng.random(count) < SHORT_PROBABILITY, rng.random(count)
    length = np.where(columns.short & is_short, np.maximum(1, np.floor(depth * fraction)), depth).astype(np.int64)
    length[columns.skips == index] = 0
    return length
