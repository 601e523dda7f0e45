"""Tests of the figure of indicators of one run over topics."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

import assay
from assay import effort
from assay.errors import AssayError
from assay.views.plots._export import export_chart, specification
from assay.views.plots._figures import Data
from assay.views.plots._style import Style
from assay.views.plots.crp_aggregate import AXES, data, draw
from chart_parts import mark_rows, marks, texts, titles, views
from oracles import effort as oracle

QRELS = {
    "many": {"a": 2, "b": 1, "c": 1, "d": 1},
    "few": {"a": 1, "b": 0},
    "none": {"a": 0},
    "some": {"a": 1, "b": 1},
}
RUNS = {
    "one": {
        "many": {"b": 3.0, "a": 2.0, "x": 1.0},
        "few": {"x": 3.0, "a": 2.0, "b": 1.0},
        "none": {"a": 1.0},
        "some": {"x": 1.0},
    },
    "two": {"many": {"a": 3.0, "b": 2.0, "c": 1.0}},
}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_topics_are_sorted_by_relevant_documents() -> None:
    frame = data(CAMPAIGN).frame
    order = frame.unique("topic", maintain_order=True)
    assert order.select("topic", "place", "r").rows() == [("few", 1, 1), ("some", 2, 2), ("many", 3, 4)]
    assert frame["run"].unique().to_list() == ["one"]
    assert frame.filter(topic="many")["indicator"].to_list() == list(AXES)
    assert frame.filter(indicator="r")["shown"].to_list() == [0.25, 0.5, 1]


def test_shown_values_are_clipped() -> None:
    frame = data(CAMPAIGN).frame
    counts = {2: 1, 1: 3}
    expected = oracle.indicators(oracle.pad([1, 2, None], 3, 8), counts)
    for name in ("rho_w", "rho", "b_ratio", "crp_min", "crp_n"):
        row = frame.filter(topic="many", indicator=name).row(0, named=True)
        assert row["value"] == pytest.approx(float(expected[name])), name
        assert row["shown"] == pytest.approx(min(max(float(expected[name]), 0), 1)), name
    row = frame.filter(topic="some", indicator="b_ratio").row(0, named=True)
    assert (row["value"], row["shown"]) == (-math.inf, 0)


def test_other_runs_and_existing_reports() -> None:
    report = effort.indicators(CAMPAIGN)
    assert data(report, run="two").frame.equals(data(CAMPAIGN, run="two").frame)
    assert data(report).frame.equals(data(CAMPAIGN).frame)
    assert data(assay.read(QRELS, RUNS, missing="exclude"), run="two").frame["topic"].unique().to_list() == ["many"]


def test_one_line_per_topic() -> None:
    chart = draw(data(CAMPAIGN).frame, Style(width=600))
    assert titles(chart)[0] == "one"
    lines = [view for view in views(chart) if view["mark"]["type"] == "line"]
    assert lines[0]["encoding"]["detail"]["field"] == "topic"
    assert lines[0]["encoding"]["x"]["sort"] == list(AXES.values())
    assert {"few", "some", "many"} <= set(texts(chart)), "few topics are labelled"
    assert "4" in texts(chart), "the axis of R shows numbers of documents"
    assert len(mark_rows(chart, "rule")) == 3 * 5
    assert "many" not in texts(draw(data(CAMPAIGN).frame, Style(width=320)))


def test_many_topics_are_not_labelled() -> None:
    collection = assay.simulate(systems=2, topics=30, seed=1)
    chart = draw(data(assay.read(collection.qrels, collection.runs)).frame, Style(width=700))
    assert "401" not in texts(chart)
    assert marks(chart).count("text") == 5, "numbers on both sides, the mean with its halo, the topic under the pointer"


def test_marked_topics_are_labelled_and_drawn_last() -> None:
    collection = assay.simulate(systems=2, topics=30, seed=1)
    campaign = assay.read(collection.qrels, collection.runs)
    frame = data(campaign, mark=["403", "405"]).frame
    assert set(frame.filter("marked")["topic"]) == {"403", "405"}
    assert not data(campaign).frame["marked"].any()
    chart = draw(frame)
    assert {"403", "405"} <= set(texts(chart))
    assert "401" not in texts(chart)
    wide = [view for view in views(chart) if view["mark"].get("strokeWidth") == 2.4]
    assert len({view["encoding"]["color"]["value"] for view in wide}) == 2


def test_lines_can_be_selected_in_a_page() -> None:
    chart = draw(data(CAMPAIGN).frame)
    spec = specification(chart)
    assert {param["name"]: param["select"]["type"] for param in spec["params"]} == {
        "over": "point",
        "brush": "interval",
    }
    lines = next(view for view in views(chart) if view["mark"]["type"] == "line")
    assert [set(step) & {"calculate", "joinaggregate"} for step in lines["transform"]] == [
        {"calculate"},
        {"joinaggregate"},
    ]
    hovered = [
        view for view in views(chart) if view.get("transform") == [{"filter": {"param": "over", "empty": False}}]
    ]
    assert [view["mark"]["type"] for view in hovered] == ["text"]


def test_undefined_value_leaves_a_gap() -> None:
    frame = data(assay.read({"q": {"a": 1, "b": 1}}, {"r": {"q": {"a": 2.0, "x": 1.0}}})).frame
    last = frame.filter(indicator="crp_n").row(0, named=True)
    assert (last["value"], last["shown"]) == (None, None)
    assert any(row["shown"] is None for row in mark_rows(draw(frame), "line"))


def test_topics_without_relevant_documents() -> None:
    frame = data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame
    assert frame.is_empty()
    assert texts(draw(frame)) == ["no topic has relevant documents"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run": "tow"}, "there is no run tow; did you mean two?"),
        ({"run": ["one", "two"]}, "this figure shows one run, got 2"),
        ({"mark": "fwe"}, "has no topic fwe; did you mean few?"),
        ({"mark": ["few"] * 5}, "mark: at most 4 topics can be marked, got 5"),
        ({"depth": 0}, "cutoff must be at least 1, got 0"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        data(CAMPAIGN, **options)
    assert message in str(error.value)


def test_expected_ties_are_rejected() -> None:
    with pytest.raises(AssayError, match="a curve needs an order"):
        data(assay.read(QRELS, RUNS, ties="expected"))


def test_mean_is_labelled() -> None:
    frame = data(CAMPAIGN).frame
    chart = draw(frame)
    assert "mean" in texts(chart)
    [position] = {row["shown"] for row in mark_rows(chart, "text") if row["text"] == "mean"}
    assert position == pytest.approx(frame.filter(indicator="r")["shown"].mean())


def test_marks_have_no_group_opacity() -> None:
    """Group opacity needs a layer per mark when rendering, which takes seconds with hundreds of topics."""
    frame = data(CAMPAIGN).frame
    svg = export_chart(draw(frame), Data(frame), "svg").decode()
    assert 'stroke-opacity="0.1"' in svg or 'stroke-opacity="0.8"' in svg
    opacities = [float(opacity) for opacity in re.findall(r'[" ]opacity="([0-9.]+)"', svg)]
    assert [opacity for opacity in opacities if 0 < opacity < 1] == []
