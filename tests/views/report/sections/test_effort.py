"""What is said of effort and gain."""

from __future__ import annotations

import numpy as np

from assay.views.report.sections import effort
from report_cases import campaign_with_ranks, context_of, headline, simulated_context, visible_text


def test_shares_are_those_of_the_classes() -> None:
    found = simulated_context(6, 10, 5)
    assert found.against_gain is not None
    row = found.against_gain.classes().row(0, named=True)
    said = headline(effort, found)[0]
    assert said.startswith(f"Of 60 points (one per run and topic), {row['diagonal']:.0%}".replace("%", " %"))
    assert sum(row[kind] for kind in ("diagonal", "high_high", "gray", "other")) == 1


def test_few_points_are_no_grid() -> None:
    [one] = headline(effort, context_of(*campaign_with_ranks({"a": [1]}), "RR"))
    assert one == "There is only 1 point (one per run and topic), too few to compare effort with gain."
    [two] = headline(effort, context_of(*campaign_with_ranks({"a": [1, 2]}), "RR"))
    assert two.startswith("There are only 2 points")


def test_the_least_effort() -> None:
    first = visible_text(effort, context_of(*campaign_with_ranks({"a": [1, 1], "b": [4, 4]}), "RR"))
    assert "a costs its users the least effort (mean Twist 1), and is also first by RR." in first
    second = visible_text(effort, context_of(*campaign_with_ranks({"a": [1, 1], "b": [4, 4]}), "NumRet"))
    assert "a costs its users the least effort (mean Twist 1); by NumRet it is 2nd." in second
    assert effort.find_least_effort(context_of(*campaign_with_ranks({"a": [1]}), "RR")) is None
    assert effort.find_least_effort(context_of(*campaign_with_ranks({"a": [1], "b": [1]}), "RR")) is None, (
        "nobody spares the most"
    )


def test_mean_twist_is_that_of_each_run() -> None:
    found = simulated_context(4, 5, 2)
    twist = found.effort.results.matrix(found.effort.results.measures[4])
    assert np.allclose(effort.mean_twist(found), twist.mean(axis=1))


def test_what_cannot_be_shown_is_said() -> None:
    cost = context_of(*campaign_with_ranks({"a": [1]}), "NumUnjudgedRet")
    assert "there is no gain" in headline(effort, cost)[0]
    bare = context_of({"q": {"x": 0}}, {"a": {"q": {"x": 1.0}}})
    assert headline(effort, bare)[0].startswith("No topic has relevant documents")


def test_a_run_called_all_is_a_run() -> None:
    found = context_of(*campaign_with_ranks({"all": [1, 2, 1], "b": [2, 3, 4]}), "RR")
    seen = visible_text(effort, found)
    assert "all costs its users" in seen
