"""Figures are packed so that nothing stands twice in a page, and unpacked to what they were."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from assay.views.plots import leaderboard
from assay.views.plots._export import specification
from assay.views.plots._style import Style, altair, rows
from assay.views.report.figures import MANY, NARROW, WIDE, Chart, Figures, pack
from assay.views.report.section import templates
from report_cases import HOSTILE, simulated_context

FRAME = pl.DataFrame({"run": ["a", "b"] * 10, "x": [i / 7 for i in range(20)], "same": [0.5] * 20, "n": [1, None] * 10})


def unpacked(figures: Figures, name: str) -> Any:
    """What the page makes of something that is kept, in Python."""
    kept = {name: json.loads(text) for text, name in figures.store.items()}
    table = kept[name]
    if isinstance(table, list):
        return table
    columns = {key: kept[of] if isinstance(of, str) else of for key, of in table["columns"].items()}

    def at(column: Any, i: int) -> Any:
        if isinstance(column, list):
            return column[i]
        return column["all"] if "all" in column else column["of"][column["at"][i]]

    return [{key: at(column, i) for key, column in columns.items()} for i in range(table["rows"])]


def specified(figures: Figures, drawing: str) -> dict[str, Any]:
    """The specification that the page puts together."""
    spec, *data = drawing.split(" ")
    kept = {name: json.loads(text) for text, name in figures.store.items()}
    datasets = {f"data{number}": unpacked(figures, name) for number, name in enumerate(data)}
    return {**kept[spec], "datasets": datasets}


def resolved(spec: Any, datasets: dict[str, Any]) -> Any:
    """A specification with its data where they are named."""
    if isinstance(spec, list | tuple):
        return [resolved(one, datasets) for one in spec]
    if not isinstance(spec, dict):
        return spec
    found = {}
    for key, value in spec.items():
        if key == "data" and "name" in value:
            found[key] = {"values": datasets[value["name"]]}
        elif key not in ("$schema", "datasets"):
            found[key] = resolved(value, datasets)
    return found


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
        assert [column["of"][at] for at in column["at"]] == values


def test_the_page_gets_the_chart_that_was_drawn() -> None:
    found = leaderboard.data(simulated_context(15, 5, 1).results).frame
    figures = Figures()
    chart = figures.add("leaderboard", found)
    for drawing, width in ((chart.wide, WIDE), (chart.narrow, NARROW)):
        drawn = specification(leaderboard.draw(found, Style(width=width)))
        made = specified(figures, drawing)
        expected = json.loads(json.dumps(resolved(drawn, drawn.get("datasets", {}))))
        assert resolved(made, made["datasets"]) == expected
    assert unpacked(figures, chart.rows) == [*rows(found)["values"]]


def markup(chart: Chart, caption: str) -> str:
    source = '{% call figure(chart, "Note.") %}{{ caption }}{% endcall %}'
    return templates().from_string(source).render(chart=chart, caption=caption)


def test_a_figure_has_a_caption_a_description_and_buttons() -> None:
    text = markup(Chart("leaderboard", "k0 k1", "k2 k1", "k3", "svg"), "Caption.")
    assert 'role="img" aria-label="Caption. Note."' in text
    assert "<span>Caption.</span>" in text
    assert [text.count(f'data-save="{kind}"') for kind in ("png", "svg", "csv")] == [1, 1, 1]
    for attribute in ('data-name="leaderboard"', 'data-wide="k0 k1"', 'data-narrow="k2 k1"', 'data-rows="k3"'):
        assert attribute in text


def draw_points(frame: pl.DataFrame, style: Style) -> Any:
    alt = altair()
    base = alt.Chart(rows(frame), width=style.total_width())
    return base.mark_point().encode(x="x:Q") + alt.Chart(rows(frame.head(3))).mark_rule().encode(x="x:Q")


def test_what_figures_share_is_kept_once() -> None:
    figures = Figures()
    figures.add("leaderboard", FRAME, draw=draw_points)
    before = len(figures.store)
    figures.add("leaderboard", FRAME, draw=draw_points)
    assert len(figures.store) == before
    other = FRAME.with_columns(pl.col("x") + 1)
    figures.add("leaderboard", other, draw=draw_points)
    assert len(figures.store) == before + 3, (
        "a column, the table of columns, and the first rows; the drawing is the same"
    )


def test_many_marks_are_drawn_as_a_bitmap() -> None:
    figures = Figures()
    many = pl.DataFrame({"x": [float(i) for i in range(MANY + 1)]})
    assert figures.add("leaderboard", many, draw=draw_points).renderer == "canvas"
    assert figures.add("leaderboard", FRAME, draw=draw_points).renderer == "svg"


def test_rows_of_other_kinds_stay_as_they_are() -> None:
    def draw(frame: pl.DataFrame, style: Style) -> Any:
        alt = altair()
        return alt.Chart({"values": ({"x": 1}, {"y": 2})}).mark_point().encode(x="x:Q")

    figures = Figures()
    chart = figures.add("leaderboard", FRAME.clear(), draw=draw)
    assert specified(figures, chart.wide)["datasets"] == {"data0": [{"x": 1}, {"y": 2}]}
    assert unpacked(figures, chart.rows) == []


def test_hostile_names_are_data() -> None:
    frame = FRAME.with_columns(run=pl.lit(HOSTILE))
    figures = Figures()
    chart = figures.add("leaderboard", frame, draw=draw_points)
    assert "<script" not in markup(chart, HOSTILE)
    assert any("alert(1)" in json for json in figures.store)
    assert not any("<" in json for json in figures.store), "data can stand in a script element"
