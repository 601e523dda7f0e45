"""Averages over collections: vectors, definitions, and a direct bootstrap."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.significance import strata
from assay.significance.corrections import adjust_p_values

VECTORS = json.loads((Path(__file__).parent.parent / "vectors-judging.json").read_text(encoding="utf-8"))
PAIR = np.array([[0, 1]])


def vectors(operation):
    chosen = [vector for vector in VECTORS if vector["op"] == f"collections.{operation}"]
    assert chosen
    return pytest.mark.parametrize("vector", chosen, ids=lambda vector: vector["id"])


def check(vector, **numbers):
    expected = {name: number for name, number in vector["expected"].items() if name in numbers}
    assert set(numbers) == set(expected)
    for name, number in numbers.items():
        assert number == pytest.approx(expected[name], abs=vector["tolerance"], nan_ok=True), name


def as_pair(inputs):
    return [np.array([inputs["a"][name], inputs["b"][name]]) for name in inputs["a"]]


@vectors("interval")
def test_intervals(vector):
    inputs = vector["inputs"]
    cells = strata.describe_runs([np.array([values]) for values in inputs["values"]])
    average = strata.average_topics if inputs["resample"] == "topics" else strata.average_collections
    got = average(cells, 1 - inputs["confidence"])
    numbers = {"value": got.value[0], "se": got.error[0], "df": got.df[0], "low": got.low[0], "high": got.high[0]}
    check(vector, **{name: number for name, number in numbers.items() if name in vector["expected"]})


@vectors("pair")
def test_stratified_t(vector):
    cells = strata.describe_pairs(as_pair(vector["inputs"]), PAIR)
    got = strata.average_topics(cells, vector["inputs"]["alpha"])
    t, p = strata.student_p(got)
    check(
        vector,
        difference=got.value[0],
        se=got.error[0],
        statistic=t[0],
        df=got.df[0],
        p=p[0],
        low=got.low[0],
        high=got.high[0],
    )


@vectors("randomization")
def test_stratified_randomization(vector):
    values = [np.array([row, [0] * len(row)]) for row in vector["inputs"]["differences"]]
    difference = strata.average_topics(strata.describe_pairs(values, PAIR)).value[0]
    check(vector, difference=difference, p=strata.randomize(values, PAIR, 10_000, 0)[0])


@vectors("bootstrap")
def test_bootstrap(vector):
    inputs = vector["inputs"]
    values = [np.array([runs["a"], runs["b"]]) for runs in inputs["values"].values()]
    draws = [np.array([draw[name] for draw in inputs["draws"]]) for name in inputs["values"]]
    macro = strata.resample_averages(values, draws)
    low, high = np.quantile(macro, [inputs["alpha"] / 2, 1 - inputs["alpha"] / 2], axis=0)
    rank_low, rank_high, first = strata.rank_intervals(strata.mean_ranks(macro), inputs["alpha"])
    assert macro == pytest.approx(np.array(vector["expected"]["macro"]), abs=vector["tolerance"])
    check(
        vector,
        low=low.tolist(),
        high=high.tolist(),
        rank_low=rank_low.tolist(),
        rank_high=rank_high.tolist(),
        p_first=first.tolist(),
    )


@vectors("rank_interval")
def test_rank_intervals(vector):
    ranks = strata.mean_ranks(np.array(vector["inputs"]["macro_replicates"]))
    low, high, first = strata.rank_intervals(ranks)
    check(vector, rank_low=low.tolist(), rank_high=high.tolist(), p_first=first.tolist())


@vectors("rank_bounds")
def test_rank_bounds(vector):
    rows, alpha = vector["inputs"]["pairs"], vector["inputs"]["alpha"]
    names = sorted({name for row in rows for name in row[:2]})
    pairs = np.array([[names.index(a), names.index(b)] for a, b, _, _ in rows])
    adjusted = adjust_p_values(np.array([row[3] for row in rows]), "holm")
    best, worst = strata.rank_bounds(
        len(names), pairs, np.where(adjusted < alpha, np.sign([row[2] for row in rows]), 0.0)
    )
    check(
        vector,
        p_adjusted=adjusted.tolist(),
        rank_best=dict(zip(names, best.tolist(), strict=True)),
        rank_worst=dict(zip(names, worst.tolist(), strict=True)),
    )


def test_the_interval_agrees_with_a_direct_bootstrap():
    rng = np.random.default_rng(7)
    values = [rng.beta(2, 3, size=(1, topics)) for topics in (150, 40, 80)]
    student = strata.average_topics(strata.describe_runs(values))
    means = np.concatenate(list(strata.draw_averages(values, 20_000, 1)))[:, 0]
    low, high = np.quantile(means, [0.025, 0.975])
    assert (low, high) == pytest.approx((student.low[0], student.high[0]), abs=0.1 * (high - low))
    assert means.mean() == pytest.approx(student.value[0], abs=0.002)


def test_all_signs_by_enumeration():
    values = [np.array([[0.3, 0.2, 0.9], [0.1, 0.3, 0.5]]), np.array([[0.5, 0.4], [0.1, 0.45]])]
    weighted = np.concatenate([(a - b) / len(a) for a, b in values])
    sums = [abs(np.dot(signs, weighted)) for signs in itertools.product([1, -1], repeat=len(weighted))]
    expected = np.mean([total >= abs(weighted.sum()) - 1e-12 for total in sums])
    assert strata.randomize(values, PAIR, 10_000, 0)[0] == pytest.approx(expected)


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.1, 0.1 + 0.2, 0.3, 1.0, math.nan]), min_size=4, max_size=4), min_size=1)
)
def test_mean_ranks_are_those_of_scipy(rows):
    values = np.array(rows)
    for row, got in zip(values, strata.mean_ranks(values), strict=True):
        known = ~np.isnan(row)
        assert got[known].tolist() == stats.rankdata(-np.round(row[known], 9)).tolist()
        assert np.isnan(got[~known]).all()


def test_missing_cells():
    values = [np.array([[0.5, 0.3], [math.nan, math.nan]]), np.array([[0.2, 0.6, 0.1], [0.3, math.nan, 0.1]])]
    cells = strata.describe_runs(values)
    assert cells.topics.tolist() == [[2, 0], [3, 2]]
    assert math.isnan(cells.mean[0, 1])
    pair = strata.describe_pairs(values, PAIR)
    assert pair.topics.tolist() == [[0], [2]]
    assert strata.average_topics(pair).value[0] == pytest.approx(-0.05)
    assert strata.randomize(values, PAIR, 100, 0)[0] == 1.0  # differences -0.1 and 0


@pytest.mark.parametrize(("b", "p"), [([0.5, 0.4], 1.0), ([0.4, 0.3], 0.0)])
def test_no_spread(b, p):
    values = [np.array([[0.5, 0.4], b])] * 2
    averages = strata.average_topics(strata.describe_pairs(values, PAIR))
    assert strata.student_p(averages)[1][0] == p
    assert averages.low[0] == averages.high[0] == averages.value[0]


def test_a_collection_with_one_topic_has_no_interval():
    values = [np.array([[0.5], [0.4]]), np.array([[0.5, 0.1], [0.4, 0.3]])]
    averages = strata.average_topics(strata.describe_pairs(values, PAIR))
    assert averages.value[0] == pytest.approx(0.025)
    assert math.isnan(averages.low[0])
    assert math.isnan(strata.student_p(averages)[1][0])
