"""Report on effort against gain: classes, tables and summary."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import effort, simulate
from assay.effort._against_gain import CLASS_COLUMNS, CLASSES, EFFORT, GAIN, GRID, MEASURES, find_columns, find_rows
from assay.errors import AssayError, MeasureError, PolicyError
from assay.results.formats import TableLayout, render
from real_data import read_trec8, real

QRELS = {f"t{i}": {f"d{j}": (i + j) % 3 for j in range(8)} for i in range(6)}
RUNS = {
    name: {f"t{i}": {f"d{(i * step + j) % 11}": -float(j) for j in range(7)} for i in range(6)}
    for name, step in (("one", 1), ("two", 3))
}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_the_grid_agrees_with_the_paper():
    cells_of = {
        kind: {(i + 1, j + 1) for i, j in zip(*np.nonzero(n == GRID), strict=True)} for n, kind in enumerate(CLASSES)
    }
    assert cells_of["diagonal"] == {(1, 1), (2, 2), (3, 3), (4, 4)}
    assert cells_of["high-high"] == {(3, 1), (3, 2), (4, 1), (4, 2)}
    assert cells_of["gray"] == {(2, 1), (4, 3), (1, 2), (3, 4)}
    assert cells_of["other"] == {(1, 3), (1, 4), (2, 3), (2, 4)}


def test_boundaries_of_rows_and_columns():
    twist = np.array([0.0, 0.2499, 0.25, 0.5, 0.75, 1.0, np.nan])
    assert find_columns(twist).tolist() == [0, 0, 1, 2, 3, 3, -1]
    gain = np.array([0.0, 0.1, 0.2, 0.3, 0.4, np.nan])
    assert find_rows(gain, np.array([0.1, 0.2, 0.3])).tolist() == [0, 0, 1, 2, 3, -1]
    assert find_rows(np.zeros(3), np.zeros(3)).tolist() == [0, 0, 0]  # Equal values are in the same row.


def class_by_definition(twist, gain, quartiles):
    column = sum(twist >= edge for edge in (0.25, 0.5, 0.75)) + 1
    row = sum(gain > edge for edge in quartiles) + 1
    if row == column:
        return "diagonal"
    if row >= 3 and column <= 2:
        return "high-high"
    return "other" if row <= 2 and column >= 3 else "gray"


@settings(max_examples=100)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40))
def test_classes_agree_with_the_definition(points):
    twist, gain = (np.array(values) for values in zip(*points, strict=True))
    quartiles = np.quantile(gain, [0.25, 0.5, 0.75])
    report = GRID[find_rows(gain, quartiles), find_columns(twist)]
    assert [CLASSES[kind] for kind in report] == [class_by_definition(t, g, quartiles) for t, g in points]


def test_twist_can_be_its_own_measure_of_gain():
    both, alone = effort.against_gain(CAMPAIGN, ["AP", "Twist"]), effort.against_gain(CAMPAIGN, "Twist")
    assert [str(measure) for measure in both.measures] == ["AP", "Twist"]
    assert np.array_equal(both.results.values[2], both.results.values[0])
    assert alone.classes().equals(both.classes()[1:])
    assert effort.against_gain(both.results, "Twist").classes().equals(alone.classes())


def test_tables_are_consistent():
    report = effort.against_gain(CAMPAIGN, ["AP", "nDCG@10"])
    classes = report.classes(per_run=True)
    assert classes["run"].to_list() == ["one", "two", "all"] * 2
    assert np.allclose(classes.select(CLASS_COLUMNS).sum_horizontal().to_numpy(), 1)
    assert classes["points"].to_list() == [6, 6, 12] * 2
    cells = report.frame()
    assert len(cells) == 2 * 16
    assert cells["share"].sum() == pytest.approx(2)
    assert cells.row(0, named=True)["gain_above"] is None
    points = report.points()
    assert len(points) == 2 * 2 * 6
    assert set(points["class"]) <= set(CLASSES)
    assert set(points["row"]) <= set(GAIN)
    assert set(points["column"]) <= set(EFFORT)
    counted = points.filter(measure="AP").group_by("class").len()
    shares = dict(counted.iter_rows())
    assert classes.row(2, named=True)["diagonal"] == pytest.approx(shares.get("diagonal", 0) / 12)
    assert "2 runs x 6 topics" in repr(report)


def test_fractions_of_the_upper_right_cells():
    """``upper_right`` is the fraction of points with high or huge gain at medium or low effort.

    ``top_row_right`` is a different quantity: it considers the top row only.
    """
    collection = simulate(systems=5, topics=12, seed=7)
    report = effort.against_gain(assay.read(collection.qrels, collection.runs), "AP")
    cells = report.frame()
    good = cells.filter(pl.col("gain").is_in(["high", "huge"]), pl.col("effort").is_in(["medium", "low"]))
    classes = report.classes()
    assert classes["upper_right"][0] == pytest.approx(good["share"].sum())
    assert 0 < good["share"].sum() < 1
    top = report.cells(0)[3]
    assert classes["top_row_right"][0] == pytest.approx(top[2:].sum() / top.sum())
    assert "top_right" not in classes.columns


def test_topics_without_a_value_are_omitted():
    qrels = {**QRELS, "nothing": {"d0": 0}}
    assert effort.against_gain(assay.read(qrels, RUNS, undefined="exclude"), "AP").classes()["points"][0] == 12
    assert effort.against_gain(assay.read(qrels, RUNS), "AP").classes()["points"][0] == 14


def test_twist_may_have_parameters():
    report = effort.against_gain(CAMPAIGN, "AP", twist="Twist(crossing=literal)@20")
    assert np.array_equal(report.results.values[0], assay.evaluate(CAMPAIGN, "Twist(crossing=literal)@20").values[0])


def test_existing_results_give_the_same_points():
    results = assay.evaluate(CAMPAIGN, ["RR", "AP", "Twist"])
    report, expected = effort.against_gain(results, "AP"), effort.against_gain(CAMPAIGN, "AP")
    assert report.points().equals(expected.points())
    assert np.array_equal(expected.archetypes, assay.effort.indicators(CAMPAIGN).archetypes)
    assert report.archetypes is None
    with pytest.raises(AssayError, match="Twist"):
        effort.against_gain(assay.evaluate(CAMPAIGN, "AP"), "AP")


# Tables --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("show", ["grid", "cells", "classes", "runs", "run-grids", "points"])
def test_tables_fit_a_screen(show):
    collection = simulate(systems=4, topics=9, seed=2)
    report = effort.against_gain(assay.read(collection.qrels, collection.runs), ["AP", "RBP(p=0.8)"])
    frames = {
        "grid": report.frame(),
        "cells": report.frame(),
        "classes": report.classes(),
        "runs": report.classes(per_run=True),
        "run-grids": report.frame(per_run=True),
        "points": report.points(),
    }
    assert report.table(show).frame.equals(frames[show])
    lines = render(report, "table", show, TableLayout(width=80)).decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert json.loads(render(report, "json", show))["schema"]["table"] == show


def test_the_grid_puts_high_gain_on_top_and_low_effort_on_the_right():
    report = effort.against_gain(CAMPAIGN, "AP")
    grid = report.table().compact
    assert grid["gain"].to_list() == ["huge", "high", "medium", "low"]
    assert grid.columns[3:] == [f"{name} effort" for name in EFFORT]
    cells = report.cells(0)
    displayed = [[float(cell.removesuffix(" %")) for cell in row] for row in grid.select(grid.columns[3:]).rows()]
    assert displayed == [[round(100 * n / 12, 1) for n in row] for row in cells[::-1].tolist()]


def test_default_measures():
    assert [str(one) for one in effort.against_gain(CAMPAIGN).measures] == [str(assay.measure(m)) for m in MEASURES]
    results = assay.evaluate(CAMPAIGN, ["Twist", "AP", "RR"])
    assert [str(one) for one in effort.against_gain(results).measures] == ["AP", "RR"]
    with pytest.raises(MeasureError, match="the results contain only Twist; add a gain measure"):
        effort.against_gain(assay.evaluate(CAMPAIGN, "Twist"))


def test_summary():
    collection = simulate(systems=5, topics=12, seed=7)
    report = effort.against_gain(assay.read(collection.qrels, collection.runs), "AP")
    row = report.classes().row(0, named=True)
    assert report.summary() == (
        f"{100 * row['upper_right']:.0f} % (AP) of the 60 rankings have high or huge gain at medium or low effort; "
        f"{100 * row['high_high']:.0f} % (AP) have high or huge gain at high or huge effort."
    )
    small = effort.against_gain(assay.read({"q": {"a": 1}}, {"q": {"a": 1.0}}), ["AP", "RR"])
    assert "0 % (all measures)" in small.summary()
    assert small.summary().endswith("The quartiles of so few rankings are uncertain.")
    no_points = effort.against_gain(assay.read({"q": {"a": 0}}, {"q": {"a": 1.0}}, undefined="exclude"), "AP")
    assert no_points.summary() == "No ranking has a value of both Twist and a gain measure."
    assert render(no_points, "json")
    assert render(no_points, "table")


def test_provenance_serializes_to_json():
    report = effort.against_gain(CAMPAIGN, "AP", twist="Twist@20")
    assert json.loads(json.dumps(report.provenance.as_dict()))["settings"] == {"measures": ["AP"], "twist": "Twist@20"}


def test_unsuitable_policies_and_measures_raise_an_error():
    with pytest.raises(PolicyError, match="a curve needs an order"):
        effort.against_gain(assay.read(QRELS, RUNS, ties="expected"), "AP")
    with pytest.raises(MeasureError, match="not a measure of effort; use Twist"):
        effort.against_gain(CAMPAIGN, "AP", twist="nDCG")


def read_robust03():
    folder = real("robust03")
    return assay.read(folder / "qrels.robust03.txt.gz", folder / "runs")


@pytest.mark.parametrize("read_collection", [read_trec8, read_robust03])
def test_the_classes_of_real_collections_add_up(read_collection):
    measures = ["AP", "bpref", "RBP(p=0.8)", "nDCG(base=10, gains=base5)"]
    classes = effort.against_gain(read_collection(), measures).classes()
    assert np.allclose(classes.select(CLASS_COLUMNS).sum_horizontal().to_numpy(), 1)
