"""What is said of missing judgments."""

from __future__ import annotations

import numpy as np
import pytest

from assay.uncertainty import residual
from assay.views.report.context import ReportContext
from assay.views.report.sections import uncertainty
from report_cases import campaign_with_ranks, context_of, headline, simulated_context, visible_text


def of(ranks: dict[str, list[int]], *measures: str, **settings: object) -> ReportContext:
    return context_of(*campaign_with_ranks(ranks), *(measures or ("RR",)), **settings)


def test_unjudged_documents() -> None:
    assert headline(uncertainty, of({"a": [1, 1]})) == ["The first 10 documents of each ranking are all judged."]
    assert headline(uncertainty, of({"a": [2, 2]})) == [
        "On average, 50 % of the first 10 documents of each ranking are unjudged."
    ]
    [told] = headline(uncertainty, of({"a": [1, 1], "b": [4, 4]}))
    assert (
        "0 % to 75 % of the first 10 documents of each ranking are unjudged, depending on the run; b has the most."
        in told
    )
    some = context_of({"q": {"a": 1}, "p": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, missing="empty")
    assert headline(uncertainty, some)[0].endswith("are all judged.")


def test_bounds_of_the_first() -> None:
    sure = of({"a": [1, 1], "b": [2, 2]})
    assert "All documents retrieved by a are judged, so both bounds of its RR are 1." in visible_text(uncertainty, sure)
    seen = visible_text(uncertainty, of({"a": [2, 2]}))
    told = "Whatever the grades of the unjudged documents, RR of a is 0.500 to 1.000; as judged it is 0.500."
    assert told in seen
    assert "overtake" not in seen
    assert "change which run is first" not in seen


def test_who_may_become_first() -> None:
    runs = {"a": {"q": {"rel": 1.0}}, "b": {"q": {"non": 1.0}}}
    judged = context_of({"q": {"rel": 1, "non": 0}}, runs, "P@1")
    assert "By these bounds, no other run can overtake it." in visible_text(uncertainty, judged)
    told = "Its bounds overlap with those of 1 other run, so the bounds do not rule out that more judgments change which run is first."
    assert told in visible_text(uncertainty, of({"a": [1, 2], "b": [0, 0]}, "P@1"))
    tie = visible_text(uncertainty, of({"a": [1, 1], "b": [0, 0]}, "P@1"))
    assert "By these bounds, no other run can overtake it." in tie, "b can reach the value of a, not exceed it"


def test_identical_judged_runs_cannot_change_places() -> None:
    runs = {name: {"q": {"rel": 2.0, "non": 1.0}} for name in ("a", "b")}
    seen = visible_text(uncertainty, context_of({"q": {"rel": 1, "non": 0}}, runs, "AP"))
    assert "All documents retrieved by a are judged, so both bounds of its AP are 1." in seen
    assert "change which run is first" not in seen


def test_bounds_that_do_not_depend_on_unjudged_documents() -> None:
    runs = {"a": {"q": {"rel": 2.0, "new": 1.0}}}
    seen = visible_text(uncertainty, context_of({"q": {"rel": 1, "non": 0}}, runs, "RR"))
    assert "Whatever the grades of the unjudged documents, RR of a is 1." in seen


def test_of_a_cost_the_highest_value_counts() -> None:
    runs = {"a": {"q": {"rel": 1.0}}, "b": {"q": {"x": 2.0, "y": 1.0}}}
    cost = context_of({"q": {"rel": 1}}, runs, "RBPresidual(p=0.5)")
    assert cost.runs[cost.order[0]] == "a"
    assert "change which run is first" in visible_text(uncertainty, cost), "b may get down to 0.25"
    deep = visible_text(uncertainty, context_of({"q": {"rel": 1}}, runs, "BalancePoint"))
    assert "no other run can" in deep, "b never gets back to the axis"
    assert "∞ to ∞" in deep


def test_condensed_rankings_have_no_bounds() -> None:
    seen = visible_text(uncertainty, simulated_context(3, 4, 1, unjudged="condensed"))
    assert "there are no bounds for values" in seen
    assert "Residuals of RBP" in seen


def test_residuals() -> None:
    assert "The residual of RBP with p = 0.8 is 0.800." in visible_text(uncertainty, of({"a": [1, 1]}))
    both = visible_text(uncertainty, of({"a": [1, 1], "b": [2, 2]}))
    assert "The residual of RBP with p = 0.8 ranges from 0.800 to 0.840 over the runs." in both


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_curves_are_those_of_the_analysis(unjudged: str) -> None:
    found = simulated_context(3, 4, 1, unjudged=unjudged)
    alone = residual(found.campaign, depths=uncertainty.DEPTHS)
    for number, run in enumerate(alone.runs):
        curves = uncertainty.residual_curves(found, number)
        assert curves.runs == (run,)
        assert np.allclose(curves.lower, alone.lower[[number]])
        assert np.allclose(curves.residual, alone.residual[[number]])
