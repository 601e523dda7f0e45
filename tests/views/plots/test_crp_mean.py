"""Tests of the figure of mean CRP curves."""

from __future__ import annotations

import pytest

import assay
from assay.errors import AssayError
from assay.views.plots.crp_mean import data, draw
from chart_parts import marks, texts

COLLECTION = assay.simulate(systems=6, topics=8, depth=150)
CAMPAIGN = assay.read(COLLECTION.qrels, COLLECTION.runs)


def test_points_are_those_of_the_report() -> None:
    frame = data(CAMPAIGN, only=list(CAMPAIGN.runs[:2])).frame
    report = assay.effort.mean_curve(CAMPAIGN, runs=CAMPAIGN.runs[:2]).frame()
    joined = frame.join(report, on=["run", "rank"], suffix="_report")
    assert len(joined) == len(frame)
    assert (joined["mean"] == joined["mean_report"]).all()
    assert frame["rank"].is_in(range(1, 101)).sum() == 200


def test_default_runs_are_the_best_four() -> None:
    best = assay.evaluate(CAMPAIGN, "AP").best("AP")[:4]
    assert data(CAMPAIGN).frame["run"].unique(maintain_order=True).to_list() == best


def test_raw_curves() -> None:
    run = CAMPAIGN.runs[0]
    frame = data(CAMPAIGN, only=run, norm="none", depth=20).frame
    assert frame["mean"][19] == pytest.approx(assay.evaluate(CAMPAIGN, "CRP@20").matrix("CRP@20")[0].mean())


def test_line_and_band_per_run() -> None:
    chart = draw(data(CAMPAIGN, only=list(CAMPAIGN.runs[:2])).frame)
    assert {"rule", "area", "line", "circle"} <= set(marks(chart))
    assert set(CAMPAIGN.runs[:2]) <= set(texts(chart)) | {text.removeprefix("● ") for text in texts(chart)}


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(AssayError, match="norm 'S': choose one of R, none"):
        data(CAMPAIGN, norm="S")
    with pytest.raises(AssayError, match="shows 1 to 8 runs, got 0"):
        data(CAMPAIGN, only=[])
