"""Two rankings side by side."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import assay
from assay.errors import InputError, PolicyError
from assay.views.plots._export import specification
from assay.views.plots._style import PALETTES, Style
from assay.views.plots.deciding import data, draw

QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "n": -1, "e": 1}, "q2": {"a": 1}}
FIRST = {"q1": {"a": 9.0, "u": 8.0, "b": 7.0, "c": 6.0, "n": 5.0, "e": 4.0}, "q2": {"a": 1.0}}
SECOND = {"q1": {"c": 9.0, "b": 8.0, "x": 7.0, "a": 6.0, "u": 5.0}, "q2": {"a": 1.0}}


def found(**options: Any) -> pl.DataFrame:
    return data(assay.read(QRELS, {"first": FIRST, "second": SECOND}), pair=("first", "second"), **options).frame


def test_every_document_with_its_place_in_the_other_ranking() -> None:
    frame = found(topic="q1")
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
    without = assay.evaluate({"q1": {**QRELS["q1"], "a": 0}}, {"first": FIRST, "second": SECOND}, "AP").values[0, :, 0]
    difference = results.values[0, 0, 0] - results.values[0, 1, 0]
    assert a["effect"][0] == b["effect"][3] == pytest.approx(difference - (without[0] - without[1]))


def test_a_depth_cuts_what_is_shown_but_not_where_documents_are() -> None:
    frame = found(topic="q1", depth=3)
    assert frame["rank"].to_list() == [1, 2, 3] * 2
    assert frame["other_rank"].to_list() == [4, 5, 2, 4, 3, None]
    with pytest.raises(InputError, match="depth must be at least 1, got 0"):
        found(depth=0)


def test_the_best_runs_and_the_topic_on_which_they_differ_most() -> None:
    made = assay.simulate(systems=5, topics=7, seed=9)
    results = assay.evaluate(made.qrels, made.runs, "nDCG@10")
    a, b = results.best("nDCG@10")[:2]
    values = {run: results.values[0, results.runs.index(run)] for run in (a, b)}
    frame = data(assay.read(made.qrels, made.runs), measure="nDCG@10").frame
    assert (frame["run"][0], frame["run"][-1]) == (a, b)
    assert frame["topic"][0] == results.topics[int(abs(values[a] - values[b]).argmax())]
    assert len(frame) == 40
    runs = {run.name: run for run in made.runs}
    for run in (a, b):
        own = [
            (s, d)
            for t, d, s in zip(runs[run].topic, runs[run].doc, runs[run].score, strict=True)
            if t == frame["topic"][0]
        ]
        assert frame.filter(run=run)["document"].to_list() == [doc for _, doc in sorted(own, reverse=True)[:20]]


def test_a_run_that_lacks_the_topic() -> None:
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
def test_wrong_options(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        data(assay.read(QRELS, {"first": FIRST, "second": SECOND}), **options)
    with pytest.raises(PolicyError, match="ties 'expected'"):
        data(assay.read(QRELS, {"first": FIRST, "second": SECOND}, ties="expected"))


def layers(frame: pl.DataFrame, width: int | None = None) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The marks of a picture with their rows."""
    spec = specification(draw(frame, Style(width=width)))
    return [(layer["mark"], spec["datasets"].get(layer["data"]["name"], [])) for layer in spec["layer"]]


def test_lines_join_the_same_document() -> None:
    frame = found(topic="q1", depth=4)
    lines = [rows for mark, rows in layers(frame) if mark["type"] == "line"]
    thin, thick = ({row["document"]: row["which"] for row in rows} for rows in lines)
    assert thin == {"c": "same"}
    assert thick == {"a": "a", "b": "b"}
    spec = specification(draw(frame))
    [coloured] = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line" and "color" in layer["encoding"]]
    shades = PALETTES["safe"]
    assert coloured["encoding"]["color"]["scale"]["range"] == [shades.early, shades.late, shades.right]


def test_a_relevant_document_that_no_line_leads_to_has_its_rank() -> None:
    texts = [row["text"] for mark, rows in layers(found(topic="q1", depth=6)) if mark["type"] == "text" for row in rows]
    assert texts.count("–") == 1, "e is nowhere in the other run"
    cut = [row["text"] for mark, rows in layers(found(topic="q1", depth=1)) if mark["type"] == "text" for row in rows]
    assert "4" in cut, "a is at rank 4 there"


def test_kinds_of_cells() -> None:
    drawn = layers(found(topic="q1"))
    cells = {mark.get("style", "relevant"): rows for mark, rows in drawn if mark["type"] == "rect"}
    documents = {kind: {row["document"] for row in rows if row.get("document")} for kind, rows in cells.items()}
    assert documents == {"soft": {"c", "n"}, "reference": {"u", "x"}, "relevant": {"a", "b", "e"}}
    strength = {row["grade"]: row["strength"] for row in cells["relevant"] if row["grade"] is not None}
    assert strength[2] == 1
    assert 0.3 < strength[1] < 1
    words = {row["text"] for mark, rows in drawn if mark["type"] == "text" for row in rows}
    assert {"grade 2", "grade 1", "not relevant", "unjudged"} <= words


def test_names_of_documents_go_when_rows_are_low() -> None:
    made = assay.simulate(systems=2, topics=1, seed=9)
    shallow, deep = (data(assay.read(made.qrels, made.runs), depth=depth).frame for depth in (20, 200))

    def names(frame: pl.DataFrame) -> bool:
        texts = {row["text"] for mark, rows in layers(frame, 1000) if mark["type"] == "text" for row in rows}
        return frame["document"][0] in texts

    assert names(shallow)
    assert not names(deep)


def test_a_run_that_has_nothing_for_the_topic_is_shown_too() -> None:
    runs = {"first": FIRST, "second": {"q2": {"a": 1.0}}}
    for pair in (("first", "second"), ("second", "first")):
        frame = data(assay.read(QRELS, runs), pair=pair, topic="q1").frame
        [row] = frame.filter(run="second").rows(named=True)
        assert (row["rank"], row["document"], row["value"]) == (None, None, 0)
        assert row["side"] == "ab"[pair.index("second")]
        words = [row["text"] for mark, rows in layers(frame) if mark["type"] == "text" for row in rows]
        assert {"first", "second", "AP 0.0000", "no documents"} <= set(words)
    assert "no documents" not in str(specification(draw(found(topic="q1"))))
    neither = data(assay.read({**QRELS, "q3": {"a": 1}}, runs), pair=("first", "second"), topic="q3").frame
    assert neither["run"].to_list() == ["first", "second"]
    assert "neither run retrieves documents for the topic" in str(specification(draw(neither)))
