"""Tests of the figure of effort against gain: points, cells and marks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay import effort, evaluate, simulate
from assay.errors import AssayError
from assay.views.plots import effort_gain as figure
from assay.views.plots._export import specification
from assay.views.plots._style import PALETTES, Style
from real_data import read_trec8

COLLECTION = simulate(systems=5, topics=12, seed=7)
CAMPAIGN = assay.read(COLLECTION.qrels, COLLECTION.runs)


def read_layers(chart: Any) -> list[dict[str, Any]]:
    """Return the marks of the first panel with their data."""
    spec = specification(chart)
    layers = []
    for layer in spec["vconcat"][0]["layer"]:
        mark = layer["mark"] if isinstance(layer["mark"], dict) else {"type": layer["mark"]}
        layers.append({**layer, "mark": mark, "values": spec["datasets"][layer["data"]["name"]]})
    return layers


def read_texts(chart: Any) -> list[str]:
    return [
        str(row["text"])
        for layer in read_layers(chart)
        if layer["mark"]["type"] == "text"
        for row in layer["values"]
        if "text" in row
    ]


def test_points_match_evaluate() -> None:
    plot_data = figure.data(CAMPAIGN, measure="nDCG@10", twist="Twist@100")
    results = evaluate(CAMPAIGN, ["Twist@100", "nDCG@10"])
    assert plot_data.frame["twist"].to_list() == results.values[0].ravel().tolist()
    assert plot_data.frame["gain"].to_list() == results.values[1].ravel().tolist()
    assert plot_data.frame["measure"].unique().to_list() == ["nDCG@10"]
    assert plot_data.frame.select("run", "topic").row(12) == (results.runs[1], results.topics[0])
    assert plot_data.provenance.inputs == results.provenance.inputs


def test_rows_are_separated_by_quartiles() -> None:
    frame = figure.data(CAMPAIGN).frame
    quartiles = frame.select("q1", "q2", "q3").row(0)
    assert quartiles == pytest.approx(np.quantile(frame["gain"].to_numpy(), [0.25, 0.5, 0.75]).tolist())
    assert frame.filter(pl.col("row") == "huge")["gain"].min() > quartiles[2]
    assert frame.filter(pl.col("row") == "high")["gain"].max() <= quartiles[2]
    low = frame.filter((pl.col("column") == "huge") & (pl.col("row") == "low"))
    assert set(low["class"]) <= {"diagonal"}


def test_archetypes_match_the_report() -> None:
    frame = figure.data(CAMPAIGN).frame
    report = effort.indicators(CAMPAIGN)
    assert frame["archetype"].to_list() == report.frame()["archetype"].to_list()
    grid = effort.against_gain(CAMPAIGN, ["AP", "P@5"])
    assert figure.data(grid).frame.equals(frame), "the first measure of gain is used"
    unknown = figure.data(effort.against_gain(grid.results, "AP")).frame
    assert unknown["archetype"].is_null().all()


def test_excluded_topics_are_omitted() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}
    default_frame = figure.data(assay.read(qrels, run)).frame
    assert default_frame.select("topic", "archetype").rows() == [("1", "full-scale"), ("2", None)]
    excluded_frame = figure.data(assay.read(qrels, run, undefined="exclude")).frame
    assert excluded_frame["topic"].to_list() == ["1"]
    grid = effort.against_gain(evaluate(qrels, run, ["Twist", "AP"], undefined="exclude"), "AP")
    report = effort.indicators(assay.read(qrels, run))
    assert figure.data(replace(grid, archetypes=report.archetypes)).frame.equals(excluded_frame)


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(AssayError, match="not a measure of effort; use Twist"):
        figure.data(CAMPAIGN, twist="AP")
    with pytest.raises(AssayError, match="a curve needs an order"):
        figure.data(assay.read(COLLECTION.qrels, COLLECTION.runs, ties="expected"))


def test_points_contain_run_and_topic() -> None:
    frame = figure.data(CAMPAIGN).frame
    [points] = [layer for layer in read_layers(figure.draw(frame)) if layer.get("name", "").startswith("points")]
    assert points["mark"]["type"] == "circle"
    assert set(points["values"][0]) == {"run", "topic", "twist", "gain", "archetype"}, "no other fields are sent"
    frame_without_archetypes = figure.data(effort.against_gain(evaluate(CAMPAIGN, ["Twist", "AP"]), "AP")).frame
    [points] = [
        layer
        for layer in read_layers(figure.draw(frame_without_archetypes))
        if layer.get("name", "").startswith("points")
    ]
    assert set(points["values"][0]) == {"run", "topic", "twist", "gain"}
    assert "archetype" not in json.dumps(points["encoding"])


def test_cells_count_the_shown_points() -> None:
    frame = figure.data(CAMPAIGN).frame
    cell_layers = [layer for layer in read_layers(figure.draw(frame)) if "points" in layer["values"][0]]
    counts = [row["points"] for row in cell_layers[0]["values"]]
    assert len(counts) == 16
    assert sum(counts) == len(frame)
    few = frame.head(3)
    [*_, last] = [layer for layer in read_layers(figure.draw(few)) if "points" in layer["values"][0]]
    assert sum(row["points"] for row in last["values"]) == 3
    assert figure.gain_domain(few)[1] >= few["q3"][0], "all rows of the grid are visible"


def test_names_of_rows_and_columns_fit() -> None:
    frame = figure.data(CAMPAIGN).frame
    assert {"huge effort", "medium effort", "low effort", "huge gain"} <= set(
        read_texts(figure.draw(frame, Style(width=600)))
    )
    narrow_texts = read_texts(figure.draw(frame, Style(width=320)))
    assert {"huge effort", "medium", "low effort"} <= set(narrow_texts)
    assert "medium effort" not in narrow_texts


def test_classes_are_summarized_below() -> None:
    frame = figure.data(CAMPAIGN).frame
    spec = specification(figure.draw(frame))
    name = spec["vconcat"][1]["layer"][-1]["data"]["name"]
    fractions = {row["text"].rsplit(" ", 2)[0]: row["share"] for row in spec["datasets"][name]}
    counts = dict(frame.group_by("class").len().iter_rows())
    upper_right = frame.filter(pl.col("row").is_in(["high", "huge"]), pl.col("column").is_in(["medium", "low"]))
    assert fractions.pop("upper right") == pytest.approx(len(upper_right) / len(frame))
    assert fractions == pytest.approx({name: counts.get(name, 0) / len(frame) for name in fractions})
    assert list(fractions) == ["diagonal", "high-high", "gray", "other"]


@pytest.mark.parametrize("palette", PALETTES)
def test_diagonal_does_not_have_the_colour_of_correct_positions(palette: str) -> None:
    """The diagonal contains the worst and the best cell; green would suggest that both are good."""
    style = Style(palette)
    frame = figure.data(CAMPAIGN).frame
    scales = [
        layer["encoding"]["color"]["scale"]
        for layer in read_layers(figure.draw(frame, style))
        if "color" in layer["encoding"]
    ]
    assert scales
    for scale in scales:
        assert style.colours.right not in scale["range"]
        assert len(set(scale["range"])) == len(scale["domain"]) == 3


def test_upper_right_region_is_outlined() -> None:
    frame = figure.data(CAMPAIGN).frame
    [layer] = [layer for layer in read_layers(figure.draw(frame)) if layer["mark"].get("filled") is False]
    [outline] = layer["values"]
    assert (outline["left"], outline["right"], outline["low"]) == (0.5, 1.0, frame["q2"][0])


@pytest.mark.parametrize("numbers", [[False, True, True], [0, 1, 2], [None, 1, 2]])
def test_pinned_points_have_rings_and_numbers(numbers: list[Any]) -> None:
    frame = figure.data(CAMPAIGN).frame.head(3).with_columns(pinned=pl.Series(numbers))
    rings = [layer for layer in read_layers(figure.draw(frame)) if "pins" in layer.get("name", "")]
    assert [row["number"] for row in rings[0]["values"]] == [1, 2]
    assert [row["topic"] for row in rings[0]["values"]] == frame["topic"].to_list()[1:]
    unpinned = figure.draw(frame.with_columns(pinned=pl.lit(False)))
    assert not any("pins" in layer.get("name", "") for layer in read_layers(unpinned))


def test_collections_are_panels() -> None:
    first = figure.data(CAMPAIGN, collection="one").frame
    both = pl.concat([first, first.with_columns(collection=pl.lit("two"))])
    spec = specification(figure.draw(both))
    assert [panel["title"] for panel in spec["concat"]] == ["one", "two"]
    assert spec["columns"] == 2
    assert specification(figure.draw(both, Style(width=320)))["columns"] == 1
    assert specification(figure.draw(first))["title"] == "one"


def test_many_points_are_smaller_and_fainter() -> None:
    large, small = figure._point_style(60 / 90_000), figure._point_style(6450 / 90_000)
    assert large[0] > 2 * small[0]
    assert large[1] > small[1]


def test_quartiles_may_be_equal() -> None:
    qrels = {str(i): {"a": 1} for i in range(4)}
    run = {str(i): {"b": 1.0} for i in range(4)}
    frame = figure.data(assay.read(qrels, run)).frame
    assert frame.select("q1", "q2", "q3").row(0) == (0, 0, 0)
    chart = figure.draw(frame)
    names = [layer for layer in read_layers(chart) if layer["values"][0].get("text") == "low gain"]
    positions = [row["y"] for row in names[0]["values"]]
    assert all(np.diff(positions) > 0), "their names do not overlap"


@pytest.mark.parametrize(
    ("values", "expected"), [([0.1, 0.9], (0, 1)), ([0.1, 0.32], (0, 0.4)), ([0, 0], (0, 0.1)), ([-1, 3], (-1, 3))]
)
def test_domain_of_gain(values: list[float], expected: tuple[float, float]) -> None:
    frame = pl.DataFrame(
        {"gain": values, "q1": values[:1] * 2, "q3": values[1:] * 2}, schema_overrides={"gain": pl.Float64}
    )
    assert figure.gain_domain(frame) == pytest.approx(expected)


def test_large_campaign() -> None:
    plot_data = figure.data(read_trec8())
    assert len(plot_data.frame) == 129 * 50
    counts = dict(plot_data.frame.group_by("class").len().iter_rows())
    assert counts["high-high"] / len(plot_data.frame) == pytest.approx(0.35, abs=0.01)
    assert len(json.dumps(specification(figure.draw(plot_data.frame)))) < 1_000_000
