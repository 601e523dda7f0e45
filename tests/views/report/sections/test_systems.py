"""Tests of the section on single systems."""

from __future__ import annotations

import pytest

from assay.views.report.context import ReportContext
from assay.views.report.sections import systems
from report_cases import (
    campaign_with_ranks,
    compute_section,
    context_of,
    context_with_ranks,
    headline,
    simulated_context,
    strip_markup,
    visible_text,
)

RANKS = {"a": [1, 1], "b": [2, 2], "c": [4, 4]}


@pytest.mark.parametrize(
    ("runs", "most", "expected"),
    [
        (1, 50, "Details of the run."),
        (3, 3, "Details of each of the 3 runs, best RR first."),
        (3, 2, "Details of the best 2 of 3 runs by RR; the other one is omitted (--most 3 shows all)."),
        (3, 1, "Details of the best 1 of 3 runs by RR; the other 2 are omitted (--most 3 shows all)."),
    ],
)
def test_best_runs_have_details(runs: int, most: int, expected: str) -> None:
    context = context_with_ranks(dict(list(RANKS.items())[:runs]), most=most)
    assert headline(systems, context) == [expected]
    page = compute_section(systems, context).html()
    assert page.count('class="system"') == min(runs, most)
    assert 'id="system-0"' in page


def run_summary(context: ReportContext, run: int) -> str:
    """Return the visible summary of one run."""
    page = compute_section(systems, context).html()
    return strip_markup(page.split(f'id="system-{run}" class="system">')[1].split("</p>")[0])


def test_ranks_by_several_measures() -> None:
    context = context_with_ranks(RANKS, "RR", "AP", "NumRet")
    assert "1st of 3 by RR (1); 1st to 3rd by the other measures." in run_summary(context, 0)
    assert "2nd of 3 by RR (0.500); 2nd by the other measures." in run_summary(context, 1)
    assert "3rd of 3 by RR (0.250)." in run_summary(context_with_ranks(RANKS), 2)
    assert "3rd of 3 by RR (0.250); 3rd by the other measure." in run_summary(context_with_ranks(RANKS, "RR", "AP"), 2)
    summary = run_summary(context_with_ranks({"a": [1]}), 0)
    assert summary.count("RR 1") == 2
    assert "1st" not in summary
    context_without_values = context_of({"q": {"a": 0}}, {"x": {"q": {"a": 1.0}}}, undefined="exclude")
    assert "The run has no value of AP." in run_summary(context_without_values, 0)


def test_comparison_with_the_median() -> None:
    context = context_with_ranks({"a": [1, 4, 2], "b": [2, 2, 2], "c": [4, 1, 2]})
    assert "It is better than the median run on 1 of 3 topics and worse on 1." in run_summary(context, 0)
    assert systems.count_above_median(context, 1) == (0, 0, 3)
    assert "median" not in run_summary(context_with_ranks({"a": [1], "b": [2]}), 0), (
        "the median of two runs lies between them"
    )
    cost_context = context_with_ranks({"a": [1], "b": [2], "c": [3]}, "NumUnjudgedRet")
    assert systems.count_above_median(cost_context, 0) == (1, 0, 1), "fewer is better"


def test_archetypes_of_rankings() -> None:
    context = context_with_ranks({"a": [1, 1, 0], "b": [1, 1, 1], "c": [0, 2, 1]})
    assert "Of its rankings, 2 are ideal, 1 worst." in run_summary(context, 0)
    assert "Its rankings are all ideal." in run_summary(context, 1)
    assert "Its ranking is ideal." in run_summary(context_with_ranks({"a": [1]}), 0)
    assert "Its rankings are 1 ideal, 1 worst and 1 " in run_summary(context, 2)
    assert "Its ranking" not in run_summary(context_of({"q": {"a": 0}}, {"x": {"q": {"a": 1.0}}}), 0)


def test_unjudged_documents_are_summarized() -> None:
    context = context_with_ranks({"a": [1, 1], "b": [2, 4]})
    assert "Its first 100 documents per topic are all judged." in run_summary(context, 0)
    assert "On average, 62 % of its first 10 documents and 62 % of its first 100 are unjudged." in run_summary(
        context, 1
    )
    page = visible_text(systems, context)
    assert "the ranks of these documents" in page
    assert "1, 2, 3" in page
    runs = {"x": {"q": {"a": 1.0}}, "y": {"p": {"a": 1.0}}}
    context_with_missing_topics = context_of({"q": {"a": 1}, "p": {"a": 1}}, runs)
    assert "Its first 100 documents per topic are all judged." in run_summary(context_with_missing_topics, 0)


def test_best_and_worst_topics() -> None:
    context = simulated_context(4, 30, 7)
    run = context.order[0]
    difference = systems.median_differences(context, run)
    best, worst = context.topics[int(difference.argmax())], context.topics[int(difference.argmin())]
    page = compute_section(systems, context).html()
    details = page[page.index(f'id="system-{run}"') :]
    assert (
        details.index("Best topics of the run")
        < details.index(best)
        < details.index("Worst topics of the run")
        < details.index(worst)
    )
    assert "Topics of the run, best first" in visible_text(systems, simulated_context(4, 5, 7))


def test_single_run_has_no_comparisons() -> None:
    page = visible_text(systems, context_with_ranks({"a": [1, 2, 4]}))
    assert "median" not in page.replace("The median of a topic is that of all 1 run", "")
    assert "place of" not in page


def test_runs_with_details_are_linked() -> None:
    context = context_with_ranks(RANKS, most=1)
    assert context.run_name(0).link == "#system-0"
    assert context.run_name(1).link is None
    assert context_with_ranks(RANKS, without=("systems",)).run_name(0).link is None


def test_equal_runs_are_tied() -> None:
    context = context_of(*campaign_with_ranks({"a": [1, 2], "b": [2, 1], "c": [3, 3]}), "RR")
    assert "Tied for 1st of 3 by RR" in run_summary(context, 1)
    assert "3rd of 3" in run_summary(context, 2)
