"""Tests of the section on effort and gain."""

from __future__ import annotations

import numpy as np

from assay.views.report.sections import effort
from report_cases import campaign_with_ranks, context_of, headline, simulated_context, visible_text


def test_percentages_match_the_classes() -> None:
    context = simulated_context(6, 10, 5)
    assert context.against_gain is not None
    row = context.against_gain.classes().row(0, named=True)
    sentence = headline(effort, context)[0]
    assert sentence.startswith(f"Of 60 points (one per run and topic), {row['diagonal']:.0%}".replace("%", " %"))
    assert sum(row[name] for name in ("diagonal", "high_high", "gray", "other")) == 1


def test_few_points_are_explained() -> None:
    [single_point] = headline(effort, context_of(*campaign_with_ranks({"a": [1]}), "RR"))
    assert single_point == "There is only 1 point (one per run and topic), too few to compare effort with gain."
    [two_points] = headline(effort, context_of(*campaign_with_ranks({"a": [1, 2]}), "RR"))
    assert two_points.startswith("There are only 2 points")


def test_run_with_least_effort() -> None:
    text = visible_text(effort, context_of(*campaign_with_ranks({"a": [1, 1], "b": [4, 4]}), "RR"))
    assert "a demands the least effort of its users (mean Twist 1), and is also first by RR." in text
    other_text = visible_text(effort, context_of(*campaign_with_ranks({"a": [1, 1], "b": [4, 4]}), "NumRet"))
    assert "a demands the least effort of its users (mean Twist 1); by NumRet it is 2nd." in other_text
    assert effort.find_least_effort(context_of(*campaign_with_ranks({"a": [1]}), "RR")) is None
    assert effort.find_least_effort(context_of(*campaign_with_ranks({"a": [1], "b": [1]}), "RR")) is None, (
        "no run needs less effort than the others"
    )


def test_least_effort_is_the_highest_mean_twist() -> None:
    context = simulated_context(4, 5, 2)
    twist = context.effort.results.matrix(context.effort.results.measures[4]).mean(axis=1)
    least_effort = effort.find_least_effort(context)
    assert np.isclose(least_effort["twist"], twist.max())
    assert least_effort["run"] == context.run_name(int(twist.argmax()))


def test_missing_gain_is_explained() -> None:
    cost_context = context_of(*campaign_with_ranks({"a": [1]}), "NumUnjudgedRet")
    assert "there is no gain" in headline(effort, cost_context)[0]
    empty_context = context_of({"q": {"x": 0}}, {"a": {"q": {"x": 1.0}}})
    assert headline(effort, empty_context)[0].startswith("No topic has relevant documents")


def test_run_named_all_is_a_run() -> None:
    context = context_of(*campaign_with_ranks({"all": [1, 2, 1], "b": [2, 3, 4]}), "RR")
    text = visible_text(effort, context)
    assert "all demands the least effort of its users" in text
