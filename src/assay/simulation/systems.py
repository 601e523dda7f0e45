"""Systems: families of related ones, how good each is, and the habits of its run."""

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
# Quality by share of the field: a few failures, most systems close together, a few clearly better.
QUALITY_AT = (0.0, 0.05, 0.15, 0.3, 0.5, 0.75, 0.92, 1.05)
QUALITY = (0.35, 0.5, 0.78, 1.12, 1.36, 1.53, 1.66, 1.8)

Ranks = Literal["by score", "from 0", "before rescoring"]


@dataclass(frozen=True)
class System:
    """One system and how its run is made.

    Attributes
    ----------
    name, family
        ``birch2`` is the second system of the family ``birch``.
    quality
        How well it tells relevant from other documents: the distance of the two in standard deviations of its
        scores, for an average topic.
    shared
        The part of the variance of its scores that it has in common with every system.
    scale
        The name of the scale that its scores are on, of ``SCALES``.
    ties
        How its scores tie, if they do.
    ranks
        What its rank column says.
    pooled
        Whether its top documents were judged.
    short
        Whether it sometimes retrieves fewer documents than it may.
    skips
        The number of the topic that it does not answer, counted from 0.
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
    family = _families(count, rng)
    quality = _qualities(family, rng)
    shared = _shared(family, quality, rng)
    scales = rng.permutation(list(SCALES))
    ties = _ties(count, rng)
    skips = _skips(parameters, rng)
    outside = _outside(quality, rng)
    short = set(rng.permutation(count)[: round(0.15 * count)].tolist())
    odd = _odd_ranks(count, short, rng)
    return tuple(
        System(
            name=f"{_family_name(family[i])}{1 + int((family[:i] == family[i]).sum())}",
            family=_family_name(family[i]),
            quality=round(float(quality[i]), 3),
            shared=round(float(shared[i]), 3),
            scale=str(scales[family[i] % len(scales)]),
            ties=ties.get(i, "none"),
            ranks=odd.get(i, "by score"),
            pooled=i not in outside,
            short=i in short,
            skips=skips.get(i),
        )
        for i in range(count)
    )


def _families(count: int, rng: np.random.Generator) -> np.ndarray:
    """Put systems into numbered families of two to four members, the last perhaps of one."""
    sizes = rng.integers(2, 5, size=count)
    return np.repeat(np.arange(count), sizes)[:count]


def _family_name(number: int) -> str:
    """Name a family; after the last word they start again as ``alphaB``, ``birchB``."""
    again, word = divmod(int(number), len(FAMILIES))
    suffix = ""
    while again:
        again, letter = divmod(again, 26)
        suffix = chr(ord("A") + letter) + suffix
    return FAMILIES[word] + suffix


def _qualities(family: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw quality by system: families spread evenly over the field, so that every seed has good and bad ones."""
    count = int(family[-1]) + 1
    share = (rng.permutation(count) + rng.uniform(0.25, 0.75, size=count)) / count
    own = share[family] + rng.normal(0, 0.09, size=len(family))
    return np.asarray(np.interp(own, QUALITY_AT, QUALITY))


def _shared(family: np.ndarray, quality: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw what a system has in common with all others, by family; a poor system has little of it."""
    alike = rng.uniform(0.45, 0.8, size=int(family[-1]) + 1)
    return np.asarray(alike[family] * np.clip(quality / 1.2, 0.05, 1))


def _ties(count: int, rng: np.random.Generator) -> dict[int, Ties]:
    """Give ties to a third of the runs, of each kind in turn."""
    kinds: tuple[Ties, ...] = ("rounded", "tail", "rounded", "levels")
    chosen = rng.permutation(count)[: round(count / 3)].tolist()
    return {system: kinds[i % len(kinds)] for i, system in enumerate(chosen)}


def _few(count: int) -> int:
    """Say how many systems have a habit that one or two of a campaign have."""
    return 0 if count < 10 else 1 if count < 20 else 2


def _skips(parameters: Parameters, rng: np.random.Generator) -> dict[int, int]:
    """Let one or two runs skip a topic: one of the first ten, so that more topics change nothing."""
    chosen = rng.permutation(parameters.systems)[: _few(parameters.systems)].tolist()
    skips = rng.integers(0, 10, size=2).tolist()
    return {system: skip for system, skip in zip(chosen, skips, strict=False) if parameters.topics >= 10}


def _outside(quality: np.ndarray, rng: np.random.Generator) -> set[int]:
    """Choose one or two systems of the better half that the pool is made without."""
    better = np.argsort(-quality, kind="stable")[: (len(quality) + 1) // 2]
    return set(rng.permutation(better)[: _few(len(quality))].tolist())


def _odd_ranks(count: int, short: set[int], rng: np.random.Generator) -> dict[int, Ranks]:
    """Choose runs whose rank column is odd; a run that contradicts its scores is always of full length."""
    full = [system for system in rng.permutation(count).tolist() if system not in short]
    kinds: tuple[Ranks, ...] = ("before rescoring", "from 0")
    return dict(zip(full[: _few(count)], kinds, strict=False))
