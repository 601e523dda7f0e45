"""Comparison of runs: pairs, families, margins and excluded topics."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ttest_1samp, ttest_rel

import assay
from assay.errors import InputError, MeasureError
from assay.measures import measures as parse_measures
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


def make_results(*values: object, runs: tuple[str, ...] | None = None, measure_names: object = ("AP",)) -> Results:
    """Return results of runs a, b, c, …; the values are runs x topics, or measures x runs x topics."""
    grid = np.array(values, dtype=float)
    grid = grid if grid.ndim == 3 else grid[None]
    names = runs or tuple("abcdefgh"[: grid.shape[1]])
    topics = tuple(f"t{number}" for number in range(grid.shape[2]))
    inputs = tuple(Input("run", name, f"runs/{name}.run", None) for name in names)
    return Results(
        names,
        topics,
        parse_measures(measure_names),
        grid,
        np.zeros(grid.shape),
        Provenance(inputs, Policies()),
        ("note",),
    )


def get_row(comparison: Comparison, number: int = 0) -> dict[str, object]:
    return comparison.frame().row(number, named=True)


def list_pairs(comparison: Comparison) -> list[tuple[str, str]]:
    return list(zip(comparison.frame()["run_a"], comparison.frame()["run_b"], strict=True))


def test_small_example() -> None:
    # The differences are .1 .2 -.1 .4 0: mean .12, standard deviation sqrt(.037), t = .12 / sqrt(.037 / 5) = 1.394972.
    values_of_pair = get_row(compare(make_results(A, B)))
    assert list(values_of_pair) == ["measure", "run_a", "run_b", *COLUMNS, "test"]
    assert (values_of_pair["measure"], values_of_pair["run_a"], values_of_pair["run_b"], values_of_pair["test"]) == (
        "AP",
        "a",
        "b",
        "t",
    )
    assert (values_of_pair["topics"], values_of_pair["wins"], values_of_pair["ties"], values_of_pair["losses"]) == (
        5,
        3,
        1,
        1,
    )
    # From Python 3.12 on, sum() rounds less often than the means do.
    assert (values_of_pair["mean_a"], values_of_pair["mean_b"]) == pytest.approx((sum(A) / 5, sum(B) / 5), rel=1e-15)
    assert values_of_pair["difference"] == values_of_pair["mean_a"] - values_of_pair["mean_b"]
    assert values_of_pair["statistic"] == pytest.approx(0.12 / math.sqrt(0.037 / 5))
    assert values_of_pair["p"] == values_of_pair["p_adjusted"] == pytest.approx(ttest_rel(A, B).pvalue, abs=1e-12)
    half = 2.7764451 * math.sqrt(0.037 / 5)  # 0.975 quantile of t with 4 degrees of freedom
    assert (values_of_pair["low"], values_of_pair["high"]) == (pytest.approx(0.12 - half), pytest.approx(0.12 + half))
    assert values_of_pair["effect"] == pytest.approx(
        0.12 / math.sqrt(0.037) * math.exp(math.lgamma(2) - math.lgamma(1.5)) / math.sqrt(2)
    )
    assert (values_of_pair["p_equivalent"], values_of_pair["topics_needed"]) == (None, None)


def test_means_equal_those_of_the_evaluation_exactly() -> None:
    rng = np.random.default_rng(3)
    evaluated = make_results(*rng.random((4, 37)))
    frame = compare(evaluated).frame()
    overall = dict(zip(evaluated.runs, evaluated.overall()[:, 0].tolist(), strict=True))
    assert frame["mean_a"].to_list() == [overall[run] for run in frame["run_a"]]
    assert frame["mean_b"].to_list() == [overall[run] for run in frame["run_b"]]


def test_all_pairs_without_baselines() -> None:
    assert list_pairs(compare(make_results(A, B, C))) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_each_run_against_each_baseline() -> None:
    four_runs = make_results(A, B, C, A)
    assert list_pairs(compare(four_runs, baseline="c")) == [("a", "c"), ("b", "c"), ("d", "c")]
    several = compare(four_runs, baseline=["c", "a", "c"])
    assert list_pairs(several) == [("a", "c"), ("b", "c"), ("d", "c"), ("b", "a"), ("d", "a")]
    assert several.baselines == ("c", "a")


def test_a_baseline_may_be_named_by_its_file() -> None:
    assert compare(make_results(A, B), baseline="runs/b.run").baselines == ("b",)


def test_topics_without_a_value_are_excluded_per_pair() -> None:
    gap = [0.9, np.nan, 0.2, 0.9, 0.4]
    comparison = compare(make_results(A, gap, C))
    frame = comparison.frame()
    assert frame["topics"].to_list() == [4, 5, 4]
    assert frame["mean_a"][0] == (0.5 + 0.2 + 0.9 + 0.4) / 4
    assert frame["mean_a"][1] == pytest.approx(sum(A) / 5, rel=1e-15)
    assert comparison.notes == ("note", "AP: 1 topic excluded from comparisons of runs without a value: t1")
    without_topic = compare(make_results(np.delete(A, 1), np.delete(gap, 1))).frame()
    assert frame[0].drop("p_adjusted").equals(without_topic.drop("p_adjusted"))


@pytest.mark.parametrize("test", ["tukey", "tukey-randomized"])
def test_family_tests_use_topics_common_to_all_runs(test: str) -> None:
    gap = [0.9, np.nan, 0.2, 0.9, 0.4]
    comparison = compare(make_results(A, gap, C), test=test)
    assert comparison.frame().equals(compare(make_results(*np.delete([A, gap, C], 1, axis=1)), test=test).frame())
    assert comparison.frame()["topics"].to_list() == [4, 4, 4]
    assert comparison.frame()["p"].to_list() == comparison.frame()["p_adjusted"].to_list()
    assert comparison.notes[1:] == (
        "AP: 1 topic excluded from all comparisons: t1",
        f"{test}: p holds for all pairs of runs together and is not corrected further",
    )


def test_too_few_topics_are_noted() -> None:
    comparison = compare(make_results([0.5, np.nan, np.nan], [0.25, np.nan, 0.5], [np.nan, 0.5, 0.25]))
    frame = comparison.frame()
    assert frame["topics"].to_list() == [1, 0, 1]
    assert frame["p_adjusted"].to_list() == frame["p"].to_list() == [None] * 3
    assert frame["mean_a"].to_list() == [0.5, None, 0.5]
    assert (frame["wins"].to_list(), frame["ties"].to_list(), frame["losses"].to_list()) == (
        [1, 0, 1],
        [0] * 3,
        [0] * 3,
    )
    assert "AP: 3 comparisons with too few topics for a test" in comparison.notes


def test_corrections_agree_with_their_definitions() -> None:
    p = compare(make_results(A, B, C), correction="none").frame()["p"].to_numpy()
    assert compare(make_results(A, B, C), correction="none").frame()["p_adjusted"].to_list() == p.tolist()
    bonferroni = compare(make_results(A, B, C), correction="bonferroni").frame()["p_adjusted"].to_numpy()
    assert bonferroni == pytest.approx(np.minimum(1, 3 * p))
    order = np.argsort(p)
    holm = np.empty(3)
    holm[order] = np.minimum(1, np.maximum.accumulate(p[order] * [3, 2, 1]))
    assert compare(make_results(A, B, C)).frame()["p_adjusted"].to_numpy() == pytest.approx(holm)
    bh = np.empty(3)
    bh[order[::-1]] = np.minimum.accumulate((p[order] * 3 / [1, 2, 3])[::-1])
    assert compare(make_results(A, B, C), correction="bh").frame()["p_adjusted"].to_numpy() == pytest.approx(bh)


def test_family_of_one_measure_or_all_measures() -> None:
    both = make_results([A, B, C], [C, A, B], measure_names=("AP", "RR"))
    alone = compare(make_results(A, B, C), correction="bonferroni").frame()["p_adjusted"].to_list()
    by_measure = compare(both, correction="bonferroni").frame()
    assert by_measure.filter(pl.col("measure") == "AP")["p_adjusted"].to_list() == alone
    together = compare(both, correction="bonferroni", family="all").frame()
    assert together["p_adjusted"].to_numpy() == pytest.approx(np.minimum(1, 6 * together["p"].to_numpy()))
    note = compare(both, test="tukey", family="all").notes[-1]
    assert note.endswith("and is not corrected further, not even for the number of measures")


def test_untested_comparisons_do_not_count_for_the_correction() -> None:
    gap = [np.nan] * 5
    frame = compare(make_results(A, B, gap, C), correction="bonferroni").frame()
    tested = frame.drop_nulls("p")
    assert len(tested) == 3
    assert tested["p_adjusted"].to_numpy() == pytest.approx(np.minimum(1, 3 * tested["p"].to_numpy()))


def test_a_bootstrap_p_of_zero_is_adjusted_as_one_over_the_resamples() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(30)
    four_runs = make_results(base + 1, base + rng.normal(0, 0.01, 30), base + 2)
    comparison = compare(four_runs, test="bootstrap", resamples=200, correction="bonferroni")
    assert comparison.frame()["p"].to_list() == [0, 0, 0]
    assert comparison.frame()["p_adjusted"].to_numpy() == pytest.approx([3 / 200] * 3)
    assert comparison.least == 1 / 200
    assert comparison.notes == ("note",)
    few = compare(four_runs, test="bootstrap", resamples=50, correction="bonferroni")
    assert few.notes[-1] == (
        "bootstrap: with 50 resamples, none of 3 comparisons can be significant; draw more than 60 resamples"
    )
    assert compare(four_runs, test="bootstrap", resamples=50, correction="bh").notes == ("note",)
    assert (
        compare(four_runs, test="bootstrap", resamples=50, family="all")
        .notes[-1]
        .endswith("draw more than 60 resamples")
    )
    assert compare(four_runs).least == 0


def test_a_win_is_a_lower_value_if_lower_is_better() -> None:
    measure = "Unjudged@10"
    comparison = compare(make_results(A, B, measure_names=measure))
    assert (get_row(comparison)["wins"], get_row(comparison)["ties"], get_row(comparison)["losses"]) == (1, 1, 3)
    assert get_row(comparison)["difference"] == pytest.approx(0.12)
    assert f"{measure}: lower values are better, so a win is a lower value" in comparison.notes


def test_geometric_means_are_compared_on_logarithms() -> None:
    values = np.array([[0.5, 0.0, 0.2], [0.25, 0.1, 0.4]])
    values_of_pair = get_row(compare(make_results(*values, measure_names="GM(AP)")))
    logs = np.log(np.maximum(values, 1e-5))
    expected = get_row(compare(make_results(*logs)))
    assert values_of_pair["mean_a"] == pytest.approx((0.5 * 1e-5 * 0.2) ** (1 / 3))
    assert values_of_pair["difference"] == pytest.approx(math.log(values_of_pair["mean_a"] / values_of_pair["mean_b"]))
    for name in ("difference", "low", "high", "p", "statistic", "effect", "wins", "losses"):
        assert values_of_pair[name] == expected[name]
    notes = compare(make_results(*values, measure_names="GM(AP)")).notes
    assert notes[-1] == (
        "GM(AP): compared on log(max(value, 1e-05)); difference, low and high are differences of logarithms"
    )


def test_counts_are_compared_by_their_mean_per_topic() -> None:
    comparison = compare(make_results([3, 5, 1], [2, 5, 0], measure_names="NumRelRet"))
    assert (get_row(comparison)["mean_a"], get_row(comparison)["topics"]) == (3, 3)
    assert comparison.notes[-1] == "NumRelRet: a count, compared by its mean per topic"


def test_infinite_values_raise() -> None:
    with pytest.raises(MeasureError) as error:
        compare(make_results([0.5, math.inf], [0.5, 0.25]))
    assert str(error.value) == ("measure 'AP': is infinite for a on topic t1, so the means of runs cannot be compared")


def test_absolute_and_relative_margins() -> None:
    rng = np.random.default_rng(1)
    base = rng.random(40)
    near = make_results(base, base + rng.normal(0, 0.02, 40), base + 0.3 + rng.normal(0, 0.02, 40))
    p_values = compare(near, margin=0.02).frame()["p_equivalent"].to_list()
    assert p_values[0] < 0.05
    assert min(p_values[1:]) > 0.95
    relative = compare(near, margin="5%", baseline="a")
    assert (str(relative.margin), str(compare(near, margin=0.02).margin)) == ("5%", "0.02")
    [a, b] = near.values[0, :2]
    sides = [ttest_1samp(contrast, 0, alternative="greater").pvalue for contrast in (b - 0.95 * a, 1.05 * a - b)]
    assert relative.frame()["p_equivalent"].to_list() == pytest.approx([max(sides), 1.0])


def test_a_margin_of_geometric_means_is_a_ratio() -> None:
    values = np.array([[0.5, 0.3, 0.2], [0.25, 0.1, 0.4]])
    values_of_pair = get_row(compare(make_results(*values, measure_names="GM(AP)"), margin="50%", baseline="b"))
    assert values_of_pair["p_equivalent"] == pytest.approx(
        get_row(compare(make_results(*np.log(values)), margin=math.log(1.5)))["p_equivalent"]
    )


def test_topics_needed_agree_with_plan_topics() -> None:
    topics = compare(make_results(A, B, A), power=0.8).frame()["topics_needed"].to_list()
    assert topics[0] == plan_topics(0.12, 0.037).item()
    assert topics[1] is None  # Identical runs never differ.
    topics_at_higher_power = compare(make_results(A, B, A), power=0.95).frame()["topics_needed"].to_list()
    assert topics_at_higher_power[0] > topics[0]


def test_systems_are_compared_by_the_mean_of_their_runs() -> None:
    runs = ("x1", "x2", "y")
    comparison = compare(make_results(A, C, B, runs=runs), systems={"x1": "x", "x2": "x"}, baseline="y")
    assert list_pairs(comparison) == [("x", "y")]
    assert get_row(comparison)["mean_a"] == pytest.approx((sum(A) + sum(C)) / 10)
    assert comparison.notes[0] == (
        "3 runs of 2 systems: each system is represented by the mean of its runs on each topic; "
        "topics, not runs, are the sample"
    )
    assert comparison.shares["share"].sum() == pytest.approx(1)
    assert comparison.provenance.settings["systems"] == {"x1": "x", "x2": "x"}
    assert compare(make_results(A, B)).shares["squares"].to_list()[2] == 0


def test_matrix_of_p_values_and_differences() -> None:
    comparison = compare(make_results(A, B, C))
    p = comparison.matrix("AP")
    assert np.isnan(np.diag(p)).all()
    assert np.array_equal(comparison.matrix("map"), p, equal_nan=True)
    assert p[0, 1] == p[1, 0] == comparison.frame()["p_adjusted"][0]
    difference = comparison.matrix("AP", "difference")
    assert difference[0, 2] == -difference[2, 0] == comparison.frame()["difference"][1]
    assert np.isnan(compare(make_results(A, B, C), baseline="a").matrix("AP")[1, 2])
    with pytest.raises(InputError, match="column 'mean_a': is not available as a matrix"):
        comparison.matrix("AP", "mean_a")
    with pytest.raises(MeasureError, match="measure 'RR' is not among these results"):
        comparison.matrix("RR")


def test_provenance_records_the_settings() -> None:
    comparison = compare(
        make_results(A, B), test="randomization", resamples=99, seed=5, baseline="b", margin="5%", power=0.8
    )
    assert comparison.provenance.settings == {
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
    comparison = compare(make_results(A, B), test="tukey-randomized", resamples=9)
    assert comparison.provenance.settings["correction"] == "none"


def test_a_test_may_be_an_instance() -> None:
    assert compare(make_results(A, B), test=T()).frame().equals(compare(make_results(A, B)).frame())


def test_progress_is_reported_per_measure() -> None:
    calls: list[tuple[int, int]] = []
    compare(
        make_results([A, B], [B, C], measure_names=("AP", "RR")),
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == [(1, 2), (2, 2)]


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
        ({"test": "sign", "resamples": 0}, "resamples: the test sign does not resample; omit resamples"),
        ({"test": "bootstrap", "resamples": 0}, "resamples must be a whole number of at least 1, got 0"),
        ({"resamples": 10}, "resamples: the test t does not resample; omit resamples"),
        ({"test": "bootstrap", "seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"test": "bootstrap", "seed": 0.5}, "seed must be a whole number of at least 0, got 0.5"),
        ({"baseline": "bb"}, "baseline 'bb' is not among the runs; did you mean b?"),
        ({"baseline": ["a", "runs/a.rum"]}, "baseline 'runs/a.rum' is not among the runs; the runs are a, b"),
        ({"margin": 0}, "margin 0: write a difference above 0 such as 0.02, or a percentage such as 5%"),
        ({"margin": "lots"}, "margin 'lots': write a difference above 0 such as 0.02, or a percentage such as 5%"),
        ({"margin": "inf"}, "margin 'inf': write a difference above 0 such as 0.02, or a percentage such as 5%"),
        ({"margin": "5%"}, "margin 5%: is relative to the mean of a baseline; name a baseline, or write a difference"),
        (
            {"systems": {"b": "a"}},
            "systems: a is the name of a system and also of a run without a system; rename one of them",
        ),
        ({"systems": {"a": "x", "b": "x"}}, "runs: need at least two runs, got 1"),
    ],
)
def test_invalid_arguments_raise(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        compare(make_results(A, B), **arguments)
    assert str(error.value).startswith(message)


def test_more_invalid_arguments_raise() -> None:
    with pytest.raises(InputError) as error:
        compare(make_results(A, runs=("bm25",)))
    assert str(error.value) == "runs: need at least two runs, got 1"
    with pytest.raises(InputError) as error:
        compare(make_results(A, B, runs=("bm25", "dense")), baseline="bm26")
    assert str(error.value) == "baseline 'bm26' is not among the runs; did you mean bm25?"
    with pytest.raises(InputError) as error:
        compare(make_results(A, B, measure_names="GM(AP)"), margin=0.02)
    assert str(error.value) == "margin 0.02: GM(AP) is compared by ratios; write a percentage such as 5%"
    assert resolve_test("bootstrap", resamples=7).resamples == 7


def test_order_of_the_input_does_not_matter() -> None:
    qrels = {f"q{number}": {"r": 1} for number in range(9)}
    one = {f"q{number}": {"r": float(number % 3), "n": 0.5} for number in range(9)}
    other = {f"q{number}": {"r": 1.0, "n": 0.5 * (number % 4)} for number in range(9)}
    reversed_other = dict(reversed(other.items()))
    expected = compare(assay.read(qrels, {"a": one, "b": other}), "RR").frame()
    assert expected.equals(
        compare(assay.read(dict(reversed(qrels.items())), {"a": one, "b": reversed_other}), "RR").frame()
    )


def test_campaigns_and_results_give_the_same_comparison() -> None:
    campaign = assay.read({"q": {"r": 1}, "p": {"r": 1}}, {"a": {"q": {"r": 1.0}}, "b": {"p": {"r": 1.0}}})
    expected = compare(assay.evaluate(campaign, "RR"))
    for source in (campaign, assay.evaluate(campaign, ["AP", "RR"])):
        assert compare(source, "RR").frame().equals(expected.frame())
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
def test_contract_of_every_test(test: str, values: np.ndarray) -> None:
    check_contract(test, values)


@pytest.mark.parametrize("values", [[A, B, C], [A, A], [[0.5, np.nan], [0.5, 0.25]], [A, [0.9, np.nan, 0.2, 0.9, 0.4]]])
def test_contract_of_tukey(values: list[list[float]]) -> None:
    check_contract("tukey", np.array(values))


def check_contract(test: str, values: np.ndarray) -> None:
    options = {"resamples": 50} if hasattr(resolve_test(test), "resamples") else {}
    comparison = compare(make_results(*values), test=test, power=0.8, margin=0.1, **options)
    frame = comparison.frame()
    assert (frame["wins"] + frame["ties"] + frame["losses"] == frame["topics"]).all()
    assert frame["p_adjusted"].null_count() == frame["p"].null_count()
    assert ((frame["p_adjusted"] >= frame["p"]) & (frame["p_adjusted"] <= 1)).all()
    swapped = compare(make_results(*values[::-1]), test=test, power=0.8, margin=0.1, **options)
    runs = len(values)
    for number, (a, b) in enumerate(combinations(range(runs), 2)):
        forward = frame.row(number, named=True)
        index = next(i for i, pair in enumerate(swapped.pairs.tolist()) if pair == [runs - 1 - b, runs - 1 - a])
        backward = swapped.frame().row(index, named=True)
        assert (forward["wins"], forward["losses"]) == (backward["losses"], backward["wins"])
        assert (forward["mean_a"], forward["topics"]) == (backward["mean_b"], backward["topics"])
        for name in ("p", "p_adjusted", "topics_needed"):
            assert backward[name] == (None if forward[name] is None else pytest.approx(forward[name], rel=1e-9))
        for name in ("difference", "effect", "statistic"):
            assert backward[name] == (
                None if forward[name] is None else pytest.approx(-forward[name], rel=1e-9, abs=1e-15)
            )


def test_topics_needed_to_detect_a_given_difference():
    values = np.array([[0.5, 0.7, 0.2, 0.9, 0.4], [0.4, 0.5, 0.3, 0.5, 0.1]])
    comparison = compare(make_results(*values.tolist()), power=0.8, detect=0.05)
    variance = np.var(values[0] - values[1], ddof=1)
    assert comparison.numbers["topics_needed"][0, 0] == plan_topics(0.05, variance, 0.05, 0.8)
    assert comparison.provenance.settings["detect"] == 0.05
    for options in ({"detect": 0.05}, {"power": 0.8, "detect": 0.0}, {"power": 0.8, "detect": math.inf}):
        with pytest.raises(InputError, match=r"detect(: needs power as well| must be a difference above 0)"):
            compare(make_results(*values.tolist()), **options)
