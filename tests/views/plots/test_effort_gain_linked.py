"""Tests of effort against gain with linked curves: selected points and their curves."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import assay
from assay import simulate
from assay.effort._curve import curve
from assay.errors import AssayError, InputError
from assay.views.plots import effort_gain, effort_gain_linked
from assay.views.plots._export import specification
from assay.views.plots._style import Style

COLLECTION = simulate(systems=5, topics=12, seed=7)
FIRST = COLLECTION.runs[0].name
CAMPAIGN = assay.read(COLLECTION.qrels, COLLECTION.runs)
FRAME = effort_gain_linked.data(CAMPAIGN).frame


def point_frame(rows: list[tuple[str, float, float, str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["run", "twist", "gain", "row", "column", "class"], orient="row").with_columns(
        topic=pl.lit("t")
    )


def test_points_precede_the_curves() -> None:
    expected = effort_gain.data(CAMPAIGN, measure="nDCG").frame
    points = FRAME.filter(pl.col("panel") == "points")
    assert points["x"].to_list() == expected["twist"].to_list()
    assert points["y"].to_list() == expected["gain"].to_list()
    assert points["archetype"].to_list() == expected["archetype"].to_list()
    assert FRAME["panel"].unique(maintain_order=True).to_list() == ["points", "crp", "dcg"]
    selected = points.filter(pl.col("number").is_not_null())
    assert sorted(selected["number"].to_list()) == list(range(1, len(selected) + 1))
    assert selected["class"].n_unique() == len(selected), "one of each class"


def test_curves_match_the_rankings() -> None:
    points = [f"{FIRST}:{COLLECTION.qrels.topics[2]}", f"{COLLECTION.runs[3].name}:{COLLECTION.qrels.topics[0]}"]
    gain = "DCG(base=2, gains=exp)"
    frame = effort_gain_linked.data(CAMPAIGN, points=points, gain=gain, twist="Twist@200").frame
    for number, (run, topic) in enumerate(((0, 2), (3, 0)), 1):
        expected = curve(CAMPAIGN, CAMPAIGN.topics[topic], CAMPAIGN.runs[run], gain=gain, depth=200).frame()
        crp, dcg = (frame.filter(number=number, panel=panel) for panel in ("crp", "dcg"))
        assert crp["x"].to_list() == expected["rank"].to_list()
        assert crp["y"].to_list() == expected["crp"].to_list()
        assert dcg["y"].to_list() == pytest.approx(expected["dcg"].to_list())
        assert dcg["ideal"].to_list() == pytest.approx(expected["ideal_dcg"].to_list())
        assert set(dcg["measure"]) == {gain}
        assert set(crp["r"]) == {int((expected["ideal"] > 0).sum())}


def test_typical_points_have_the_highest_gain_of_their_class() -> None:
    frame = point_frame(
        [
            ("low", 0.1, 0.1, "low", "huge", "diagonal"),
            ("far", 0.99, 0.91, "huge", "low", "diagonal"),
            ("middle", 0.9, 0.95, "huge", "low", "diagonal"),
            ("other", 0.8, 0.99, "huge", "low", "diagonal"),
            ("alone", 0.1, 0.9, "huge", "huge", "high-high"),
            ("a", 0.3, 0.9, "huge", "high", "high-high"),
            ("b", 0.4, 0.92, "huge", "high", "high-high"),
        ]
    )
    assert effort_gain_linked.typical_points(frame) == [("middle", "t"), ("a", "t")]
    assert effort_gain_linked.typical_points(frame.clear()) == []


def test_points_of_each_column_have_about_the_same_gain() -> None:
    frame = point_frame(
        [
            ("top", 0.1, 0.99, "huge", "huge", "high-high"),
            ("far", 0.1, 0.7, "high", "huge", "high-high"),
            ("near", 0.2, 0.61, "high", "huge", "high-high"),
            ("alone", 0.9, 0.6, "high", "low", "diagonal"),
            ("low", 0.9, 0.1, "low", "low", "other"),
        ]
    )
    assert effort_gain_linked.column_points(frame) == [("near", "t"), ("alone", "t")]
    assert effort_gain_linked.column_points(frame.clear()) == []
    selected = effort_gain_linked.data(CAMPAIGN, points=["columns"]).frame.filter(panel="points").drop_nulls("number")
    assert selected.sort("number")["column"].is_unique().all()
    assert selected["row"].n_unique() == 1
    repeated = effort_gain_linked.data(CAMPAIGN, points="columns").frame
    assert repeated.filter(panel="points").drop_nulls("number").equals(selected)


def test_names_may_contain_colons() -> None:
    runs = [COLLECTION.runs[0].with_name("a:b"), COLLECTION.runs[1].with_name("a")]
    topic = COLLECTION.qrels.topics[0]
    frame = effort_gain_linked.data(assay.read(COLLECTION.qrels, runs), points=[f"a:b:{topic}"]).frame
    assert frame.filter(pl.col("number") == 1)["run"].unique().to_list() == ["a:b"]
    repeated = effort_gain_linked.data(assay.read(COLLECTION.qrels, runs), points=[f"a:{topic}", f"a:{topic}"]).frame
    assert repeated["number"].max() == 1


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (["nobody:401"], "there is no run nobody"),
        ([f"{FIRST}:4001"], "has no topic 4001; did you mean 401"),
        (["alpha"], "points: write RUN:TOPIC, such as"),
        ([], "points: name 1 to 8"),
        ([f"{FIRST}:401"] * 9, "points: name 1 to 8"),
    ],
)
def test_invalid_points_are_rejected(points: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        effort_gain_linked.data(CAMPAIGN, points=points)


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(AssayError, match="a curve needs an order"):
        effort_gain_linked.data(assay.read(COLLECTION.qrels, COLLECTION.runs, ties="expected"))
    with pytest.raises(AssayError, match="use a form of DCG"):
        effort_gain_linked.data(CAMPAIGN, gain="AP")


def curve_panels(spec: dict[str, Any]) -> list[dict[str, Any]]:
    panels = spec.get("hconcat") or spec["vconcat"]
    curves: list[dict[str, Any]] = panels[1]["concat"]
    return curves


@pytest.mark.parametrize("width", [320, 720, 1000])
def test_every_selected_point_has_both_curves(width: int) -> None:
    spec = specification(effort_gain_linked.draw(FRAME, Style(width=width)))
    count = FRAME["number"].max()
    assert ("hconcat" in spec) == (width >= 600), "side by side if there is space"
    assert len(curve_panels(spec)) == count
    for pair in curve_panels(spec):
        assert len(pair["vconcat"]) == 2
        assert all("domain" not in panel["layer"][-1]["encoding"]["y"]["scale"] for panel in pair["vconcat"])
        for panel in pair["vconcat"]:
            assert len(spec["datasets"][panel["layer"][-1]["data"]["name"]]) <= 200


def test_titles_show_run_topic_and_values() -> None:
    topic = COLLECTION.qrels.topics[0]
    run = COLLECTION.runs[0].with_name("a-very-long-name-of-a-retrieval-system-with-many-parts")
    frame = effort_gain_linked.data(
        assay.read(COLLECTION.qrels, [run, *COLLECTION.runs[1:]]), points=[f"{run.name}:{topic}"]
    ).frame
    [pair] = curve_panels(specification(effort_gain_linked.draw(frame)))
    assert pair["title"]["text"].startswith("1  a-ver")
    assert pair["title"]["text"].endswith(f", {topic}")
    assert pair["title"]["subtitle"].startswith("Twist 0.")
    [narrow] = curve_panels(specification(effort_gain_linked.draw(frame, Style(width=320))))
    assert len(narrow["title"]["text"]) < 50


def test_values_keep_their_labels_if_the_measure_has_a_long_name() -> None:
    measure = "nDCG(base=10, gains={1:3,2:9,3:27})@1000"
    frame = effort_gain_linked.data(CAMPAIGN, measure=measure).frame
    for width in (None, 320):
        for panel in curve_panels(specification(effort_gain_linked.draw(frame, Style(width=width)))):
            twist, gain = panel["title"]["subtitle"]
            assert twist.startswith("Twist 0.")
            assert gain.startswith("nDCG(")
            assert "@1000 0." in gain


def test_scatter_plot_without_selected_points() -> None:
    points = FRAME.filter(pl.col("panel") == "points").with_columns(number=pl.lit(None, pl.Int64))
    spec = specification(effort_gain_linked.draw(points))
    assert [len(panel["layer"]) > 1 for panel in spec["vconcat"]] == [True, True]


def test_topic_without_relevant_documents() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}
    frame = effort_gain_linked.data(assay.read(qrels, {"x": run}), points=["x:2"]).frame
    assert frame.filter(panel="crp", number=1)["y"].to_list() == [0, 0]
    assert specification(effort_gain_linked.draw(frame))
    empty = effort_gain_linked.data(assay.read(qrels, {"x": {"1": {"b": 1.0}}}), points=["x:2"]).frame
    assert specification(effort_gain_linked.draw(empty))
