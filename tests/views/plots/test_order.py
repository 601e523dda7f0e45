"""Tests of the diagram of the order on runs."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import assay
from assay import theory
from assay.errors import InputError, PolicyError
from assay.theory.hasse import build_diagram, comparable_fractions
from assay.views.plots._export import specification
from assay.views.plots._style import Style
from assay.views.plots.order import data, draw

QRELS = {"q": {"a": 2, "b": 1}}
RUNS = {
    "best": {"q": {"a": 3.0, "b": 2.0}},
    "swapped": {"q": {"b": 3.0, "a": 2.0}},
    "first": {"q": {"a": 3.0, "x": 2.0}},
    "same": {"q": {"a": 3.0, "y": 2.0}},
    "worst": {"q": {"x": 3.0, "y": 2.0}},
}


@pytest.fixture(scope="module")
def collection() -> Any:
    return assay.simulate(systems=12, topics=6, seed=7)


def test_small_order() -> None:
    frame = data(assay.read(QRELS, RUNS), measure="DCG").frame
    nodes = frame.filter(kind="node")
    assert dict(nodes.select("runs", "y").iter_rows()) == {"best": 0, "first = same": 1, "swapped": 1, "worst": 2}
    assert dict(nodes.select("run", "equal").iter_rows()) == {"best": 1, "first": 2, "swapped": 1, "worst": 1}
    names = dict(nodes.select("node", "run").iter_rows())
    edges = frame.filter(kind="edge").select("node", "below").unique(maintain_order=True).iter_rows()
    named_edges = {(names[top], names[bottom]) for top, bottom in edges}
    assert named_edges == {("best", "first"), ("best", "swapped"), ("first", "worst"), ("swapped", "worst")}
    assert nodes["comparable"][0] == pytest.approx(0.8), "swapped against first and same"
    values = dict(nodes.select("run", "value").iter_rows())
    results = assay.evaluate(QRELS, RUNS, "DCG")
    assert values == {run: results.values[0, results.runs.index(run), 0] for run in values}


def test_lines_connect_their_nodes(collection: Any) -> None:
    frame = data(assay.read(collection.qrels, collection.runs)).frame
    positions = {node: (x, y) for node, x, y in frame.filter(kind="node").select("node", "x", "y").iter_rows()}
    for (top, bottom), line in frame.filter(kind="edge").group_by(["node", "below"], maintain_order=True):
        assert line["step"].to_list() == list(range(len(line)))
        assert (line["x"][0], line["y"][0]) == positions[top]
        assert (line["x"][-1], line["y"][-1]) == positions[bottom]
        assert line["y"].to_list() == list(range(int(positions[top][1]), int(positions[bottom][1]) + 1))


def test_default_is_the_best_runs_on_a_typical_topic(collection: Any) -> None:
    plot_data = data(assay.read(collection.qrels, collection.runs), most=5, depth=10)
    report = theory.order(assay.read(collection.qrels, collection.runs), "AP", depth=10)
    best = [report.results.runs.index(run) for run in report.results.best("AP")[:5]]
    comparable, _ = comparable_fractions(report, best)
    index = report.results.topics.index(plot_data.frame["topic"][0])
    assert sorted(comparable)[2] == comparable[index], "the lower median of six"
    assert plot_data.notes[-1] == "the best 5 of 12 runs by AP are shown; show more with --most"
    nodes = plot_data.frame.filter(kind="node")
    assert int(nodes["equal"].sum()) == 5
    assert set(nodes["depth"]) == {10}
    expected = build_diagram(report, index, best)
    assert nodes["y"].to_list() == expected.level.tolist()
    assert plot_data.frame.equals(data(report, depth=10, most=5).frame)


def test_topic_can_be_selected(collection: Any) -> None:
    frame = data(assay.read(collection.qrels, collection.runs), topic="403").frame
    assert set(frame["topic"]) == {"403"}
    with pytest.raises(InputError, match="has no topic 40; did you mean 40"):
        data(assay.read(collection.qrels, collection.runs), topic="40")


def test_invalid_inputs_are_rejected(collection: Any) -> None:
    with pytest.raises(InputError, match="most must be at least 2, got 1"):
        data(assay.read(collection.qrels, collection.runs), most=1)
    with pytest.raises(InputError, match="depth must be at least 1, got 0"):
        data(assay.read(collection.qrels, collection.runs), depth=0)
    with pytest.raises(InputError, match="at least two runs"):
        data(assay.read(collection.qrels, collection.runs[:1]))
    with pytest.raises(PolicyError, match="the comparison of rankings needs a single order of documents"):
        data(assay.read(collection.qrels, collection.runs, ties="expected"))


def test_equal_runs_share_a_box() -> None:
    runs = {f"run{i}": {"q": {"a": 1.0}} for i in range(4)}
    frame = data(assay.read(QRELS, runs)).frame
    assert frame["runs"].to_list() == ["run0 = run1 = run2 = run3"]
    spec = specification(draw(frame))
    assert read_boxes(spec)["text"].to_list() == ["run0 = run1 = run2 = run3"]
    assert spec["layer"][1]["mark"]["style"] == "soft"


def read_boxes(spec: Any) -> pl.DataFrame:
    return pl.DataFrame(spec["datasets"][spec["layer"][1]["data"]["name"]])


@pytest.mark.parametrize("width", [320, 640, 1000])
def test_boxes_do_not_overlap(width: int) -> None:
    collection = assay.simulate(systems=40, topics=4, seed=2)
    runs = [run.with_name(f"a-long-name-of-a-system-{i}") for i, run in enumerate(collection.runs)]
    frame = data(assay.read(collection.qrels, runs), depth=1000).frame
    boxes = read_boxes(specification(draw(frame, Style(width=width)))).to_dicts()
    assert all(box["left"] >= -1 and box["right"] <= width for box in boxes)
    for i, box in enumerate(boxes):
        for other in boxes[:i]:
            beside = box["right"] <= other["left"] or other["right"] <= box["left"]
            assert beside or box["bottom"] <= other["top"] or other["bottom"] <= box["top"]
    top_of_node = {box["node"]: box["top"] for box in boxes}
    for top, bottom in frame.filter(kind="edge").select("node", "below").unique().iter_rows():
        assert top_of_node[top] < top_of_node[bottom], "better runs are above worse ones"
