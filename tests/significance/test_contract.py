"""What every significance test keeps, found by being in its folder."""

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
BY_COLUMN = ["bootstrap", "randomization"]  # draws are by the place of a topic
PAIRED = [name for name in NAMES if issubclass(TESTS[name], _paired.PairedTest)]
ALL = pytest.mark.parametrize("name", NAMES)

# Few values, so that runs and differences are tied; the rest is as wild as a measure may be.
SMALL = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 1 / 3, -0.4])
WILD = st.one_of(SMALL, st.floats(-1, 1), st.sampled_from([1e-300, 1e-9, 1e150, -1e300, 1e300, 123456.789]))
MATRICES = st.integers(2, 4).flatmap(
    lambda runs: st.integers(2, 8).flatmap(
        lambda topics: st.lists(st.lists(WILD, min_size=topics, max_size=topics), min_size=runs, max_size=runs)
    )
)


def all_pairs(values: Floats) -> Ints:
    return np.array(list(combinations(range(len(values)), 2)))


def few(name: str) -> SignificanceTest:
    return significance_test(name, resamples=200)


def campaign(runs: int = 6, topics: int = 24, seed: int = 5) -> Floats:
    """Runs of different quality over easy and hard topics, with ties."""
    rng = np.random.default_rng(seed)
    base = rng.random(topics) + rng.normal(size=(runs, topics)) / 5 + np.arange(runs)[:, None] / 20
    return np.round(np.clip(base, 0, 1), 1)


def same(one: tuple[Floats, ...], other: tuple[Floats, ...], rel: float = 1e-9) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=rel, atol=1e-12)


def test_the_seven_are_there() -> None:
    assert set(NAMES) >= {"bootstrap", "randomization", "sign", "t", "tukey", "tukey-randomized", "wilcoxon"}
    assert set(NAMES) == set(significance.names())
    assert {name for name in NAMES if TESTS[name].corrected} >= {"tukey", "tukey-randomized"}
    with pytest.raises(InputError, match=r"test 'tuky': choose one of .*; did you mean tukey"):
        significance_test("tuky")


@ALL
def test_says_where_it_comes_from_and_has_its_test_file(name: str) -> None:
    text = TESTS[name].__doc__ or ""
    assert "References\n" in text
    assert "Examples\n" in text
    assert TESTS[name].title
    assert importlib.import_module(TESTS[name].__module__).__name__.endswith(name.replace("-", "_"))
    assert (Path(__file__).parent / f"test_{name.replace('-', '_')}.py").exists()


@ALL
@settings(max_examples=60, derandomize=True, deadline=None)
@given(values=MATRICES)
def test_identical_runs(name: str, values: list[list[float]]) -> None:
    doubled = np.array(values + values)
    twins = np.array([[i, i + len(values)] for i in range(len(values))] + [[0, 0]])
    outcome = few(name).compare(doubled, twins)
    assert (outcome.p == 1).all()
    assert (outcome.statistic == 0).all()
    assert (outcome.topics == doubled.shape[1]).all()
    assert (outcome.low <= 0).all()
    assert (outcome.high >= 0).all()


@ALL
@settings(max_examples=60, derandomize=True, deadline=None)
@given(values=MATRICES)
def test_numbers_are_in_range_whatever_the_values(name: str, values: list[list[float]]) -> None:
    given = np.array(values)
    pairs = all_pairs(given)
    outcome = few(name).compare(given, pairs)
    assert ((outcome.p >= 0) & (outcome.p <= 1)).all()
    assert not np.isnan(outcome.statistic).any()
    largest = np.abs(given).max() or 1.0
    difference = given[pairs[:, 0]].mean(axis=1) / largest - given[pairs[:, 1]].mean(axis=1) / largest
    if name != "bootstrap":  # percentiles of few topics may leave out the mean itself
        assert (outcome.low / largest <= difference + 1e-9).all()
        assert (outcome.high / largest >= difference - 1e-9).all()
    assert (outcome.low <= outcome.high).all()
    clear = np.abs(difference) > 1e-9
    if name in ("t", "bootstrap", "randomization", "tukey", "tukey-randomized"):  # they are about means
        assert (np.sign(outcome.statistic) == np.sign(difference))[clear].all()


@ALL
@settings(max_examples=60, derandomize=True, deadline=None)
@given(values=MATRICES)
def test_exchanging_runs_changes_signs_only(name: str, values: list[list[float]]) -> None:
    given = np.array(values)
    pairs = all_pairs(given)
    there, back = few(name).compare(given, pairs), few(name).compare(given, pairs[:, ::-1])
    assert there.p.tolist() == back.p.tolist()
    assert there.statistic.tolist() == (-back.statistic).tolist()
    unit = np.abs(given).max() or 1.0
    np.testing.assert_allclose(there.low / unit, -back.high / unit, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(there.high / unit, -back.low / unit, rtol=1e-9, atol=1e-12)
    assert there.topics.tolist() == back.topics.tolist()


@ALL
def test_the_order_of_topics(name: str) -> None:
    """It does not matter; only flips and resamples, which are drawn topic by topic, are others."""
    values = campaign()
    mixed = values[:, np.random.default_rng(1).permutation(values.shape[1])]
    test = significance_test(name, resamples=4000)
    one, other = test.compare(values, all_pairs(values)), test.compare(mixed, all_pairs(values))
    if name not in BY_COLUMN:
        same(one, other)
    else:
        same((one.statistic, one.topics), (other.statistic, other.topics))
        assert (one.p != other.p).any()
        assert (np.abs(one.p - other.p) <= 5 * np.sqrt(2 * one.p * (1 - one.p) / 4000) + 1 / 1000).all()


@ALL
def test_the_order_of_runs_and_pairs(name: str) -> None:
    values = campaign()
    pairs = all_pairs(values)
    order, shuffled = (
        np.random.default_rng(2).permutation(len(values)),
        np.random.default_rng(3).permutation(len(pairs)),
    )
    one = few(name).compare(values, pairs)
    place = np.argsort(order)
    other = few(name).compare(values[order], place[pairs[shuffled]])
    same(tuple(each[shuffled] for each in one), other)


@ALL
def test_what_a_topic_adds_to_all_runs_does_not_matter(name: str) -> None:
    values = campaign()
    harder = values + np.linspace(-3, 3, values.shape[1])
    same(few(name).compare(values, all_pairs(values)), few(name).compare(harder, all_pairs(values)), rel=1e-8)


@ALL
@pytest.mark.parametrize("unit", [1e-180, 1e-12, 1000.0, 1e180])
def test_the_unit_does_not_matter(name: str, unit: float) -> None:
    values = campaign()
    one, other = (few(name).compare(each, all_pairs(values)) for each in (values, values * unit))
    same((one.p, one.low, one.high), (other.p, other.low / unit, other.high / unit))


@ALL
def test_a_topic_that_does_not_count_is_as_good_as_deleted(name: str) -> None:
    values = campaign()
    wider = np.insert(values, [0, 3, 7], np.nan, axis=1)
    one, other = few(name).compare(values, all_pairs(values)), few(name).compare(wider, all_pairs(values))
    same(one, other, rel=1e-12)


@pytest.mark.parametrize("name", PAIRED)
def test_gaps_of_one_run_are_its_own(name: str) -> None:
    values = campaign()
    pairs = all_pairs(values)
    holes = values.copy()
    holes[1, 3:6] = np.nan
    holes[2, 0] = np.nan
    one, other = few(name).compare(values, pairs), few(name).compare(holes, pairs)
    untouched = ~np.isin(pairs, [1, 2]).any(axis=1)
    same(tuple(each[untouched] for each in one), tuple(each[untouched] for each in other), rel=1e-12)
    [both] = np.flatnonzero((pairs == [1, 2]).all(axis=1))
    alone = few(name).compare(np.delete(values, [0, 3, 4, 5], axis=1), np.array([[1, 2]]))
    same(tuple(each[[both]] for each in other), alone, rel=1e-12)
    assert other.topics[both] == values.shape[1] - 4


@pytest.mark.parametrize("name", ["tukey", "tukey-randomized"])
def test_a_family_needs_topics_that_all_runs_have(name: str) -> None:
    values = campaign()
    holes = values.copy()
    holes[1, 3:6] = np.nan
    holes[5, 0] = np.nan
    found = few(name).compare(holes, all_pairs(values))
    same(found, few(name).compare(np.delete(values, [0, 3, 4, 5], axis=1), all_pairs(values)))


@ALL
def test_fewer_than_two_topics(name: str) -> None:
    values = np.array([[0.5, np.nan, 0.1], [0.7, 0.3, np.nan], [0.7, 0.3, np.nan]])
    for some in (values, values[:, :1], np.full((3, 2), np.nan), np.empty((3, 0))):
        outcome = few(name).compare(some, np.array([[0, 1], [0, 0]]) if some.shape[1] < 2 else np.array([[0, 1]]))
        assert np.isnan([outcome.p, outcome.statistic, outcome.low, outcome.high]).all()
        assert (outcome.topics <= 1).all()


@ALL
def test_two_topics(name: str) -> None:
    outcome = few(name).compare(np.array([[0.1, 0.5], [0.2, 0.9]]), np.array([[0, 1]]))
    assert 0 < outcome.p[0] <= 1
    assert outcome.topics[0] == 2


@ALL
def test_thousands_of_topics(name: str) -> None:
    values = np.random.default_rng(4).random((3, 5000)) + np.array([[0.0], [0.0], [0.1]])
    outcome = significance_test(name, resamples=100).compare(values, np.array([[0, 1], [0, 2]]))
    assert outcome.p[0] > 0.05
    assert outcome.p[1] < 0.05


@ALL
def test_no_pairs(name: str) -> None:
    for values in (campaign(), np.empty((0, 0))):
        assert [len(each) for each in few(name).compare(values, np.empty((0, 2), dtype=np.int64))] == [0] * 5
        assert [len(each) for each in few(name).compare(values, np.array([], dtype=np.int64))] == [0] * 5


@ALL
def test_infinite_values(name: str) -> None:
    values = campaign()
    values[0, 3] = -math.inf
    outcome = few(name).compare(values, np.array([[0, 1], [1, 2], [0, 3]]))
    assert np.isnan(outcome.p[[0, 2]]).all()
    assert np.isnan(outcome.p[1]) == (name not in PAIRED)


@ALL
def test_rounding_is_no_difference(name: str) -> None:
    values = np.array([[0.1 + 0.2, 0.7, 0.6 + 0.3, 0.5], [0.3, 0.7, 0.9, 0.1 * 5], [0.1, 0.4, 0.3, 0.9]])
    outcome = few(name).compare(values, np.array([[0, 1], [1, 0]]))
    assert outcome.p.tolist() == [1, 1]
    assert outcome.statistic.tolist() == [0, 0]


@ALL
def test_a_clear_difference(name: str) -> None:
    rng = np.random.default_rng(3)
    values = rng.random((2, 30)) / 10 + np.array([[0.3], [0.0]])
    outcome = few(name).compare(values, np.array([[0, 1]]))
    assert outcome.p[0] <= 1 / 200
    assert outcome.statistic[0] > 0
    assert 0 < outcome.low[0] < 0.3 < outcome.high[0] + 0.03


@pytest.mark.parametrize("name", RESAMPLING)
def test_the_same_seed_gives_the_same_numbers(name: str) -> None:
    values = campaign()
    first, again, other = (
        significance_test(name, resamples=150, seed=seed).compare(values, all_pairs(values)) for seed in (7, 7, 8)
    )
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert (first.p != other.p).any()


@ALL
def test_memory_is_bounded_and_that_does_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Treated in blocks of a few numbers, everything stays the same."""
    values = campaign()
    values[1, 5] = np.nan
    whole = few(name).compare(values, all_pairs(values))
    modules = [importlib.import_module(TESTS[name].__module__), differences_module]
    for module in modules:
        if hasattr(module, "CELLS"):
            monkeypatch.setattr(module, "CELLS", 60)
    same(whole, few(name).compare(values, all_pairs(values)), rel=1e-11)


@ALL
@pytest.mark.parametrize("alpha", [0, 1, -0.1, math.nan])
def test_alpha_is_checked(name: str, alpha: float) -> None:
    with pytest.raises(InputError, match="alpha must lie between 0 and 1, got"):
        few(name).compare(campaign(), np.array([[0, 1]]), alpha)


@ALL
def test_what_is_given_is_checked(name: str) -> None:
    for values, pairs, message in (
        (campaign()[0], [[0, 1]], "values must be a matrix of runs x topics, got 1 dimensions"),
        (campaign(), [0, 1], "pairs must be a matrix of pairs x 2, got the shape"),
        (campaign(), [[0, 6]], "pairs must be indices of runs from 0 to 5"),
        (campaign(), [[-1, 2]], "pairs must be indices of runs from 0 to 5"),
    ):
        with pytest.raises(InputError, match=message):
            few(name).compare(values, np.array(pairs))


@pytest.mark.parametrize("name", RESAMPLING)
def test_parameters_are_checked(name: str) -> None:
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


# The level -------------------------------------------------------------------------------------------------------

DATASETS = 2000
LOW, HIGH = binom.ppf([0.0005, 0.9995], DATASETS, 0.05)


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("kind", ["normal", "discrete"])
def test_the_level_under_the_null_hypothesis(name: str, kind: str) -> None:
    """2000 pairs of runs that do not differ, over 40 topics each: false alarms come at the stated rate, or fewer."""
    rng = np.random.default_rng(11)
    values = rng.normal(size=(2 * DATASETS, 40)) + rng.normal(size=40)
    if kind == "discrete":
        values = np.round(values)
    pairs = np.arange(2 * DATASETS).reshape(-1, 2)
    outcome = significance_test(name, resamples=2000).compare(values, pairs)
    alarms = np.count_nonzero(outcome.p < 0.05)
    assert alarms <= HIGH
    assert alarms >= (LOW if name != "sign" else 0.3 * LOW)  # the sign test cannot reach its level exactly
    missed = np.count_nonzero((outcome.low > 0) | (outcome.high < 0))  # the interval holds 0 in 95 % of cases
    assert missed <= (HIGH if name != "bootstrap" else 1.4 * HIGH)  # percentiles are known to be a little short
    assert missed >= LOW


@pytest.mark.parametrize("name", ["tukey", "tukey-randomized"])
def test_the_level_of_a_family(name: str) -> None:
    """2000 families of five runs that do not differ: there is any false alarm in a share of 0.05."""
    rng = np.random.default_rng(12)
    test = significance_test(name, resamples=199)
    alarms = 0
    for _ in range(DATASETS):
        values = rng.normal(size=(5, 12)) + rng.normal(size=12)
        means = values.mean(axis=1)
        furthest = np.array([[means.argmax(), means.argmin()]])
        alarms += test.compare(values, furthest).p[0] <= 0.05
    assert LOW <= alarms <= HIGH


@pytest.mark.parametrize("name", ["tukey", "tukey-randomized"])
def test_nothing_is_said_of_no_family(name: str) -> None:
    outcome = significance_test(name).compare(np.full((2, 3), np.nan), np.array([[0, 1]]))
    assert np.isnan(outcome.p).all()
    assert outcome.topics.tolist() == [0]
