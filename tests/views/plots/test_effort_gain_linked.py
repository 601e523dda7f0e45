"""Effort against gain with curves: which points are chosen, and that the curves are theirs."""

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

MADE = simulate(systems=5, topics=12, seed=7)
FIRST = MADE.runs[0].name
CAMPAIGN = assay.read(MADE.qrels, MADE.runs)
FRAME = effort_gain_linked.data(CAMPAIGN).frame


def points(rows: list[tuple[str, float, float, str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["run", "twist", "gain", "row", "column", "class"], orient="row").with_columns(
        topic=pl.lit("t")
    )


def test_all_points_come_first_and_then_curves() -> None:
    wanted = effort_gain.data(CAMPAIGN, measure="nDCG").frame
    own = FRAME.filter(pl.col("panel") == "points")
    assert own["x"].to_list() == wanted["twist"].to_list()
    assert own["y"].to_list() == wanted["gain"].to_list()
    assert own["archetype"].to_list() == wanted["archetype"].to_list()
    assert FRAME["panel"].unique(maintain_order=True).to_list() == ["points", "crp", "dcg"]
    chosen = own.filter(pl.col("number").is_not_null())
    assert sorted(chosen["number"].to_list()) == list(range(1, len(chosen) + 1))
    assert chosen["class"].n_unique() == len(chosen), "one of each class"


def test_curves_are_those_of_the_ranking() -> None:
    named = [f"{FIRST}:{MADE.qrels.topics[2]}", f"{MADE.runs[3].name}:{MADE.qrels.topics[0]}"]
    gain = "DCG(base=2, gains=exp)"
    frame = effort_gain_linked.data(CAMPAIGN, points=named, gain=gain, twist="Twist@200").frame
    for number, (run, topic) in enumerate(((0, 2), (3, 0)), 1):
        wanted = curve(CAMPAIGN, CAMPAIGN.topics[topic], CAMPAIGN.runs[run], gain=gain, depth=200).frame()
        crp, dcg = (frame.filter(number=number, panel=panel) for panel in ("crp", "dcg"))
        assert crp["x"].to_list() == wanted["rank"].to_list()
        assert crp["y"].to_list() == wanted["crp"].to_list()
        assert dcg["y"].to_list() == pytest.approx(wanted["dcg"].to_list())
        assert dcg["ideal"].to_list() == pytest.approx(wanted["ideal_dcg"].to_list())
        assert set(dcg["measure"]) == {gain}
        assert set(crp["r"]) == {int((wanted["ideal"] > 0).sum())}


def test_a_typical_point_has_the_most_gain_of_its_class() -> None:
    found = points(
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
    assert effort_gain_linked.typical_points(found) == [("middle", "t"), ("a", "t")]
    assert effort_gain_linked.typical_points(found.clear()) == []


def test_names_may_hold_colons() -> None:
    runs = [MADE.runs[0].named("a:b"), MADE.runs[1].named("a")]
    topic = MADE.qrels.topics[0]
    frame = effort_gain_linked.data(assay.read(MADE.qrels, runs), points=[f"a:b:{topic}"]).frame
    assert frame.filter(pl.col("number") == 1)["run"].unique().to_list() == ["a:b"]
    twice = effort_gain_linked.data(assay.read(MADE.qrels, runs), points=[f"a:{topic}", f"a:{topic}"]).frame
    assert twice["number"].max() == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nobody:401"], "there is no run nobody"),
        ([f"{FIRST}:4001"], "has no topic 4001; did you mean 401"),
        (["alpha"], "points: write RUN:TOPIC, such as"),
        ([], "points: name 1 to 8"),
        ([f"{FIRST}:401"] * 9, "points: name 1 to 8"),
    ],
)
def test_wrong_points_are_refused(given: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        effort_gain_linked.data(CAMPAIGN, points=given)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(AssayError, match="a curve needs an order"):
        effort_gain_linked.data(assay.read(MADE.qrels, MADE.runs, ties="expected"))
    with pytest.raises(AssayError, match="name a form of DCG"):
        effort_gain_linked.data(CAMPAIGN, gain="AP")


def pairs(spec: dict[str, Any]) -> list[dict[str, Any]]:
    both = spec.get("hconcat") or spec["vconcat"]
    found: list[dict[str, Any]] = both[1]["concat"]
    return found


@pytest.mark.parametrize("width", [320, 720, 1000])
def test_every_chosen_point_has_both_curves(width: int) -> None:
    spec = specification(effort_gain_linked.draw(FRAME, Style(width=width)))
    many = FRAME["number"].max()
    assert ("hconcat" in spec) == (width >= 600), "side by side where there is room"
    assert len(pairs(spec)) == many
    for pair in pairs(spec):
        assert len(pair["vconcat"]) == 2
        assert all("domain" not in panel["layer"][-1]["encoding"]["y"]["scale"] for panel in pair["vconcat"])
        for panel in pair["vconcat"]:
            assert len(spec["datasets"][panel["layer"][-1]["data"]["name"]]) <= 200


def test_titles_tell_run_topic_and_values() -> None:
    topic = MADE.qrels.topics[0]
    long = MADE.runs[0].named("a-very-long-name-of-a-retrieval-system-with-many-parts")
    frame = effort_gain_linked.data(
        assay.read(MADE.qrels, [long, *MADE.runs[1:]]), points=[f"{long.name}:{topic}"]
    ).frame
    [pair] = pairs(specification(effort_gain_linked.draw(frame)))
    assert pair["title"]["text"].startswith("1  a-ver")
    assert pair["title"]["text"].endswith(f", {topic}")
    assert pair["title"]["subtitle"].startswith("Twist 0.")
    [narrow] = pairs(specification(effort_gain_linked.draw(frame, Style(width=320))))
    assert len(narrow["title"]["text"]) < 50


def test_without_chosen_points_the_scatter_is_left() -> None:
    own = FRAME.filter(pl.col("panel") == "points").with_columns(number=pl.lit(None, pl.Int64))
    spec = specification(effort_gain_linked.draw(own))
    assert [len(part["layer"]) > 1 for part in spec["vconcat"]] == [True, True]


def test_a_topic_without_relevant_documents() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}
    frame = effort_gain_linked.data(assay.read(qrels, {"x": run}), points=["x:2"]).frame
    assert frame.filter(panel="crp", number=1)["y"].to_list() == [0, 0]
    assert specification(effort_gain_linked.draw(frame))
    empty = effort_gain_linked.data(assay.read(qrels, {"x": {"1": {"b": 1.0}}}), points=["x:2"]).frame
    assert specification(effort_gain_linked.draw(empty))
