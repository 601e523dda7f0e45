"""Tests of the first screen: verdict, forest plot and cards."""

from __future__ import annotations

import math

import pytest

from assay import evaluate
from assay.errors import InputError
from assay.views.report.context import ReportContext
from assay.views.report.forest import MAX_ROWS, WIDTH, build_forest, choose_ticks
from assay.views.report.sections import verdict
from assay.views.report.settings import ReportSettings
from report_cases import campaign_with_ranks, context_of, context_with_ranks, headline, simulated_context, visible_text

LEADER = [1, 2] * 5
RANKS = {"a": LEADER, "b": [2, 1] * 4 + [1, 4], "c": [8, 9] * 5}


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ({"a": LEADER}, "a has RR 0.750; there is no other run to compare it with."),
        ({"a": [1], "b": [2]}, "a has the highest RR (1); too few topics to test the differences."),
        ({"a": LEADER, "b": LEADER}, "Both runs have the same RR, 0.750."),
        ({"a": LEADER, "b": LEADER, "c": [8, 9] * 5}, "a and b share the highest RR, 0.750."),
        ({"a": LEADER, "c": RANKS["c"]}, "a has the highest RR (0.750), and the difference from the other run is "),
        (RANKS, "a has the highest RR (0.750), but 1 other run is not significantly different."),
        ({**RANKS, "b": RANKS["c"]}, "a has the highest RR (0.750), and is significantly better than all other runs."),
        ({"a": LEADER, "b": RANKS["b"], "c": RANKS["b"]}, "but no other run is significantly worse."),
    ],
)
def test_verdict_is_one_sentence(runs: dict[str, list[int]], expected: str) -> None:
    [sentence] = headline(verdict, context_with_ranks(runs))
    assert expected in sentence


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (LEADER, "a is significantly better than c by RR (0.750 against 0.118)."),
        ([8, 9, 8] + [9, 8] * 3 + [9], "a is not significantly different from c by RR"),
        ([20] * 10, "a is significantly worse than c by RR"),
    ],
)
def test_candidate_is_compared_with_the_baseline(candidate: list[int], expected: str) -> None:
    context = context_with_ranks({"c": RANKS["c"], "a": candidate}, baseline="c")
    assert expected in headline(verdict, context)[0]
    assert "over one comparison with c, alpha 0.05" in visible_text(verdict, context)


def test_best_of_several_candidates_is_stated() -> None:
    text = visible_text(verdict, context_with_ranks(RANKS, "RR", "P@1", baseline="c"))
    assert "a was chosen as the best of 2 runs" in text
    assert "By P@1, a is " in text
    assert "0 broken" in text


@pytest.mark.parametrize("baseline", [None, "c"])
def test_forest_agrees_with_the_comparison(baseline: str | None) -> None:
    context = context_with_ranks(RANKS, baseline=baseline)
    forest, comparison = build_forest(context), context.comparison
    assert forest is not None
    assert comparison is not None
    assert [row.name.shown for row in forest.rows] == ["a", "b", "c"]
    expected = {None: ["reference", "tied", "worse"], "c": ["better", "better", "reference"]}[baseline]
    assert [row.status for row in forest.rows] == expected
    reference = "a" if baseline is None else baseline
    for row in forest.rows:
        assert row.x is not None
        if row.status == "reference":
            assert row.x == forest.zero
            continue
        numbers = comparison.between("RR", row.name.shown, reference)
        assert row.difference == f"{numbers['difference']:+.3f}"
        assert row.low_x is not None
        assert row.high_x is not None
        assert 0 <= row.low_x <= row.x <= row.high_x <= WIDTH
        assert (row.low_x > forest.zero) == (numbers["low"] > 0)
        assert row.p == ("<0.001" if numbers["p"] < 0.001 else f"{numbers['p']:.3f}")
        assert row.p_adjusted == ("<0.001" if numbers["p_adjusted"] < 0.001 else f"{numbers['p_adjusted']:.3f}")


def test_forest_shows_the_best_runs_and_the_best_worse_run() -> None:
    ranks = {f"r{i:02}": [1, 2] * 5 for i in range(15)} | {"bad": [8, 9] * 5, "worst": [20] * 10}
    context = context_with_ranks(ranks)
    forest = build_forest(context)
    assert forest is not None
    assert len(forest.rows) == MAX_ROWS
    assert [row.name.shown for row in forest.rows][-2:] == ["r10", "bad"]
    assert [row.gap for row in forest.rows] == [False] * 11 + [True]
    assert forest.omitted == 5
    assert "12 of 17 runs are shown" in visible_text(verdict, context)


def test_forest_without_differences_or_tests() -> None:
    assert build_forest(context_with_ranks({"a": [1, 2]})) is None
    for ranks in ({"a": [1], "b": [2]}, {"a": [1, 1], "b": [1, 1]}):
        forest = build_forest(context_with_ranks(ranks))
        assert forest is not None
        assert all(row.x is not None and math.isfinite(row.x) for row in forest.rows)
    assert choose_ticks(0.0, 0.0) == [0.0]


def test_settings_of_the_test_are_shown_once_for_all() -> None:
    for test, text in (("tukey", "p"), ("wilcoxon", "Wilcoxon")):
        assert text in visible_text(verdict, simulated_context(4, 8, 1, test=test))


def test_results_without_runs_have_a_verdict() -> None:
    results = evaluate(*campaign_with_ranks(RANKS), "RR")
    context = ReportContext.of(results, ReportSettings(measures=("RR",)))
    text = visible_text(verdict, context)
    assert "a has the highest RR (0.750)" in text
    assert "There are no rankings that show where a run fails." in text


@pytest.mark.parametrize("measures", [("NumUnjudgedRet",), ("gm_map", "AP"), ("BalancePoint",)])
def test_measures_without_topics_to_explain(measures: tuple[str, ...]) -> None:
    text = visible_text(verdict, simulated_context(3, 6, 1, *measures))
    assert "nan" not in text
    assert "Where it fails" in text


def test_unknown_baselines_are_rejected() -> None:
    with pytest.raises(InputError, match="baseline 'x'"):
        context_with_ranks(RANKS, baseline="x")
    with pytest.raises(InputError, match="only run"):
        context_of(*campaign_with_ranks({"a": [1]}), "RR", baseline="a")
