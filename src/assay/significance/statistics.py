"""Statistics of a comparison: means, wins, effect, significance, equivalence and topics needed of each pair."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.measures import Measure
from assay.model.arrays import ROUNDING, Floats, Ints, subtract
from assay.significance.base import SignificanceTest
from assay.significance.differences import split_rows
from assay.significance.effect import hedges_g
from assay.significance.equivalence import tost
from assay.significance.topic_set_size import compute_topics_needed, estimate_variances, plan_topics

COLUMNS = (
    *("topics", "mean_a", "mean_b", "difference", "low", "high", "effect", "statistic", "p", "p_adjusted"),
    *("wins", "ties", "losses", "p_equivalent", "topics_needed"),
)
"""Columns of a comparison, in the order of the table."""


class Margin(NamedTuple):
    """The largest difference that does not matter; if *relative*, it is a fraction of the mean of the second run."""

    size: float
    relative: bool

    def __str__(self) -> str:
        return f"{100 * self.size:g}%" if self.relative else f"{self.size:g}"


class ComparisonSettings(NamedTuple):
    """The significance test and the options of a comparison."""

    test: SignificanceTest
    alpha: float
    margin: Margin | None
    power: float | None
    detect: float | None


def compute_statistics(
    values: Floats, pairs: Ints, measure: Measure, settings: ComparisonSettings
) -> dict[str, Floats]:
    """Return the ``COLUMNS`` of one measure, except *p_adjusted*."""
    outcome = settings.test.compare(values, pairs, settings.alpha)
    columns = _describe_pairs(values, pairs, measure.lower_is_better)
    columns |= {name: getattr(outcome, name) for name in ("statistic", "p", "low", "high")}
    columns["effect"] = hedges_g(values, pairs)
    columns["p_equivalent"] = columns["topics_needed"] = np.full(len(pairs), math.nan)
    if settings.margin is not None:
        columns["p_equivalent"] = _test_equivalence(values, pairs, measure, settings.margin)
    if settings.power is not None:
        columns["topics_needed"] = _compute_topics_needed(values, pairs, settings.power, settings)
    if measure.aggregate == "geometric":
        columns |= {name: np.exp(columns[name]) for name in ("mean_a", "mean_b")}
    return columns


def _compute_topics_needed(values: Floats, pairs: Ints, power: float, settings: ComparisonSettings) -> Floats:
    """Return the number of topics needed to detect the difference; NaN if no number suffices."""
    if settings.detect is None:
        needed = compute_topics_needed(values, pairs, settings.alpha, power)
    else:
        needed = plan_topics(settings.detect, estimate_variances(values, pairs), settings.alpha, power)
    return np.where(np.isinf(needed), math.nan, needed)


def _describe_pairs(values: Floats, pairs: Ints, lower_is_better: bool) -> dict[str, Floats]:
    """Return the means over the topics that count, the difference of the means, and the win, tie and loss counts."""
    blocks = [_describe_block(values, pairs[block]) for block in split_rows(len(pairs), values.shape[1])]
    topic_count, mean_a, mean_b, larger, smaller = (np.concatenate(column) for column in zip(*blocks, strict=True))
    wins, losses = (smaller, larger) if lower_is_better else (larger, smaller)
    means = {"topics": topic_count, "mean_a": mean_a, "mean_b": mean_b, "difference": subtract(mean_a, mean_b)}
    return means | {"wins": wins, "ties": topic_count - wins - losses, "losses": losses}


def _describe_block(values: Floats, pairs: Ints) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return for each pair: number of topics, mean of a, mean of b, topics with a > b, topics with a < b."""
    a, b = values[pairs[:, 0]], values[pairs[:, 1]]
    counts = ~(np.isnan(a) | np.isnan(b))  # a topic counts if both runs have a value
    topic_count = counts.sum(axis=1).astype(np.float64)
    means = []
    for side in (a, b):
        # cumsum adds in the order of the topics, so the means equal the means of an evaluation to the last digit.
        total = np.cumsum(np.where(counts, side, 0.0), axis=1)[:, -1] if side.shape[1] else np.zeros(len(pairs))
        means.append(np.divide(total, topic_count, out=np.full(len(pairs), math.nan), where=topic_count > 0))
    differ = counts & (np.abs(a - b) > ROUNDING * np.maximum(np.abs(a), np.abs(b)))
    larger, smaller = (differ & (a > b)).sum(axis=1), (differ & (a < b)).sum(axis=1)
    return topic_count, means[0], means[1], larger.astype(np.float64), smaller.astype(np.float64)


def _test_equivalence(values: Floats, pairs: Ints, measure: Measure, margin: Margin) -> Floats:
    """Return p of two one-sided tests; a relative margin of a geometric mean is a difference of logarithms."""
    if measure.aggregate == "geometric":
        return tost(values, pairs, math.log1p(margin.size))
    return tost(values, pairs, margin.size, relative=margin.relative)
