"""Means, sums and geometric means over topics, with intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.results.aggregation import aggregate_values, aggregate_with_interval


def test_mean_with_a_t_interval() -> None:
    summary = aggregate_with_interval(np.array([0.1, 0.2, 0.6, np.nan]), "mean", 0.95)
    assert summary.value == pytest.approx(0.3)
    assert summary.topics == 3
    margin = 4.302652729911275 * np.std([0.1, 0.2, 0.6], ddof=1) / math.sqrt(3)  # t quantile with 2 degrees of freedom
    assert (summary.low, summary.high) == pytest.approx((0.3 - margin, 0.3 + margin))


def test_higher_confidence_gives_a_wider_interval() -> None:
    values = np.array([0.1, 0.5, 0.4])
    assert aggregate_with_interval(values, "mean", 0.99).high > aggregate_with_interval(values, "mean", 0.95).high


def test_sum_has_no_interval() -> None:
    summary = aggregate_with_interval(np.array([3.0, 4.0, np.nan]), "sum", 0.95)
    assert summary.value == 7
    assert math.isnan(summary.low)
    assert summary.topics == 2


def test_geometric_mean_floors_zeros() -> None:
    summary = aggregate_with_interval(np.array([0.0, 0.1]), "geometric", 0.95)
    assert summary.value == pytest.approx(math.sqrt(1e-5 * 0.1))
    assert summary.low < summary.value < summary.high


def test_one_topic_or_none() -> None:
    assert aggregate_with_interval(np.array([0.4]), "mean", 0.95)[:1] == (0.4,)
    assert math.isnan(aggregate_with_interval(np.array([0.4]), "mean", 0.95).high)
    assert math.isnan(aggregate_values(np.array([np.nan]), "mean"))
    assert math.isnan(aggregate_values(np.array([np.nan]), "geometric"))
    assert aggregate_values(np.array([np.nan]), "sum") == 0


def test_topics_are_summed_in_order() -> None:
    values = np.array([1e16, 1.0, -1e16, 1.0] * 3)
    total = 0.0
    for value in values:
        total += value
    assert aggregate_values(values, "sum") == total


def test_infinite_values_have_no_interval() -> None:
    summary = aggregate_with_interval(np.array([2.0, np.inf]), "mean", 0.95)
    assert (summary.value, summary.topics) == (np.inf, 2)
    assert np.isnan([summary.low, summary.high]).all()
