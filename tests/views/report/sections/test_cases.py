"""Tests of the section on topics that are fixed and broken, with the texts of queries and documents."""

from __future__ import annotations

from typing import Any

from assay import read
from assay.views.report.context import ReportContext
from assay.views.report.sections import cases, users
from assay.views.report.settings import ReportSettings
from report_cases import HOSTILE, campaign_with_ranks, compute_section, context_with_ranks, headline, visible_text

RANKS = {"old": [0, 1, 2, 4, 1], "new": [1, 0, 2, 2, 2]}


def context_with_texts(ranks: dict[str, list[int]], text: str, **settings: Any) -> ReportContext:
    qrels, runs = campaign_with_ranks(ranks)
    docs = {name: {"title": text, "text": f"{name} {text}"} for name in ("rel", "d1", "d2")}
    campaign = read(qrels, runs, keep="judgments", queries=dict.fromkeys(qrels, text), docs=docs)
    return ReportContext.of(campaign, ReportSettings(measures=("RR",), **settings))


def test_fixed_and_broken_topics_are_counted() -> None:
    context = context_with_ranks(RANKS, baseline="old")
    assert headline(cases, context)[0] == (
        "Of 5 topics, new fixes 1, breaks 1, improves 1 other, worsens 1 other and leaves 1 unchanged."
    )
    rows = compute_section(cases, context).content["every"].rows
    assert [(row[0].shown, row[1], row[4]) for row in rows] == [
        ("q0", "fixed", "+1.000"),
        ("q3", "better", "+0.250"),
        ("q2", "unchanged", "0.000"),
        ("q4", "worse", "-0.500"),
        ("q1", "broken", "-1.000"),
    ]


def test_failing_topics_of_the_leader() -> None:
    context = context_with_ranks({"a": [0, 1, 2], "b": [0, 0, 3]})
    assert headline(cases, context) == ["a has the value 0 on 1 of 3 topics with relevant documents: q0."]
    assert "on none of 2 topics" in headline(cases, context_with_ranks({"a": [1, 2]}))[0]


def test_texts_are_shown_and_escaped() -> None:
    for settings in ({"baseline": "old"}, {}):
        context = context_with_texts(RANKS, f"caffeine {HOSTILE} & sleep", **settings)
        section = compute_section(cases, context)
        assert HOSTILE not in section.html()
        assert "<q>caffeine &lt;script&gt;" in section.html()
        text = visible_text(cases, context)
        assert f"caffeine {HOSTILE} & sleep. rel caffeine" in text
        assert "grade" in text


def test_movements_are_stated_in_words() -> None:
    text = visible_text(cases, context_with_ranks(RANKS, baseline="old"))
    assert "entered at rank 1" in text
    assert "lost, was at rank 1" in text
    assert "rose from 4 to 2" in text
    assert "unjudged" in text


def test_slices_are_shown_for_a_candidate(tmp_path: Any) -> None:
    path = tmp_path / "topics.csv"
    path.write_text("topic,kind\n" + "".join(f"q{i},{'even' if i % 2 == 0 else 'odd'}\n" for i in range(5)))
    context = context_with_ranks(RANKS, baseline="old", topics_table=path, by=("kind",))
    rows = compute_section(cases, context).content["slices"].rows
    assert [row[:2] for row in rows] == [["all", "5"], ["even", "3"], ["odd", "2"]]


def test_effort_is_described_in_words() -> None:
    sentences = headline(users, context_with_ranks(RANKS, baseline="old"))
    assert sentences[0].startswith("Of 5 rankings of new, 1 is ideal, none makes up for misplaced documents by rank R")
    assert sentences[0].endswith("and 1 contains no relevant document.")
    assert sentences[1].startswith("Of 5 rankings of old, 2 are ideal,")
    assert "Mean Twist of new: " in visible_text(users, context_with_ranks(RANKS, baseline="old"))
