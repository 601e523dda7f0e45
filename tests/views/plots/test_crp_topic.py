"""All runs on one topic."""

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
def simulated() -> Campaign:
    made = assay.simulate(systems=5, topics=4, seed=8)
    return assay.read(made.qrels, made.runs, keep="documents")


def test_points_lie_on_the_curves(simulated: Campaign) -> None:
    frame = data(simulated, topic="402").frame
    assert frame["run"].n_unique() == 5
    for run in simulated.runs:
        part = frame.filter(run=run)
        whole = curve(simulated, "402", run, depth=1000).frame()
        assert part["crp"].to_list() == whole["crp"].gather((part["rank"] - 1).to_list()).to_list()
        assert part["rank"].to_list() == sorted(part["rank"].to_list())
        assert (part["rank"][0], part["rank"][-1]) == (1, 1000)
        assert (part["crp"].min(), part["crp"].max()) == (whole["crp"].min(), whole["crp"].max())
        assert len(part) <= 120


def test_depth_limits_the_ranks_shown():
    qrels = {"q": dict.fromkeys("abcdef", 1)}
    runs = {name: {"q": {document: -float(i) for i, document in enumerate(name)}} for name in ("xaby", "abcd")}
    frame = data(assay.read(qrels, runs), depth=3).frame
    assert frame["rank"].max() == 3
    assert frame.filter(run="xaby", rank=3)["crp"].item() == -6
    assert marks(draw(frame)).count("rule") == 1, "the axis; rank 6 is not shown"
    assert marks(draw(data(assay.read(qrels, runs)).frame)).count("rule") == 2


def test_lines_between_points_are_close_to_the_curves(simulated: Campaign) -> None:
    frame = data(simulated, topic="402").frame

    def root(height: Any) -> np.ndarray:
        return np.asarray(np.sign(height) * np.sqrt(np.abs(height)))

    span = np.ptp(root(frame["crp"].to_numpy()))
    at = np.sqrt(np.arange(1000) + 0.5)
    for run in simulated.runs:
        part = frame.filter(run=run)
        whole = root(curve(simulated, "402", run, depth=1000).frame()["crp"].to_numpy())
        line = np.interp(at, np.sqrt(part["rank"].to_numpy() - 0.5), root(part["crp"].to_numpy()))
        assert np.abs(line - whole).max() <= 0.008 * span + 1e-9, "less than half a pixel"


def test_values_and_archetypes_are_those_of_the_report(simulated: Campaign) -> None:
    frame = data(simulated, topic="402").frame
    truth = effort.indicators(simulated).frame().filter(topic="402")
    found = frame.unique("run", maintain_order=True)
    expected = truth.sort("twist", descending=True, maintain_order=True)
    assert found.select("run", "twist", "archetype").rows() == expected.select("run", "twist", "archetype").rows()
    assert found["place"].to_list() == [1, 2, 3, 4, 5]
    assert found["value"].to_list() == found["twist"].to_list()


def test_the_order() -> None:
    def order(how: str) -> list[str]:
        return data(CAMPAIGN, order=how).frame["run"].unique(maintain_order=True).to_list()

    assert order("Twist") == ["good", "late", "empty"]
    assert order("name") == ["empty", "good", "late"]
    assert order("P@3") == ["good", "late", "empty"]
    assert order("ForwardSpace") == ["good", "empty", "late"], "less space is better"
    assert data(CAMPAIGN, order="name").frame["value"].null_count() > 0


def test_the_first_topic_with_relevant_documents() -> None:
    frame = data(CAMPAIGN).frame
    assert frame["topic"].unique().to_list() == ["2"]
    assert frame["r"].unique().to_list() == [2]
    assert frame.filter(run="empty")["archetype"].unique().to_list() == ["worst"]


def test_panels_do_not_meet(simulated: Campaign) -> None:
    chart = draw(data(simulated, topic="402", order="AP").frame, Style(width=360))
    boxes = mark_rows(chart, "rect")
    assert len(boxes) == 5
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = a["x"] >= b["x2"] or b["x"] >= a["x2"] or a["top"] >= b["bottom"] or b["top"] >= a["bottom"]
            assert apart
    inside = dict(enumerate(boxes, 1))
    for point in mark_rows(chart, "line"):
        box = inside[point["run"]]
        assert box["x"] <= point["x"] <= box["x2"] + 0.1
        assert box["upper"] - 0.1 <= point["y"] <= box["bottom"] + 0.1
    assert all(box["upper"] <= box["axis"] <= box["bottom"] for box in boxes)
    assert set(simulated.runs) <= set(texts(chart))
    assert titles(chart)[0] == "topic 402"
    assert titles(chart)[1][1] == "5 runs, sorted by AP"


def test_one_run_and_a_flat_curve() -> None:
    chart = draw(data(assay.read(QRELS, {"good": RUNS["good"]})).frame)
    assert {point["y"] for point in mark_rows(chart, "line")} == {mark_rows(chart, "rect")[0]["axis"]}
    assert "ideal (1)" in texts(chart)


def test_nothing_relevant() -> None:
    assert texts(draw(data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame)) == [
        "the topic has no relevant documents"
    ]


def test_names_are_data_and_not_fields() -> None:
    runs = {"a.b['c']\\": RUNS["good"], "x": RUNS["late"]}
    spec = specification(draw(data(assay.read(QRELS, runs)).frame))
    named = [rows for rows in spec["datasets"].values() if rows and "archetype" in rows[0]]
    assert {row["run"] for row in named[0]} == {"a.b['c']\\", "x"}


def test_a_whole_campaign_is_light() -> None:
    folder = real("trec8-adhoc")
    frame = data(assay.read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs"), topic="446").frame
    assert frame["run"].n_unique() == 129
    assert frame.group_by("run").agg(pl.len())["len"].max() <= 120  # type: ignore[operator]
    assert len(frame) < 10_000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"topic": "3x"}, "has no topic 3x; choose from 1, 2"),
        ({"order": "Twisst"}, "there is no measure Twisst; did you mean Twist?"),
        ({"depth": 0}, "depth must be at least 1, got 0"),
        ({"length": "exten"}, "length"),
    ],
)
def test_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        data(CAMPAIGN, **given)
    assert message in str(error.value)


def test_a_curve_needs_an_order() -> None:
    with pytest.raises(AssayError, match="a curve needs an order"):
        data(assay.read(QRELS, RUNS, ties="expected"))
