"""Tests of figures: packed so that a page stores every part once, and unpacked without loss."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from assay.views.plots import leaderboard
from assay.views.plots._altair import altair
from assay.views.plots._export import specification
from assay.views.plots._style import Style, rows
from assay.views.report.figures import MAX_SVG_MARKS, NARROW_PIXELS, WIDE_PIXELS, Chart, Figures, pack
from assay.views.report.section import templates
from report_cases import HOSTILE, simulated_context

FRAME = pl.DataFrame({"run": ["a", "b"] * 10, "x": [i / 7 for i in range(20)], "same": [0.5] * 20, "n": [1, None] * 10})


def unpack(figures: Figures, name: str) -> Any:
    """Return stored data as the script of the page unpacks it."""
    stored = {name: json.loads(text) for text, name in figures.store.items()}
    table = stored[name]
    if isinstance(table, list):
        return table
    columns = {
        key: stored[reference] if isinstance(reference, str) else reference
        for key, reference in table["columns"].items()
    }

    def read_cell(column: Any, row: int) -> Any:
        if isinstance(column, list):
            return column[row]
        return column["all"] if "all" in column else column["of"][column["at"][row]]

    return [{key: read_cell(column, row) for key, column in columns.items()} for row in range(table["rows"])]


def assemble_specification(figures: Figures, drawing: str) -> dict[str, Any]:
    """Return a specification as the script of the page assembles it."""
    spec, *data_names = drawing.split(" ")
    stored = {name: json.loads(text) for text, name in figures.store.items()}
    datasets = {f"data{number}": unpack(figures, name) for number, name in enumerate(data_names)}
    return {**stored[spec], "datasets": datasets}


def resolve_data(spec: Any, datasets: dict[str, Any]) -> Any:
    """Return a specification with references to data replaced by the data."""
    if isinstance(spec, list | tuple):
        return [resolve_data(item, datasets) for item in spec]
    if not isinstance(spec, dict):
        return spec
    resolved = {}
    for key, value in spec.items():
        if key == "data" and "name" in value:
            resolved[key] = {"values": datasets[value["name"]]}
        elif key not in ("$schema", "datasets"):
            resolved[key] = resolve_data(value, datasets)
    return resolved


@pytest.mark.parametrize(
    "values", [["a", "b", "a", "a"], ["a", "b"], [0.5] * 3, [0.1, 0.2], [1, 1, 2], [None, "x", None]]
)
def test_columns_are_packed_without_loss(values: list[Any]) -> None:
    column = pack(values)
    if isinstance(column, list):
        assert column == values
    elif "all" in column:
        assert [column["all"]] * len(values) == values
    else:
        assert [column["of"][index] for index in column["at"]] == values


def test_page_receives_the_drawn_chart() -> None:
    frame = leaderboard.data(simulated_context(15, 5, 1).results).frame
    figures = Figures()
    chart = figures.add_frame("leaderboard", frame)
    for drawing, width in ((chart.wide, WIDE_PIXELS), (chart.narrow, NARROW_PIXELS)):
        expected_spec = specification(leaderboard.draw(frame, Style(width=width)))
        spec = assemble_specification(figures, drawing)
        expected = json.loads(json.dumps(resolve_data(expected_spec, expected_spec.get("datasets", {}))))
        assert resolve_data(spec, spec["datasets"]) == expected
    assert unpack(figures, chart.rows) == [*rows(frame)["values"]]


def render_figure(chart: Chart, caption: str) -> str:
    source = '{% call figure(chart, "Note.") %}{{ caption }}{% endcall %}'
    return templates().from_string(source).render(chart=chart, caption=caption)


def test_figure_has_a_caption_a_description_and_buttons() -> None:
    text = render_figure(Chart("leaderboard", "k0 k1", "k2 k1", "k3", "svg"), "Caption.")
    assert 'role="img" aria-label="Caption. Note."' in text
    assert "<span>Caption.</span>" in text
    assert [text.count(f'data-save="{kind}"') for kind in ("png", "svg", "csv")] == [1, 1, 1]
    for attribute in ('data-name="leaderboard"', 'data-wide="k0 k1"', 'data-narrow="k2 k1"', 'data-rows="k3"'):
        assert attribute in text


def draw_points(frame: pl.DataFrame, style: Style) -> Any:
    alt = altair()
    base = alt.Chart(rows(frame), width=style.total_width())
    return base.mark_point().encode(x="x:Q") + alt.Chart(rows(frame.head(3))).mark_rule().encode(x="x:Q")


def test_shared_parts_are_stored_once() -> None:
    figures = Figures()
    figures.add_frame("leaderboard", FRAME, draw=draw_points)
    size = len(figures.store)
    figures.add_frame("leaderboard", FRAME, draw=draw_points)
    assert len(figures.store) == size
    other = FRAME.with_columns(pl.col("x") + 1)
    figures.add_frame("leaderboard", other, draw=draw_points)
    assert len(figures.store) == size + 3, (
        "new: a column, the table of columns and the first rows; the drawing is shared"
    )


def test_many_marks_are_drawn_on_a_canvas() -> None:
    figures = Figures()
    many = pl.DataFrame({"x": [float(i) for i in range(MAX_SVG_MARKS + 1)]})
    assert figures.add_frame("leaderboard", many, draw=draw_points).renderer == "canvas"
    assert figures.add_frame("leaderboard", FRAME, draw=draw_points).renderer == "svg"


def test_rows_with_different_keys_are_unchanged() -> None:
    def draw(frame: pl.DataFrame, style: Style) -> Any:
        alt = altair()
        return alt.Chart({"values": ({"x": 1}, {"y": 2})}).mark_point().encode(x="x:Q")

    figures = Figures()
    chart = figures.add_frame("leaderboard", FRAME.clear(), draw=draw)
    assert assemble_specification(figures, chart.wide)["datasets"] == {"data0": [{"x": 1}, {"y": 2}]}
    assert unpack(figures, chart.rows) == []


def test_hostile_names_are_data() -> None:
    frame = FRAME.with_columns(run=pl.lit(HOSTILE))
    figures = Figures()
    chart = figures.add_frame("leaderboard", frame, draw=draw_points)
    assert "<script" not in render_figure(chart, HOSTILE)
    assert any("alert(1)" in text for text in figures.store)
    assert not any("<" in text for text in figures.store), "data can be embedded in a script element"
