"""Tests of the curves of all runs on one topic."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay import effort
from assay.effort._curve import curve
from assay.engine.campaign import Campaign
from assay.errors import AssayError
from assay.views.plots._export import specification
from assay.views.plots._style import Style
from assay.views.plots.crp_topic import data, draw
from chart_parts import mark_rows, marks, texts, titles
from real_data import real

QRELS = {"1": {"a": 0}, "2": {"a": 2, "b": 1, "c": 0}}
RUNS = {
    "late": {"2": {"x": 3.0, "y": 2.5, "b": 2.0, "a": 1.0}},
    "good": {"2": {"a": 3.0, "b": 2.0, "x": 1.0}},
    "empty": {"1": {"a": 1.0}},
}
CAMPAIGN = assay.read(QRELS, RUNS)


@pytest.fixture(scope="module")
def simulated_campaign() -> Campaign:
    collection = assay.simulate(systems=5, topics=4, seed=8)
    return assay.read(collection.qrels, collection.runs, keep="documents")


def test_points_lie_on_the_curves(simulated_campaign: Campaign) -> None:
    frame = data(simulated_campaign, topic="402").frame
    assert frame["run"].n_unique() == 5
    for run in simulated_campaign.runs:
        points = frame.filter(run=run)
        full_curve = curve(simulated_campaign, "402", run, depth=1000).frame()
        assert points["crp"].to_list() == full_curve["crp"].gather((points["rank"] - 1).to_list()).to_list()
        assert points["rank"].to_list() == sorted(points["rank"].to_list())
        assert (points["rank"][0], points["rank"][-1]) == (1, 1000)
        assert (points["crp"].min(), points["crp"].max()) == (full_curve["crp"].min(), full_curve["crp"].max())
        assert len(points) <= 120


def test_depth_limits_the_ranks_shown():
    qrels = {"q": dict.fromkeys("abcdef", 1)}
    runs = {name: {"q": {document: -float(i) for i, document in enumerate(name)}} for name in ("xaby", "abcd")}
    frame = data(assay.read(qrels, runs), depth=3).frame
    assert frame["rank"].max() == 3
    assert frame.filter(run="xaby", rank=3)["crp"].item() == -6
    assert marks(draw(frame)).count("rule") == 1, "the axis; rank 6 is not shown"
    assert marks(draw(data(assay.read(qrels, runs)).frame)).count("rule") == 2


def test_lines_between_points_are_close_to_the_curves(simulated_campaign: Campaign) -> None:
    frame = data(simulated_campaign, topic="402").frame

    def signed_root(height: Any) -> np.ndarray:
        return np.asarray(np.sign(height) * np.sqrt(np.abs(height)))

    span = np.ptp(signed_root(frame["crp"].to_numpy()))
    positions = np.sqrt(np.arange(1000) + 0.5)
    for run in simulated_campaign.runs:
        points = frame.filter(run=run)
        full_curve = signed_root(curve(simulated_campaign, "402", run, depth=1000).frame()["crp"].to_numpy())
        line = np.interp(positions, np.sqrt(points["rank"].to_numpy() - 0.5), signed_root(points["crp"].to_numpy()))
        assert np.abs(line - full_curve).max() <= 0.008 * span + 1e-9, "less than half a pixel apart"


def test_values_and_archetypes_match_the_report(simulated_campaign: Campaign) -> None:
    frame = data(simulated_campaign, topic="402").frame
    report = effort.indicators(simulated_campaign).frame().filter(topic="402")
    runs = frame.unique("run", maintain_order=True)
    expected = report.sort("twist", descending=True, maintain_order=True)
    assert runs.select("run", "twist", "archetype").rows() == expected.select("run", "twist", "archetype").rows()
    assert runs["place"].to_list() == [1, 2, 3, 4, 5]
    assert runs["value"].to_list() == runs["twist"].to_list()


def test_order_of_runs() -> None:
    def run_order(criterion: str) -> list[str]:
        return data(CAMPAIGN, order=criterion).frame["run"].unique(maintain_order=True).to_list()

    assert run_order("Twist") == ["good", "late", "empty"]
    assert run_order("name") == ["empty", "good", "late"]
    assert run_order("P@3") == ["good", "late", "empty"]
    assert run_order("ForwardSpace") == ["good", "empty", "late"], "less space is better"
    assert data(CAMPAIGN, order="name").frame["value"].null_count() > 0


def test_default_is_the_first_topic_with_relevant_documents() -> None:
    frame = data(CAMPAIGN).frame
    assert frame["topic"].unique().to_list() == ["2"]
    assert frame["r"].unique().to_list() == [2]
    assert frame.filter(run="empty")["archetype"].unique().to_list() == ["worst"]


def test_panels_do_not_overlap(simulated_campaign: Campaign) -> None:
    chart = draw(data(simulated_campaign, topic="402", order="AP").frame, Style(width=360))
    boxes = mark_rows(chart, "rect")
    assert len(boxes) == 5
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            disjoint = a["x"] >= b["x2"] or b["x"] >= a["x2"] or a["top"] >= b["bottom"] or b["top"] >= a["bottom"]
            assert disjoint
    box_of_run = dict(enumerate(boxes, 1))
    for point in mark_rows(chart, "line"):
        box = box_of_run[point["run"]]
        assert box["x"] <= point["x"] <= box["x2"] + 0.1
        assert box["upper"] - 0.1 <= point["y"] <= box["bottom"] + 0.1
    assert all(box["upper"] <= box["axis"] <= box["bottom"] for box in boxes)
    assert set(simulated_campaign.runs) <= set(texts(chart))
    assert titles(chart)[0] == "topic 402"
    assert titles(chart)[1][1] == "5 runs, sorted by AP"


def test_flat_curve_of_one_run() -> None:
    chart = draw(data(assay.read(QRELS, {"good": RUNS["good"]})).frame)
    assert {point["y"] for point in mark_rows(chart, "line")} == {mark_rows(chart, "rect")[0]["axis"]}
    assert "ideal (1)" in texts(chart)


def test_topic_without_relevant_documents() -> None:
    assert texts(draw(data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame)) == [
        "the topic has no relevant documents"
    ]


def test_names_are_not_field_references() -> None:
    runs = {"a.b['c']\\": RUNS["good"], "x": RUNS["late"]}
    spec = specification(draw(data(assay.read(QRELS, runs)).frame))
    datasets = [rows for rows in spec["datasets"].values() if rows and "archetype" in rows[0]]
    assert {row["run"] for row in datasets[0]} == {"a.b['c']\\", "x"}


def test_large_campaign_has_few_points() -> None:
    folder = real("trec8-adhoc")
    frame = data(assay.read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs"), topic="446").frame
    assert frame["run"].n_unique() == 129
    assert frame.group_by("run").agg(pl.len())["len"].max() <= 120  # type: ignore[operator]
    assert len(frame) < 10_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topic": "3x"}, "has no topic 3x; choose from 1, 2"),
        ({"order": "Twisst"}, "there is no measure Twisst; did you mean Twist?"),
        ({"depth": 0}, "depth must be at least 1, got 0"),
        ({"length": "exten"}, "length"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        data(CAMPAIGN, **options)
    assert message in str(error.value)


def test_expected_ties_are_rejected() -> None:
    with pytest.raises(AssayError, match="a curve needs an order"):
        data(assay.read(QRELS, RUNS, ties="expected"))
