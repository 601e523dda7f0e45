"""Tests of the figure of distances against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.distance.maximized_effectiveness import med
from assay.errors import InputError
from assay.views.plots._export import specification
from assay.views.plots._style import Style
from assay.views.plots.med_difference import CERTAIN, UNCERTAIN, data, draw

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "x": 0}}
RUNS = {
    "sure": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "x": 1.0}},
    "other": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 2.0, "a": 1.0}},
    "open": {"q1": {"u": 2.0, "b": 1.0}, "q2": {"v": 2.0, "x": 1.0}},
}


@pytest.fixture(scope="module")
def collection() -> Any:
    return assay.simulate(systems=8, topics=10, seed=5, pool=3)


def test_small_example() -> None:
    frame = data(assay.read(QRELS, RUNS), measure="P@1").frame
    assert frame["med"].to_list() == [1.0, 1.0, 1.0]
    pairs = {
        (a, b): values
        for a, b, *values in frame.select("run_a", "run_b", "actual", "difference", "settled").iter_rows()
    }
    assert pairs["sure", "other"] == [1.0, 1.0, True], "all documents are judged"
    assert pairs["sure", "open"] == [1.0, 1.0, False], "they may become equal"
    assert pairs["other", "open"] == [0.0, 0.0, False], "either may be better"


@pytest.mark.parametrize("measure", ["nDCG@10", "RBP(p=0.8)@20", "AP@10"])
def test_values_match_the_report(collection: Any, measure: str) -> None:
    report = med(assay.read(collection.qrels, collection.runs), measure)
    frame = data(report).frame
    assert len(frame) == 28
    assert frame["med"].to_list() == sorted(frame["med"].to_list(), reverse=True)
    pairs = {(report.runs[a], report.runs[b]): number for number, (a, b) in enumerate(report.pairs.tolist())}
    for row in frame.iter_rows(named=True):
        index = pairs[row["run_a"], row["run_b"]]
        assert row["med"] == pytest.approx(report.distance[0, index].mean())
        assert row["actual"] == pytest.approx(np.abs(report.difference[0, index]).mean())
        assert row["difference"] == pytest.approx(report.difference[0, index].mean())
        assert row["actual"] <= row["med"] + 1e-12, "nothing lies below the diagonal"
        assert row["settled"] == (row["smallest"] > 1e-9 or row["largest"] < -1e-9)
    assert frame["actual"].to_list() != frame["med"].to_list(), "some documents are unjudged"


def test_topics_of_a_pair(collection: Any) -> None:
    report = med(assay.read(collection.qrels, collection.runs), "nDCG@10")
    a, b = report.runs[4], report.runs[1]
    frame = data(assay.read(collection.qrels, collection.runs), unit="topics", pair=(a, b)).frame
    assert sorted(frame["topic"]) == list(report.topics)
    assert set(frame["run_a"]) | set(frame["run_b"]) == {a, b}
    assert frame["actual"].to_list() == frame["difference"].abs().to_list()
    results = assay.evaluate(collection.qrels, collection.runs, "nDCG@10")
    best = set(results.best("nDCG@10")[:2])
    default = data(report, unit="topics").frame
    assert {default["run_a"][0], default["run_b"][0]} == best
    for topic, difference in frame.select("topic", "actual").iter_rows():
        index = results.topics.index(topic)
        values = [results.values[0, results.runs.index(run), index] for run in (a, b)]
        assert difference == pytest.approx(abs(values[0] - values[1]))


def test_depth_limits_the_distance(collection: Any) -> None:
    frame = data(assay.read(collection.qrels, collection.runs), measure="P@10", depth=10).frame
    assert set(frame["measure"]) == {"P@10"}
    plot_data = data(assay.read(collection.qrels, collection.runs), measure="AP", depth=5)
    assert set(plot_data.frame["measure"]) == {"AP@5"}
    assert plot_data.provenance.policies.ties == "trec_eval-10"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "pears"}, "unit 'pears': choose one of pairs, topics; did you mean pairs?"),
        ({"unit": "topics", "pair": ("alpha1", "alhpa2")}, "there is no run alhpa2; did you mean alpha2?"),
    ],
)
def test_invalid_options_are_rejected(collection: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        data(assay.read(collection.qrels, collection.runs), **options)


def read_labels(spec: Any) -> list[dict[str, Any]]:
    text_layers = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    return [row for layer in text_layers for row in spec["datasets"][layer["data"]["name"]]]


def test_marks_of_the_chart(collection: Any) -> None:
    frame = data(assay.read(collection.qrels, collection.runs)).frame
    spec = specification(draw(frame))
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks[:3] == ["rule", "rule", "circle"]
    assert spec["layer"][0]["mark"]["style"] == "reference"
    dots = spec["layer"][2]["encoding"]
    assert dots["x"]["scale"] == dots["y"]["scale"], "a square with a true diagonal"
    assert dots["color"]["scale"]["domain"] == [CERTAIN, UNCERTAIN]
    assert spec["title"]["text"] == "28 pairs of runs"
    topic_spec = specification(
        draw(data(assay.read(collection.qrels, collection.runs), unit="topics", pair=("alpha1", "alpha2")).frame)
    )
    assert topic_spec["title"]["text"] == "alpha1 and alpha2 on 10 topics"


def test_outliers_are_labelled_without_hiding_points() -> None:
    small = [("a", "b", 0.3), ("a", "c", 0.31), ("b", "c", 0.32)]
    rows = [{"run_a": a, "run_b": b, "actual": x, "med": x} for a, b, x in small]
    rows.append({"run_a": "far", "run_b": "away", "actual": 0.05, "med": 0.9})
    rows.append({"run_a": "far", "run_b": "b", "actual": 0.5, "med": 0.85})
    constants = {"topic": "all", "measure": "P@10", "exact": True, "settled": False}
    numbers = {"difference": 0.0, "high": 0.9, "smallest": 0.0, "largest": 0.0}
    frame = pl.DataFrame([{**row, **constants, **numbers} for row in rows])
    labels = read_labels(specification(draw(frame)))
    assert [row["name"] for row in labels] == ["far – away"], "each run once, and none on the diagonal"
    assert labels[0]["across"] > 0.05
    crowded = pl.concat([frame, frame.with_columns(pl.col("actual") + 0.06)])
    [label] = read_labels(specification(draw(crowded)))
    assert label["across"] > 0.11, "the name of the first point would cover the second one"
    assert specification(draw(frame, Style(width=1200)))["layer"][2]["encoding"]
