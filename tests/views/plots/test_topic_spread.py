"""Tests of the figure of the spread of runs on topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.views.plots._export import specification
from assay.views.plots.topic_spread import MAX_MARKED, data, draw


@pytest.fixture(scope="module")
def results() -> Any:
    collection = assay.simulate(systems=9, topics=12, seed=8)
    return assay.evaluate(collection.qrels, collection.runs, ["nDCG@10", "AP"])


def test_quartiles_are_sorted_by_median(results: Any) -> None:
    frame = data(results, measure="nDCG@10").frame.filter(kind="topic")
    assert sorted(frame["topic"]) == list(results.topics)
    assert frame["value"].to_list() == sorted(frame["value"].to_list()), "hardest first by the median"
    assert frame["place"].to_list() == list(range(1, 13))
    for row in frame.iter_rows(named=True):
        values = results.values[0, :, results.topics.index(row["topic"])]
        expected = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
        assert [row[n] for n in ("low", "first_quarter", "value", "third_quarter", "high")] == pytest.approx(expected)
        assert row["runs"] == 9


def test_marked_runs_show_their_values(results: Any) -> None:
    frame = data(results, measure="nDCG@10").frame.filter(kind="run")
    assert set(frame["run"]) == {results.best("nDCG@10")[0]}, "the best run by default"
    runs = results.runs[2:4]
    frame = data(results, measure="nDCG@10", mark=runs).frame.filter(kind="run")
    assert len(frame) == 24
    for run, topic, value in frame.select("run", "topic", "value").iter_rows():
        assert value == results.values[0, results.runs.index(run), results.topics.index(topic)]
    assert data(results, measure="nDCG@10", mark=runs[0]).frame.equals(
        data(results, measure="nDCG@10", mark=[runs[0], runs[0]]).frame
    )
    assert data(results, measure="nDCG@10", mark=[]).frame.filter(kind="run").is_empty()


def test_marked_runs_and_their_names_share_colours(results: Any) -> None:
    spec = specification(draw(data(results, measure="nDCG@10", mark=results.runs[:3]).frame))
    points = spec["layer"][3]
    assert points["encoding"]["color"]["scale"]["domain"] == list(results.runs[:3])
    names = [layer for layer in spec["layer"][4:] if layer["mark"]["type"] == "text"]
    assert [name["encoding"]["color"]["value"] for name in names] == points["encoding"]["color"]["scale"]["range"]
    texts = [spec["datasets"][name["data"]["name"]][0]["text"] for name in names]
    assert texts == list(results.runs[:3])
    assert len(specification(draw(data(results, measure="nDCG@10", mark=[]).frame))["layer"]) == 3


def test_invalid_runs_are_rejected(results: Any) -> None:
    with pytest.raises(InputError, match=r"there is no run alpah1; did you mean alpha1\?"):
        data(results, measure="nDCG@10", mark="alpah1")
    with pytest.raises(InputError, match=f"mark: at most {MAX_MARKED} runs can be marked, got 9"):
        data(results, measure="nDCG@10", mark=results.runs)


def test_topics_without_values_are_omitted() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    runs = {"one": {"q1": {"a": 1.0}}, "two": {"q1": {"x": 2.0, "a": 1.0}, "q2": {"a": 1.0}}}
    frame = data(assay.read(qrels, runs, missing="exclude"), measure="RR", mark="one").frame
    topics = frame.filter(kind="topic")
    assert topics["topic"].to_list() == ["q1", "q2"], "no run has a value on q3"
    assert topics["runs"].to_list() == [2, 1]
    assert topics["value"].to_list() == [0.75, 1.0]
    assert frame.filter(kind="run")["value"].to_list() == [1.0, None]
    undefined = data(
        assay.read(qrels, {"one": {"q1": {"x": 1.0}}}, missing="exclude", undefined="exclude"), measure="RR"
    ).frame
    assert undefined.filter(kind="topic")["value"].to_list() == [0.0]


def test_hardest_topic_has_the_largest_median_if_lower_is_better() -> None:
    collection = assay.simulate(systems=5, topics=6, seed=8)
    medians = (
        data(assay.read(collection.qrels, collection.runs), measure="BackwardSpace")
        .frame.filter(kind="topic")["value"]
        .to_list()
    )
    assert medians == sorted(medians, reverse=True)
