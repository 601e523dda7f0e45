"""Tests of the figures that summarize many runs, and of reports on many topics."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay import read
from assay.effort import mean_curve
from assay.views.plots import effort_gain
from assay.views.plots._style import Style
from assay.views.report import context, many_runs
from assay.views.report.sections import effort, leaderboard, systems, topics
from report_cases import campaign_with_ranks, compute_section, context_with_ranks, simulated_context, visible_text

RANKS = {"a": [1, 2] * 5, "b": [2, 1] * 4 + [1, 4], "c": [8, 9] * 5}


def test_staircase_agrees_with_the_verdicts() -> None:
    report = context_with_ranks(RANKS)
    assert report.comparison is not None
    frame = many_runs.tabulate_staircase(report.comparison, report.order)
    columns = ("run", "first", "last", "tied", "against_leader")
    assert frame.select(columns).rows() == [
        ("a", 1, 2, 1, many_runs.KINDS[0]),
        ("b", 1, 2, 1, many_runs.KINDS[0]),
        ("c", 3, 3, 0, many_runs.KINDS[1]),
    ]
    assert many_runs.draw_staircase(frame, Style(width=320)).to_dict()["layer"]


def test_bands_are_quantiles_over_the_runs() -> None:
    campaign = read(*campaign_with_ranks(RANKS))
    curves = mean_curve(campaign)
    frame = many_runs.tabulate_bands(curves, {"best": 0, "last": 2})
    last = frame.row(-1, named=True)
    values = np.sort(curves.mean[:, -1])
    assert [last[name] for name in ("lowest", "median", "highest")] == pytest.approx(values.tolist(), abs=1e-5)
    assert last["best"] == pytest.approx(curves.mean[0, -1], abs=1e-5)
    assert many_runs.draw_bands(frame, Style(width=320)).to_dict()["layer"]


def test_bins_and_dots_contain_every_point() -> None:
    generator = np.random.default_rng(1)
    frame = pl.DataFrame({"twist": [*generator.beta(2, 5, 500), 1.0], "gain": [*generator.beta(2, 5, 500), 1.0]})
    dense, sparse = effort_gain.bin_points(frame, (0.0, 1.0))
    assert dense["points"].sum() + len(sparse) == len(frame)
    assert dense["points"].min() >= effort_gain.MIN_DENSE
    for left, right, low, high, points in dense.head(5).iter_rows():
        inside = frame.filter(pl.col("twist") >= left, pl.col("twist") < right)
        assert inside.filter(pl.col("gain") >= low, pl.col("gain") < high).height == points


def test_many_runs_are_summarized(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_runs, "MIN_RUNS", 3)
    monkeypatch.setattr(leaderboard, "MIN_RUNS", 3)
    monkeypatch.setattr(effort, "MAX_SVG_MARKS", 10)
    report = simulated_context(4, 6, 1)
    assert "Staircase of tied runs by AP" in visible_text(leaderboard, report)
    text = visible_text(effort, report)
    assert "many points of runs and topics are drawn as squares" in text
    assert "the bands contain 50 %, 80 % and all of the 4 runs" in text


def test_very_many_topics_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (topics, systems):
        monkeypatch.setattr(module, "MAX_TOPICS_DRAWN", 5)
    monkeypatch.setattr(topics, "MAX_TOPICS_LISTED", 4)
    report = simulated_context(3, 6, 1)
    assert context.MAX_TOPICS_DRAWN > 5
    text = visible_text(topics, report)
    assert "Figures of single topics are omitted" in text
    assert "The 4 hardest of 6 topics" in text
    assert all(one["chart"] is None for one in compute_section(systems, report).content["systems"])
