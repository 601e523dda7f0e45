"""The two-way layout without replication."""

import numpy as np
import pytest

from assay.significance.two_way import fit_layout, subtract_means
from oracles import significance as oracle


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200])
def test_by_definition(unit):
    values = np.random.default_rng(0).random((4, 7))
    found = fit_layout(np.insert(values * unit, 2, [1, np.nan, 1, 1], axis=1))
    assert found.topics == 7
    assert found.freedom == 18
    assert found.residual * (found.unit / unit) ** 2 == pytest.approx(
        oracle.residual_mean_square(values.tolist()), rel=1e-12
    )
    expected = values[[0, 2]].mean(axis=1) - values[[1, 1]].mean(axis=1)
    assert subtract_means(found, np.array([[0, 1], [2, 1]])) * (found.unit / unit) == pytest.approx(expected)


def test_what_has_no_layout():
    values = np.random.default_rng(0).random((4, 7))
    assert fit_layout(values[:1]) is None
    assert fit_layout(values[:, :1]) is None
    assert fit_layout(np.where(values == values[2, 3], np.inf, values)) is None
    assert fit_layout(np.full((3, 3), np.nan)) is None


def test_rounding_is_nothing():
    values = np.array([[0.1 + 0.2, 0.7], [0.3, 0.7], [0.4, 0.8]])
    found = fit_layout(values)
    assert found.residual == 0
    assert subtract_means(found, np.array([[0, 1]])).tolist() == [0]
