"""Scores as systems write them: different scales, some of them tied.

A ranking comes as standardised scores in descending order and leaves as whole numbers, the scores in units of their
last digit, in which equal and different can be told exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

Ties = Literal["none", "rounded", "tail", "levels"]


def _softplus(z: np.ndarray) -> np.ndarray:
    return np.asarray(np.logaddexp(0, z))


def _reciprocal_rank(z: np.ndarray) -> np.ndarray:
    """Score by rank, as fusion does; equal documents have the rank of the first of them."""
    rank = np.broadcast_to(np.arange(1, z.shape[-1] + 1), z.shape).copy()
    rank[..., 1:][z[..., 1:] == z[..., :-1]] = 0
    return 1 / (60 + np.maximum.accumulate(rank, axis=-1))


@dataclass(frozen=True)
class ScoreScale:
    """A scale of scores.

    Attributes
    ----------
    about
        What it looks like.
    value
        From standardised scores to this scale; never increasing along a ranking.
    digits
        Digits behind the point.
    rounded
        Digits behind the point of a run that rounds its scores.
    """

    about: str
    value: Callable[[np.ndarray], np.ndarray]
    digits: int
    rounded: int


SCALES = {
    "bm25": ScoreScale("positive, from 0 to about 25", lambda z: 3.2 * _softplus(z), 5, 3),
    "logprob": ScoreScale("log-probabilities, negative", lambda z: -5.2 - 1.6 * _softplus(2.5 - z), 6, 4),
    "probability": ScoreScale("between 0 and 1", lambda z: 1 / (1 + np.exp(3 - z)), 7, 5),
    "sum": ScoreScale(
        "large; some differ only beyond what 32-bit floats tell apart",
        lambda z: 1_800_000 + 42_000 * _softplus(z),
        3,
        -1,
    ),
    "zscore": ScoreScale("standardised, around 0", lambda z: z - 2, 6, 4),
    "fusion": ScoreScale("sums of reciprocal ranks", _reciprocal_rank, 9, 6),
}


def scored(z: np.ndarray, scale: ScoreScale, ties: Ties) -> np.ndarray:
    """Scores of rankings (rows) in units of the last digit, with ties or strictly descending."""
    if ties == "levels":
        # Coordination levels: how many parts of the topic match, and nothing finer.
        z = np.floor(3 * z) / 3
    units = np.rint(scale.value(z) * 10**scale.digits).astype(np.int64)
    if ties == "rounded":
        step = 10 ** (scale.digits - scale.rounded)
        units = units // step * step
    if ties == "tail":
        # What stands below the middle was matched by a filter and has no score of its own.
        units[..., units.shape[-1] // 2 + 1 :] = units[..., -1:]
    return _strict(units) if ties == "none" else units


def _strict(units: np.ndarray) -> np.ndarray:
    """Lower scores until each is at least one unit below the one before."""
    place = np.arange(units.shape[-1])
    return np.minimum.accumulate(units + place, axis=-1) - place
