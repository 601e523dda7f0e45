"""Robustness: means and ends over the samples, and lines with their names."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from assay import read, simulate
from assay.errors import InputError
from assay.meta._robustness import robustness
from assay.views.plots import robustness as figure
from assay.views.plots._export import specification
from assay.views.plots._style import Style

MADE = simulate(systems=8, topics=10, seed=4)
CAMPAIGN = read(MADE.qrels, MADE.runs, keep="judgments")
MEASURES = ["AP", "nDCG@10"]


def marks(spec: dict[str, Any]) -> list[str]:
    return [layer["mark"]["type"] if isinstance(layer["mark"], dict) else layer["mark"] for layer in spec["layer"]]


def test_lines_are_means_and_bands_the_ends_over_seeds() -> None:
    found = robustness(CAMPAIGN, MEASURES, ratios=[50, 10], seeds=3, best=1.0)
    frame = figure.data(CAMPAIGN, measures=MEASURES, ratios=[50, 10], seeds=3, share=1.0).frame
    assert figure.data(found).frame.equals(frame)
    assert frame["measure"].to_list() == ["AP"] * 3 + ["nDCG@10"] * 3
    assert frame["ratio"].to_list() == [100, 50, 10] * 2
    for number, measure in enumerate(MEASURES):
        own = frame.filter(measure=measure, ratio=10).row(0, named=True)
        tau = found.tau[number, 1]
        assert own["tau"] == pytest.approx(tau.mean())
        assert (own["low"], own["high"], own["seeds"]) == (tau.min(), tau.max(), 3)
    assert frame.filter(ratio=100).select("tau", "low", "high").rows() == [(1, 1, 1)] * 2


def test_a_share_of_the_runs() -> None:
    found = figure.data(CAMPAIGN, measures=["AP"], ratios=[50], seeds=2)
    assert found.provenance.settings["runs"] == 6, "the best 75 %"
    with pytest.raises(InputError, match="at least two runs"):
        figure.data(CAMPAIGN.select(CAMPAIGN.runs[:1]))
    with pytest.raises(InputError, match="seeds must be"):
        figure.data(CAMPAIGN, seeds=0)


def test_a_measure_that_tells_no_runs_apart_has_no_line() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP", "NumQ"], ratios=[50], seeds=2).frame
    assert frame.filter(measure="NumQ")["tau"].is_null().all()
    spec = specification(figure.draw(frame))
    drawn = {row["measure"] for values in spec["datasets"].values() for row in values if "tau" in row}
    assert drawn == {"AP"}
    only = frame.filter(measure="NumQ")
    assert "no measure separates any two runs" in str(specification(figure.draw(only)))


def test_lines_have_a_band_and_their_name() -> None:
    frame = figure.data(CAMPAIGN, measures=MEASURES, seeds=2).frame
    spec = specification(figure.draw(frame))
    assert marks(spec) == ["area", "line", "circle", "text"]
    across = spec["layer"][1]["encoding"]["x"]
    assert across["scale"]["domain"] == [100, 10], "from all judgments to few"
    labels = spec["datasets"][spec["layer"][-1]["data"]["name"]]
    assert [row["label"] for row in labels] == MEASURES


def test_many_measures_have_no_bands_and_broken_lines() -> None:
    measures = [f"P@{k}" for k in range(1, 11)]
    frame = figure.data(CAMPAIGN, measures=measures, ratios=[50], seeds=2).frame
    spec = specification(figure.draw(frame))
    assert marks(spec) == ["rule", "line", "circle", "text"]
    ways = spec["layer"][1]["encoding"]["strokeDash"]["scale"]["range"]
    colours = spec["layer"][1]["encoding"]["color"]["scale"]["range"]
    assert len(set(zip(map(tuple, ways), colours, strict=True))) == len(measures)


def test_ticks_that_would_meet_are_left_out() -> None:
    assert figure._ticks([10, 30, 50, 70, 90, 100], 400) == [100, 90, 70, 50, 30, 10]
    assert figure._ticks([10, 30, 50, 70, 90, 100], 150) == [100, 70, 50, 30, 10]
    assert figure._ticks([100], 150) == [100]


def test_the_axis_begins_below_the_lowest() -> None:
    for low, begin in ((0.95, 0.9), (0.43, 0.4), (0.4, 0.3), (-0.2, -0.25), (-1.0, -1.0)):
        assert figure._limits(pl.DataFrame({"low": [low, 1.0]})) == pytest.approx((begin, 1))


def test_one_ratio_and_narrow_figures() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP"], ratios=[100], seeds=1).frame
    assert frame.height == 1
    assert np.isfinite(specification(figure.draw(frame, Style(width=320)))["width"])


def test_shares_that_leave_out_no_judgment_are_not_shown() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    runs = {"x": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}}
    found = figure.data(read(qrels, runs), measures=["AP"], share=1.0)
    assert found.frame.is_empty()
    assert any("for any judgment to be left out" in note for note in found.notes)
    assert "too few judgments to omit any" in str(specification(figure.draw(found.frame)))
    more = {"q": {"a": 1, "b": 1, "c": 0}}
    assert figure.data(read(more, runs), measures=["AP"], share=1.0).frame["ratio"].to_list() == [100, 70, 50, 30, 10]
