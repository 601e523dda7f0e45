"""The sign test."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from assay.significance.tests.sign import Sign
from oracles import significance as oracle


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.lists(st.sampled_from([-2.0, -0.1, 0.0, 0.3]), min_size=2, max_size=60))
def test_agrees_with_the_definition_and_scipy(difference):
    outcome = Sign().compare(np.array([difference, [0] * len(difference)]), np.array([[0, 1]]))
    assert (outcome.statistic[0], outcome.p[0]) == pytest.approx(oracle.sign(difference), rel=1e-9)
    wins, losses = sum(each > 0 for each in difference), sum(each < 0 for each in difference)
    if wins + losses:
        assert outcome.p[0] == pytest.approx(binomtest(wins, wins + losses).pvalue, rel=1e-9)


def test_many_topics_agree_with_scipy():
    rng = np.random.default_rng(2)
    values = np.array([rng.random(7000), rng.random(7000) + 0.02])
    outcome = Sign().compare(values, np.array([[0, 1]]))
    wins = int(np.count_nonzero(values[0] > values[1]))
    assert outcome.p[0] == pytest.approx(binomtest(wins, 7000).pvalue, rel=1e-9)
    assert outcome.statistic[0] == 2 * wins - 7000
