"""Scores of simulated runs, on different scales and with different kinds of ties.

The input is a ranking of standardised scores in descending order. The output is the same scores as whole numbers, in
units of their last digit, so that ties are exact.
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
    """Return scores 1 / (60 + rank), as in reciprocal rank fusion; tied documents share the highest rank."""
    rank = np.broadcast_to(np.arange(1, z.shape[-1] + 1), z.shape).copy()
    rank[..., 1:][z[..., 1:] == z[..., :-1]] = 0
    return 1 / (60 + np.maximum.accumulate(rank, axis=-1))


@dataclass(frozen=True)
class ScoreScale:
    """A scale of scores.

    Attributes
    ----------
    description
        Description for the README.
    transform
        Function from standardised scores to this scale; never increasing along a ranking.
    digits
        Number of decimal places.
    rounded
        Number of decimal places of a run that rounds its scores.
    """

    description: str
    transform: Callable[[np.ndarray], np.ndarray]
    digits: int
    rounded: int


SCALES = {
    "bm25": ScoreScale("positive, from 0 to about 25", lambda z: 3.2 * _softplus(z), 5, 3),
    "logprob": ScoreScale("log-probabilities, negative", lambda z: -5.2 - 1.6 * _softplus(2.5 - z), 6, 4),
    "probability": ScoreScale("between 0 and 1", lambda z: 1 / (1 + np.exp(3 - z)), 7, 5),
    "sum": ScoreScale(
        "large; some differ by less than the precision of 32-bit floats",
        lambda z: 1_800_000 + 42_000 * _softplus(z),
        3,
        -1,
    ),
    "zscore": ScoreScale("standardised, around 0", lambda z: z - 2, 6, 4),
    "fusion": ScoreScale("sums of reciprocal ranks", _reciprocal_rank, 9, 6),
}


def compute_scores(z: np.ndarray, scale: ScoreScale, ties: Ties) -> np.ndarray:
    """Return the scores of rankings (rows) in units of the last digit, with ties or strictly descending."""
    if ties == "levels":
        # Coordination-level matching has few distinct scores, such as the number of matching terms.
        z = np.floor(3 * z) / 3
    units = np.rint(scale.transform(z) * 10**scale.digits).astype(np.int64)
    if ties == "rounded":
        step = 10 ** (scale.digits - scale.rounded)
        units = units // step * step
    if ties == "tail":
        # The documents of the lower half match a filter only and share one score.
        units[..., units.shape[-1] // 2 + 1 :] = units[..., -1:]
    return _break_ties(units) if ties == "none" else units


def _break_ties(units: np.ndarray) -> np.ndarray:
    """Lower scores until each score is at least one unit below the previous score."""
    index = np.arange(units.shape[-1])
    return np.minimum.accumulate(units + index, axis=-1) - index
