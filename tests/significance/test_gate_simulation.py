"""Rates of wrong verdicts of gates by simulation (docs/decisions/0025-gate.md).

*Rewrite*: all topics change, with the standard deviation of differences of nDCG@10 between runs of one group at TREC-8.
The differences are drawn from normal distributions. *Rare collapse*: 2.9 % of topics lose
0.7, the others do not change, a mean loss of twice the margin.
"""

from __future__ import annotations

import numpy as np
import pytest

from assay.significance._gate.statistics import GateSettings, PairedValues, compute_columns
from assay.significance._gate.verdicts import decide_rows
from assay.significance.tests.t import T

MARGIN, DEVIATION = 0.01, 0.176
SETTINGS = GateSettings(T(), 0.05, 0.8, 10)
REPLICATES, SPEC_REPLICATES = 1500, 4000


def rewrite(rng, topics, loss):
    return rng.normal(-loss, DEVIATION, (REPLICATES, topics))


def collapse(rng, topics, loss):
    return np.where(rng.random((REPLICATES, topics)) < loss / 0.7, -0.7, 0.0)


def run_gates(differences):
    """Return the share of replicates that pass, fail, and are undecided."""
    baseline = np.full(differences.shape, 0.75)
    ones = np.ones(len(differences))
    rows = PairedValues(baseline, baseline + differences, ones.astype(int), MARGIN * ones, ones < 0)
    columns = compute_columns(rows, SETTINGS)
    blocked, identical = columns["limit"] >= columns["margin"], columns["changed"] == 0
    verdicts = [
        decide_rows(*(x[i : i + 1] for x in (columns["p_pass"], columns["p_fail"], blocked, identical)), 0.05)[1][0]
        for i in range(len(differences))
    ]
    return [verdicts.count(verdict) / len(verdicts) for verdict in ("pass", "fail", "undecided")], columns


@pytest.mark.parametrize(
    ("scenario", "topics", "loss", "expected"),
    [
        (rewrite, 50, 0, (0.11, 0.02, 0.88)),
        (rewrite, 50, 2, (0.02, 0.11, 0.88)),
        (rewrite, 200, 0, (0.20, 0.01, 0.80)),
        (rewrite, 200, 2, (0.01, 0.22, 0.78)),
        (rewrite, 1000, 0, (0.56, 0.00, 0.44)),
        (rewrite, 1000, 2, (0.00, 0.56, 0.44)),
        (rewrite, 1000, 3, (0.00, 0.97, 0.03)),
        (collapse, 50, 2, (0.24, 0.06, 0.70)),
        (collapse, 200, 2, (0.00, 0.20, 0.80)),
        (collapse, 1000, 2, (0.00, 0.92, 0.08)),
    ],
)
def test_rates_of_verdicts(scenario, topics, loss, expected):
    differences = scenario(np.random.default_rng(7), topics, loss * MARGIN)
    rates, _ = run_gates(differences)
    for rate, rounded in zip(rates, expected, strict=True):
        spread = max(rounded, 0.005) * (1 - min(rounded, 0.995))
        sampling_error = np.sqrt(spread * (1 / REPLICATES + 1 / SPEC_REPLICATES))
        assert abs(rate - rounded) <= 3 * sampling_error + 0.005, (rates, expected)


@pytest.mark.parametrize(("topics", "alarm", "miss"), [(50, 0.34, 0.33), (200, 0.21, 0.19)])
def test_a_fixed_threshold_raises_false_alarms_and_misses_losses(topics, alarm, miss):
    """A gate that fails if the mean falls by more than the margin errs in every third case with 50 topics."""
    rng = np.random.default_rng(8)
    harmless, harmful = (rewrite(rng, topics, loss * MARGIN).mean(axis=1) < -MARGIN for loss in (0, 2))
    assert harmless.mean() == pytest.approx(alarm, abs=0.045)
    assert 1 - harmful.mean() == pytest.approx(miss, abs=0.045)


@pytest.mark.parametrize("topics", [50, 200])
def test_at_the_border_both_errors_have_the_level_of_the_test(topics):
    rates, columns = run_gates(rewrite(np.random.default_rng(9), topics, MARGIN))
    assert rates[:2] == pytest.approx([0.05, 0.05], abs=3 * np.sqrt(0.05 * 0.95 / REPLICATES))
    np.testing.assert_allclose(columns["p_pass"] + columns["p_fail"], 1)
