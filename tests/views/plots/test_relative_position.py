"""Tests of the figure of relative positions."""

from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.views.plots._style import Style
from assay.views.plots.relative_position import EXAMPLE, data, draw
from chart_parts import mark_rows, texts, titles
from oracles import effort as oracle

QRELS = {"1": {"a": 2, "b": 1, "c": 1, "d": 0}, "none": {"a": 0}}
RUNS = {"one": {"1": {"x": 4.0, "b": 3.0, "a": 2.0, "d": 1.0}, "none": {"a": 1.0}}, "two": {"1": {"a": 1.0}}}
CAMPAIGN = assay.read(QRELS, RUNS, keep="documents")


def test_example_of_the_paper() -> None:
    frame = data().frame
    assert frame.columns == ["topic", "run", "rank", "document", "grade", "ideal", "target", "rp"]
    # Run b of the Twist paper. Figure 1 shows its relative positions at ranks 2 and 9.
    assert frame["rp"].to_list() == [0, -6, -2, -4, 1, -2, -1, 0, 5, 3, 0, 0, 11, 7, 0]
    assert frame.filter(rank=2)["target"].to_list() == [8], "non-relevant documents begin at rank 8"
    assert frame.filter(rank=9)["target"].to_list() == [4], "fairly relevant documents end at rank 4"
    assert frame["grade"].to_list() == list(EXAMPLE)
    assert not data().provenance.inputs


def test_ranking_of_a_run() -> None:
    plot_data = data(CAMPAIGN, topic="1", run="one")
    frame = plot_data.frame
    ideal = oracle.ideal_vector({2: 1, 1: 2}, 6)
    assert frame["rp"].to_list() == oracle.rp([None, 1, 2, 0, None, None], ideal)
    assert (frame["rank"] - frame["target"]).to_list() == frame["rp"].to_list()
    for target, grade in frame.select("target", "grade").iter_rows():
        assert ideal[target - 1] == (grade or 0), "the ideal ranking has the grade of the document at the target"
    assert frame["document"].to_list() == ["x", "b", "a", "d", None, None]
    assert plot_data.provenance.inputs
    assert len(data(CAMPAIGN, run="one", depth=2).frame) == 2


def test_cells_lines_and_numbers() -> None:
    chart = draw(data(CAMPAIGN, topic="1", run="one").frame)
    assert {"ideal", "ranking", "RP", "grade 2", "grade 1", "?", "2–3", "from 4", "−3", "+2"} <= set(texts(chart))
    lines = [row for row in mark_rows(chart, "rule") if "end" in row]
    assert [(row["rank"], row["end"]) for row in lines] == [(1, 4.0), (2, 2.0), (3, 1.0), (4, 4.0), (5, 5.0), (6, 6.0)]
    assert "one, topic 1" in titles(chart)
    assert titles(draw(data().frame))[0] == "example with 7 relevant documents"


def test_lines_to_hidden_ranks_end_at_the_edge() -> None:
    chart = draw(data(CAMPAIGN, topic="1", run="one", depth=2).frame)
    assert [row["end"] for row in mark_rows(chart, "rule")] == [2.5, 2.0]


def test_numbers_that_would_be_illegible_are_omitted() -> None:
    collection = assay.simulate(systems=1, topics=1, seed=2)
    frame = data(assay.read(collection.qrels, collection.runs, keep="documents"), depth=100).frame
    narrow, wide = texts(draw(frame, Style(width=320))), texts(draw(frame, Style(width=3000)))
    assert not any(text.startswith("−") or text == "0" for text in narrow)
    assert any(text.startswith("−") for text in wide)
    assert "0" in wide


def test_topic_without_relevant_documents() -> None:
    frame = data(CAMPAIGN, topic="none", run="one").frame
    assert frame["rp"].to_list() == [0] * len(frame)
    assert "from 1" in texts(draw(frame))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run": "thre"}, "there is no run thre"),
        ({"run": ["one", "two"]}, "this figure shows one run, got 2"),
        ({"topic": "2"}, "has no topic 2"),
        ({"depth": 0}, "depth must be at least 1, got 0"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        data(CAMPAIGN, **options)
    assert message in str(error.value)
