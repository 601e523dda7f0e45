"""The two-way layout without replication."""

import numpy as np
import pytest

from assay.significance.tests._all_runs import fit_layout, subtract_means
from oracles import significance as oracle


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200])
def test_agrees_with_the_definition(unit):
    values = np.random.default_rng(0).random((4, 7))
    layout = fit_layout(np.insert(values * unit, 2, [1, np.nan, 1, 1], axis=1))
    assert layout.topics == 7
    assert layout.freedom == 18
    assert layout.residual * (layout.scale / unit) ** 2 == pytest.approx(
        oracle.residual_mean_square(values.tolist()), rel=1e-12
    )
    expected = values[[0, 2]].mean(axis=1) - values[[1, 1]].mean(axis=1)
    assert subtract_means(layout, np.array([[0, 1], [2, 1]])) * (layout.scale / unit) == pytest.approx(expected)


def test_no_layout_without_enough_finite_values():
    values = np.random.default_rng(0).random((4, 7))
    assert fit_layout(values[:1]) is None
    assert fit_layout(values[:, :1]) is None
    assert fit_layout(np.where(values == values[2, 3], np.inf, values)) is None
    assert fit_layout(np.full((3, 3), np.nan)) is None


def test_rounding_errors_are_treated_as_zero():
    values = np.array([[0.1 + 0.2, 0.7], [0.3, 0.7], [0.4, 0.8]])
    layout = fit_layout(values)
    assert layout.residual == 0
    assert subtract_means(layout, np.array([[0, 1]])).tolist() == [0]
