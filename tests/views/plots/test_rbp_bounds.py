"""Tests of the figure of values with their bounds."""

from __future__ import annotations

from itertools import combinations

import pytest

import assay
from assay.errors import AssayError
from assay.uncertainty._bounds import bounds
from assay.views.plots._style import Style
from assay.views.plots.rbp_bounds import data, draw
from chart_parts import mark_rows, marks, titles

QRELS = {"q": {"a": 1, "b": 1, "n": 0, "m": 0}}
RUNS = {
    "open": {"q": {"x": 3.0, "y": 2.0}},
    "none": {"q": {"n": 3.0, "m": 2.0}},
    "first": {"q": {"a": 3.0, "b": 2.0}},
    "half": {"q": {"a": 3.0, "n": 2.0}},
}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_bounds_computed_by_hand() -> None:
    """P@2 has no tail: only the grades of x and y are unknown."""
    frame = data(CAMPAIGN, measures="P@2").frame
    assert frame.columns == ["measure", "place", "run", "value", "low", "high", "first", "last", "parted"]
    assert frame.drop("measure").rows() == [
        (1, "first", 1.0, 1.0, 1.0, 1, 2, False),
        (2, "half", 0.5, 0.5, 0.5, 2, 3, False),
        (3, "open", 0.0, 0.0, 1.0, 1, 4, False),
        (4, "none", 0.0, 0.0, 0.0, 3, 4, False),
    ]


def test_separated_runs_are_marked() -> None:
    runs = {name: run for name, run in RUNS.items() if name != "open"}
    frame = data(assay.read(QRELS, runs), measures="P@2").frame
    assert frame["parted"].to_list() == [True, True, False]
    assert frame.select("first", "last").rows() == [(1, 1), (2, 2), (3, 3)]


def test_ranks_and_separation_match_the_definition() -> None:
    collection = assay.simulate(systems=9, topics=5, seed=8)
    frame = data(assay.read(collection.qrels, [*collection.runs]), measures=["RBP(p=0.95)", "RBP(p=0.99)"]).frame
    for _, group in frame.group_by("measure"):
        rows = group.sort("place").to_dicts()
        assert [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True)
        for index, row in enumerate(rows):
            assert row["first"] == 1 + sum(other["low"] > row["high"] + 1e-12 for other in rows)
            assert row["last"] == len(rows) - sum(other["high"] < row["low"] - 1e-12 for other in rows)
            below = rows[index + 1 :]
            is_separated = all(a["low"] > b["high"] + 1e-12 for a in rows[: index + 1] for b in below)
            assert row["parted"] == (is_separated and bool(below))
    assert frame["parted"].any()
    assert (frame["first"] < frame["last"]).any()


def test_existing_bounds_are_drawn() -> None:
    report = bounds(CAMPAIGN, ["P@2", "RBP(p=0.5)"])
    assert data(report).frame.equals(data(CAMPAIGN, measures=["P@2", "RBP(p=0.5)"]).frame)


def test_order_if_lower_is_better() -> None:
    frame = data(CAMPAIGN, measures="BalancePoint").frame
    assert frame["value"].is_sorted()
    best = frame.filter(place=1).row(0, named=True)
    assert best["first"] == 1


def test_one_panel_per_measure_with_the_fraction_of_certain_pairs() -> None:
    frame = data(CAMPAIGN, measures=["P@2", "P@1"]).frame
    chart = draw(frame)
    certain = sum(
        a["low"] > b["high"] or b["low"] > a["high"] for a, b in combinations(frame.filter(measure="P@2").to_dicts(), 2)
    )
    assert certain == 3
    assert titles(chart)[:2] == ["P@2", "50% of pairs certain"]
    assert titles(chart)[2] == "P@1"
    assert marks(chart)[:2] == ["bar", "tick"]


def test_separating_lines() -> None:
    runs = {name: run for name, run in RUNS.items() if name != "open"}
    chart = draw(data(assay.read(QRELS, runs), measures="P@2").frame)
    assert marks(chart) == ["bar", "tick", "rule"]
    assert [row["run"] for row in mark_rows(chart, "rule")] == ["first", "half"]
    assert titles(chart) == ["P@2", "100% of pairs certain"]


def test_single_run() -> None:
    frame = data(assay.read(QRELS, {"open": RUNS["open"]}), measures="P@2").frame
    assert frame.select("first", "last", "parted").row(0) == (1, 1, False)
    assert titles(draw(frame)) == ["P@2", "one run"]


def test_many_runs_are_not_labelled() -> None:
    collection = assay.simulate(systems=32, topics=2, seed=1)
    frame = data(assay.read(collection.qrels, collection.runs), measures="RBP(p=0.8)").frame
    for rows, is_labelled in ((frame, False), (frame.head(30), True)):
        [panel] = draw(rows).to_dict()["concat"]
        assert panel["layer"][0]["encoding"]["y"]["axis"]["labels"] is is_labelled


def test_panels_are_stacked_in_narrow_figures() -> None:
    frame = data(CAMPAIGN).frame
    assert [draw(frame, Style(width=width)).to_dict()["columns"] for width in (200, 720)] == [1, 3]


def test_expected_ties_are_rejected() -> None:
    with pytest.raises(AssayError, match="bounds need an order"):
        data(assay.read(QRELS, RUNS, ties="expected"))
