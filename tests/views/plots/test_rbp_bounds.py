"""Runs by their value, with what missing judgments leave open."""

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


def test_by_hand() -> None:
    """With P@2 no tail is open: x and y may be relevant, or not."""
    frame = data(CAMPAIGN, measures="P@2").frame
    assert frame.columns == ["measure", "place", "run", "value", "low", "high", "first", "last", "parted"]
    assert frame.drop("measure").rows() == [
        (1, "first", 1.0, 1.0, 1.0, 1, 2, False),
        (2, "half", 0.5, 0.5, 0.5, 2, 3, False),
        (3, "open", 0.0, 0.0, 1.0, 1, 4, False),
        (4, "none", 0.0, 0.0, 0.0, 3, 4, False),
    ]


def test_runs_are_parted_where_nothing_can_change() -> None:
    some = {name: run for name, run in RUNS.items() if name != "open"}
    frame = data(assay.read(QRELS, some), measures="P@2").frame
    assert frame["parted"].to_list() == [True, True, False]
    assert frame.select("first", "last").rows() == [(1, 1), (2, 2), (3, 3)]


def test_places_and_parting_against_the_definition() -> None:
    made = assay.simulate(systems=9, topics=5, seed=8)
    frame = data(assay.read(made.qrels, [*made.runs]), measures=["RBP(p=0.95)", "RBP(p=0.99)"]).frame
    for _, one in frame.group_by("measure"):
        rows = one.sort("place").to_dicts()
        assert [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True)
        for place, row in enumerate(rows):
            assert row["first"] == 1 + sum(other["low"] > row["high"] + 1e-12 for other in rows)
            assert row["last"] == len(rows) - sum(other["high"] < row["low"] - 1e-12 for other in rows)
            below = rows[place + 1 :]
            settled = all(a["low"] > b["high"] + 1e-12 for a in rows[: place + 1] for b in below)
            assert row["parted"] == (settled and bool(below))
    assert frame["parted"].any()
    assert (frame["first"] < frame["last"]).any()


def test_of_bounds_that_are_there() -> None:
    report = bounds(CAMPAIGN, ["P@2", "RBP(p=0.5)"])
    assert data(report).frame.equals(data(CAMPAIGN, measures=["P@2", "RBP(p=0.5)"]).frame)


def test_less_is_better_for_measures_of_cost() -> None:
    frame = data(CAMPAIGN, measures="BalancePoint").frame
    assert frame["value"].is_sorted()
    best = frame.filter(place=1).row(0, named=True)
    assert best["first"] == 1


def test_a_panel_for_each_measure_that_tells_of_settled_pairs() -> None:
    frame = data(CAMPAIGN, measures=["P@2", "P@1"]).frame
    chart = draw(frame)
    settled = sum(
        a["low"] > b["high"] or b["low"] > a["high"] for a, b in combinations(frame.filter(measure="P@2").to_dicts(), 2)
    )
    assert settled == 3
    assert titles(chart)[:2] == ["P@2", "50% of pairs certain"]
    assert titles(chart)[2] == "P@1"
    assert marks(chart)[:2] == ["bar", "tick"]


def test_parting_lines() -> None:
    some = {name: run for name, run in RUNS.items() if name != "open"}
    chart = draw(data(assay.read(QRELS, some), measures="P@2").frame)
    assert marks(chart) == ["bar", "tick", "rule"]
    assert [row["run"] for row in mark_rows(chart, "rule")] == ["first", "half"]
    assert titles(chart) == ["P@2", "100% of pairs certain"]


def test_one_run() -> None:
    frame = data(assay.read(QRELS, {"open": RUNS["open"]}), measures="P@2").frame
    assert frame.select("first", "last", "parted").row(0) == (1, 1, False)
    assert titles(draw(frame)) == ["P@2", "one run"]


def test_many_runs_have_no_names() -> None:
    made = assay.simulate(systems=32, topics=2, seed=1)
    frame = data(assay.read(made.qrels, made.runs), measures="RBP(p=0.8)").frame
    for shown, named in ((frame, False), (frame.head(30), True)):
        [panel] = draw(shown).to_dict()["concat"]
        assert panel["layer"][0]["encoding"]["y"]["axis"]["labels"] is named


def test_panels_stand_below_each_other_where_there_is_little_room() -> None:
    frame = data(CAMPAIGN).frame
    assert [draw(frame, Style(width=width)).to_dict()["columns"] for width in (200, 720)] == [1, 3]


def test_what_is_refused() -> None:
    with pytest.raises(AssayError, match="bounds need an order"):
        data(assay.read(QRELS, RUNS, ties="expected"))
