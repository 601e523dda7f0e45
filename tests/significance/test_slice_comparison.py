"""Comparison in slices: vectors, the test of the interaction, families, and what summaries may claim."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import assay
from assay.errors import InputError
from assay.significance.interaction import METHODS, compute_interaction, compute_moments
from assay.significance.slice_comparison import SliceComparison
from assay.significance.values import adjust
from oracles.slices import brown_forsythe, welch
from report_contract import check_report
from slice_cases import VECTORS, make_results, results_of_slices, vectors

PAIR = np.array([[0, 1]])


def compare_slices(slices: Any, **options: Any) -> SliceComparison:
    results, table = results_of_slices(slices)
    report = assay.compare(results.by(table, "s"), **options)
    assert isinstance(report, SliceComparison)
    return report


@pytest.mark.parametrize("name", vectors("compare"))
def test_comparisons_agree_with_the_vectors(name: str) -> None:
    inputs = VECTORS[name]["inputs"]
    frame = compare_slices(inputs["slices"], test=inputs["test"], correction=inputs["correction"]).frame()
    for key, numbers in VECTORS[name]["expected"].items():
        row = frame.row(by_predicate=pl.col("slice") == key, named=True)
        assert {column: row[column] for column in numbers} == pytest.approx(numbers, abs=1e-9)


@pytest.mark.parametrize("name", vectors("contributions"))
def test_contributions_agree_with_the_vectors(name: str) -> None:
    frame = compare_slices(VECTORS[name]["inputs"]["slices"]).frame()
    expected = VECTORS[name]["expected"]
    assert frame["difference"][0] == pytest.approx(expected["difference"], abs=1e-12)
    contributions = dict(frame.drop_nulls("attribute").select("slice", "contribution").iter_rows())
    assert contributions == pytest.approx(expected["contribution"], abs=1e-12)
    assert sum(contributions.values()) == pytest.approx(expected["difference"], abs=1e-12)


@pytest.mark.parametrize("name", vectors("interaction"))
def test_interactions_agree_with_the_vectors(name: str) -> None:
    row = compare_slices(VECTORS[name]["inputs"]["slices"], min_topics=2).interaction().row(0, named=True)
    expected = {key: math.inf if value == "inf" else value for key, value in VECTORS[name]["expected"].items()}
    assert row["method"] == expected.pop("method")
    assert {key: row[key] for key in expected} == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", vectors("adjust"))
def test_families_agree_with_the_vectors(name: str) -> None:
    inputs = VECTORS[name]["inputs"]
    p = adjust(np.array([inputs["p"]]), assay.significance.significance_tests()["t"](), inputs["correction"], "measure")
    assert p[0].tolist() == pytest.approx(VECTORS[name]["expected"]["p_adjusted"], abs=1e-12)


# The test of the interaction -------------------------------------------------------------------------------------


def interact(*slices: Any) -> tuple[str, float, float, float, float]:
    """Test the differences of one pair: method, F, degrees of freedom and p."""
    moments = compute_moments([np.array([one, np.zeros(len(one))]) for one in slices], PAIR)
    outcome = compute_interaction(moments)
    return METHODS[outcome.method[0]], *(float(getattr(outcome, name)[0]) for name in ("statistic", "df1", "df2", "p"))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_the_oracles_agree(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    slices = [rng.normal(rng.normal(), rng.uniform(0.2, 3), rng.integers(2, 20)) for _ in range(rng.integers(2, 6))]
    method, *numbers = interact(*(one * scale for one in slices))
    assert method == "welch"
    assert numbers == pytest.approx(welch([one.tolist() for one in slices]), rel=1e-7)
    flat = [*slices, np.full(4, 0.25)]
    method, *numbers = interact(*(one * scale for one in flat))
    assert method == "brown-forsythe"
    assert numbers == pytest.approx(brown_forsythe([one.tolist() for one in flat]), rel=1e-7)


def test_two_slices_give_the_square_of_welchs_t() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(0, 1, 7), rng.normal(1, 3, 12)
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert interact(a, b)[1::3] == pytest.approx((expected.statistic**2, expected.pvalue))


def test_welchs_test_agrees_with_scipy() -> None:
    if "equal_var" not in inspect.signature(stats.f_oneway).parameters:
        pytest.skip("this version of scipy has no test of Welch")
    rng = np.random.default_rng(6)
    slices = [rng.normal(mean, sd, n) for mean, sd, n in ((0, 1, 5), (0.5, 3, 12), (1, 0.3, 40))]
    expected = stats.f_oneway(*slices, equal_var=False)
    assert interact(*slices)[1::3] == pytest.approx((expected.statistic, expected.pvalue))


def test_extreme_cases() -> None:
    assert interact([0.1] * 3, [0.3 - 0.2] * 4) == (
        "constant",
        0.0,
        pytest.approx(math.nan, nan_ok=True),
        *[pytest.approx(math.nan, nan_ok=True), 1.0],
    )
    assert interact([0.1] * 3, [0.2] * 4)[4] == 0.0
    assert interact([0.1, 0.2, 0.4])[0] == ""
    assert interact([0.1, 0.2, 0.4], [0.5])[0] == ""


def test_pairs_are_tested_alone_and_missing_values_are_skipped() -> None:
    rng = np.random.default_rng(2)
    values = [rng.random((4, 7)), rng.random((4, 9)), rng.random((4, 6))]
    values[0][1, 2] = values[2][3, 0] = np.nan
    values[1][2] = values[1][1]  # no spread for one pair: another method
    pairs = np.array([(a, b) for a in range(4) for b in range(a)])
    together = compute_interaction(compute_moments(values, pairs))
    for index, pair in enumerate(pairs):
        alone = compute_interaction(compute_moments(values, pair[None]))
        for one, other in zip(together, alone, strict=True):
            assert one[index] == pytest.approx(other[0], nan_ok=True)
        difference = [block[pair[0]] - block[pair[1]] for block in values]
        known = [d[~np.isnan(d)].tolist() for d in difference]
        oracle = brown_forsythe if METHODS[together.method[index]] == "brown-forsythe" else welch
        assert together.p[index] == pytest.approx(oracle(known)[3])


def test_the_level_with_a_small_noisy_slice() -> None:
    """The classical F rejects in about a quarter of these cases."""
    rng = np.random.default_rng(7)
    values = [np.stack([rng.normal(0, sd, (n, 1000)), np.zeros((n, 1000))]) for n, sd in ((5, 3), (10, 1), (35, 1))]
    p = [
        compute_interaction(compute_moments([block[:, :, trial] for block in values], PAIR)).p[0]
        for trial in range(1000)
    ]
    assert np.mean(np.array(p) < 0.05) < 0.075


# The report ------------------------------------------------------------------------------------------------------


def make_slices(shift: float, runs: int = 2, seed: int = 3, topics: int = 60) -> Any:
    """Return sliced results of which the second run is better in slice x by *shift*, and worse in slice y."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.3, 0.7, topics)
    values = np.stack([base + rng.normal(0, 0.05, topics) for _ in range(runs)])
    in_x = np.arange(topics) % 2 == 0
    values[1] += np.where(in_x, shift, -shift)
    results = make_results(values)
    table = {
        topic: {"s": "x" if x else "y", "few": "p" if i < 3 else "q", "tags": ["u", "v"][: 1 + i % 2]}
        for i, (topic, x) in enumerate(zip(results.topics, in_x, strict=True))
    }
    return results, table


def test_a_difference_between_slices_is_stated_only_if_the_interaction_is_significant() -> None:
    results, table = make_slices(0.15)
    text = assay.compare(results.by(table, "s")).summary()
    assert "the difference between" in text
    assert "b is significantly better in x" in text
    assert "a is significantly better in y" in text
    results, table = make_slices(0.0)
    values = results.values.copy()
    values[0, 1] += np.where(np.arange(60) % 2 == 0, 0.05, 0.025)  # significant in x alone would not be a difference
    report = assay.compare(make_results(values[0]).by(table, "s"))
    assert report.interaction()["p_adjusted"][0] > 0.05
    assert "no significant evidence that the difference depends on s" in report.summary()
    assert "better in" not in report.summary()


def test_the_family_contains_all_tested_slices_and_pairs() -> None:
    results, table = make_slices(0.05, runs=3)
    report = assay.compare(results.by(table, ["s", "few"]))
    check_report(report)
    rows = report.frame().drop_nulls("attribute")
    assert rows.filter(pl.col("p").is_null())["slice"].unique().to_list() == ["p"]
    assert rows.filter("small")["slice"].unique().to_list() == ["p"]
    tested = rows.drop_nulls("p")
    assert len(tested) == 9
    ordered = tested.sort("p")
    expected = np.minimum(1, np.maximum.accumulate(ordered["p"].to_numpy() * np.arange(9, 0, -1)))
    assert ordered["p_adjusted"].to_list() == pytest.approx(expected.tolist())
    row = tested.row(0, named=True)
    margin = (row["high"] - row["low"]) / 2
    quantiles = stats.t.ppf([1 - 0.05 / 9 / 2, 0.975], row["topics"] - 1)
    wide = margin * quantiles[0] / quantiles[1]
    assert row["high_adjusted"] == pytest.approx(row["difference"] + wide)
    assert row["low_adjusted"] == pytest.approx(row["difference"] - wide)
    assert any("fewer than 5 topics are not tested: few: p" in note for note in report.notes)
    assert "9 comparisons of runs in 3 slices" in report.table().caption


def test_all_topics_are_compared_as_without_slices() -> None:
    results, table = make_slices(0.05, runs=3)
    report = assay.compare(results.by(table, "s"), baseline="a")
    expected = assay.compare(results, baseline="a").frame()
    assert report.frame().filter(pl.col("slice") == "all").select(expected.columns).equals(expected)


def test_overlapping_slices_have_no_interaction_and_no_contributions() -> None:
    results, table = make_slices(0.05)
    report = assay.compare(results.by(table, ["tags", "s"]))
    assert report.interaction()["attribute"].to_list() == ["s"]
    assert report.frame().filter(attribute="tags")["contribution"].is_null().all()
    alone = assay.compare(results.by(table, "tags"))
    assert alone.interaction().is_empty()
    check_report(alone)


@pytest.mark.parametrize("cut", ["v:2", "v:3", "hard"])
def test_slices_made_from_the_values_of_a_compared_run_are_refused(cut: str) -> None:
    results, _ = make_slices(0.0)
    values = dict(zip(results.topics, results.values[0, 0].round(4).tolist(), strict=True))
    table = {topic: {"v": value, "hard": "hard" if value < 0.5 else "easy"} for topic, value in values.items()}
    with pytest.raises(InputError, match="follow from AP of a, so differences between slices would be regression"):
        assay.compare(results.by(table, cut))
    results.by(table, cut).frame()  # values may be shown
    other = make_results(np.roll(results.values[0], 7, axis=1))
    assay.compare(other.by(table, cut))


def test_slices_made_from_the_differences() -> None:
    results, _ = make_slices(0.0)
    pairs = zip(results.topics, *results.values[0], strict=True)
    table = {topic: {"won": bool(a > b), "d": round(a - b, 4)} for topic, a, b in pairs}
    report = assay.compare(results.by(table, "won"))
    assert any("won: the difference in AP of a and b separates the slices" in note for note in report.notes)
    with pytest.raises(InputError, match="follow from the difference in AP of a and b"):
        assay.compare(results.by(table, "d:3"))


def test_a_run_without_results_in_a_slice_is_not_refused() -> None:
    """The slices of a run that answers no topic of one language are separated by its values, but not made from them."""
    results, table = make_slices(0.0)
    values = results.values[0] * np.where(np.arange(60) % 2 == 0, 1, [[1], [0]])
    report = assay.compare(make_results(values).by(table, "s"))
    assert report.interaction()["p"].item() < 0.001


def test_weights_and_tests_of_all_runs_are_refused() -> None:
    results, table = make_slices(0.0)
    weighted = {topic: {"w": 1, **row} for topic, row in table.items()}
    with pytest.raises(InputError, match="weights 'w': are for means"):
        assay.compare(results.by(weighted, "s", weights="w"))
    with pytest.raises(InputError, match="test 'tukey': is not corrected for slices"):
        assay.compare(results.by(table, "s"), test="tukey")


def test_a_leaderboard_has_each_slice() -> None:
    results, table = make_slices(0.2, runs=4)
    report = assay.leaderboard(results.by(table, "s"), top=3)
    check_report(report)
    frame = report.frame()
    assert frame["slice"].unique(maintain_order=True).to_list() == ["all", "x", "y"]
    assert frame.filter(slice="x", run="b")["place"].item() == 1
    assert frame.filter(slice="y", run="b")["worse_than"].item() == 3
    marks = report.table().marks["y (30)"]
    assert marks[report.runs.index("b")] == "↓" if "b" in report.runs else marks == ["", "", ""]
    check_report(assay.leaderboard(results.by(table, "s"), baseline="a"))


def test_systems_are_averaged_before_the_topics_are_divided() -> None:
    results, table = make_slices(0.1, runs=4)
    report = assay.compare(results.by(table, "s"), systems={"a": "p", "b": "q", "c": "p", "d": "q"})
    assert report.results.runs == ("p", "q")
    assert report.frame()["topics"].to_list() == [60, 30, 30]


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "randomization", "bootstrap"])
def test_every_paired_test_works_in_slices(test: str) -> None:
    results, table = make_slices(0.1)
    frame = assay.compare(results.by(table, "s"), test=test).frame()
    assert frame["p_adjusted"].is_not_null().all()
    assert frame.drop_nulls("attribute")["low_adjusted"].is_not_null().all()
