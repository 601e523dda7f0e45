"""Tests of the section on topics."""

from __future__ import annotations

from assay.views.report.context import ReportContext
from assay.views.report.sections import topics
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


def first_sentence(context: ReportContext) -> str:
    return headline(topics, context)[0]


def test_hardest_and_easiest_topics() -> None:
    context = context_with_ranks({"a": [1, 2, 4], "b": [1, 2, 4]})
    assert first_sentence(context) == "The hardest topic is q2 (median RR 0.250); the easiest topic is q0 (1)."
    assert (
        first_sentence(context_with_ranks({"a": [1, 1, 4, 4]}))
        == "The hardest topics are q2 and q3 (RR 0.250); the easiest topics are q0 and q1 (1)."
    )
    assert first_sentence(context_with_ranks({"a": [2]})) == "The only topic is q0 (RR 0.500)."
    assert (
        first_sentence(context_with_ranks({"a": [2, 2], "b": [2, 2]})) == "Both topics have the same median RR, 0.500."
    )


def test_highest_topic_is_hardest_if_lower_is_better() -> None:
    context = context_with_ranks({"a": [1, 4], "b": [1, 4]}, "NumUnjudgedRet")
    assert first_sentence(context) == "The hardest topic is q1 (median NumUnjudgedRet 3); the easiest topic is q0 (0)."
    assert topics.order_topics(context)["topic"].to_list() == ["q1", "q0"]


def test_topics_on_which_runs_differ_most() -> None:
    assert (
        headline(topics, context_with_ranks({"a": [1, 2], "b": [1, 4]}))[1]
        == "Runs differ most on q1, from 0.250 to 0.500."
    )
    assert headline(topics, context_with_ranks({"a": [1, 2], "b": [1, 2]}))[1] == "The runs do not differ on any topic."
    assert len(headline(topics, context_with_ranks({"a": [1]}))) == 1


def test_overview_of_topics() -> None:
    context = context_with_ranks({"a": [1, 2], "b": [2, 4], "c": [4, 0]})
    rows = topics.order_topics(context).rows()
    assert rows == [("q1", 2, 1, 0.25, 0.0, 0.5, 0), ("q0", 2, 1, 0.5, 0.25, 1.0, 0)]


def missing_relevance_text(qrels: dict[str, dict[str, int]], **settings: object) -> str:
    runs = {"x": {topic: {"a": 1.0} for topic in qrels}}
    page = compute_section(topics, context_of(qrels, runs, **settings)).html()
    return (
        strip_markup(page.split("<summary>Figures and tables</summary>")[1].split("</p>")[0])
        if "relevant documents" in page.split("<figure>")[0]
        else ""
    )


def test_topics_without_relevant_documents() -> None:
    assert missing_relevance_text({"p": {"a": 1}}) == ""
    assert missing_relevance_text({"p": {"a": 1}, "q": {"a": 0}}) == (
        "One topic, q, has no relevant documents; measures that need them give it the value 0."
    )
    assert missing_relevance_text({"p": {"a": 1}, "q": {"a": 0}, "r": {"a": -1}}, undefined="exclude") == (
        "2 topics have no relevant documents: q and r. Measures that need them exclude these topics."
    )
    assert missing_relevance_text({"q": {"a": 0}}) == "The only topic has no relevant documents."
    assert missing_relevance_text({"q": {"a": 0}, "r": {"a": 0}}) == "None of the 2 topics has any relevant documents."


def test_topic_without_rankings_has_no_value() -> None:
    runs = {"x": {"p": {"a": 1.0}}, "y": {"p": {"b": 1.0}}}
    context = context_of({"p": {"a": 1}, "q": {"a": 1}}, runs, missing="exclude")
    frame = topics.order_topics(context)
    assert frame["topic"].to_list() == ["p", "q"]
    assert frame["median"].to_list() == [0.5, None]
    assert frame["best"].to_list() == [0, -1]
    assert "–" in visible_text(topics, context)


def test_no_topic_has_a_value() -> None:
    context = context_of({"q": {"a": 0}}, {"x": {"q": {"a": 1.0}}}, undefined="exclude")
    assert headline(topics, context) == [
        "No topic has a value of AP.",
        "The only topic has no relevant documents.",
    ]


def test_many_topics_are_split_into_hardest_and_easiest() -> None:
    few, many = visible_text(topics, simulated_context(3, 8)), visible_text(topics, simulated_context(3, 30))
    assert "The hardest topics:" not in few
    assert "All topics, hardest first" in few
    assert "The hardest topics:" in many
    assert "The easiest topics:" in many


def test_tied_best_runs_are_counted() -> None:
    ranks = {"a": [1, 2, 1], "b": [1, 1, 1], "c": [3, 2, 1], "d": [2, 2, 1]}
    context = context_of(*campaign_with_ranks(ranks), "RR")
    best = dict(topics.order_topics(context).select("topic", "best").iter_rows())
    assert best == {"q0": -2, "q1": 1, "q2": -1}
    rows = compute_section(topics, context).content["every"].rows
    assert {str(row[0]): str(row[-1]) for row in rows} == {"q0": "2 runs", "q1": "b", "q2": "–"}


def test_topics_with_equal_spread_are_listed() -> None:
    context = context_of(*campaign_with_ranks({"a": [1, 1, 2], "b": [2, 2, 2]}), "RR")
    assert headline(topics, context)[1] == "Runs differ most on q0 and q1, by 0.500."
