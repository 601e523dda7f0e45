"""Simulated systems: families of related systems, their quality, and the peculiarities of their runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.simulation.parameters import Parameters
from assay.simulation.scoring import SCALES, Ties

# fmt: off
FAMILIES = (
    "alpha", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet",
    "juniper", "kestrel", "larch", "maple", "nimbus", "osprey", "pine", "quartz", "raven",
    "sedge", "tundra", "umber", "vesper", "willow", "xenon", "yarrow", "zephyr",
)
# fmt: on
# Quantiles of the quality of systems: a few failures, most systems close together, a few clearly better.
QUANTILES = (0.0, 0.05, 0.15, 0.3, 0.5, 0.75, 0.92, 1.05)
QUALITY = (0.35, 0.5, 0.78, 1.12, 1.36, 1.53, 1.66, 1.8)

Ranks = Literal["by score", "from 0", "before rescoring"]


@dataclass(frozen=True)
class System:
    """A simulated system and the properties of its run.

    Attributes
    ----------
    name, family
        ``birch2`` is the second system of the family ``birch``.
    quality
        Ability to separate relevant from non-relevant documents: the difference between their mean scores on an average
        topic, in standard deviations of the scores.
    shared
        Fraction of the variance of its scores that is common to all systems.
    scale
        Scale of its scores, a key of ``SCALES``.
    ties
        Kind of ties of its scores.
    ranks
        Content of its rank column.
    pooled
        True if the system contributes to the pool.
    short
        True if the system retrieves fewer documents than the depth for some topics.
    skips
        Index (from 0) of the topic without results; None if there is none.
    """

    name: str
    family: str
    quality: float
    shared: float
    scale: str
    ties: Ties = "none"
    ranks: Ranks = "by score"
    pooled: bool = True
    short: bool = False
    skips: int | None = None


def draw_systems(parameters: Parameters, rng: np.random.Generator) -> tuple[System, ...]:
    """Draw the systems, family by family."""
    count = parameters.systems
    family = _draw_families(count, rng)
    quality = _draw_quality(family, rng)
    shared = _draw_shared_variance(family, quality, rng)
    scales = rng.permutation(list(SCALES))
    ties = _draw_ties(count, rng)
    skips = _draw_skips(parameters, rng)
    unpooled = _choose_noncontributors(quality, rng)
    short = set(rng.permutation(count)[: round(0.15 * count)].tolist())
    ranks = _draw_ranks(count, short, rng)
    return tuple(
        System(
            name=f"{_family_name(family[i])}{1 + int((family[:i] == family[i]).sum())}",
            family=_family_name(family[i]),
            quality=round(float(quality[i]), 3),
            shared=round(float(shared[i]), 3),
            scale=str(scales[family[i] % len(scales)]),
            ties=ties.get(i, "none"),
            ranks=ranks.get(i, "by score"),
            pooled=i not in unpooled,
            short=i in short,
            skips=skips.get(i),
        )
        for i in range(count)
    )


def _draw_families(count: int, rng: np.random.Generator) -> np.ndarray:
    """Return the family number of each system; families have two to four systems, the last family possibly fewer."""
    sizes = rng.integers(2, 5, size=count)
    return np.repeat(np.arange(count), sizes)[:count]


def _family_name(number: int) -> str:
    """Return the name of a family; after the last word the names continue with ``alphaB``, ``birchB``."""
    cycle, word = divmod(int(number), len(FAMILIES))
    suffix = ""
    while cycle:
        cycle, letter = divmod(cycle, 26)
        suffix = chr(ord("A") + letter) + suffix
    return FAMILIES[word] + suffix


def _draw_quality(family: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the quality of each system.

    The families are spread evenly over the quantiles, so that every seed has good and bad systems.
    """
    count = int(family[-1]) + 1
    family_quantile = (rng.permutation(count) + rng.uniform(0.25, 0.75, size=count)) / count
    quantile = family_quantile[family] + rng.normal(0, 0.09, size=len(family))
    return np.asarray(np.interp(quantile, QUANTILES, QUALITY))


def _draw_shared_variance(family: np.ndarray, quality: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the fraction of variance that a system shares with all others, by family; lower for poor systems."""
    fraction = rng.uniform(0.45, 0.8, size=int(family[-1]) + 1)
    return np.asarray(fraction[family] * np.clip(quality / 1.2, 0.05, 1))


def _draw_ties(count: int, rng: np.random.Generator) -> dict[int, Ties]:
    """Choose a third of the systems to have ties; the kinds of ties alternate."""
    kinds: tuple[Ties, ...] = ("rounded", "tail", "rounded", "levels")
    selected = rng.permutation(count)[: round(count / 3)].tolist()
    return {system: kinds[i % len(kinds)] for i, system in enumerate(selected)}


def _exception_count(count: int) -> int:
    """Return the number of systems with a rare peculiarity: none, one or two, depending on the number of systems."""
    return 0 if count < 10 else 1 if count < 20 else 2


def _draw_skips(parameters: Parameters, rng: np.random.Generator) -> dict[int, int]:
    """Choose one or two systems that skip a topic.

    The topic is one of the first ten, so that systems do not depend on the number of topics.
    """
    selected = rng.permutation(parameters.systems)[: _exception_count(parameters.systems)].tolist()
    topics = rng.integers(0, 10, size=2).tolist()
    return {system: topic for system, topic in zip(selected, topics, strict=False) if parameters.topics >= 10}


def _choose_noncontributors(quality: np.ndarray, rng: np.random.Generator) -> set[int]:
    """Choose one or two systems of the better half that do not contribute to the pool."""
    better = np.argsort(-quality, kind="stable")[: (len(quality) + 1) // 2]
    return set(rng.permutation(better)[: _exception_count(len(quality))].tolist())


def _draw_ranks(count: int, short: set[int], rng: np.random.Generator) -> dict[int, Ranks]:
    """Choose systems with an unusual rank column; they are never short, so a rescored run has full length."""
    full = [system for system in rng.permutation(count).tolist() if system not in short]
    kinds: tuple[Ranks, ...] = ("before rescoring", "from 0")
    return dict(zip(full[: _exception_count(count)], kinds, strict=False))
