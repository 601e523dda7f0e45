"""Tests of the heat map of values by run and topic."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.views.plots._export import specification
from assay.views.plots._style import Style
from assay.views.plots.heatmap import data, draw

QRELS = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
GOOD = {"q1": {"a": 1.0}, "q2": {"x": 2.0, "a": 1.0}, "q3": {"x": 2.0, "a": 1.0}}
BAD = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"x": 2.0, "y": 1.5, "a": 1.0}}


def chart_layers(chart: Any) -> list[dict[str, Any]]:
    spec = specification(chart)
    layers: list[dict[str, Any]] = spec.get("layer", [spec])
    return layers


def test_best_runs_and_hardest_topics_first() -> None:
    frame = data(assay.read(QRELS, {"bad": BAD, "good": GOOD}), measure="RR").frame
    assert frame["run"].to_list() == ["good"] * 3 + ["bad"] * 3
    assert frame["topic"].to_list() == ["q3", "q2", "q1"] * 2
    assert frame["value"].to_list() == pytest.approx([1 / 2, 1 / 2, 1, 0, 1 / 3, 1 / 2])
    assert frame["topic_mean"].to_list()[:3] == pytest.approx([1 / 4, 5 / 12, 3 / 4])
    assert frame["run_mean"].to_list() == pytest.approx([2 / 3] * 3 + [5 / 18] * 3)
    assert frame["run_place"].to_list() == [1, 1, 1, 2, 2, 2]
    assert frame["topic_place"].to_list() == [1, 2, 3, 1, 2, 3]
    assert set(frame["better"]) == {"higher"}


def test_values_match_the_results() -> None:
    collection = assay.simulate(systems=7, topics=9, seed=4)
    results = assay.evaluate(collection.qrels, collection.runs, ["nDCG@10", "AP"])
    frame = data(results, measure="nDCG@10").frame
    assert len(frame) == 63
    for run, topic, value in frame.select("run", "topic", "value").iter_rows():
        assert value == results.values[0, results.runs.index(run), results.topics.index(topic)]
    assert np.all(np.diff(frame.head(9)["topic_mean"].to_numpy()) >= 0)


def test_hardest_topic_has_the_largest_mean_if_lower_is_better() -> None:
    frame = data(assay.read(QRELS, {"bad": BAD, "good": GOOD}), measure="BackwardSpace").frame
    assert set(frame["better"]) == {"lower"}
    means = frame.head(3)["topic_mean"].to_list()
    assert means == sorted(means, reverse=True)
    assert chart_layers(draw(frame))[0]["encoding"]["color"]["scale"]["reverse"]


def test_missing_values_are_marked() -> None:
    frame = data(assay.read(QRELS, {"bad": BAD, "good": GOOD}, missing="exclude"), measure="RR").frame
    assert frame.filter(run="bad", topic="q3")["value"].to_list() == [None]
    assert frame.filter(topic="q3")["topic_mean"].to_list() == [0.5, 0.5], "mean over the runs with a value"
    background, cells, crosses = chart_layers(draw(frame))
    assert background["mark"] == {"style": "soft", "type": "rect"}
    assert crosses["mark"]["type"] == "text"
    assert cells["transform"] == [{"filter": "isValid(datum.value)"}]
    many_runs = pl.concat([frame.with_columns(run=pl.col("run") + str(i)) for i in range(60)])
    assert len(chart_layers(draw(many_runs))) == 2, "no crosses if there is no space"
    [cells] = chart_layers(draw(data(assay.read(QRELS, {"good": GOOD}), measure="RR").frame))
    assert cells["mark"]["type"] == "rect"


def test_number_of_runs_is_limited() -> None:
    collection = assay.simulate(systems=7, topics=5, seed=4)
    frame = data(assay.read(collection.qrels, collection.runs), most=3).frame
    best = assay.evaluate(collection.qrels, collection.runs, "AP").best("AP")[:3]
    assert frame["run"].unique(maintain_order=True).to_list() == best
    with pytest.raises(InputError, match="most must be at least 1, got 0"):
        data(assay.read(collection.qrels, collection.runs), most=0)


def test_scale_of_equal_values() -> None:
    frame = data(assay.read({"q": {"a": 1}}, {"run": {"q": {"a": 1.0}}})).frame
    assert chart_layers(draw(frame))[0]["encoding"]["color"]["scale"]["domain"] == [0.5, 1.5]


def test_names_are_thinned_and_cells_have_whole_half_pixels() -> None:
    collection = assay.simulate(systems=3, topics=2, seed=4)
    template = assay.evaluate(collection.qrels, collection.runs, "P@5")
    runs, topics = (tuple(f"{prefix}{i:03}" for i in range(count)) for prefix, count in (("r", 129), ("t", 50)))
    values = np.random.default_rng(4).random((1, 129, 50))
    results = replace(template, runs=runs, topics=topics, values=values, errors=np.zeros(values.shape))
    frame = data(results, measure="P@5").frame
    for width in (320, None):
        spec = specification(draw(frame, Style(width=width)))
        cell_width, cell_height = spec["width"] / 50, spec["height"] / 129
        assert (2 * cell_width).is_integer()
        assert (2 * cell_height).is_integer()
        names = spec["encoding"]["y"]["axis"]["values"]
        assert len(names) * 11 <= spec["height"] + 11
        assert names[0] == frame["run"][0]


def test_chart_without_values() -> None:
    frame = data(assay.read(QRELS, {"bad": {"q1": {"x": 1.0}}}, missing="exclude"), measure="AP").frame
    assert frame["value"].to_list() == [0.0, None, None]
    chart = draw(frame.with_columns(value=None))
    assert "no run has a value" in str(specification(chart))
