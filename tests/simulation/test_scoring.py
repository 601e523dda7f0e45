"""Scales and ties of simulated scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.simulation.scoring import SCALES, compute_scores

scales = pytest.mark.parametrize("name", SCALES)


def rankings(rows=4, depth=1000):
    best = np.random.default_rng(1).standard_normal((rows, 8 * depth)) + 0.5
    return -np.sort(-best, axis=1)[:, :depth]


def values(name, ties):
    return compute_scores(rankings(), SCALES[name], ties) / 10.0 ** SCALES[name].digits


@scales
def test_without_ties_scores_descend_strictly(name):
    assert (np.diff(values(name, "none")) < 0).all()


@scales
@given(z=arrays(np.float64, (2, 30), elements=st.floats(-3, 6, width=16)))
def test_without_ties_equal_inputs_get_different_scores(name, z):
    units = compute_scores(-np.sort(-z, axis=1), SCALES[name], "none")
    assert (np.diff(units) < 0).all()


@scales
@pytest.mark.parametrize("ties", ["rounded", "tail", "levels"])
def test_ties_never_reverse_the_order(name, ties):
    scores = values(name, ties)
    assert (np.diff(scores) <= 0).all()
    assert (np.diff(scores) == 0).any(axis=1).all()


@scales
def test_tail_ties_the_lower_half(name):
    scores = values(name, "tail")
    assert (np.diff(scores[:, 501:]) == 0).all()
    assert (np.diff(scores[:, :501]) <= 0).all()


@scales
def test_levels_have_few_distinct_scores(name):
    assert max(len(np.unique(row)) for row in values(name, "levels")) < 20


def test_ranges_of_the_scales():
    assert values("bm25", "none").min() > 0
    assert values("logprob", "none").max() < 0
    assert 0 < values("probability", "none").min() < values("probability", "none").max() < 1
    large = values("sum", "none")
    assert large.min() > 100_000
    assert (np.diff(large.astype(np.float32)) == 0).any()
    assert values("zscore", "none").min() < 0 < values("zscore", "none").max()


def test_scores_have_the_digits_of_the_scale():
    assert all(float(f"{score:.5f}") == score for score in values("bm25", "none")[0])


@pytest.mark.parametrize("ties", ["none", "rounded", "tail", "levels"])
@scales
def test_a_ranking_of_one_document(name, ties):
    assert compute_scores(np.array([[1.5]]), SCALES[name], ties).shape == (1, 1)
