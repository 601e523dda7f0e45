"""Tests of the section on missing judgments."""

from __future__ import annotations

import numpy as np
import pytest

from assay.uncertainty import residual
from assay.views.report.sections import uncertainty
from report_cases import context_of, context_with_ranks, headline, simulated_context, visible_text


def test_unjudged_documents_are_summarized() -> None:
    assert headline(uncertainty, context_with_ranks({"a": [1, 1]})) == [
        "The first 10 documents of each ranking are all judged."
    ]
    assert headline(uncertainty, context_with_ranks({"a": [2, 2]})) == [
        "On average, 50 % of the first 10 documents of each ranking are unjudged."
    ]
    [sentence] = headline(uncertainty, context_with_ranks({"a": [1, 1], "b": [4, 4]}))
    assert (
        "0 % to 75 % of the first 10 documents of each ranking are unjudged, depending on the run; b has the most."
        in sentence
    )
    context = context_of({"q": {"a": 1}, "p": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, missing="empty")
    assert headline(uncertainty, context)[0].endswith("are all judged.")


def test_bounds_of_the_first_run() -> None:
    judged_context = context_with_ranks({"a": [1, 1], "b": [2, 2]})
    assert "All documents retrieved by a are judged, so both bounds of its RR are 1." in visible_text(
        uncertainty, judged_context
    )
    text = visible_text(uncertainty, context_with_ranks({"a": [2, 2]}))
    expected = "Whatever the grades of the unjudged documents, RR of a is 0.500 to 1.000; as judged it is 0.500."
    assert expected in text
    assert "overtake" not in text
    assert "change which run is first" not in text


def test_runs_that_may_become_first() -> None:
    runs = {"a": {"q": {"rel": 1.0}}, "b": {"q": {"non": 1.0}}}
    judged_context = context_of({"q": {"rel": 1, "non": 0}}, runs, "P@1")
    assert "By these bounds, no other run can overtake it." in visible_text(uncertainty, judged_context)
    expected = (
        "Its bounds overlap with those of 1 other run, so the bounds do not rule out that more judgments change "
        "which run is first."
    )
    assert expected in visible_text(uncertainty, context_with_ranks({"a": [1, 2], "b": [0, 0]}, "P@1"))
    text = visible_text(uncertainty, context_with_ranks({"a": [1, 1], "b": [0, 0]}, "P@1"))
    assert "By these bounds, no other run can overtake it." in text, "b can reach the value of a, not exceed it"


def test_identical_judged_runs_cannot_change_ranks() -> None:
    runs = {name: {"q": {"rel": 2.0, "non": 1.0}} for name in ("a", "b")}
    text = visible_text(uncertainty, context_of({"q": {"rel": 1, "non": 0}}, runs, "AP"))
    assert "All documents retrieved by a are judged, so both bounds of its AP are 1." in text
    assert "change which run is first" not in text


def test_bounds_that_do_not_depend_on_unjudged_documents() -> None:
    runs = {"a": {"q": {"rel": 2.0, "new": 1.0}}}
    text = visible_text(uncertainty, context_of({"q": {"rel": 1, "non": 0}}, runs, "RR"))
    assert "Whatever the grades of the unjudged documents, RR of a is 1." in text


def test_bounds_of_measures_where_lower_is_better() -> None:
    runs = {"a": {"q": {"rel": 1.0}}, "b": {"q": {"x": 2.0, "y": 1.0}}}
    context = context_of({"q": {"rel": 1}}, runs, "RBPresidual(p=0.5)")
    assert context.runs[context.order[0]] == "a"
    assert "change which run is first" in visible_text(uncertainty, context), "the value of b may be as low as 0.25"
    text = visible_text(uncertainty, context_of({"q": {"rel": 1}}, runs, "BalancePoint"))
    assert "no other run can" in text, "the curve of b never returns to the axis"
    assert "∞ to ∞" in text


def test_condensed_rankings_have_no_bounds() -> None:
    text = visible_text(uncertainty, simulated_context(3, 4, 1, unjudged="condensed"))
    assert "there are no bounds for values" in text
    assert "Residuals of RBP" in text


def test_residuals_are_summarized() -> None:
    assert "The residual of RBP with p = 0.8 is 0.800." in visible_text(uncertainty, context_with_ranks({"a": [1, 1]}))
    text = visible_text(uncertainty, context_with_ranks({"a": [1, 1], "b": [2, 2]}))
    assert "The residual of RBP with p = 0.8 ranges from 0.800 to 0.840 over the runs." in text


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_curves_match_the_analysis(unjudged: str) -> None:
    context = simulated_context(3, 4, 1, unjudged=unjudged)
    expected = residual(context.campaign, depths=uncertainty.DEPTHS)
    for number, run in enumerate(expected.runs):
        curves = uncertainty.residual_curves(context, number)
        assert curves.runs == (run,)
        assert np.allclose(curves.lower, expected.lower[[number]])
        assert np.allclose(curves.residual, expected.residual[[number]])
