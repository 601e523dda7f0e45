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


def campaign(of: str | tuple[str, ...] = "AP", runs: int = 7, seed: int = 5) -> Results:
    """Runs of falling quality with noise, the best one not the first."""
    rng = np.random.default_rng(seed)
    chosen = measures(of)
    quality = np.roll(np.linspace(0.6, 0.4, runs), 2)
    values = np.clip(quality[None, :, None] + rng.normal(0, 0.12, (len(chosen), runs, TOPICS)), 0.01, 1)
    return with_values({f"r{number}": row for number, row in enumerate(values[0])}, of, values)


def with_values(runs: dict[str, np.ndarray], of: str | tuple[str, ...] = "AP", values: np.ndarray | None = None):
    grid = np.array([list(runs.values())]) if values is None else values
    topics = tuple(f"{number:02}" for number in range(grid.shape[2]))
    return Results(tuple(runs), topics, measures(of), grid, np.zeros(grid.shape), Provenance((), Policies()), ())


def differing(comparison: Comparison, reference: str, sign: int) -> set[str]:
    """The definition: rows of the table with the reference, corrected p below alpha, and the sign of the difference."""
    found = set()
    for row in comparison.frame().iter_rows(named=True):
        if reference in (row["run_a"], row["run_b"]) and row["p_adjusted"] < comparison.alpha:
            ahead = row["difference"] if row["run_b"] == reference else -row["difference"]
            if np.sign(ahead) == sign:
                found.add(row["run_a"] if row["run_b"] == reference else row["run_b"])
    return found


@pytest.mark.parametrize("test", list(significance_tests()))
@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_the_leader_against_all_runs_within_all_pairs(test: str, correction: str) -> None:
    results = campaign()
    comparison = compare(results, test=test, correction=correction)
    found = separate(comparison, "AP")
    assert found.reference == results.best("AP")[0] != results.runs[0]
    assert set(found.better) == set()
    assert set(found.worse) == differing(comparison, found.reference, -1)
    assert {*found.worse, *found.tied, found.reference} == set(results.runs)
    assert found.tested == 21
    assert found.significant == (comparison.numbers["p_adjusted"][0] < 0.05).sum()
    assert found.test == test
    assert found.family == ("all pairs of 7 runs" if comparison.test.corrected else "all 21 pairs of runs")
    order = results.best("AP")
    assert list(found.tied) == sorted(found.tied, key=order.index)


def test_baselines_are_a_family_of_their_own() -> None:
    results = campaign()
    comparison = compare(results, baseline="r5")
    found = separate(comparison, "AP", "r5")
    assert found.family == "all 6 comparisons with r5"
    assert set(found.better) == differing(comparison, "r5", 1)
    assert set(found.worse) == differing(comparison, "r5", -1)
    assert found.better
    assert {*found.better, *found.worse, *found.tied} == set(results.runs) - {"r5"}
    everywhere = separate(compare(results), "AP", "r5")
    assert everywhere.family == "all 21 pairs of runs"
    assert set(everywhere.better) <= set(found.better)


@pytest.mark.parametrize("cost", ["AP", "Unjudged@10"])
def test_better_follows_the_measure(cost: str) -> None:
    low, high = np.full(TOPICS, 0.2), np.full(TOPICS, 0.7) + np.arange(TOPICS) / 1000
    found = separate(compare(with_values({"low": low, "high": high}, cost)), cost)
    assert (found.reference, found.worse) == (("high", ("low",)) if cost == "AP" else ("low", ("high",)))


def test_families_have_names() -> None:
    two = campaign(("AP", "RR"))
    assert compare(two).family_title == "all 21 pairs of runs, measure by measure"
    assert compare(two, family="all").family_title == "all 42 pairs of runs and measures"
    assert compare(two, baseline=["r0", "r1"]).family_title == "all 11 comparisons with 2 baselines, measure by measure"
    assert compare(campaign(runs=2)).family_title == "one pair of runs"
    assert compare(campaign(runs=2), baseline="r1").family_title == "one comparison with r1"
    assert compare(campaign(), systems={"r0": "s", "r1": "s"}).family_title == "all 15 pairs of systems"


def test_equal_means_are_said_to_be_equal() -> None:
    values = np.random.default_rng(2).random(TOPICS)
    results = with_values({"worse": values - 0.5, "a": values, "shuffled": values[::-1], "b": values * 1.0})
    found = separate(compare(results), "AP")
    assert (found.reference, found.equal) == ("a", ("shuffled", "b"))
    assert found.worse == ("worse",)
    assert results.places("AP").tolist() == [4, 1, 1, 1]


def test_runs_of_another_topic_are_not_tested() -> None:
    first, half = np.random.default_rng(3).random((2, TOPICS))
    lacking = np.where(np.arange(TOPICS) > 0, np.nan, half)
    found = separate(compare(with_values({"a": first + 1, "b": half, "c": lacking})), "AP")
    assert found.untested == ("c",)
    assert found.tested == 1


def test_a_sign_test_can_separate_runs_with_equal_means() -> None:
    """One large loss outweighs many small wins."""
    level, wins = np.full(16, 0.5), np.array([0.45] * 15 + [0.5 + 15 * 0.05])
    comparison = compare(with_values({"level": level, "wins": wins}), test="sign")
    assert comparison.frame()["difference"].to_list() == [0.0]
    assert comparison.verdicts("AP").tolist() == [
        pytest.approx([np.nan, 1.0], nan_ok=True),
        pytest.approx([-1.0, np.nan], nan_ok=True),
    ]
    found = separate(comparison, "AP")
    assert (found.equal, found.worse) == (("wins",), ("wins",))


def test_questions_that_the_comparisons_do_not_answer() -> None:
    comparison = compare(campaign(), baseline="r1")
    with pytest.raises(InputError, match="need all pairs of runs; compare without baselines"):
        separate(comparison, "AP")
    with pytest.raises(InputError, match="r2 is not a baseline; the baselines are r1"):
        separate(comparison, "AP", "r2")
