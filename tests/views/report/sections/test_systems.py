"""What is said of each run by itself."""

from __future__ import annotations

import pytest

from assay.views.report.context import ReportContext
from assay.views.report.names import run_name
from assay.views.report.sections import systems
from report_cases import (
    campaign_with_ranks,
    compute_section,
    context_of,
    headline,
    simulated_context,
    strip_markup,
    visible_text,
)


def of(ranks: dict[str, list[int]], *measures: str, **settings: object) -> ReportContext:
    return context_of(*campaign_with_ranks(ranks), *(measures or ("RR",)), **settings)


THREE = {"a": [1, 1], "b": [2, 2], "c": [4, 4]}


@pytest.mark.parametrize(
    ("runs", "most", "told"),
    [
        (1, 50, "Details of the run."),
        (3, 3, "Details of each of the 3 runs, best RR first."),
        (3, 2, "Details of the best 2 of 3 runs by RR; the other one is omitted (--most 3 shows all)."),
        (3, 1, "Details of the best 1 of 3 runs by RR; the other 2 are omitted (--most 3 shows all)."),
    ],
)
def test_which_runs_have_a_page(runs: int, most: int, told: str) -> None:
    found = of(dict(list(THREE.items())[:runs]), most=most)
    assert headline(systems, found) == [told]
    page = compute_section(systems, found).html()
    assert page.count("<details") == min(runs, most)
    assert 'id="system-0"' in page


def described(found: ReportContext, run: int) -> str:
    """What a reader sees of one run."""
    page = compute_section(systems, found).html()
    return strip_markup(page.split(f'id="system-{run}" class="system">')[1].split("</p>")[0])


def test_places() -> None:
    found = of(THREE, "RR", "AP", "NumRet")
    assert "1st of 3 by RR (1); 1st to 3rd by the other measures." in described(found, 0)
    assert "2nd of 3 by RR (0.500); 2nd by the other measures." in described(found, 1)
    assert "3rd of 3 by RR (0.250)." in described(of(THREE), 2)
    assert "3rd of 3 by RR (0.250); 3rd by the other measure." in described(of(THREE, "RR", "AP"), 2)
    alone = described(of({"a": [1]}), 0)
    assert alone.count("RR 1") == 2
    assert "1st" not in alone
    empty = context_of({"q": {"a": 0}}, {"x": {"q": {"a": 1.0}}}, undefined="exclude")
    assert "It has no value of AP." in described(empty, 0)


def test_against_the_median() -> None:
    found = of({"a": [1, 4, 2], "b": [2, 2, 2], "c": [4, 1, 2]})
    assert "It is better than the median run on 1 of 3 topics and worse on 1." in described(found, 0)
    assert systems.count_above_median(found, 1) == (0, 0, 3)
    assert "median" not in described(of({"a": [1], "b": [2]}), 0), "of two runs the median is between them"
    cost = of({"a": [1], "b": [2], "c": [3]}, "NumUnjudgedRet")
    assert systems.count_above_median(cost, 0) == (1, 0, 1), "fewer is better"


def test_archetypes() -> None:
    found = of({"a": [1, 1, 0], "b": [1, 1, 1], "c": [0, 2, 1]})
    assert "Of its rankings, 2 are ideal, 1 worst." in described(found, 0)
    assert "Its rankings are all ideal." in described(found, 1)
    assert "Its ranking is ideal." in described(of({"a": [1]}), 0)
    assert "Its rankings are 1 ideal, 1 worst and 1 " in described(found, 2)
    assert "Its ranking" not in described(context_of({"q": {"a": 0}}, {"x": {"q": {"a": 1.0}}}), 0)


def test_unjudged_documents() -> None:
    found = of({"a": [1, 1], "b": [2, 4]})
    assert "Its first 100 documents per topic are all judged." in described(found, 0)
    assert "On average, 62 % of its first 10 documents and 62 % of its first 100 are unjudged." in described(found, 1)
    page = visible_text(systems, found)
    assert "the ranks of these documents" in page
    assert "1, 2, 3" in page
    runs = {"x": {"q": {"a": 1.0}}, "y": {"p": {"a": 1.0}}}
    some = context_of({"q": {"a": 1}, "p": {"a": 1}}, runs)
    assert "Its first 100 documents per topic are all judged." in described(some, 0)


def test_the_best_and_the_worst_topics() -> None:
    found = simulated_context(4, 30, 7)
    run = found.order[0]
    difference = systems.median_differences(found, run)
    best, worst = found.topics[int(difference.argmax())], found.topics[int(difference.argmin())]
    page = compute_section(systems, found).html()
    own = page[page.index(f'id="system-{run}"') :]
    assert (
        own.index("Best topics of the run") < own.index(best) < own.index("Worst topics of the run") < own.index(worst)
    )
    assert "Topics of the run, best first" in visible_text(systems, simulated_context(4, 5, 7))


def test_one_run_is_compared_with_nobody() -> None:
    page = visible_text(systems, of({"a": [1, 2, 4]}))
    assert "median" not in page.replace("The median of a topic is that of all 1 run", "")
    assert "place of" not in page


def test_the_section_can_be_linked_to() -> None:
    found = of(THREE, most=1)
    assert run_name(found, 0).link == "#system-0"
    assert run_name(found, 1).link is None
    assert run_name(of(THREE, without=("systems",)), 0).link is None


def test_equal_runs_are_tied() -> None:
    found = context_of(*campaign_with_ranks({"a": [1, 2], "b": [2, 1], "c": [3, 3]}), "RR")
    assert "Tied for 1st of 3 by RR" in described(found, 1)
    assert "3rd of 3" in described(found, 2)
