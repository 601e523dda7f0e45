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
def test_by_definition(p, how):
    np.testing.assert_allclose(adjust_p_values(np.array(p), how), oracle.adjust(p, how), rtol=1e-12, atol=0)


@pytest.mark.parametrize("how", CORRECTIONS)
def test_what_all_have_in_common(how):
    p = np.random.default_rng(0).random(50) ** 3
    p[[3, 17]] = np.nan
    given, found = p.copy(), adjust_p_values(p, how)
    assert np.array_equal(p, given, equal_nan=True)  # the input is left alone
    assert found is not p
    assert np.isnan(found[[3, 17]]).all()
    rest = ~np.isnan(p)
    assert ((found >= p) & (found <= 1))[rest].all()
    assert (np.diff(found[rest][np.argsort(p[rest])]) >= 0).all()  # the order is kept
    np.testing.assert_array_equal(found[rest], adjust_p_values(p[rest], how))  # what was not tested does not count


def test_holm_is_never_larger_than_bonferroni_and_bh_never_larger_than_holm():
    p = np.random.default_rng(1).random(30) ** 4
    assert (adjust_p_values(p, "bh") <= adjust_p_values(p, "holm")).all()
    assert (adjust_p_values(p, "holm") <= adjust_p_values(p, "bonferroni")).all()


def test_as_scipy():
    p = np.random.default_rng(2).random(100) ** 2
    np.testing.assert_allclose(adjust_p_values(p, "bh"), false_discovery_control(p), rtol=1e-12)


def test_nothing_to_correct():
    assert adjust_p_values(np.array([]), "holm").tolist() == []
    assert np.isnan(adjust_p_values(np.array([np.nan]), "bh")).all()
    assert adjust_p_values(np.array([[0.01, 0.5], [0.02, np.nan]]), "bonferroni").shape == (2, 2)


def test_refused():
    with pytest.raises(InputError) as error:
        adjust_p_values(np.array([0.1]), "bonferoni")
    assert str(error.value) == (
        "correction 'bonferoni': choose one of holm, bonferroni, bh, none; did you mean bonferroni?"
    )
