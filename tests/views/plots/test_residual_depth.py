"""Tests of the figure of RBP bounds against the depth of evaluation."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay import uncertainty
from assay.errors import InputError
from assay.views.plots._style import Style
from assay.views.plots.residual_depth import best_runs, data, draw
from chart_parts import mark_rows, marks, texts, titles

QRELS = {"q": {"a": 1, "b": 0, "c": 1}}
RUNS = {"good": {"q": {"a": 3.0, "c": 2.0, "x": 1.0}}, "bad": {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_bounds_computed_by_hand() -> None:
    """The third document of the better run is unjudged; with a pool of depth 1 the second is unjudged, too."""
    frame = data(CAMPAIGN, persistences=[0.5], pools=[1], depth=3).frame
    assert frame.columns == ["run", "pool", "p", "depth", "lower", "upper", "residual"]
    assert frame["run"].unique().to_list() == ["good"]
    assert frame.select("pool", "depth", "lower", "upper").rows() == [
        (1, 1, 0.5, 1.0),
        (1, 2, 0.5, 1.0),
        (1, 3, 0.5, 1.0),
        (None, 1, 0.5, 1.0),
        (None, 2, 0.75, 1.0),
        (None, 3, 0.75, 1.0),
    ]


def test_bounds_narrow_with_depth_and_pool() -> None:
    collection = assay.simulate(systems=6, topics=8, seed=3)
    frame = data(assay.read(collection.qrels, collection.runs)).frame
    for _, group in frame.group_by("pool", "p"):
        ordered = group.sort("depth")
        assert np.diff(ordered["lower"].to_numpy()).min() >= -1e-12
        assert np.diff(ordered["upper"].to_numpy()).max() <= 1e-12
        assert ordered["residual"].to_numpy() == pytest.approx((ordered["upper"] - ordered["lower"]).to_numpy())
    shallow, full = frame.filter(pool=10), frame.filter(pl.col("pool").is_null())
    assert (full["residual"] <= shallow["residual"] + 1e-12).all()


def test_default_is_the_best_run() -> None:
    collection = assay.simulate(systems=6, topics=8, seed=3)
    campaign = assay.read(collection.qrels, collection.runs)
    curves = uncertainty.residual(campaign, depths=range(1, 101), pools=10)
    best = max(curves.runs, key=lambda run: curves.frame().filter(run=run, p=0.95, depth=100)["lower"][-1])
    assert best_runs(curves)[0] == best
    assert data(campaign).frame.equals(data(curves).frame)
    assert data(curves).frame["run"].unique().to_list() == [best]
    other = best_runs(curves)[-1]
    assert data(campaign, run=other).frame.equals(data(curves, run=other).frame)


def test_unlimited_depth_is_not_drawn() -> None:
    curves = uncertainty.residual(CAMPAIGN, [0.5], depths=[1, 2, None])
    assert data(curves, run="bad").frame["depth"].to_list() == [1, 2]


def test_invalid_options_are_rejected() -> None:
    for source in (CAMPAIGN, uncertainty.residual(CAMPAIGN, [0.5])):
        with pytest.raises(InputError, match="there is no run goood; did you mean good"):
            data(source, run="goood")
    with pytest.raises(InputError, match="depth must be at least 2, got 1"):
        data(CAMPAIGN, depth=1)
    with pytest.raises(InputError, match="persistences: name at least one"):
        data(CAMPAIGN, persistences=[])


def test_one_panel_per_pool_and_one_band_per_persistence() -> None:
    frame = data(CAMPAIGN, persistences=[0.8, 0.5, 0.8], pools=[1, 1], depth=3).frame
    chart = draw(frame)
    assert marks(chart) == ["area", "line", "line", "text"] * 2
    assert titles(chart) == ["RBP of good", "pool of depth 1", "all judgments"]
    assert texts(chart) == ["p = 0.5", "p = 0.8"]
    assert len(mark_rows(chart, "area")) == len(frame) == 2 * 2 * 3


def test_panels_are_stacked_in_narrow_figures() -> None:
    frame = data(CAMPAIGN, depth=3).frame
    assert [draw(frame, Style(width=width)).to_dict()["columns"] for width in (320, 720)] == [1, 2]
