"""Tests of the figure of two rankings side by side."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import assay
from assay.errors import InputError, PolicyError
from assay.views.plots._export import export_chart, specification
from assay.views.plots._style import PALETTES, Style
from assay.views.plots.deciding import data, draw

QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "n": -1, "e": 1}, "q2": {"a": 1}}
FIRST = {"q1": {"a": 9.0, "u": 8.0, "b": 7.0, "c": 6.0, "n": 5.0, "e": 4.0}, "q2": {"a": 1.0}}
SECOND = {"q1": {"c": 9.0, "b": 8.0, "x": 7.0, "a": 6.0, "u": 5.0}, "q2": {"a": 1.0}}


def read_data(**options: Any) -> pl.DataFrame:
    return data(assay.read(QRELS, {"first": FIRST, "second": SECOND}), pair=("first", "second"), **options).frame


def test_documents_have_their_rank_in_the_other_ranking() -> None:
    frame = read_data(topic="q1")
    a, b = frame.filter(side="a"), frame.filter(side="b")
    assert a["document"].to_list() == ["a", "u", "b", "c", "n", "e"]
    assert a["grade"].to_list() == [2.0, None, 1.0, 0.0, -1.0, 1.0]
    assert a["other_rank"].to_list() == [4, 5, 2, 1, None, None]
    assert a["favours"].to_list() == ["a", None, "b", None, None, "a"]
    assert b["document"].to_list() == ["c", "b", "x", "a", "u"]
    assert b["other_rank"].to_list() == [4, 3, None, 1, 2]
    assert b["favours"].to_list() == [None, "b", None, "a", None]
    assert a["rank"].to_list() == [1, 2, 3, 4, 5, 6]
    results = assay.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "AP")
    assert [a["value"][0], b["value"][0]] == results.values[0, :, 0].tolist()
    assert a["effect"].is_not_null().to_list() == [True, False, True, False, False, True]
    report = assay.topics(assay.read(QRELS, {"first": FIRST, "second": SECOND}), "AP")
    contributions = dict(report.documents().filter(topic="q1").select("document", "contribution").rows())
    assert a["effect"][0] == b["effect"][3] == -contributions["a"]
    difference = results.values[0, 0, 0] - results.values[0, 1, 0]
    assert a["effect"].sum() == pytest.approx(difference), "a retrieves all relevant documents"


def test_measures_that_documents_cannot_explain_have_no_effects() -> None:
    content = data(assay.read(QRELS, {"first": FIRST, "second": SECOND}), measure="TurnAround", topic="q1")
    assert content.frame["effect"].null_count() == len(content.frame)
    assert "no effects: measure 'TurnAround'" in content.notes[-1]


def test_depth_limits_the_documents_but_not_their_ranks() -> None:
    frame = read_data(topic="q1", depth=3)
    assert frame["rank"].to_list() == [1, 2, 3] * 2
    assert frame["other_rank"].to_list() == [4, 5, 2, 4, 3, None]
    with pytest.raises(InputError, match="depth must be at least 1, got 0"):
        read_data(depth=0)


def test_default_is_the_best_runs_on_the_topic_where_they_differ_most() -> None:
    collection = assay.simulate(systems=5, topics=7, seed=9)
    results = assay.evaluate(collection.qrels, collection.runs, "nDCG@10")
    a, b = results.best("nDCG@10")[:2]
    values = {run: results.values[0, results.runs.index(run)] for run in (a, b)}
    frame = data(assay.read(collection.qrels, collection.runs), measure="nDCG@10").frame
    assert (frame["run"][0], frame["run"][-1]) == (a, b)
    assert frame["topic"][0] == results.topics[int(abs(values[a] - values[b]).argmax())]
    assert len(frame) == 40
    runs = {run.name: run for run in collection.runs}
    for run in (a, b):
        scored = [
            (score, doc)
            for topic, doc, score in zip(runs[run].topic, runs[run].doc, runs[run].score, strict=True)
            if topic == frame["topic"][0]
        ]
        assert frame.filter(run=run)["document"].to_list() == [doc for _, doc in sorted(scored, reverse=True)[:20]]


def test_run_without_the_topic() -> None:
    frame = data(
        assay.read(QRELS, {"first": FIRST, "second": {"q2": {"a": 1.0}}}), pair=("first", "second"), topic="q1"
    ).frame
    assert frame["side"].to_list() == ["a"] * 6 + ["b"]
    assert frame["other_rank"].null_count() == 7
    assert frame["favours"].to_list() == ["a", None, "a", None, None, "a", None]
    assert specification(draw(frame))["layer"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topic": "q3"}, "has no topic q3; choose from q1, q2"),
        ({"pair": ("first", "frist")}, r"there is no run frist; did you mean first\?"),
    ],
)
def test_invalid_options_are_rejected(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        data(assay.read(QRELS, {"first": FIRST, "second": SECOND}), **options)
    with pytest.raises(PolicyError, match="ties 'expected'"):
        data(assay.read(QRELS, {"first": FIRST, "second": SECOND}, ties="expected"))


def read_layers(frame: pl.DataFrame, width: int | None = None) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return the marks of a chart with their data rows."""
    spec = specification(draw(frame, Style(width=width)))
    return [(layer["mark"], spec["datasets"].get(layer["data"]["name"], [])) for layer in spec["layer"]]


def test_lines_connect_the_same_document() -> None:
    frame = read_data(topic="q1", depth=4)
    lines = [rows for mark, rows in read_layers(frame) if mark["type"] == "line"]
    thin, thick = ({row["document"]: row["which"] for row in rows} for rows in lines)
    assert thin == {"c": "same"}
    assert thick == {"a": "a", "b": "b"}
    spec = specification(draw(frame))
    [layer] = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line" and "color" in layer["encoding"]]
    palette = PALETTES["safe"]
    assert layer["encoding"]["color"]["scale"]["range"] == [palette.early, palette.late, palette.right]


def test_unconnected_relevant_documents_show_their_rank() -> None:
    texts = [
        row["label"]
        for mark, rows in read_layers(read_data(topic="q1", depth=6))
        if mark["type"] == "text"
        for row in rows
    ]
    assert texts.count("–") == 1, "e is not in the other run"
    texts_at_depth_1 = [
        row["label"]
        for mark, rows in read_layers(read_data(topic="q1", depth=1))
        if mark["type"] == "text"
        for row in rows
    ]
    assert "4" in texts_at_depth_1, "a has rank 4 in the other run"


def test_cells_show_grades_and_unjudged_documents() -> None:
    layers = read_layers(read_data(topic="q1"))
    cells = {mark.get("style", "relevant"): rows for mark, rows in layers if mark["type"] == "rect"}
    documents = {kind: {row["document"] for row in rows if row.get("document")} for kind, rows in cells.items()}
    assert documents == {"soft": {"c", "n"}, "reference": {"u", "x"}, "relevant": {"a", "b", "e"}}
    strength = {row["grade"]: row["strength"] for row in cells["relevant"] if row["grade"] is not None}
    assert strength[2] == 1
    assert 0.3 < strength[1] < 1
    texts = {row["label"] for mark, rows in layers if mark["type"] == "text" for row in rows}
    assert {"grade 2", "grade 1", "not relevant", "unjudged"} <= texts


def test_document_names_are_omitted_in_low_rows() -> None:
    collection = assay.simulate(systems=2, topics=1, seed=9)
    shallow, deep = (data(assay.read(collection.qrels, collection.runs), depth=depth).frame for depth in (20, 200))

    def shows_names(frame: pl.DataFrame) -> bool:
        texts = {row["label"] for mark, rows in read_layers(frame, 1000) if mark["type"] == "text" for row in rows}
        return frame["document"][0] in texts

    assert shows_names(shallow)
    assert not shows_names(deep)


def test_run_without_documents_is_shown() -> None:
    runs = {"first": FIRST, "second": {"q2": {"a": 1.0}}}
    for pair in (("first", "second"), ("second", "first")):
        frame = data(assay.read(QRELS, runs), pair=pair, topic="q1").frame
        [row] = frame.filter(run="second").rows(named=True)
        assert (row["rank"], row["document"], row["value"]) == (None, None, 0)
        assert row["side"] == "ab"[pair.index("second")]
        texts = [row["label"] for mark, rows in read_layers(frame) if mark["type"] == "text" for row in rows]
        assert {"first", "second", "AP 0.0000", "no documents"} <= set(texts)
    assert "no documents" not in str(specification(draw(read_data(topic="q1"))))
    frame = data(assay.read({**QRELS, "q3": {"a": 1}}, runs), pair=("first", "second"), topic="q3").frame
    assert frame["run"].to_list() == ["first", "second"]
    assert "neither run retrieves documents for the topic" in str(specification(draw(frame)))


def test_texts_of_the_query_and_the_documents_are_shown_as_text() -> None:
    script = "<script>alert(1)</script>"
    queries, docs = {"q1": f"who {script}?"}, {"a": {"title": "A title", "text": "x " * 900}, "b": script}
    campaign = assay.read(QRELS, {"first": FIRST, "second": SECOND}, queries=queries, docs=docs)
    content = data(campaign, pair=("first", "second"), topic="q1")
    first = content.frame.row(0, named=True)
    assert (first["query"], first["title"]) == (f"who {script}?", "A title")
    assert first["text"].endswith("x…")
    assert len(first["text"]) <= 300
    chart = draw(content.frame, Style(width=700))
    svg = export_chart(chart, content, "svg").decode()
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    assert "a  A title" in svg
    assert script not in export_chart(chart, content, "html").decode()
    assert read_data(topic="q1")["query", "title", "text"].null_count().row(0) == (11, 11, 11)
