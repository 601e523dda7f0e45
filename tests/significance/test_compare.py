"""Comparing runs: pairs, families, margins, what is left out."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ttest_rel

import assay
from assay.errors import InputError, MeasureError
from assay.measures import measures as parsed
from assay.model.policies import Policies
from assay.model.provenance import Input, Provenance
from assay.results.results import Results
from assay.significance import tests as significance
from assay.significance._compare import COLUMNS, Comparison, compare, resolve_test
from assay.significance.tests.t import T
from assay.significance.topic_set_size import plan_topics

A = [0.5, 0.7, 0.2, 0.9, 0.4]
B = [0.4, 0.5, 0.3, 0.5, 0.4]
C = [0.1, 0.3, 0.0, 0.4, 0.2]
TESTS = significance.names()


def results(*values: object, runs: tuple[str, ...] | None = None, of: object = ("AP",)) -> Results:
    """Results of runs a, b, c, …; the values are runs x topics, or measures x runs x topics."""
    found = np.array(values, dtype=float)
    found = found if found.ndim == 3 else found[None]
    names = runs or tuple("abcdefgh"[: found.shape[1]])
    topics = tuple(f"t{number}" for number in range(found.shape[2]))
    inputs = tuple(Input("run", name, f"runs/{name}.run", None) for name in names)
    return Results(names, topics, parsed(of), found, np.zeros(found.shape), Provenance(inputs, Policies()), ("said",))


def row(found: Comparison, number: int = 0) -> dict[str, object]:
    return found.frame().row(number, named=True)


def pairs(found: Comparison) -> list[tuple[str, str]]:
    return list(zip(found.frame()["run_a"], found.frame()["run_b"], strict=True))


def test_by_hand() -> None:
    # The differences are .1 .2 -.1 .4 0: mean .12, standard deviation sqrt(.037), t = .12 / sqrt(.037 / 5) = 1.394972.
    found = row(compare(results(A, B)))
    assert list(found) == ["measure", "run_a", "run_b", *COLUMNS, "test"]
    assert (found["measure"], found["run_a"], found["run_b"], found["test"]) == ("AP", "a", "b", "t")
    assert (found["topics"], found["wins"], found["ties"], found["losses"]) == (5, 3, 1, 1)
    assert (found["mean_a"], found["mean_b"]) == (sum(A) / 5, sum(B) / 5)
    assert found["difference"] == found["mean_a"] - found["mean_b"]
    assert found["statistic"] == pytest.approx(0.12 / math.sqrt(0.037 / 5))
    assert found["p"] == found["p_adjusted"] == pytest.approx(ttest_rel(A, B).pvalue, abs=1e-12)
    half = 2.7764451 * math.sqrt(0.037 / 5)  # t of 4 degrees of freedom at .975
    assert (found["low"], found["high"]) == (pytest.approx(0.12 - half), pytest.approx(0.12 + half))
    assert found["effect"] == pytest.approx(
        0.12 / math.sqrt(0.037) * math.exp(math.lgamma(2) - math.lgamma(1.5)) / math.sqrt(2)
    )
    assert (found["p_equivalent"], found["topics_needed"]) == (None, None)


def test_means_are_those_of_an_evaluation_to_the_last_digit() -> None:
    rng = np.random.default_rng(3)
    given_results = results(*rng.random((4, 37)))
    found = compare(given_results).frame()
    overall = dict(zip(given_results.runs, given_results.overall()[:, 0].tolist(), strict=True))
    assert found["mean_a"].to_list() == [overall[run] for run in found["run_a"]]
    assert found["mean_b"].to_list() == [overall[run] for run in found["run_b"]]


def test_all_pairs_without_baselines() -> None:
    assert pairs(compare(results(A, B, C))) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_each_run_against_each_baseline() -> None:
    many = results(A, B, C, A)
    assert pairs(compare(many, baseline="c")) == [("a", "c"), ("b", "c"), ("d", "c")]
    several = compare(many, baseline=["c", "a", "c"])
    assert pairs(several) == [("a", "c"), ("b", "c"), ("d", "c"), ("b", "a"), ("d", "a")]
    assert several.baselines == ("c", "a")


def test_a_file_that_was_read_stands_for_its_run() -> None:
    assert compare(results(A, B), baseline="runs/b.run").baselines == ("b",)


def test_topics_without_a_value_count_for_neither() -> None:
    gap = [0.9, np.nan, 0.2, 0.9, 0.4]
    found = compare(results(A, gap, C))
    frame = found.frame()
    assert frame["topics"].to_list() == [4, 5, 4]
    assert frame["mean_a"][0] == (0.5 + 0.2 + 0.9 + 0.4) / 4
    assert frame["mean_a"][1] == sum(A) / 5
    assert found.notes == ("said", "AP: 1 topic excluded from comparisons of runs without a value: t1")
    alone = compare(results(np.delete(A, 1), np.delete(gap, 1))).frame()
    assert frame[0].drop("p_adjusted").equals(alone.drop("p_adjusted"))


@pytest.mark.parametrize("test", ["tukey", "tukey-randomized"])
def test_tests_of_all_runs_see_whole_topics_only(test: str) -> None:
    gap = [0.9, np.nan, 0.2, 0.9, 0.4]
    found = compare(results(A, gap, C), test=test)
    assert found.frame().equals(compare(results(*np.delete([A, gap, C], 1, axis=1)), test=test).frame())
    assert found.frame()["topics"].to_list() == [4, 4, 4]
    assert found.frame()["p"].to_list() == found.frame()["p_adjusted"].to_list()
    assert found.notes[1:] == (
        "AP: 1 topic excluded from all comparisons: t1",
        f"{test}: p holds for all pairs of runs together and is not corrected further",
    )


def test_too_few_topics_are_said() -> None:
    found = compare(results([0.5, np.nan, np.nan], [0.25, np.nan, 0.5], [np.nan, 0.5, 0.25]))
    frame = found.frame()
    assert frame["topics"].to_list() == [1, 0, 1]
    assert frame["p_adjusted"].to_list() == frame["p"].to_list() == [None] * 3
    assert frame["mean_a"].to_list() == [0.5, None, 0.5]
    assert (frame["wins"].to_list(), frame["ties"].to_list(), frame["losses"].to_list()) == (
        [1, 0, 1],
        [0] * 3,
        [0] * 3,
    )
    assert "AP: 3 comparisons with too few topics for a test" in found.notes


def test_corrections_by_hand() -> None:
    p = compare(results(A, B, C), correction="none").frame()["p"].to_numpy()
    assert compare(results(A, B, C), correction="none").frame()["p_adjusted"].to_list() == p.tolist()
    bonferroni = compare(results(A, B, C), correction="bonferroni").frame()["p_adjusted"].to_numpy()
    assert bonferroni == pytest.approx(np.minimum(1, 3 * p))
    order = np.argsort(p)
    holm = np.empty(3)
    holm[order] = np.minimum(1, np.maximum.accumulate(p[order] * [3, 2, 1]))
    assert compare(results(A, B, C)).frame()["p_adjusted"].to_numpy() == pytest.approx(holm)
    bh = np.empty(3)
    bh[order[::-1]] = np.minimum.accumulate((p[order] * 3 / [1, 2, 3])[::-1])
    assert compare(results(A, B, C), correction="bh").frame()["p_adjusted"].to_numpy() == pytest.approx(bh)


def test_families() -> None:
    both = results([A, B, C], [C, A, B], of=("AP", "RR"))
    alone = compare(results(A, B, C), correction="bonferroni").frame()["p_adjusted"].to_list()
    apart = compare(both, correction="bonferroni").frame()
    assert apart.filter(pl.col("measure") == "AP")["p_adjusted"].to_list() == alone
    together = compare(both, correction="bonferroni", family="all").frame()
    assert together["p_adjusted"].to_numpy() == pytest.approx(np.minimum(1, 6 * together["p"].to_numpy()))
    noted = compare(both, test="tukey", family="all").notes[-1]
    assert noted.endswith("and is not corrected further, nor for the number of measures")


def test_a_comparison_that_cannot_be_made_is_not_corrected_for() -> None:
    gap = [np.nan] * 5
    p = compare(results(A, B, gap, C), correction="bonferroni").frame()
    made = p.drop_nulls("p")
    assert len(made) == 3
    assert made["p_adjusted"].to_numpy() == pytest.approx(np.minimum(1, 3 * made["p"].to_numpy()))


def test_a_share_of_no_resamples_is_adjusted_as_what_it_is_known_to_be_below() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(30)
    many = results(base + 1, base + rng.normal(0, 0.01, 30), base + 2)
    found = compare(many, test="bootstrap", resamples=200, correction="bonferroni")
    assert found.frame()["p"].to_list() == [0, 0, 0]
    assert found.frame()["p_adjusted"].to_numpy() == pytest.approx([3 / 200] * 3)
    assert found.least == 1 / 200
    assert found.notes == ("said",)
    few = compare(many, test="bootstrap", resamples=50, correction="bonferroni")
    assert few.notes[-1] == (
        "bootstrap: 50 resamples are too few for any significant difference among 3 comparisons; draw more than 60"
    )
    assert compare(many, test="bootstrap", resamples=50, correction="bh").notes == ("said",)
    assert compare(many, test="bootstrap", resamples=50, family="all").notes[-1].endswith("draw more than 60")
    assert compare(many).least == 0


def test_lower_is_better() -> None:
    measure = "Unjudged@10"
    found = compare(results(A, B, of=measure))
    assert (row(found)["wins"], row(found)["ties"], row(found)["losses"]) == (1, 1, 3)
    assert row(found)["difference"] == pytest.approx(0.12)
    assert f"{measure}: lower values are better, so a win is a lower value" in found.notes


def test_geometric_means_are_compared_by_logarithms() -> None:
    values = np.array([[0.5, 0.0, 0.2], [0.25, 0.1, 0.4]])
    found = row(compare(results(*values, of="GM(AP)")))
    logs = np.log(np.maximum(values, 1e-5))
    expected = row(compare(results(*logs)))
    assert found["mean_a"] == pytest.approx((0.5 * 1e-5 * 0.2) ** (1 / 3))
    assert found["difference"] == pytest.approx(math.log(found["mean_a"] / found["mean_b"]))
    for name in ("difference", "low", "high", "p", "statistic", "effect", "wins", "losses"):
        assert found[name] == expected[name]
    notes = compare(results(*values, of="GM(AP)")).notes
    assert notes[-1] == (
        "GM(AP): compared on log(max(value, 1e-05)); difference, low and high are differences of logarithms"
    )


def test_counts_are_compared_by_their_mean() -> None:
    found = compare(results([3, 5, 1], [2, 5, 0], of="NumRelRet"))
    assert (row(found)["mean_a"], row(found)["topics"]) == (3, 3)
    assert found.notes[-1] == "NumRelRet: a count, compared by its mean per topic"


def test_infinite_values_are_refused() -> None:
    with pytest.raises(MeasureError) as refused:
        compare(results([0.5, math.inf], [0.5, 0.25]))
    assert str(refused.value) == (
        "measure 'AP': is infinite for a on topic t1, so the means of runs cannot be compared"
    )


def test_margins() -> None:
    rng = np.random.default_rng(1)
    base = rng.random(40)
    near = results(base, base + rng.normal(0, 0.02, 40), base + 0.3 + rng.normal(0, 0.02, 40))
    found = compare(near, margin=0.02).frame()["p_equivalent"].to_list()
    assert found[0] < 0.05
    assert min(found[1:]) > 0.95
    share = compare(near, margin="5%", baseline="a")
    assert (str(share.margin), str(compare(near, margin=0.02).margin)) == ("5%", "0.02")
    mean = float(base.mean())
    absolute = compare(near, margin=0.05 * mean, baseline="a").frame()["p_equivalent"].to_list()
    assert share.frame()["p_equivalent"].to_list() == pytest.approx(absolute)


def test_a_margin_of_geometric_means_is_a_ratio() -> None:
    values = np.array([[0.5, 0.3, 0.2], [0.25, 0.1, 0.4]])
    found = row(compare(results(*values, of="GM(AP)"), margin="50%", baseline="b"))
    assert found["p_equivalent"] == pytest.approx(
        row(compare(results(*np.log(values)), margin=math.log(1.5)))["p_equivalent"]
    )


def test_topics_needed() -> None:
    found = compare(results(A, B, A), power=0.8).frame()["topics_needed"].to_list()
    assert found[0] == plan_topics(0.12, 0.037).item()
    assert found[1] is None  # identical runs never differ
    more = compare(results(A, B, A), power=0.95).frame()["topics_needed"].to_list()
    assert more[0] > found[0]


def test_systems() -> None:
    runs = ("x1", "x2", "y")
    found = compare(results(A, C, B, runs=runs), systems={"x1": "x", "x2": "x"}, baseline="y")
    assert pairs(found) == [("x", "y")]
    assert row(found)["mean_a"] == pytest.approx((sum(A) + sum(C)) / 10)
    assert found.notes[0] == (
        "2 systems of 3 runs: systems are compared by the mean of their runs on each topic; "
        "topics are the sample, not runs"
    )
    assert found.shares["share"].sum() == pytest.approx(1)
    assert found.provenance.settings["systems"] == {"x1": "x", "x2": "x"}
    assert compare(results(A, B)).shares["squares"].to_list()[2] == 0


def test_matrix() -> None:
    found = compare(results(A, B, C))
    p = found.matrix("AP")
    assert np.isnan(np.diag(p)).all()
    assert np.array_equal(found.matrix("map"), p, equal_nan=True)
    assert p[0, 1] == p[1, 0] == found.frame()["p_adjusted"][0]
    difference = found.matrix("AP", "difference")
    assert difference[0, 2] == -difference[2, 0] == found.frame()["difference"][1]
    assert np.isnan(compare(results(A, B, C), baseline="a").matrix("AP")[1, 2])
    with pytest.raises(InputError, match="column 'mean_a': is not available as a matrix"):
        found.matrix("AP", "mean_a")
    with pytest.raises(MeasureError, match="measure 'RR' is not among these results"):
        found.matrix("RR")


def test_provenance_tells_how() -> None:
    found = compare(results(A, B), test="randomization", resamples=99, seed=5, baseline="b", margin="5%", power=0.8)
    assert found.provenance.settings == {
        "test": {"name": "randomization", "resamples": 99, "seed": 5},
        "correction": "holm",
        "family": "measure",
        "comparisons": "one comparison with b",
        "alpha": 0.05,
        "baseline": ["b"],
        "margin": "5%",
        "power": 0.8,
        "detect": None,
        "systems": {},
    }
    found = compare(results(A, B), test="tukey-randomized", resamples=9)
    assert found.provenance.settings["correction"] == "none"


def test_a_test_may_be_given_as_a_value() -> None:
    assert compare(results(A, B), test=T()).frame().equals(compare(results(A, B)).frame())


def test_progress() -> None:
    told: list[tuple[int, int]] = []
    compare(results([A, B], [B, C], of=("AP", "RR")), progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test": "tt"}, f"test 'tt': choose one of {', '.join(TESTS)}"),
        ({"correction": "hom"}, "correction 'hom': choose one of holm, bonferroni, bh, none; did you mean holm?"),
        ({"family": "every"}, "family 'every': choose one of measure, all"),
        ({"alpha": 0}, "alpha must lie between 0 and 1, such as 0.05, got 0"),
        ({"alpha": 5.0}, "alpha must lie between 0 and 1, such as 0.05, got 5.0"),
        ({"power": 1}, "power must lie between 0 and 1, such as 0.8, got 1"),
        ({"power": 0.01}, "power must be above alpha=0.05, got 0.01"),
        ({"test": "sign", "resamples": 0}, "resamples: the test sign does not resample; omit it"),
        ({"test": "bootstrap", "resamples": 0}, "resamples must be a whole number of at least 1, got 0"),
        ({"resamples": 10}, "resamples: the test t does not resample; omit it"),
        ({"test": "bootstrap", "seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"test": "bootstrap", "seed": 0.5}, "seed must be a whole number of at least 0, got 0.5"),
        ({"baseline": "bb"}, "baseline 'bb' is not among the runs; did you mean b?"),
        ({"baseline": ["a", "runs/a.rum"]}, "baseline 'runs/a.rum' is not among the runs; they are a, b"),
        ({"margin": 0}, "margin 0: write a difference above 0 such as 0.02, or a percentage such as 5%"),
        ({"margin": "lots"}, "margin 'lots': write a difference above 0 such as 0.02, or a percentage such as 5%"),
        ({"margin": "inf"}, "margin 'inf': write a difference above 0 such as 0.02, or a percentage such as 5%"),
        ({"margin": "5%"}, "margin 5%: is relative to the mean of a baseline; name a baseline, or write a difference"),
        ({"systems": {"b": "a"}}, "systems: a is the name of a system and of a run without a system; rename one"),
        ({"systems": {"a": "x", "b": "x"}}, "runs: need at least two runs to compare"),
    ],
)
def test_refusals(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as refused:
        compare(results(A, B), **arguments)
    assert str(refused.value).startswith(message)


def test_more_refusals() -> None:
    with pytest.raises(InputError) as refused:
        compare(results(A, runs=("bm25",)))
    assert str(refused.value) == "runs: need at least two runs to compare"
    with pytest.raises(InputError) as refused:
        compare(results(A, B, runs=("bm25", "dense")), baseline="bm26")
    assert str(refused.value) == "baseline 'bm26' is not among the runs; did you mean bm25?"
    with pytest.raises(InputError) as refused:
        compare(results(A, B, of="GM(AP)"), margin=0.02)
    assert str(refused.value) == "margin 0.02: GM(AP) is compared by ratios; write a percentage such as 5%"
    assert resolve_test("bootstrap", resamples=7).resamples == 7


def test_the_order_of_the_input_does_not_matter() -> None:
    qrels = {f"q{number}": {"r": 1} for number in range(9)}
    one = {f"q{number}": {"r": float(number % 3), "n": 0.5} for number in range(9)}
    other = {f"q{number}": {"r": 1.0, "n": 0.5 * (number % 4)} for number in range(9)}
    turned = dict(reversed(other.items()))
    straight = compare(assay.read(qrels, {"a": one, "b": other}), "RR").frame()
    assert straight.equals(compare(assay.read(dict(reversed(qrels.items())), {"a": one, "b": turned}), "RR").frame())


def test_a_campaign_is_evaluated_and_results_are_selected() -> None:
    campaign = assay.read({"q": {"r": 1}, "p": {"r": 1}}, {"a": {"q": {"r": 1.0}}, "b": {"p": {"r": 1.0}}})
    wanted = compare(assay.evaluate(campaign, "RR"))
    for source in (campaign, assay.evaluate(campaign, ["AP", "RR"])):
        assert compare(source, "RR").frame().equals(wanted.frame())
    assert list(map(str, compare(campaign).results.measures)) == ["AP", "nDCG@10"]
    with pytest.raises(InputError, match=r"source: expected results .* or a campaign, got dict"):
        compare({"q": {"r": 1}}, "RR")  # type: ignore[arg-type]


GRIDS = st.tuples(st.integers(2, 4), st.integers(0, 6)).flatmap(
    lambda shape: arrays(
        float, shape, elements=st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan]), st.floats(0, 1, width=32))
    )
)


@pytest.mark.parametrize("test", [test for test in TESTS if test != "tukey"])
@given(values=GRIDS)
@settings(max_examples=25)
def test_contract(test: str, values: np.ndarray) -> None:
    keeps_the_contract(test, values)


@pytest.mark.parametrize("values", [[A, B, C], [A, A], [[0.5, np.nan], [0.5, 0.25]], [A, [0.9, np.nan, 0.2, 0.9, 0.4]]])
def test_contract_of_tukey(values: list[list[float]]) -> None:
    keeps_the_contract("tukey", np.array(values))


def keeps_the_contract(test: str, values: np.ndarray) -> None:
    how = {"resamples": 50} if hasattr(resolve_test(test), "resamples") else {}
    found = compare(results(*values), test=test, power=0.8, margin=0.1, **how)
    frame = found.frame()
    assert (frame["wins"] + frame["ties"] + frame["losses"] == frame["topics"]).all()
    assert frame["p_adjusted"].null_count() == frame["p"].null_count()
    assert ((frame["p_adjusted"] >= frame["p"]) & (frame["p_adjusted"] <= 1)).all()
    turned = compare(results(*values[::-1]), test=test, power=0.8, margin=0.1, **how)
    runs = len(values)
    for number, (a, b) in enumerate(combinations(range(runs), 2)):
        mine = frame.row(number, named=True)
        place = next(i for i, pair in enumerate(turned.pairs.tolist()) if pair == [runs - 1 - b, runs - 1 - a])
        other = turned.frame().row(place, named=True)
        assert (mine["wins"], mine["losses"]) == (other["losses"], other["wins"])
        assert (mine["mean_a"], mine["topics"]) == (other["mean_b"], other["topics"])
        for name in ("p", "p_adjusted", "topics_needed"):
            assert other[name] == (None if mine[name] is None else pytest.approx(mine[name], rel=1e-9))
        for name in ("difference", "effect", "statistic"):
            assert other[name] == (None if mine[name] is None else pytest.approx(-mine[name], rel=1e-9, abs=1e-15))


def test_topics_needed_for_a_difference_that_is_to_be_found():
    values = np.array([[0.5, 0.7, 0.2, 0.9, 0.4], [0.4, 0.5, 0.3, 0.5, 0.1]])
    found = compare(results(*values.tolist()), power=0.8, detect=0.05)
    variance = np.var(values[0] - values[1], ddof=1)
    assert found.numbers["topics_needed"][0, 0] == plan_topics(0.05, variance, 0.05, 0.8)
    assert found.provenance.settings["detect"] == 0.05
    for wrong in ({"detect": 0.05}, {"power": 0.8, "detect": 0.0}, {"power": 0.8, "detect": math.inf}):
        with pytest.raises(InputError, match=r"detect(: needs power as well| must be a difference above 0)"):
            compare(results(*values.tolist()), **wrong)
