"""Tests of the census of archetypes: counts over all runs and per run, and their bars."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import assay
from assay import effort, simulate
from assay.effort.archetypes import NAMES
from assay.errors import AssayError, InputError
from assay.views.plots import census as figure
from assay.views.plots._export import specification
from assay.views.plots._style import Style

COLLECTION = simulate(systems=7, topics=9, seed=8)
SIMULATED = assay.read(COLLECTION.qrels, COLLECTION.runs)
QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}, "3": {"b": 0}}
RUNS = {
    "bad": {"1": {"b": 1.0}, "2": {"b": 1.0}, "3": {"b": 1.0}},
    "good": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}},
    "half": {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 1.0}},
}
CAMPAIGN = assay.read(QRELS, RUNS)


def read_bars(spec: dict[str, Any]) -> list[dict[str, Any]]:
    rows = spec["datasets"][spec["vconcat"][1]["data"]["name"]]
    return list(rows)


def test_counts_computed_by_hand() -> None:
    frame = figure.data(CAMPAIGN).frame
    assert frame["run"].unique(maintain_order=True).to_list() == ["all", "good", "half", "bad"]
    ideal, worst = (frame.filter(archetype=name)["curves"].to_list() for name in ("ideal", "worst"))
    assert ideal == [3, 2, 1, 0]
    assert worst == [3, 0, 1, 2]
    assert set(frame.filter(place=0)["of"]) == {6}, "a topic without relevant documents has no curve"
    assert frame.filter(place=2, archetype="ideal")["share"].item() == 0.5


def test_fractions_match_the_report() -> None:
    report = effort.indicators(SIMULATED, depth=50)
    frame = figure.data(SIMULATED, depth=50).frame
    assert dict(frame.filter(place=0).select("archetype", "share").iter_rows()) == pytest.approx(report.census())
    assert set(figure.ORDER) == set(NAMES)
    assert figure.data(report).frame.equals(frame)
    totals = frame.group_by("place").agg(pl.col("share").sum())["share"]
    assert totals.to_list() == pytest.approx([1] * 8)


def test_runs_are_sorted_by_recovering_curves() -> None:
    frame = figure.data(SIMULATED).frame.filter(pl.col("place") > 0)
    recovering = frame.filter(pl.col("archetype").is_in(figure.ORDER[:5])).group_by("place", maintain_order=True)
    fractions = recovering.agg(pl.col("share").sum())["share"].to_list()
    assert fractions == sorted(fractions, reverse=True)


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(InputError, match="most must be at least 1, got 0"):
        figure.data(CAMPAIGN, most=0)
    with pytest.raises(AssayError, match="a curve needs an order"):
        figure.data(assay.read(QRELS, RUNS, ties="expected"))


def test_number_of_runs_is_limited() -> None:
    frame = figure.data(SIMULATED, most=3).frame
    assert frame["place"].max() == 3
    assert set(frame["runs"]) == {7}
    spec = specification(figure.draw(frame))
    assert spec["vconcat"][1]["title"] == "first 3 of 7 runs"
    assert spec["vconcat"][0]["title"] == "63 curves"


def test_bars_are_stacked_from_good_to_bad() -> None:
    frame = figure.data(CAMPAIGN).frame
    spec = specification(figure.draw(frame))
    encoding = spec["vconcat"][1]["encoding"]
    assert encoding["x"]["stack"] == "zero"
    assert encoding["order"]["field"] == "kind"
    assert encoding["y"]["sort"] == ["good", "half", "bad"]
    assert [row["kind"] for row in read_bars(spec) if row["run"] == "half"] == [0, 7]
    colours = encoding["color"]["scale"]["range"]
    assert len(set(colours)) == len(figure.ORDER)


def test_single_run_has_no_bars_per_run() -> None:
    frame = figure.data(assay.read(QRELS, RUNS["good"])).frame
    assert "layer" in specification(figure.draw(frame))


def test_chart_without_curves() -> None:
    frame = figure.data(assay.read({"3": {"b": 0}}, {"3": {"b": 1.0}})).frame
    assert frame["share"].is_null().all()
    assert "no topic has relevant documents" in str(specification(figure.draw(frame)))


def test_rows_of_many_runs_are_low() -> None:
    collection = simulate(systems=24, topics=2, seed=1)
    frame = figure.data(assay.read(collection.qrels, collection.runs)).frame
    spec = specification(figure.draw(frame, Style(width=320)))
    assert spec["vconcat"][1]["height"]["step"] < 15
