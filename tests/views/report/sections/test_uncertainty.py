"""What is said of missing judgments."""

from __future__ import annotations

import numpy as np
import pytest

from assay.uncertainty import residual
from assay.views.report.context import ReportContext
from assay.views.report.sections import uncertainty
from report_cases import context_of, graded, headline, shown, simulated


def of(ranks: dict[str, list[int]], *measures: str, **settings: object) -> ReportContext:
    return context_of(*graded(ranks), *(measures or ("RR",)), **settings)


def test_unjudged_documents() -> None:
    assert headline(uncertainty, of({"a": [1, 1]})) == ["The first 10 documents of each ranking are all judged."]
    assert headline(uncertainty, of({"a": [2, 2]})) == [
        "Of the first 10 documents of each ranking, 50 % are unjudged in the mean."
    ]
    [told] = headline(uncertainty, of({"a": [1, 1], "b": [4, 4]}))
    assert "from 0 % to 75 % are unjudged, depending on the run; the most are of b." in told
    some = context_of({"q": {"a": 1}, "p": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, missing="empty")
    assert headline(uncertainty, some)[0].endswith("are all judged.")


def test_bounds_of_the_first() -> None:
    sure = of({"a": [1, 1], "b": [2, 2]})
    assert "Whatever the unjudged documents are, RR of a hardly changes." in shown(uncertainty, sure)
    seen = shown(uncertainty, of({"a": [2, 2]}))
    told = "Whatever the unjudged documents are, RR of a lies from 0.500 to 1.000; as judged it is 0.500."
    assert told in seen
    assert "overtake" not in seen
    assert "might change who is first" not in seen


def test_who_may_become_first() -> None:
    runs = {"a": {"q": {"rel": 1.0}}, "b": {"q": {"non": 1.0}}}
    judged = context_of({"q": {"rel": 1, "non": 0}}, runs, "P@1")
    assert "No other run can overtake it, whatever they are." in shown(uncertainty, judged)
    told = "The bounds of 1 other run reach its worst possible value: judging more documents might change who is first."
    assert told in shown(uncertainty, of({"a": [1, 1], "b": [0, 0]}, "P@1"))


def test_of_a_cost_the_highest_value_counts() -> None:
    runs = {"a": {"q": {"rel": 1.0}}, "b": {"q": {"x": 2.0, "y": 1.0}}}
    cost = context_of({"q": {"rel": 1}}, runs, "RBPresidual(p=0.5)")
    assert cost.runs[cost.order[0]] == "a"
    assert "might change who is first" in shown(uncertainty, cost), "b may get down to 0.25"
    deep = shown(uncertainty, context_of({"q": {"rel": 1}}, runs, "BalancePoint"))
    assert "No other run can" in deep, "b never gets back to the axis"
    assert "∞ to ∞" in deep


def test_condensed_rankings_have_no_bounds() -> None:
    seen = shown(uncertainty, simulated(3, 4, 1, unjudged="condensed"))
    assert "there are no bounds for values" in seen
    assert "Residuals of RBP" in seen


def test_residuals() -> None:
    assert "The residual of RBP with p = 0.8 is 0.800." in shown(uncertainty, of({"a": [1, 1]}))
    both = shown(uncertainty, of({"a": [1, 1], "b": [2, 2]}))
    assert "The residual of RBP with p = 0.8 goes from 0.800 to 0.840 over the runs." in both


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_curves_are_those_of_the_analysis(unjudged: str) -> None:
    found = simulated(3, 4, 1, unjudged=unjudged)
    alone = residual(found.campaign, depths=uncertainty.DEPTHS)
    for number, run in enumerate(alone.runs):
        curves = uncertainty.residual_curves(found, number)
        assert curves.runs == (run,)
        assert np.allclose(curves.lower, alone.lower[[number]])
        assert np.allclose(curves.residual, alone.residual[[number]])
