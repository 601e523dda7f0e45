"""Tests of the figure of remaining uncertainty against the number of judgments."""

from __future__ import annotations

import pytest

import assay
from assay.errors import AssayError, InputError
from assay.uncertainty._judging_curve import judging_curve
from assay.views.plots.judging_curve import data, draw
from chart_parts import mark_rows, marks, texts

RUNS = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"c": 2, "b": 1}}}
QRELS = {"q": {"a": 1, "b": 0, "c": 0}}
CAMPAIGN = assay.read(QRELS, RUNS)


def test_uncertainty_computed_by_hand() -> None:
    """Over both runs, judging a resolves 1/2, b 1/4 + 1/4 and c 1/8 + 1/2; the tail is never resolved."""
    frame = data(CAMPAIGN, measure="RBP(p=0.5)", orders=["residual", "depth"]).frame
    assert frame.columns == ["measure", "order", "judgments", "uncertainty", "pool"]
    best = frame.filter(order="residual")
    assert best["judgments"].to_list() == [0, 1, 2, 3]
    tail = best["uncertainty"][3]
    assert (best["uncertainty"] - tail).to_list() == pytest.approx([1.625 / 2, 1 / 2, 0.5 / 2, 0])
    assert best["pool"].null_count() == 4
    assert frame.filter(order="depth")["pool"].to_list() == [None, None, 1, 2]


def test_points_match_the_analysis() -> None:
    collection = assay.simulate(systems=6, topics=8, seed=3)
    campaign = assay.read(collection.qrels, collection.runs)
    curve = judging_curve(campaign, "RBP(p=0.8)", seed=2)
    frame = data(campaign, seed=2).frame
    for index, order in enumerate(curve.orders):
        points = frame.filter(order=order)
        assert (points["uncertainty"].to_numpy() == curve.curves[index][points["judgments"].to_numpy()]).all()
        assert points["uncertainty"].is_sorted(descending=True)
        assert (points["judgments"][0], points["judgments"][-1]) == (0, curve.curves.shape[1] - 1)
        assert len(points) < 200
    steps = [frame.filter(order=order)["uncertainty"].to_numpy() for order in ("residual", "depth", "random")]
    assert (steps[0] <= steps[1] + 1e-12).all()
    assert steps[1].sum() < steps[2].sum()


def test_one_line_per_order_and_pools_on_the_depth_line() -> None:
    collection = assay.simulate(systems=6, topics=8, seed=3)
    chart = draw(data(assay.read(collection.qrels, collection.runs)).frame)
    assert marks(chart) == ["line", "circle", "text", "text"]
    assert [row["pool"] for row in mark_rows(chart, "circle")] == [1, 10, 100]
    assert {"residual", "depth", "random", "depth 1", "10"} <= set(texts(chart))
    assert "100" not in texts(chart)  # the names of the lines need this space
    assert all(row["judgments"] > 0 for row in mark_rows(chart, "line"))


def test_no_pools_without_the_depth_order() -> None:
    frame = data(CAMPAIGN, orders=["random"]).frame
    assert marks(draw(frame)) == ["line", "text"]


def test_no_retrieved_document_is_judged() -> None:
    frame = data(assay.read({"q": {"z": 1}}, RUNS)).frame
    assert frame["judgments"].unique().to_list() == [0]
    assert texts(draw(frame)) == ["no retrieved document is judged"]


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(InputError, match="order 'deep': choose from residual, depth, random"):
        data(CAMPAIGN, orders=["deep"])
    with pytest.raises(AssayError, match="not a weighted sum over ranks"):
        data(CAMPAIGN, measure="AP")
