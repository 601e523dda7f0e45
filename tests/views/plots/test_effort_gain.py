"""Effort against gain: what the points are, and what is drawn of them."""

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
from real_data import real

MADE = simulate(systems=5, topics=12, seed=7)
CAMPAIGN = assay.read(MADE.qrels, MADE.runs)


def layers(chart: Any) -> list[dict[str, Any]]:
    """The marks of the first panel, with their data."""
    spec = specification(chart)
    found = []
    for layer in spec["vconcat"][0]["layer"]:
        kind = layer["mark"] if isinstance(layer["mark"], dict) else {"type": layer["mark"]}
        found.append({**layer, "mark": kind, "values": spec["datasets"][layer["data"]["name"]]})
    return found


def texts(chart: Any) -> list[str]:
    return [
        str(row["text"])
        for layer in layers(chart)
        if layer["mark"]["type"] == "text"
        for row in layer["values"]
        if "text" in row
    ]


def test_points_are_the_values_of_both_measures() -> None:
    found = figure.data(CAMPAIGN, measure="nDCG@10", twist="Twist@100")
    wanted = evaluate(CAMPAIGN, ["Twist@100", "nDCG@10"])
    assert found.frame["twist"].to_list() == wanted.values[0].ravel().tolist()
    assert found.frame["gain"].to_list() == wanted.values[1].ravel().tolist()
    assert found.frame["measure"].unique().to_list() == ["nDCG@10"]
    assert found.frame.select("run", "topic").row(12) == (wanted.runs[1], wanted.topics[0])
    assert found.provenance.inputs == wanted.provenance.inputs


def test_rows_are_separated_by_quartiles() -> None:
    frame = figure.data(CAMPAIGN).frame
    quartiles = frame.select("q1", "q2", "q3").row(0)
    assert quartiles == pytest.approx(np.quantile(frame["gain"].to_numpy(), [0.25, 0.5, 0.75]).tolist())
    assert frame.filter(pl.col("row") == "huge")["gain"].min() > quartiles[2]
    assert frame.filter(pl.col("row") == "high")["gain"].max() <= quartiles[2]
    low = frame.filter((pl.col("column") == "huge") & (pl.col("row") == "low"))
    assert set(low["class"]) <= {"diagonal"}


def test_archetypes_are_those_of_the_report() -> None:
    frame = figure.data(CAMPAIGN).frame
    report = effort.indicators(CAMPAIGN)
    assert frame["archetype"].to_list() == report.frame()["archetype"].to_list()
    grid = effort.against_gain(CAMPAIGN, ["AP", "P@5"])
    assert figure.data(grid).frame.equals(frame), "the first measure of gain counts"
    unknown = figure.data(effort.against_gain(grid.results, "AP")).frame
    assert unknown["archetype"].is_null().all()


def test_a_topic_that_does_not_count_is_left_out() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}
    zero = figure.data(assay.read(qrels, run)).frame
    assert zero.select("topic", "archetype").rows() == [("1", "full-scale"), ("2", None)]
    left = figure.data(assay.read(qrels, run, undefined="exclude")).frame
    assert left["topic"].to_list() == ["1"]
    grid = effort.against_gain(evaluate(qrels, run, ["Twist", "AP"], undefined="exclude"), "AP")
    report = effort.indicators(assay.read(qrels, run))
    assert figure.data(replace(grid, archetypes=report.archetypes)).frame.equals(left)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(AssayError, match="does not measure effort; use Twist"):
        figure.data(CAMPAIGN, twist="AP")
    with pytest.raises(AssayError, match="a curve needs an order"):
        figure.data(assay.read(MADE.qrels, MADE.runs, ties="expected"))


def test_clicked_points_tell_their_run_and_topic() -> None:
    frame = figure.data(CAMPAIGN).frame
    [points] = [layer for layer in layers(figure.draw(frame)) if layer.get("name", "").startswith("points")]
    assert points["mark"]["type"] == "circle"
    assert set(points["values"][0]) == {"run", "topic", "twist", "gain", "archetype"}, "and nothing else is sent"
    without = figure.data(effort.against_gain(evaluate(CAMPAIGN, ["Twist", "AP"]), "AP")).frame
    [points] = [layer for layer in layers(figure.draw(without)) if layer.get("name", "").startswith("points")]
    assert set(points["values"][0]) == {"run", "topic", "twist", "gain"}
    assert "archetype" not in json.dumps(points["encoding"])


def test_cells_tell_their_share_of_what_is_shown() -> None:
    frame = figure.data(CAMPAIGN).frame
    shown = [layer for layer in layers(figure.draw(frame)) if "points" in layer["values"][0]]
    counts = [row["points"] for row in shown[0]["values"]]
    assert len(counts) == 16
    assert sum(counts) == len(frame)
    few = frame.head(3)
    [*_, last] = [layer for layer in layers(figure.draw(few)) if "points" in layer["values"][0]]
    assert sum(row["points"] for row in last["values"]) == 3
    assert figure.gain_domain(few)[1] >= few["q3"][0], "all rows are seen whatever is left out"


def test_rows_and_columns_have_names_that_fit() -> None:
    frame = figure.data(CAMPAIGN).frame
    assert {"huge effort", "medium effort", "low effort", "huge gain"} <= set(
        texts(figure.draw(frame, Style(width=600)))
    )
    narrow = texts(figure.draw(frame, Style(width=320)))
    assert {"huge effort", "medium", "low effort"} <= set(narrow)
    assert "medium effort" not in narrow


def test_classes_are_told_below() -> None:
    frame = figure.data(CAMPAIGN).frame
    spec = specification(figure.draw(frame))
    name = spec["vconcat"][1]["layer"][-1]["data"]["name"]
    told = {row["text"].rsplit(" ", 2)[0]: row["share"] for row in spec["datasets"][name]}
    counts = dict(frame.group_by("class").len().iter_rows())
    good = frame.filter(pl.col("row").is_in(["high", "huge"]), pl.col("column").is_in(["medium", "low"]))
    assert told.pop("upper right") == pytest.approx(len(good) / len(frame))
    assert told == pytest.approx({kind: counts.get(kind, 0) / len(frame) for kind in told})
    assert list(told) == ["diagonal", "high-high", "gray", "other"]


@pytest.mark.parametrize("palette", PALETTES)
def test_little_gain_for_huge_effort_is_not_the_colour_of_what_is_right(palette: str) -> None:
    """The diagonal holds the worst cell and the best; green would call both good."""
    style = Style(palette)
    frame = figure.data(CAMPAIGN).frame
    tints = [
        one["encoding"]["color"]["scale"] for one in layers(figure.draw(frame, style)) if "color" in one["encoding"]
    ]
    assert tints
    for tint in tints:
        assert style.colours.right not in tint["range"]
        assert len(set(tint["range"])) == len(tint["domain"]) == 3


def test_where_a_good_system_lies_is_outlined() -> None:
    frame = figure.data(CAMPAIGN).frame
    [cells] = [one for one in layers(figure.draw(frame)) if one["mark"].get("filled") is False]
    [outline] = cells["values"]
    assert (outline["left"], outline["right"], outline["low"]) == (0.5, 1.0, frame["q2"][0])


@pytest.mark.parametrize("numbers", [[False, True, True], [0, 1, 2], [None, 1, 2]])
def test_pins_have_rings_and_numbers(numbers: list[Any]) -> None:
    frame = figure.data(CAMPAIGN).frame.head(3).with_columns(pinned=pl.Series(numbers))
    rings = [layer for layer in layers(figure.draw(frame)) if "pins" in layer.get("name", "")]
    assert [row["number"] for row in rings[0]["values"]] == [1, 2]
    assert [row["topic"] for row in rings[0]["values"]] == frame["topic"].to_list()[1:]
    unpinned = figure.draw(frame.with_columns(pinned=pl.lit(False)))
    assert not any("pins" in layer.get("name", "") for layer in layers(unpinned))


def test_collections_are_panels() -> None:
    first = figure.data(CAMPAIGN, collection="one").frame
    both = pl.concat([first, first.with_columns(collection=pl.lit("two"))])
    spec = specification(figure.draw(both))
    assert [panel["title"] for panel in spec["concat"]] == ["one", "two"]
    assert spec["columns"] == 2
    assert specification(figure.draw(both, Style(width=320)))["columns"] == 1
    assert specification(figure.draw(first))["title"] == "one"


def test_many_points_are_smaller_and_fainter_than_few() -> None:
    large, small = figure._point_style(60 / 90_000), figure._point_style(6450 / 90_000)
    assert large[0] > 2 * small[0]
    assert large[1] > small[1]


def test_quartiles_may_be_the_same() -> None:
    qrels = {str(i): {"a": 1} for i in range(4)}
    nothing = {str(i): {"b": 1.0} for i in range(4)}
    frame = figure.data(assay.read(qrels, nothing)).frame
    assert frame.select("q1", "q2", "q3").row(0) == (0, 0, 0)
    chart = figure.draw(frame)
    names = [layer for layer in layers(chart) if layer["values"][0].get("text") == "low gain"]
    places = [row["y"] for row in names[0]["values"]]
    assert all(np.diff(places) > 0), "their names stand apart"


@pytest.mark.parametrize(
    ("values", "ends"), [([0.1, 0.9], (0, 1)), ([0.1, 0.32], (0, 0.4)), ([0, 0], (0, 0.1)), ([-1, 3], (-1, 3))]
)
def test_the_axis_of_gain(values: list[float], ends: tuple[float, float]) -> None:
    frame = pl.DataFrame(
        {"gain": values, "q1": values[:1] * 2, "q3": values[1:] * 2}, schema_overrides={"gain": pl.Float64}
    )
    assert figure.gain_domain(frame) == pytest.approx(ends)


def test_a_whole_campaign() -> None:
    folder = real("trec8-adhoc")
    found = figure.data(assay.read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs"))
    assert len(found.frame) == 129 * 50
    shares = dict(found.frame.group_by("class").len().iter_rows())
    assert shares["high-high"] / len(found.frame) == pytest.approx(0.35, abs=0.01)
    assert len(json.dumps(specification(figure.draw(found.frame)))) < 1_000_000
