"""Values of runs by topics."""

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


def layers(chart: Any) -> list[dict[str, Any]]:
    spec = specification(chart)
    found: list[dict[str, Any]] = spec.get("layer", [spec])
    return found


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


def test_against_the_results() -> None:
    made = assay.simulate(systems=7, topics=9, seed=4)
    results = assay.evaluate(made.qrels, made.runs, ["nDCG@10", "AP"])
    frame = data(results, measure="nDCG@10").frame
    assert len(frame) == 63
    for run, topic, value in frame.select("run", "topic", "value").iter_rows():
        assert value == results.values[0, results.runs.index(run), results.topics.index(topic)]
    assert np.all(np.diff(frame.head(9)["topic_mean"].to_numpy()) >= 0)


def test_of_a_cost_the_hardest_topic_has_the_largest_mean() -> None:
    frame = data(assay.read(QRELS, {"bad": BAD, "good": GOOD}), measure="BackwardSpace").frame
    assert set(frame["better"]) == {"lower"}
    means = frame.head(3)["topic_mean"].to_list()
    assert means == sorted(means, reverse=True)
    assert layers(draw(frame))[0]["encoding"]["color"]["scale"]["reverse"]


def test_missing_values_are_visible() -> None:
    frame = data(assay.read(QRELS, {"bad": BAD, "good": GOOD}, missing="exclude"), measure="RR").frame
    assert frame.filter(run="bad", topic="q3")["value"].to_list() == [None]
    assert frame.filter(topic="q3")["topic_mean"].to_list() == [0.5, 0.5], "over the runs that have one"
    soft, cells, crosses = layers(draw(frame))
    assert soft["mark"] == {"style": "soft", "type": "rect"}
    assert crosses["mark"]["type"] == "text"
    assert cells["transform"] == [{"filter": "isValid(datum.value)"}]
    many = pl.concat([frame.with_columns(run=pl.col("run") + str(i)) for i in range(60)])
    assert len(layers(draw(many))) == 2, "no crosses where there is no room"
    [only] = layers(draw(data(assay.read(QRELS, {"good": GOOD}), measure="RR").frame))
    assert only["mark"]["type"] == "rect"


def test_most() -> None:
    made = assay.simulate(systems=7, topics=5, seed=4)
    frame = data(assay.read(made.qrels, made.runs), most=3).frame
    best = assay.evaluate(made.qrels, made.runs, "AP").best("AP")[:3]
    assert frame["run"].unique(maintain_order=True).to_list() == best
    with pytest.raises(InputError, match="most must be at least 1, got 0"):
        data(assay.read(made.qrels, made.runs), most=0)


def test_equal_values_have_a_scale() -> None:
    frame = data(assay.read({"q": {"a": 1}}, {"run": {"q": {"a": 1.0}}})).frame
    assert layers(draw(frame))[0]["encoding"]["color"]["scale"]["domain"] == [0.5, 1.5]


def test_names_are_thinned_and_cells_have_no_seams() -> None:
    made = assay.simulate(systems=3, topics=2, seed=4)
    small = assay.evaluate(made.qrels, made.runs, "P@5")
    runs, topics = (tuple(f"{kind}{i:03}" for i in range(many)) for kind, many in (("r", 129), ("t", 50)))
    values = np.random.default_rng(4).random((1, 129, 50))
    results = replace(small, runs=runs, topics=topics, values=values, errors=np.zeros(values.shape))
    frame = data(results, measure="P@5").frame
    for width in (320, None):
        spec = specification(draw(frame, Style(width=width)))
        across, down = spec["width"] / 50, spec["height"] / 129
        assert (2 * across).is_integer()
        assert (2 * down).is_integer()
        names = spec["encoding"]["y"]["axis"]["values"]
        assert len(names) * 11 <= spec["height"] + 11
        assert names[0] == frame["run"][0]


def test_no_values_at_all() -> None:
    frame = data(assay.read(QRELS, {"bad": {"q1": {"x": 1.0}}}, missing="exclude"), measure="AP").frame
    assert frame["value"].to_list() == [0.0, None, None]
    chart = draw(frame.with_columns(value=None))
    assert "no run has a value" in str(specification(chart))
