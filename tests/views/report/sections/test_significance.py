"""Tests of the section on significance."""

from __future__ import annotations

import numpy as np
import pytest

from assay.views.report.context import ReportContext
from assay.views.report.sections import significance
from report_cases import campaign_with_ranks, context_of, context_with_ranks, headline, simulated_context, visible_text

RANKS = {"a": [1] * 8, "b": [1] * 7 + [2], "c": [3, 4] * 4}


def read_headline(context: ReportContext) -> list[str]:
    return headline(significance, context)


def test_significant_pairs_are_counted() -> None:
    assert read_headline(context_with_ranks(RANKS)) == [
        "By RR, 2 of 3 pairs of runs differ significantly (67 %).",
        "b does not differ significantly from a.",
    ]
    without_significance = read_headline(context_with_ranks({"a": [1, 2, 1], "b": [1, 1, 2], "c": [2, 1, 1]}))
    assert without_significance == [
        "By RR, none of 3 pairs of runs differs significantly.",
        "No run differs significantly from a.",
    ]
    all_significant = read_headline(context_with_ranks({"a": [1] * 8, "b": [3, 4] * 4, "c": [8, 9] * 4}))
    assert all_significant[1] == "Every other run differs significantly from a."


def test_two_runs() -> None:
    assert read_headline(context_with_ranks({"a": [1] * 8, "b": [3, 4] * 4})) == [
        "By RR the two runs differ significantly (p < 0.001)."
    ]
    assert read_headline(context_with_ranks({"a": [1, 2], "b": [1, 2]})) == [
        "By RR the two runs do not differ significantly (p = 1.000)."
    ]


def test_missing_tests_are_explained() -> None:
    assert read_headline(context_with_ranks({"a": [1]})) == ["There is only one run, so there is nothing to compare."]
    assert read_headline(context_with_ranks({"a": [1], "b": [2]})) == [
        "No two runs can be compared: there are too few topics."
    ]


def test_one_of_several_measures_may_have_no_test() -> None:
    runs = {"a": {"q1": {"x": 1.0}, "q2": {"x": 1.0}}, "b": {"q1": {"y": 1.0}, "q2": {"z": 1.0}}}
    context = context_of({"q1": {"x": 1}, "q2": {"n": 0}}, runs, "AP", "NumRet", undefined="exclude")
    assert read_headline(context)[0] == "By AP no two runs can be compared: there are too few topics."


def test_differences_from_the_best_run_have_the_right_signs() -> None:
    for ranks in (RANKS, dict(reversed(RANKS.items()))):
        context = context_with_ranks(ranks)
        assert context.comparison is not None
        best = context.order[0]
        frame = significance.compare_with(context.comparison, best, context.order[1:])
        values = context.results.values[0]
        for row in frame.iter_rows(named=True):
            other = values[row["run"]]
            assert row["mean"] == pytest.approx(other.mean())
            assert row["difference"] == pytest.approx((values[best] - other).mean())
            assert row["low"] < row["difference"] < row["high"]
            # The interval and p come from the same test: the interval contains 0 if and only if p is at least alpha.
            assert (row["low"] <= 0 <= row["high"]) == (row["p"] >= 0.05)
            assert row["p_adjusted"] >= row["p"]
            assert (row["wins"], row["ties"], row["losses"]) == (
                int((values[best] > other).sum()),
                int((values[best] == other).sum()),
                int((values[best] < other).sum()),
            )


def test_groups_of_runs_that_do_not_differ() -> None:
    text = visible_text(significance, context_with_ranks(RANKS))
    assert "Groups of runs (2)" in text
    assert "a2a, b" in text.replace(" a2", "a2")


def test_procedure_is_described() -> None:
    context = context_of(*campaign_with_ranks(RANKS), "RR", test="randomization", resamples=50, seed=4)
    text = visible_text(significance, context)
    assert "Randomization test, Holm's correction over all 3 pairs of runs (50 resamples, seed 4)" in text
    tukey_text = visible_text(significance, simulated_context(3, 6, 1, test="tukey"))
    assert "hold for all pairs together" in tukey_text
    assert "Tukey's HSD" in tukey_text


def test_counts_use_adjusted_p_values() -> None:
    context = simulated_context(8, 10, 6, "AP", "P@5")
    assert context.comparison is not None
    text = visible_text(significance, context)
    p = context.comparison.numbers["p_adjusted"][1]
    assert f"P@528{int((p < 0.05).sum())}" in text.replace(" ", "")
    assert np.isfinite(p).all()


def test_corrected_numbers_are_labelled() -> None:
    text = visible_text(significance, context_with_ranks(RANKS))
    assert "p (Holm) is corrected over all 3 pairs of runs" in text
    assert "95 % CI by Student's t and p are for each pair alone, not corrected" in text
    for label in ("CI low", "CI high", "p (Holm)"):
        assert label in text
    uncorrected_text = visible_text(significance, context_with_ranks(RANKS, correction="none"))
    assert "p (Holm)" not in uncorrected_text
    tukey_text = visible_text(significance, context_with_ranks(RANKS, test="tukey"))
    assert "p (all pairs)" in tukey_text
    assert "not corrected;" not in tukey_text
