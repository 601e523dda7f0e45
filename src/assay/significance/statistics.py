"""The numbers of a comparison: means, wins, effect, significance, equivalence and topics needed, pair by pair."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.model.arrays import ROUNDING, Floats, Ints, subtract
from assay.significance.base import SignificanceTest
from assay.significance.effect import hedges_g
from assay.significance.equivalence import tost
from assay.significance.topic_set_size import compute_topics_needed, estimate_variances, plan_topics

COLUMNS = (
    *("topics", "mean_a", "mean_b", "difference", "low", "high", "effect", "statistic", "p", "p_adjusted"),
    *("wins", "ties", "losses", "p_equivalent", "topics_needed"),
)
"""The numbers of a comparison, in the order of the table."""
_VALUES = 1 << 22  # of pairs of runs looked at together


class Margin(NamedTuple):
    """The largest difference that does not matter; *relative*: as a share of the mean of the second run."""

    size: float
    relative: bool

    def __str__(self) -> str:
        return f"{100 * self.size:g}%" if self.relative else f"{self.size:g}"


class ComparisonSettings(NamedTuple):
    """The test and its options."""

    test: SignificanceTest
    alpha: float
    margin: Margin | None
    power: float | None
    detect: float | None


def compute_statistics(values: Floats, pairs: Ints, measure: Measure, how: ComparisonSettings) -> dict[str, Floats]:
    """The COLUMNS of one measure, but for the adjusted p."""
    outcome = how.test.compare(values, pairs, how.alpha)
    found = _described(values, pairs, measure.lower_is_better)
    nothing = np.full(len(pairs), math.nan)
    found |= {name: getattr(outcome, name) for name in ("statistic", "p", "low", "high")}
    found["effect"] = hedges_g(values, pairs)
    found["p_equivalent"] = nothing if how.margin is None else _equivalence(values, pairs, measure, how.margin)
    found["topics_needed"] = nothing if how.power is None else _needed(values, pairs, how.power, how)
    if measure.aggregate == "geometric":
        found |= {name: np.exp(found[name]) for name in ("mean_a", "mean_b")}
    return found


def _needed(values: Floats, pairs: Ints, power: float, how: ComparisonSettings) -> Floats:
    """Return the number of topics needed to detect the difference; NaN if no number suffices."""
    if how.detect is None:
        needed = compute_topics_needed(values, pairs, how.alpha, power)
    else:
        needed = plan_topics(how.detect, estimate_variances(values, pairs), how.alpha, power)
    return np.where(np.isinf(needed), math.nan, needed)


def _described(values: Floats, pairs: Ints, lower_is_better: bool) -> dict[str, Floats]:
    """Means and their difference over the topics that count, and on how many of them a is better."""
    step = max(1, _VALUES // max(1, values.shape[1]))
    parts = [_part(values, pairs[begin : begin + step]) for begin in range(0, len(pairs), step)]
    topics, mean_a, mean_b, above, below = (np.concatenate(each) for each in zip(*parts, strict=True))
    wins, losses = (below, above) if lower_is_better else (above, below)
    found = {"topics": topics, "mean_a": mean_a, "mean_b": mean_b, "difference": subtract(mean_a, mean_b)}
    return found | {"wins": wins, "ties": topics - wins - losses, "losses": losses}


def _part(values: Floats, pairs: Ints) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    a, b = values[pairs[:, 0]], values[pairs[:, 1]]
    both = ~(np.isnan(a) | np.isnan(b))
    topics = both.sum(axis=1).astype(np.float64)
    means = []
    for side in (a, b):
        # Added in the order of the topics, so that means are those of an evaluation to the last digit.
        total = np.cumsum(np.where(both, side, 0.0), axis=1)[:, -1] if side.shape[1] else np.zeros(len(pairs))
        means.append(np.divide(total, topics, out=np.full(len(pairs), math.nan), where=topics > 0))
    differ = both & (np.abs(a - b) > ROUNDING * np.maximum(np.abs(a), np.abs(b)))
    above, below = (differ & (a > b)).sum(axis=1), (differ & (a < b)).sum(axis=1)
    return topics, means[0], means[1], above.astype(np.float64), below.astype(np.float64)


def _equivalence(values: Floats, pairs: Ints, measure: Measure, margin: Margin) -> Floats:
    """The p of two one-sided tests; a share of a geometric mean is a difference of logarithms."""
    if measure.aggregate == "geometric":
        return tost(values, pairs, math.log1p(margin.size))
    return tost(values, pairs, margin.size, relative=margin.relative)
