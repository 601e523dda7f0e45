"""Differences of pairs of runs."""

import numpy as np

from assay.significance import differences as module
from assay.significance.differences import count_topics, find_scale, iterate_differences, safe_ratio


def collect_differences(values, pairs):
    """Return the differences of each pair, in the unit of the values."""
    differences = {}
    for block in iterate_differences(values, pairs):
        for pair, row, unit in zip(block.pairs, block.value, block.scale, strict=True):
            differences[int(pair)] = (row * unit).tolist()
    return differences


def test_each_pair_uses_its_common_topics():
    nan = np.nan
    values = np.array([[1.0, 2.0, 3.0, 4.0], [0.5, nan, 1.0, 1.0], [nan, 1.0, 1.0, 1.5], [nan, nan, nan, 3.0]])
    pairs = np.array([[0, 1], [2, 0], [1, 2], [0, 3], [0, 0]])
    assert collect_differences(values, pairs) == {0: [0.5, 2, 3], 1: [-1, -2, -2.5], 2: [0, -0.5], 4: [0, 0, 0, 0]}
    assert count_topics(values, pairs).tolist() == [3, 3, 2, 1, 4]


def test_block_size_does_not_matter(monkeypatch):
    values = np.random.default_rng(0).random((6, 10))
    values[2, 3] = np.nan
    pairs = np.array([[i, j] for i in range(6) for j in range(6)])
    whole, topics = collect_differences(values, pairs), count_topics(values, pairs)
    monkeypatch.setattr(module, "CELLS", 25)
    assert max(block.value.size for block in iterate_differences(values, pairs)) <= 25
    assert collect_differences(values, pairs) == whole
    assert (count_topics(values, pairs) == topics).all()


def test_scaling_preserves_extreme_values():
    values = np.array([[1e-320, 3e-310], [1e300, 0.1], [0.0, 0.0]])
    for block in iterate_differences(values, np.array([[0, 2], [1, 2], [2, 2]])):
        assert ((np.abs(block.value).max(axis=1) >= 1) | (block.value == 0).all(axis=1)).all()
        assert (np.abs(block.value) < 2).all()
    assert collect_differences(values, np.array([[0, 2], [1, 2]])) == {0: [1e-320, 3e-310], 1: [1e300, 0.1]}
    assert find_scale(np.array([0.0, 1.0, 1.9, 2.0, 0.3])).tolist() == [1, 1, 1, 2, 0.25]


def test_infinite_differences_are_excluded():
    inf = np.inf
    values = np.array([[1.0, inf], [2.0, inf], [1.0, -inf], [1.0, 1.0], [-1.7e308, 0.0], [1.7e308, 0.0]])
    pairs = np.array([[0, 1], [0, 2], [0, 3], [4, 5]])
    assert collect_differences(values, pairs) == {0: [-1, 0]}
    assert collect_differences(values, pairs[1:2]) == {}


def test_safe_ratio():
    assert safe_ratio(np.array([0.0, 1.0, -1.0, 3.0]), np.array([0.0, 0.0, 0.0, 2.0])).tolist() == [
        0,
        np.inf,
        -np.inf,
        1.5,
    ]


def test_a_mean_due_to_rounding_is_zero():
    assert 0.1 + 0.2 - 0.3 != 0
    [block] = iterate_differences(np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.3]]), np.array([[0, 1]]))
    assert block.mean.tolist() == [0]


def test_a_difference_equal_to_the_mean_is_centred_to_zero():
    """A resample of only this topic then has a mean of exactly 0."""
    values = np.array([[0.1, 0.2, 0.3], [0.7, 1.4, 2.1], [0.3, 0.6, 0.9], [0.0, 0.0, 0.0]])
    [block] = iterate_differences(values, np.array([[0, 3], [1, 3], [2, 3]]))
    assert (block.value[:, 1] != block.mean).any()
    assert block.centred[:, 1].tolist() == [0, 0, 0]
    assert (block.centred[:, 0] < 0).all()
