"""Tests of the robustness figure: means and ranges over samples, lines and their names."""

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

COLLECTION = simulate(systems=8, topics=10, seed=4)
CAMPAIGN = read(COLLECTION.qrels, COLLECTION.runs, keep="judgments")
MEASURES = ["AP", "nDCG@10"]


def mark_types(spec: dict[str, Any]) -> list[str]:
    return [layer["mark"]["type"] if isinstance(layer["mark"], dict) else layer["mark"] for layer in spec["layer"]]


def test_lines_are_means_and_bands_are_ranges_over_seeds() -> None:
    report = robustness(CAMPAIGN, MEASURES, ratios=[50, 10], seeds=3, best=1.0)
    frame = figure.data(CAMPAIGN, measures=MEASURES, ratios=[50, 10], seeds=3, share=1.0).frame
    assert figure.data(report).frame.equals(frame)
    assert frame["measure"].to_list() == ["AP"] * 3 + ["nDCG@10"] * 3
    assert frame["ratio"].to_list() == [100, 50, 10] * 2
    for number, measure in enumerate(MEASURES):
        row = frame.filter(measure=measure, ratio=10).row(0, named=True)
        tau = report.tau[number, 1]
        assert row["tau"] == pytest.approx(tau.mean())
        assert (row["low"], row["high"], row["seeds"]) == (tau.min(), tau.max(), 3)
    assert frame.filter(ratio=100).select("tau", "low", "high").rows() == [(1, 1, 1)] * 2


def test_best_runs_are_used_by_default() -> None:
    plot_data = figure.data(CAMPAIGN, measures=["AP"], ratios=[50], seeds=2)
    assert plot_data.provenance.settings["runs"] == 6, "the best 75 %"
    with pytest.raises(InputError, match="at least two runs"):
        figure.data(CAMPAIGN.select(CAMPAIGN.runs[:1]))
    with pytest.raises(InputError, match="seeds must be"):
        figure.data(CAMPAIGN, seeds=0)


def test_constant_measure_has_no_line() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP", "NumQ"], ratios=[50], seeds=2).frame
    assert frame.filter(measure="NumQ")["tau"].is_null().all()
    spec = specification(figure.draw(frame))
    drawn_measures = {row["measure"] for values in spec["datasets"].values() for row in values if "tau" in row}
    assert drawn_measures == {"AP"}
    constant = frame.filter(measure="NumQ")
    assert "no measure separates any two runs" in str(specification(figure.draw(constant)))


def test_lines_have_bands_and_names() -> None:
    frame = figure.data(CAMPAIGN, measures=MEASURES, seeds=2).frame
    spec = specification(figure.draw(frame))
    assert mark_types(spec) == ["area", "line", "circle", "text"]
    x = spec["layer"][1]["encoding"]["x"]
    assert x["scale"]["domain"] == [100, 10], "from all judgments to few"
    labels = spec["datasets"][spec["layer"][-1]["data"]["name"]]
    assert [row["label"] for row in labels] == MEASURES


def test_many_measures_have_dashed_lines_without_bands() -> None:
    measures = [f"P@{k}" for k in range(1, 11)]
    frame = figure.data(CAMPAIGN, measures=measures, ratios=[50], seeds=2).frame
    spec = specification(figure.draw(frame))
    assert mark_types(spec) == ["rule", "line", "circle", "text"]
    dashes = spec["layer"][1]["encoding"]["strokeDash"]["scale"]["range"]
    colours = spec["layer"][1]["encoding"]["color"]["scale"]["range"]
    assert len(set(zip(map(tuple, dashes), colours, strict=True))) == len(measures)


def test_overlapping_ticks_are_omitted() -> None:
    assert figure._ticks([10, 30, 50, 70, 90, 100], 400) == [100, 90, 70, 50, 30, 10]
    assert figure._ticks([10, 30, 50, 70, 90, 100], 150) == [100, 70, 50, 30, 10]
    assert figure._ticks([100], 150) == [100]


def test_axis_starts_below_the_lowest_value() -> None:
    for low, start in ((0.95, 0.9), (0.43, 0.4), (0.4, 0.3), (-0.2, -0.25), (-1.0, -1.0)):
        assert figure._limits(pl.DataFrame({"low": [low, 1.0]})) == pytest.approx((start, 1))


def test_single_ratio_in_a_narrow_figure() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP"], ratios=[100], seeds=1).frame
    assert frame.height == 1
    assert np.isfinite(specification(figure.draw(frame, Style(width=320)))["width"])


def test_ratios_without_omitted_judgments_are_not_shown() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    runs = {"x": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}}
    plot_data = figure.data(read(qrels, runs), measures=["AP"], share=1.0)
    assert plot_data.frame.is_empty()
    assert any("that samples keep all judgments" in note for note in plot_data.notes)
    assert "too few judgments to omit any" in str(specification(figure.draw(plot_data.frame)))
    larger_qrels = {"q": {"a": 1, "b": 1, "c": 0}}
    assert figure.data(read(larger_qrels, runs), measures=["AP"], share=1.0).frame["ratio"].to_list() == [
        100,
        70,
        50,
        30,
        10,
    ]
