"""What is said of comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from assay.views.report.context import ReportContext
from assay.views.report.sections import significance
from report_cases import campaign_with_ranks, context_of, headline, simulated_context, visible_text

FAR = {"a": [1] * 8, "b": [1] * 7 + [2], "c": [3, 4] * 4}


def of(ranks: dict[str, list[int]], *measures: str, **settings: object) -> ReportContext:
    return context_of(*campaign_with_ranks(ranks), *(measures or ("RR",)), **settings)


def said(found: ReportContext) -> list[str]:
    return headline(significance, found)


def test_pairs_are_counted() -> None:
    assert said(of(FAR)) == [
        "By RR, 2 of 3 pairs of runs differ significantly (67 %).",
        "b does not differ significantly from a.",
    ]
    none = said(of({"a": [1, 2, 1], "b": [1, 1, 2], "c": [2, 1, 1]}))
    assert none == ["By RR, none of 3 pairs of runs differs significantly.", "No run differs significantly from a."]
    every = said(of({"a": [1] * 8, "b": [3, 4] * 4, "c": [8, 9] * 4}))
    assert every[1] == "Every other run differs significantly from a."


def test_two_runs() -> None:
    assert said(of({"a": [1] * 8, "b": [3, 4] * 4})) == ["By RR the two runs differ significantly (p < 0.001)."]
    assert said(of({"a": [1, 2], "b": [1, 2]})) == ["By RR the two runs do not differ significantly (p = 1.000)."]


def test_what_was_not_tested_is_not_claimed() -> None:
    assert said(of({"a": [1]})) == ["There is only one run, so there is nothing to compare."]
    assert said(of({"a": [1], "b": [2]})) == ["No two runs can be compared: there are too few topics."]


def test_one_measure_of_several_may_have_no_test() -> None:
    runs = {"a": {"q1": {"x": 1.0}, "q2": {"x": 1.0}}, "b": {"q1": {"y": 1.0}, "q2": {"z": 1.0}}}
    found = context_of({"q1": {"x": 1}, "q2": {"n": 0}}, runs, "AP", "NumRet", undefined="exclude")
    assert said(found)[0] == "By AP no two runs can be compared: there are too few topics."


def test_the_best_against_the_others_has_the_right_signs() -> None:
    for ranks in (FAR, dict(reversed(FAR.items()))):
        found = of(ranks)
        assert found.comparison is not None
        best = found.order[0]
        frame = significance.compare_with(found.comparison, best, found.order[1:])
        values = found.results.values[0]
        for row in frame.iter_rows(named=True):
            other = values[row["run"]]
            assert row["mean"] == pytest.approx(other.mean())
            assert row["difference"] == pytest.approx((values[best] - other).mean())
            assert row["low"] < row["difference"] < row["high"]
            # The interval and p are of the same procedure: the one holds 0 if and only if the other is at least alpha.
            assert (row["low"] <= 0 <= row["high"]) == (row["p"] >= 0.05)
            assert row["p_adjusted"] >= row["p"]
            assert (row["wins"], row["ties"], row["losses"]) == (
                int((values[best] > other).sum()),
                int((values[best] == other).sum()),
                int((values[best] < other).sum()),
            )


def test_groups_hold_runs_that_do_not_differ() -> None:
    seen = visible_text(significance, of(FAR))
    assert "Groups of runs (2)" in seen
    assert "a2a, b" in seen.replace(" a2", "a2")


def test_how_is_told() -> None:
    drawn = context_of(*campaign_with_ranks(FAR), "RR", test="randomization", resamples=50, seed=4)
    made = visible_text(significance, drawn)
    assert "Randomization test, Holm's correction over all 3 pairs of runs (50 resamples, seed 4)" in made
    tukey = visible_text(significance, simulated_context(3, 6, 1, test="tukey"))
    assert "hold for all pairs together" in tukey
    assert "Tukey's HSD" in tukey


def test_counts_are_of_the_adjusted_p() -> None:
    found = simulated_context(8, 10, 6, "AP", "P@5")
    assert found.comparison is not None
    seen = visible_text(significance, found)
    p = found.comparison.numbers["p_adjusted"][1]
    assert f"P@528{int((p < 0.05).sum())}" in seen.replace(" ", "")
    assert np.isfinite(p).all()


def test_rows_say_which_numbers_are_corrected() -> None:
    seen = visible_text(significance, of(FAR))
    assert "p (Holm) is corrected over all 3 pairs of runs" in seen
    assert "95 % CI by Student's t and p are for each pair alone, not corrected" in seen
    for label in ("CI low", "CI high", "p (Holm)"):
        assert label in seen
    plain = visible_text(significance, of(FAR, correction="none"))
    assert "p (Holm)" not in plain
    tukey = visible_text(significance, of(FAR, test="tukey"))
    assert "p (all pairs)" in tukey
    assert "not corrected;" not in tukey
