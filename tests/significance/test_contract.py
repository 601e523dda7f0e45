"""Contract of all significance tests in the folder of tests."""

from __future__ import annotations

import dataclasses
import importlib
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from assay.errors import InputError
from assay.model.arrays import Floats, Ints
from assay.significance import differences as differences_module
from assay.significance import tests as significance
from assay.significance.base import SignificanceTest, significance_test, significance_tests
from assay.significance.tests import _paired

TESTS = significance_tests()
NAMES = list(TESTS)
RESAMPLING = [name for name in NAMES if "resamples" in TESTS[name].__dataclass_fields__]
DRAWN_BY_TOPIC = ["bootstrap", "randomization"]  # Their random numbers depend on the position of a topic.
PAIRED = [name for name in NAMES if issubclass(TESTS[name], _paired.PairedTest)]
EVERY_TEST = pytest.mark.parametrize("name", NAMES)

# SMALL has few values, so runs and differences are often tied; WILD adds extreme values that a measure may have.
SMALL = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 1 / 3, -0.4])
WILD = st.one_of(SMALL, st.floats(-1, 1), st.sampled_from([1e-300, 1e-9, 1e150, -1e300, 1e300, 123456.789]))
MATRICES = st.integers(2, 4).flatmap(
    lambda runs: st.integers(2, 8).flatmap(
        lambda topics: st.lists(st.lists(WILD, min_size=topics, max_size=topics), min_size=runs, max_size=runs)
    )
)


def all_pairs(values: Floats) -> Ints:
    return np.array(list(combinations(range(len(values)), 2)))


def make_test(name: str) -> SignificanceTest:
    return significance_test(name, resamples=200)


def make_values(runs: int = 6, topics: int = 24, seed: int = 5) -> Floats:
    """Return values of runs of different quality on easy and hard topics, with ties."""
    rng = np.random.default_rng(seed)
    base = rng.random(topics) + rng.normal(size=(runs, topics)) / 5 + np.arange(runs)[:, None] / 20
    return np.round(np.clip(base, 0, 1), 1)


def assert_outcomes_close(one: tuple[Floats, ...], other: tuple[Floats, ...], rel: float = 1e-9) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=rel, atol=1e-12)


def test_all_built_in_tests_are_registered() -> None:
    assert set(NAMES) >= {"bootstrap", "randomization", "sign", "t", "tukey", "tukey-randomized", "wilcoxon"}
    assert set(NAMES) == set(significance.names())
    assert {name for name in NAMES if TESTS[name].corrected} >= {"tukey", "tukey-randomized"}
    with pytest.raises(InputError, match=r"test 'tuky': choose one of .*; did you mean tukey"):
        significance_test("tuky")


@EVERY_TEST
def test_every_test_is_documented_and_has_a_test_file(name: str) -> None:
    text = TESTS[name].__doc__ or ""
    assert "References\n" in text
    assert "Examples\n" in text
    assert TESTS[name].title
    assert importlib.import_module(TESTS[name].__module__).__name__.endswith(name.replace("-", "_"))
    assert (Path(__file__).parent / f"test_{name.replace('-', '_')}.py").exists()


@EVERY_TEST
@settings(max_examples=60, derandomize=True, deadline=None)
@given(values=MATRICES)
def test_identical_runs_have_p_1(name: str, values: list[list[float]]) -> None:
    doubled = np.array(values + values)
    twins = np.array([[i, i + len(values)] for i in range(len(values))] + [[0, 0]])
    outcome = make_test(name).compare(doubled, twins)
    assert (outcome.p == 1).all()
    assert (outcome.statistic == 0).all()
    assert (outcome.topics == doubled.shape[1]).all()
    assert (outcome.low <= 0).all()
    assert (outcome.high >= 0).all()


@EVERY_TEST
@settings(max_examples=60, derandomize=True, deadline=None)
@given(values=MATRICES)
def test_results_are_in_range_for_any_values(name: str, values: list[list[float]]) -> None:
    matrix = np.array(values)
    pairs = all_pairs(matrix)
    outcome = make_test(name).compare(matrix, pairs)
    assert ((outcome.p >= 0) & (outcome.p <= 1)).all()
    assert not np.isnan(outcome.statistic).any()
    largest = np.abs(matrix).max() or 1.0
    difference = matrix[pairs[:, 0]].mean(axis=1) / largest - matrix[pairs[:, 1]].mean(axis=1) / largest
    if name != "bootstrap":  # Bootstrap percentiles of few topics may exclude the mean itself.
        assert (outcome.low / largest <= difference + 1e-9).all()
        assert (outcome.high / largest >= difference - 1e-9).all()
    assert (outcome.low <= outcome.high).all()
    clear = np.abs(difference) > 1e-9
    if name in ("t", "bootstrap", "randomization", "tukey", "tukey-randomized"):  # These tests compare means.
        assert (np.sign(outcome.statistic) == np.sign(difference))[clear].all()


@EVERY_TEST
@settings(max_examples=60, derandomize=True, deadline=None)
@given(values=MATRICES)
def test_swapping_runs_changes_signs_only(name: str, values: list[list[float]]) -> None:
    matrix = np.array(values)
    pairs = all_pairs(matrix)
    forward, backward = make_test(name).compare(matrix, pairs), make_test(name).compare(matrix, pairs[:, ::-1])
    assert forward.p.tolist() == backward.p.tolist()
    assert forward.statistic.tolist() == (-backward.statistic).tolist()
    unit = np.abs(matrix).max() or 1.0
    np.testing.assert_allclose(forward.low / unit, -backward.high / unit, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(forward.high / unit, -backward.low / unit, rtol=1e-9, atol=1e-12)
    assert forward.topics.tolist() == backward.topics.tolist()


@EVERY_TEST
def test_order_of_topics_does_not_matter(name: str) -> None:
    """The order of topics does not matter, except that randomized flips and resamples are drawn by topic position."""
    values = make_values()
    permuted = values[:, np.random.default_rng(1).permutation(values.shape[1])]
    test = significance_test(name, resamples=4000)
    original, reordered = test.compare(values, all_pairs(values)), test.compare(permuted, all_pairs(values))
    if name not in DRAWN_BY_TOPIC:
        assert_outcomes_close(original, reordered)
    else:
        assert_outcomes_close((original.statistic, original.topics), (reordered.statistic, reordered.topics))
        assert (original.p != reordered.p).any()
        assert (
            np.abs(original.p - reordered.p) <= 5 * np.sqrt(2 * original.p * (1 - original.p) / 4000) + 1 / 1000
        ).all()


@EVERY_TEST
def test_order_of_runs_and_pairs_does_not_matter(name: str) -> None:
    values = make_values()
    pairs = all_pairs(values)
    order, shuffled = (
        np.random.default_rng(2).permutation(len(values)),
        np.random.default_rng(3).permutation(len(pairs)),
    )
    original = make_test(name).compare(values, pairs)
    new_index = np.argsort(order)
    reordered = make_test(name).compare(values[order], new_index[pairs[shuffled]])
    assert_outcomes_close(tuple(each[shuffled] for each in original), reordered)


@EVERY_TEST
def test_adding_a_constant_per_topic_changes_nothing(name: str) -> None:
    values = make_values()
    harder = values + np.linspace(-3, 3, values.shape[1])
    assert_outcomes_close(
        make_test(name).compare(values, all_pairs(values)), make_test(name).compare(harder, all_pairs(values)), rel=1e-8
    )


@EVERY_TEST
@pytest.mark.parametrize("unit", [1e-180, 1e-12, 1000.0, 1e180])
def test_scaling_all_values_changes_nothing(name: str, unit: float) -> None:
    values = make_values()
    original, scaled = (make_test(name).compare(each, all_pairs(values)) for each in (values, values * unit))
    assert_outcomes_close((original.p, original.low, original.high), (scaled.p, scaled.low / unit, scaled.high / unit))


@EVERY_TEST
def test_topics_without_values_are_ignored(name: str) -> None:
    values = make_values()
    wider = np.insert(values, [0, 3, 7], np.nan, axis=1)
    original, extended = (
        make_test(name).compare(values, all_pairs(values)),
        make_test(name).compare(wider, all_pairs(values)),
    )
    assert_outcomes_close(original, extended, rel=1e-12)


@pytest.mark.parametrize("name", PAIRED)
def test_missing_values_affect_only_pairs_with_that_run(name: str) -> None:
    values = make_values()
    pairs = all_pairs(values)
    holes = values.copy()
    holes[1, 3:6] = np.nan
    holes[2, 0] = np.nan
    complete, incomplete = make_test(name).compare(values, pairs), make_test(name).compare(holes, pairs)
    untouched = ~np.isin(pairs, [1, 2]).any(axis=1)
    assert_outcomes_close(
        tuple(each[untouched] for each in complete), tuple(each[untouched] for each in incomplete), rel=1e-12
    )
    [index] = np.flatnonzero((pairs == [1, 2]).all(axis=1))
    expected = make_test(name).compare(np.delete(values, [0, 3, 4, 5], axis=1), np.array([[1, 2]]))
    assert_outcomes_close(tuple(each[[index]] for each in incomplete), expected, rel=1e-12)
    assert incomplete.topics[index] == values.shape[1] - 4


@pytest.mark.parametrize("name", ["tukey", "tukey-randomized"])
def test_family_tests_use_topics_common_to_all_runs(name: str) -> None:
    values = make_values()
    holes = values.copy()
    holes[1, 3:6] = np.nan
    holes[5, 0] = np.nan
    outcome = make_test(name).compare(holes, all_pairs(values))
    assert_outcomes_close(outcome, make_test(name).compare(np.delete(values, [0, 3, 4, 5], axis=1), all_pairs(values)))


@EVERY_TEST
def test_fewer_than_two_topics_give_nan(name: str) -> None:
    values = np.array([[0.5, np.nan, 0.1], [0.7, 0.3, np.nan], [0.7, 0.3, np.nan]])
    for matrix in (values, values[:, :1], np.full((3, 2), np.nan), np.empty((3, 0))):
        outcome = make_test(name).compare(
            matrix, np.array([[0, 1], [0, 0]]) if matrix.shape[1] < 2 else np.array([[0, 1]])
        )
        assert np.isnan([outcome.p, outcome.statistic, outcome.low, outcome.high]).all()
        assert (outcome.topics <= 1).all()


@EVERY_TEST
def test_two_topics_suffice(name: str) -> None:
    outcome = make_test(name).compare(np.array([[0.1, 0.5], [0.2, 0.9]]), np.array([[0, 1]]))
    assert 0 < outcome.p[0] <= 1
    assert outcome.topics[0] == 2


@EVERY_TEST
def test_thousands_of_topics(name: str) -> None:
    values = np.random.default_rng(4).random((3, 5000)) + np.array([[0.0], [0.0], [0.1]])
    outcome = significance_test(name, resamples=100).compare(values, np.array([[0, 1], [0, 2]]))
    assert outcome.p[0] > 0.05
    assert outcome.p[1] < 0.05


@EVERY_TEST
def test_no_pairs_give_empty_results(name: str) -> None:
    for values in (make_values(), np.empty((0, 0))):
        assert [len(each) for each in make_test(name).compare(values, np.empty((0, 2), dtype=np.int64))] == [0] * 5
        assert [len(each) for each in make_test(name).compare(values, np.array([], dtype=np.int64))] == [0] * 5


@EVERY_TEST
def test_infinite_values_give_nan(name: str) -> None:
    values = make_values()
    values[0, 3] = -math.inf
    outcome = make_test(name).compare(values, np.array([[0, 1], [1, 2], [0, 3]]))
    assert np.isnan(outcome.p[[0, 2]]).all()
    assert np.isnan(outcome.p[1]) == (name not in PAIRED)


@EVERY_TEST
def test_rounding_errors_are_not_differences(name: str) -> None:
    values = np.array([[0.1 + 0.2, 0.7, 0.6 + 0.3, 0.5], [0.3, 0.7, 0.9, 0.1 * 5], [0.1, 0.4, 0.3, 0.9]])
    outcome = make_test(name).compare(values, np.array([[0, 1], [1, 0]]))
    assert outcome.p.tolist() == [1, 1]
    assert outcome.statistic.tolist() == [0, 0]


@EVERY_TEST
def test_a_clear_difference_is_significant(name: str) -> None:
    rng = np.random.default_rng(3)
    values = rng.random((2, 30)) / 10 + np.array([[0.3], [0.0]])
    outcome = make_test(name).compare(values, np.array([[0, 1]]))
    assert outcome.p[0] <= 1 / 200
    assert outcome.statistic[0] > 0
    assert 0 < outcome.low[0] < 0.3 < outcome.high[0] + 0.03


@pytest.mark.parametrize("name", RESAMPLING)
def test_results_depend_only_on_the_seed(name: str) -> None:
    values = make_values()
    first, again, other = (
        significance_test(name, resamples=150, seed=seed).compare(values, all_pairs(values)) for seed in (7, 7, 8)
    )
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert (first.p != other.p).any()


@EVERY_TEST
def test_block_size_does_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks give the same results as one large block."""
    values = make_values()
    values[1, 5] = np.nan
    whole = make_test(name).compare(values, all_pairs(values))
    monkeypatch.setattr(differences_module, "CELLS", 60)
    assert_outcomes_close(whole, make_test(name).compare(values, all_pairs(values)), rel=1e-11)


@EVERY_TEST
@pytest.mark.parametrize("alpha", [0, 1, -0.1, math.nan])
def test_invalid_alpha_raises(name: str, alpha: float) -> None:
    with pytest.raises(InputError, match=r"alpha must lie between 0 and 1, such as 0\.05, got"):
        make_test(name).compare(make_values(), np.array([[0, 1]]), alpha)


@EVERY_TEST
def test_invalid_values_and_pairs_raise(name: str) -> None:
    for values, pairs, message in (
        (make_values()[0], [[0, 1]], "values must be a matrix of runs x topics, got 1 dimensions"),
        (make_values(), [0, 1], "pairs must be a matrix of pairs x 2, got the shape"),
        (make_values(), [[0, 6]], "pairs must be indices of runs from 0 to 5"),
        (make_values(), [[-1, 2]], "pairs must be indices of runs from 0 to 5"),
    ):
        with pytest.raises(InputError, match=message):
            make_test(name).compare(values, np.array(pairs))


@pytest.mark.parametrize("name", RESAMPLING)
def test_invalid_parameters_raise(name: str) -> None:
    for parameters, message in (
        ({"resamples": 0}, "resamples must be a whole number of at least 1, got 0"),
        ({"resamples": 2.5}, "resamples must be a whole number of at least 1, got 2.5"),
        ({"resamples": True}, "resamples must be a whole number of at least 1, got True"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
    ):
        with pytest.raises(InputError, match=message):
            significance_test(name, **parameters)
    assert significance_test(name, resamples=np.int64(5), nothing=1) == TESTS[name](resamples=5)
    assert significance_test(TESTS[name]()) == TESTS[name]()
    assert dataclasses.asdict(TESTS[name](seed=3))["seed"] == 3


# Type I error rate -----------------------------------------------------------------------------------------------

DATASETS = 2000
LOW, HIGH = binom.ppf([0.0005, 0.9995], DATASETS, 0.05)


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("kind", ["normal", "discrete"])
def test_type_i_error_rate_is_at_most_alpha(name: str, kind: str) -> None:
    """For 2000 pairs of equally good runs on 40 topics, the rate of false rejections is at most alpha."""
    rng = np.random.default_rng(11)
    values = rng.normal(size=(2 * DATASETS, 40)) + rng.normal(size=40)
    if kind == "discrete":
        values = np.round(values)
    pairs = np.arange(2 * DATASETS).reshape(-1, 2)
    outcome = significance_test(name, resamples=2000).compare(values, pairs)
    rejections = np.count_nonzero(outcome.p < 0.05)
    assert rejections <= HIGH
    assert rejections >= (LOW if name != "sign" else 0.3 * LOW)  # The sign test is discrete and conservative.
    missed = np.count_nonzero((outcome.low > 0) | (outcome.high < 0))  # A 95 % interval misses 0 in 5 % of cases.
    assert missed <= (HIGH if name != "bootstrap" else 1.4 * HIGH)  # Percentile intervals are known to be too short.
    assert missed >= LOW


@pytest.mark.parametrize("name", ["tukey", "tukey-randomized"])
def test_family_wise_error_rate_is_alpha(name: str) -> None:
    """Of 2000 families of five equally good runs, about 5 % have at least one false rejection."""
    rng = np.random.default_rng(12)
    test = significance_test(name, resamples=199)
    rejections = 0
    for _ in range(DATASETS):
        values = rng.normal(size=(5, 12)) + rng.normal(size=12)
        means = values.mean(axis=1)
        extreme_pair = np.array([[means.argmax(), means.argmin()]])
        rejections += test.compare(values, extreme_pair).p[0] <= 0.05
    assert LOW <= rejections <= HIGH


@pytest.mark.parametrize("name", ["tukey", "tukey-randomized"])
def test_a_family_without_values_gives_nan(name: str) -> None:
    outcome = significance_test(name).compare(np.full((2, 3), np.nan), np.array([[0, 1]]))
    assert np.isnan(outcome.p).all()
    assert outcome.topics.tolist() == [0]
