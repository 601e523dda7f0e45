"""Corrections for many comparisons."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from assay.errors import InputError
from assay.significance.corrections import CORRECTIONS, adjust_p_values
from oracles import significance as oracle

P = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0, float("nan")])), max_size=12)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(P, st.sampled_from(CORRECTIONS))
def test_agrees_with_the_definition(p, correction):
    np.testing.assert_allclose(
        adjust_p_values(np.array(p), correction), oracle.adjust(p, correction), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_properties_common_to_all_corrections(correction):
    p = np.random.default_rng(0).random(50) ** 3
    p[[3, 17]] = np.nan
    original, adjusted = p.copy(), adjust_p_values(p, correction)
    assert np.array_equal(p, original, equal_nan=True)  # The input is not modified.
    assert adjusted is not p
    assert np.isnan(adjusted[[3, 17]]).all()
    tested = ~np.isnan(p)
    assert ((adjusted >= p) & (adjusted <= 1))[tested].all()
    assert (np.diff(adjusted[tested][np.argsort(p[tested])]) >= 0).all()  # The order of p-values is preserved.
    # NaN does not count as a comparison.
    np.testing.assert_array_equal(adjusted[tested], adjust_p_values(p[tested], correction))


def test_bh_is_at_most_holm_which_is_at_most_bonferroni():
    p = np.random.default_rng(1).random(30) ** 4
    assert (adjust_p_values(p, "bh") <= adjust_p_values(p, "holm")).all()
    assert (adjust_p_values(p, "holm") <= adjust_p_values(p, "bonferroni")).all()


def test_bh_agrees_with_scipy():
    p = np.random.default_rng(2).random(100) ** 2
    np.testing.assert_allclose(adjust_p_values(p, "bh"), false_discovery_control(p), rtol=1e-12)


def test_empty_missing_and_two_dimensional_input():
    assert adjust_p_values(np.array([]), "holm").tolist() == []
    assert np.isnan(adjust_p_values(np.array([np.nan]), "bh")).all()
    assert adjust_p_values(np.array([[0.01, 0.5], [0.02, np.nan]]), "bonferroni").shape == (2, 2)


def test_unknown_correction_raises():
    with pytest.raises(InputError) as error:
        adjust_p_values(np.array([0.1]), "bonferoni")
    assert str(error.value) == (
        "correction 'bonferoni': choose one of holm, bonferroni, bh, none; did you mean bonferroni?"
    )
