"""Tests of the leaderboard figure."""

from __future__ import annotations

import assay
from assay.views.plots.leaderboard import data, draw
from chart_parts import marks, views

QRELS = {"p": {"a": 1}, "q": {"a": 1}}
RUN = {"p": {"a": 1.0}, "q": {"b": 2.0, "a": 1.0}}


def test_mean_is_a_point_and_interval_a_line() -> None:
    chart = draw(data(assay.read(QRELS, {"run": RUN})).frame)
    assert marks(chart) == ["rule", "circle"]
    assert views(chart)[1]["encoding"]["x"]["title"] == "mean AP with confidence interval"


def test_no_lines_without_intervals() -> None:
    """Browsers report an error for a scale without a domain."""
    frame = data(assay.read({"p": {"a": 1}}, {"run": RUN})).frame
    assert frame["low"].to_list() == [None]
    chart = draw(frame)
    assert marks(chart) == ["circle"]
    assert views(chart)[0]["encoding"]["x"]["title"] == "mean AP"


def test_equal_runs_share_a_rank_in_separate_rows() -> None:
    exchanged = {"p": {"b": 2.0, "a": 1.0}, "q": {"a": 1.0}}
    frame = data(assay.read(QRELS, {"low": {"p": {"b": 1.0}, "q": {"a": 1.0}}, "run": RUN, "turned": exchanged})).frame
    assert frame.select("place", "run").rows() == [(1, "run"), (1, "turned"), (3, "low")]
    assert views(draw(frame))[1]["encoding"]["y"]["sort"] == ["run", "turned", "low"]
