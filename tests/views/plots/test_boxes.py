"""Tests of box plots: quartiles, whiskers and outliers computed by hand, and their marks."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from assay import evaluate, read, simulate
from assay.errors import InputError
from assay.views.plots import boxes as figure
from assay.views.plots._export import specification

COLLECTION = simulate(systems=12, topics=6, seed=5)
CAMPAIGN = read(COLLECTION.qrels, COLLECTION.runs)


def campaign_with_precision(hits: list[int]) -> Any:
    """Return a campaign of one topic with ten relevant documents; run i retrieves ``hits[i]`` of them."""
    qrels = {"q": {f"d{i}": 1 for i in range(10)}}
    runs = {
        f"r{number}": {"q": {(f"d{i}" if i < hit else f"x{i}"): float(-i) for i in range(10)}}
        for number, hit in enumerate(hits)
    }
    return read(qrels, runs)


def layer_rows(spec: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [spec["datasets"][layer["data"]["name"]] for layer in spec["layer"]]


def test_box_computed_by_hand() -> None:
    frame = figure.data(campaign_with_precision([1, 2, 3, 4, 10]), measures=["P@10"]).frame
    assert frame["value"].to_list() == pytest.approx([0.1, 0.2, 0.3, 0.4, 1.0])
    assert frame.select("q1", "median", "q3", "low", "high").row(0) == pytest.approx((0.2, 0.3, 0.4, 0.1, 0.4))
    assert frame["outlier"].to_list() == [False] * 4 + [True], "1.0 is beyond 0.4 + 1.5 x 0.2"
    interpolated = figure.data(campaign_with_precision([1, 2, 3, 4]), measures=["P@10"]).frame
    assert interpolated.select("q1", "median", "q3").row(0) == pytest.approx((0.175, 0.25, 0.325)), (
        "linear interpolation"
    )


def test_values_are_means_of_runs_or_topics() -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, ["AP", "nDCG"])
    runs = figure.data(CAMPAIGN, measures=["AP", "nDCG"]).frame
    assert runs.filter(measure="nDCG")["value"].to_list() == results.overall()[:, 1].tolist()
    assert runs.filter(measure="AP")["name"].to_list() == list(results.runs)
    topics = figure.data(CAMPAIGN, measures=["AP", "nDCG"], unit="topic").frame
    assert topics.filter(measure="AP")["value"].to_list() == pytest.approx(results.values[0].mean(axis=0).tolist())
    assert topics.filter(measure="AP")["name"].to_list() == list(results.topics)
    with pytest.raises(InputError, match="unit 'runs': choose one of run, topic; did you mean run"):
        figure.data(CAMPAIGN, unit="runs")


def test_best_runs_by_ap_are_selected() -> None:
    results = evaluate(COLLECTION.qrels, COLLECTION.runs, ["AP", "P@5"])
    frame = figure.data(CAMPAIGN, measures=["P@5"], share=0.5).frame
    assert set(frame["name"]) == set(results.best("AP")[:6])
    assert figure.data(results, measures=["P@5"], share=0.5).frame.equals(frame)


def test_undefined_values_are_omitted() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 0}}
    runs = {"x": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "y": {"2": {"a": 1.0}}}
    campaign = read(qrels, runs, undefined="exclude")
    topics = figure.data(campaign, measures=["AP"], unit="topic").frame
    assert topics.select("name", "value").rows() == [("1", 0.5)]
    common_campaign = read(qrels, runs, missing="exclude", undefined="exclude")
    runs_frame = figure.data(common_campaign, measures=["AP"]).frame
    assert runs_frame.select("name", "value").rows() == [("x", 1.0)]
    assert "NaN" not in str(specification(figure.draw(runs_frame)))


def test_outliers_and_few_values_are_points() -> None:
    many = figure.data(campaign_with_precision([4, 4, 5, 5, 5, 5, 5, 5, 5, 6, 6, 10]), measures=["P@10"]).frame
    assert [row["name"] for row in layer_rows(specification(figure.draw(many)))[-1]] == many.filter("outlier")[
        "name"
    ].to_list()
    few = figure.data(campaign_with_precision([4, 5, 6]), measures=["P@10"]).frame
    assert len(layer_rows(specification(figure.draw(few)))[-1]) == 3


def test_single_value() -> None:
    frame = figure.data(campaign_with_precision([0]), measures=["P@10", "AP"]).frame
    assert frame.select("q1", "median", "q3", "low", "high").row(0) == (0, 0, 0, 0, 0)
    assert specification(figure.draw(frame))["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_collections_are_panels_with_one_scale() -> None:
    one = figure.data(CAMPAIGN, measures=["AP"], collection="one").frame
    two = figure.data(CAMPAIGN, measures=["P@5", "RR"], collection="two").frame
    spec = specification(figure.draw(pl.concat([one, two])))
    assert [panel["title"] for panel in spec["vconcat"]] == ["one", "two"]
    domains = [panel["layer"][0]["encoding"]["x"]["scale"]["domain"] for panel in spec["vconcat"]]
    assert domains[0] == domains[1]
    assert np.isclose(domains[0][1], max(*one["value"], *two["value"]))
    assert spec["vconcat"][1]["layer"][0]["encoding"]["y"]["sort"] == ["P@5", "RR"]
