"""Runs by their means."""

from __future__ import annotations

import assay
from assay.views.plots.leaderboard import data, draw
from chart_parts import marks, views

QRELS = {"p": {"a": 1}, "q": {"a": 1}}
RUN = {"p": {"a": 1.0}, "q": {"b": 2.0, "a": 1.0}}


def test_a_line_for_the_interval_and_a_dot_for_the_mean() -> None:
    chart = draw(data(assay.read(QRELS, {"run": RUN})).frame)
    assert marks(chart) == ["rule", "circle"]
    assert views(chart)[1]["encoding"]["x"]["title"] == "mean AP with confidence interval"


def test_without_intervals_there_are_no_lines() -> None:
    """A scale over nothing has no ends, of which a browser complains."""
    frame = data(assay.read({"p": {"a": 1}}, {"run": RUN})).frame
    assert frame["low"].to_list() == [None]
    chart = draw(frame)
    assert marks(chart) == ["circle"]
    assert views(chart)[0]["encoding"]["x"]["title"] == "mean AP"


def test_equal_runs_share_a_place_and_keep_a_row_each() -> None:
    turned = {"p": {"b": 2.0, "a": 1.0}, "q": {"a": 1.0}}
    frame = data(assay.read(QRELS, {"low": {"p": {"b": 1.0}, "q": {"a": 1.0}}, "run": RUN, "turned": turned})).frame
    assert frame.select("place", "run").rows() == [(1, "run"), (1, "turned"), (3, "low")]
    assert views(draw(frame))[1]["encoding"]["y"]["sort"] == ["run", "turned", "low"]
