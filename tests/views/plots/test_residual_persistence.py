"""Tests of the figure of RBP bounds against persistence."""

from __future__ import annotations

import polars as pl
import pytest

import assay
from assay import uncertainty
from assay.errors import InputError
from assay.views.plots.residual_depth import best_runs
from assay.views.plots.residual_persistence import STEPS, data, draw
from chart_parts import mark_rows, marks, texts

QRELS = {"q": {"a": 1, "b": 0, "c": 1}}
RUNS = {
    "bad": {"q": {"b": 3.0, "x": 2.0, "a": 1.0}},
    "good": {"q": {"a": 3.0, "c": 2.0, "x": 1.0}},
    "worse": {"q": {"x": 2.0, "b": 1.0}},
}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_bounds_computed_by_hand() -> None:
    frame = data(CAMPAIGN, persistences=[0.5, 0.0], pool=1).frame
    assert frame.columns == ["run", "pool", "p", "lower", "upper", "residual"]
    # The runs retrieve a, b and x at depth 1, of which a and b are judged.
    assert frame.filter(run="good").drop("run", "residual").rows() == [
        (1, 0.0, 1.0, 1.0),
        (1, 0.5, 0.5, 1.0),
        (None, 0.0, 1.0, 1.0),
        (None, 0.5, 0.75, 1.0),
    ]
    assert frame.filter(run="bad", p=0.5).drop("run", "p", "residual").rows() == [(1, 0.125, 0.5), (None, 0.125, 0.5)]


def test_defaults_are_the_best_and_the_median_run() -> None:
    assert data(CAMPAIGN).frame["run"].unique(maintain_order=True).to_list() == ["bad", "good"]
    collection = assay.simulate(systems=7, topics=6, seed=5)
    campaign = assay.read(collection.qrels, collection.runs)
    curves = uncertainty.residual(campaign, STEPS, depths=[None], pools=10)
    order = best_runs(curves)
    frame = curves.frame().drop("depth")
    assert data(campaign).frame.equals(frame.filter(pl.col("run").is_in([order[0], order[3]])))
    assert data(campaign, only=curves.runs).frame.equals(frame)


def test_selected_runs_are_shown_and_all_contribute_to_the_pool() -> None:
    frame = data(CAMPAIGN, only=["worse"], persistences=[0.5], pool=1).frame
    assert frame["run"].to_list() == ["worse", "worse"]
    assert frame["lower"].to_list() == [0.0, 0.0]
    # b is in the pool because another run ranks it first; x and the tail are unjudged.
    assert frame["upper"].to_list() == [0.75, 0.75]
    with pytest.raises(InputError, match="there is no run wors; did you mean worse"):
        data(CAMPAIGN, only="wors")


def test_single_run() -> None:
    frame = data(assay.read(QRELS, {"good": RUNS["good"]})).frame
    assert frame["run"].unique().to_list() == ["good"]
    assert frame["p"].max() == 0.99


def test_light_and_dark_band_per_run() -> None:
    frame = data(CAMPAIGN, only=["good", "bad"]).frame
    chart = draw(frame)
    assert marks(chart) == ["area", "line", "line"] * 2 + ["text"]
    light, dark = frame.filter(pl.col("pool").is_not_null()), frame.filter(pl.col("pool").is_null())
    assert mark_rows(chart, "area") == [*light.to_dicts(), *dark.to_dicts()]
    assert texts(chart) == ["good", "bad"]  # in the given order
