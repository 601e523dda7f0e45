"""Differences of pairs of runs."""

import numpy as np

from assay.significance import differences as module
from assay.significance.differences import count_topics, find_unit, iterate_differences, safe_ratio


def collected(values, pairs):
    """Each pair's differences in the units of the values."""
    found = {}
    for some in iterate_differences(values, pairs):
        for place, row, unit in zip(some.pairs, some.value, some.unit, strict=True):
            found[int(place)] = (row * unit).tolist()
    return found


def test_each_pair_has_its_topics():
    nan = np.nan
    values = np.array([[1.0, 2.0, 3.0, 4.0], [0.5, nan, 1.0, 1.0], [nan, 1.0, 1.0, 1.5], [nan, nan, nan, 3.0]])
    pairs = np.array([[0, 1], [2, 0], [1, 2], [0, 3], [0, 0]])
    assert collected(values, pairs) == {0: [0.5, 2, 3], 1: [-1, -2, -2.5], 2: [0, -0.5], 4: [0, 0, 0, 0]}
    assert count_topics(values, pairs).tolist() == [3, 3, 2, 1, 4]


def test_blocks(monkeypatch):
    values = np.random.default_rng(0).random((6, 10))
    values[2, 3] = np.nan
    pairs = np.array([[i, j] for i in range(6) for j in range(6)])
    whole, topics = collected(values, pairs), count_topics(values, pairs)
    monkeypatch.setattr(module, "CELLS", 25)
    assert max(some.value.size for some in iterate_differences(values, pairs)) <= 25
    assert collected(values, pairs) == whole
    assert (count_topics(values, pairs) == topics).all()


def test_units_lose_nothing():
    values = np.array([[1e-320, 3e-310], [1e300, 0.1], [0.0, 0.0]])
    for some in iterate_differences(values, np.array([[0, 2], [1, 2], [2, 2]])):
        assert ((np.abs(some.value).max(axis=1) >= 1) | (some.value == 0).all(axis=1)).all()
        assert (np.abs(some.value) < 2).all()
    assert collected(values, np.array([[0, 2], [1, 2]])) == {0: [1e-320, 3e-310], 1: [1e300, 0.1]}
    assert find_unit(np.array([0.0, 1.0, 1.9, 2.0, 0.3])).tolist() == [1, 1, 1, 2, 0.25]


def test_what_is_not_finite_is_left_out():
    inf = np.inf
    values = np.array([[1.0, inf], [2.0, inf], [1.0, -inf], [1.0, 1.0], [-1.7e308, 0.0], [1.7e308, 0.0]])
    pairs = np.array([[0, 1], [0, 2], [0, 3], [4, 5]])
    assert collected(values, pairs) == {0: [-1, 0]}
    assert collected(values, pairs[1:2]) == {}


def test_ratio():
    assert safe_ratio(np.array([0.0, 1.0, -1.0, 3.0]), np.array([0.0, 0.0, 0.0, 2.0])).tolist() == [
        0,
        np.inf,
        -np.inf,
        1.5,
    ]


def test_a_mean_of_rounding_is_none():
    assert 0.1 + 0.2 - 0.3 != 0
    [some] = iterate_differences(np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.3]]), np.array([[0, 1]]))
    assert some.mean.tolist() == [0]


def test_what_lies_at_the_mean_lies_at_the_mean():
    """A resample of this topic alone has the mean 0."""
    values = np.array([[0.1, 0.2, 0.3], [0.7, 1.4, 2.1], [0.3, 0.6, 0.9], [0.0, 0.0, 0.0]])
    [some] = iterate_differences(values, np.array([[0, 3], [1, 3], [2, 3]]))
    assert (some.value[:, 1] != some.mean).any()
    assert some.centred[:, 1].tolist() == [0, 0, 0]
    assert (some.centred[:, 0] < 0).all()
