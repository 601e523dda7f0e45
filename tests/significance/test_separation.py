"""Runs that differ significantly from the leader or from a baseline."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import InputError
from assay.measures import measures
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.results import Results
from assay.significance._compare import Comparison, compare
from assay.significance.base import significance_tests
from assay.significance.separation import separate

TOPICS = 24


def make_results(measure_names: str | tuple[str, ...] = "AP", runs: int = 7, seed: int = 5) -> Results:
    """Return noisy runs of decreasing quality, rotated so that the best run is not the first."""
    rng = np.random.default_rng(seed)
    selected_measures = measures(measure_names)
    quality = np.roll(np.linspace(0.6, 0.4, runs), 2)
    values = np.clip(quality[None, :, None] + rng.normal(0, 0.12, (len(selected_measures), runs, TOPICS)), 0.01, 1)
    return results_from_values({f"r{number}": row for number, row in enumerate(values[0])}, measure_names, values)


def results_from_values(
    runs: dict[str, np.ndarray], measure_names: str | tuple[str, ...] = "AP", values: np.ndarray | None = None
):
    grid = np.array([list(runs.values())]) if values is None else values
    topics = tuple(f"{number:02}" for number in range(grid.shape[2]))
    return Results(
        tuple(runs), topics, measures(measure_names), grid, np.zeros(grid.shape), Provenance((), Policies()), ()
    )


def find_differing_runs(comparison: Comparison, reference: str, sign: int) -> set[str]:
    """Return the runs that differ significantly from the reference in this direction, by definition.

    They come from the rows of the table with the reference, a corrected p-value below alpha and the given sign of the
    difference.
    """
    selected = set()
    for row in comparison.frame().iter_rows(named=True):
        if reference in (row["run_a"], row["run_b"]) and row["p_adjusted"] < comparison.alpha:
            difference = row["difference"] if row["run_b"] == reference else -row["difference"]
            if np.sign(difference) == sign:
                selected.add(row["run_a"] if row["run_b"] == reference else row["run_b"])
    return selected


@pytest.mark.parametrize("test", list(significance_tests()))
@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_separation_from_the_leader_agrees_with_the_definition(test: str, correction: str) -> None:
    results = make_results()
    comparison = compare(results, test=test, correction=correction)
    separation = separate(comparison, "AP")
    assert separation.reference == results.best("AP")[0] != results.runs[0]
    assert set(separation.better) == set()
    assert set(separation.worse) == find_differing_runs(comparison, separation.reference, -1)
    assert {*separation.worse, *separation.tied, separation.reference} == set(results.runs)
    assert separation.tested_count == 21
    assert separation.significant_count == (comparison.numbers["p_adjusted"][0] < 0.05).sum()
    assert separation.test == test
    assert separation.family == ("all pairs of 7 runs" if comparison.test.corrected else "all 21 pairs of runs")
    order = results.best("AP")
    assert list(separation.tied) == sorted(separation.tied, key=order.index)


def test_comparisons_with_a_baseline_are_a_separate_family() -> None:
    results = make_results()
    comparison = compare(results, baseline="r5")
    separation = separate(comparison, "AP", "r5")
    assert separation.family == "all 6 comparisons with r5"
    assert set(separation.better) == find_differing_runs(comparison, "r5", 1)
    assert set(separation.worse) == find_differing_runs(comparison, "r5", -1)
    assert separation.better
    assert {*separation.better, *separation.worse, *separation.tied} == set(results.runs) - {"r5"}
    all_pairs = separate(compare(results), "AP", "r5")
    assert all_pairs.family == "all 21 pairs of runs"
    assert set(all_pairs.better) <= set(separation.better)


@pytest.mark.parametrize("measure", ["AP", "Unjudged@10"])
def test_better_follows_the_direction_of_the_measure(measure: str) -> None:
    low, high = np.full(TOPICS, 0.2), np.full(TOPICS, 0.7) + np.arange(TOPICS) / 1000
    separation = separate(compare(results_from_values({"low": low, "high": high}, measure)), measure)
    assert (separation.reference, separation.worse) == (("high", ("low",)) if measure == "AP" else ("low", ("high",)))


def test_family_titles() -> None:
    two_measures = make_results(("AP", "RR"))
    assert compare(two_measures).family_title == "all 21 pairs of runs, measure by measure"
    assert compare(two_measures, family="all").family_title == "all 42 pairs of runs and measures"
    assert (
        compare(two_measures, baseline=["r0", "r1"]).family_title
        == "all 11 comparisons with 2 baselines, measure by measure"
    )
    assert compare(make_results(runs=2)).family_title == "one pair of runs"
    assert compare(make_results(runs=2), baseline="r1").family_title == "one comparison with r1"
    assert compare(make_results(), systems={"r0": "s", "r1": "s"}).family_title == "all 15 pairs of systems"


def test_runs_with_equal_means_are_listed() -> None:
    values = np.random.default_rng(2).random(TOPICS)
    results = results_from_values({"worse": values - 0.5, "a": values, "shuffled": values[::-1], "b": values * 1.0})
    separation = separate(compare(results), "AP")
    assert (separation.reference, separation.equal_mean) == ("a", ("shuffled", "b"))
    assert separation.worse == ("worse",)
    assert results.places("AP").tolist() == [4, 1, 1, 1]


def test_a_run_with_a_single_topic_is_not_tested() -> None:
    first, second = np.random.default_rng(3).random((2, TOPICS))
    one_topic = np.where(np.arange(TOPICS) > 0, np.nan, second)
    separation = separate(compare(results_from_values({"a": first + 1, "b": second, "c": one_topic})), "AP")
    assert separation.untested == ("c",)
    assert separation.tested_count == 1


def test_a_sign_test_can_separate_runs_with_equal_means() -> None:
    """One large win cancels many small losses on average, but not for the sign test."""
    level, wins = np.full(16, 0.5), np.array([0.45] * 15 + [0.5 + 15 * 0.05])
    comparison = compare(results_from_values({"level": level, "wins": wins}), test="sign")
    assert comparison.frame()["difference"].to_list() == [0.0]
    assert comparison.verdicts("AP").tolist() == [
        pytest.approx([np.nan, 1.0], nan_ok=True),
        pytest.approx([-1.0, np.nan], nan_ok=True),
    ]
    separation = separate(comparison, "AP")
    assert (separation.equal_mean, separation.worse) == (("wins",), ("wins",))


def test_missing_comparisons_raise() -> None:
    comparison = compare(make_results(), baseline="r1")
    with pytest.raises(InputError, match="need all pairs of runs; compare without baselines"):
        separate(comparison, "AP")
    with pytest.raises(InputError, match="r2 is not a baseline; the baselines are r1"):
        separate(comparison, "AP", "r2")
