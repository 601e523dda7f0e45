"""Tests of the curves of cumulated relative position."""

from __future__ import annotations

import itertools
from typing import Any

import polars as pl
import pytest

import assay
from assay.effort._curve import curve
from assay.errors import InputError
from assay.views.plots._crp_landmarks import list_landmarks
from assay.views.plots._crp_layers import ValueAxis, merge_cells
from assay.views.plots._export import specification
from assay.views.plots._shown_curves import ShownCurves
from assay.views.plots._style import PALETTES, Style
from assay.views.plots.crp import data, draw
from chart_parts import mark_rows, marks, texts, titles, views
from oracles import effort as oracle

GRADES = [3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1, 0, 0, 0, 0, 0, 0]
COUNTS = {3: 3, 2: 3, 1: 4}
"""Run B of the paper."""


def build_campaign(grades: list[int], counts: dict[int, int], retrieved: int | None = None) -> tuple[Any, Any]:
    """Return qrels and a run with these grades; *retrieved* limits the number of documents in the run."""
    judged = {f"d{i:03}": grade for i, grade in enumerate(grades)}
    for grade, count in counts.items():
        missing = count - grades.count(grade)
        judged |= {f"m{grade}{i}": grade for i in range(missing)}
    run = {f"d{i:03}": float(-i) for i in range(len(grades) if retrieved is None else retrieved)}
    return {"351": judged}, {"bbn1": {"351": run}}


QRELS, RUNS = build_campaign(GRADES, COUNTS)
CAMPAIGN = assay.read(QRELS, RUNS)


def test_example_of_the_paper() -> None:
    frame = data(CAMPAIGN).frame
    position = oracle.rp(GRADES, oracle.ideal_vector(COUNTS, 20))
    assert frame["rp"].to_list() == position
    assert frame["crp"].to_list() == oracle.running_sum(position)
    assert frame["rank"].to_list() == list(range(1, 21))
    assert frame.select("topic", "curve", "run", "r", "turn_around", "balance_point").unique().rows() == [
        ("351", "run", "bbn1", 10, 8, 13)
    ]


def test_reference_curves() -> None:
    frame = data(CAMPAIGN, curves="full-scale, worst").frame
    assert frame["curve"].unique(maintain_order=True).to_list() == ["run", "full-scale", "worst"]
    ideal = oracle.ideal_vector(COUNTS, 20)
    full = frame.filter(curve="full-scale")
    assert full["crp"].to_list() == oracle.running_sum(oracle.rp(ideal[::-1], ideal))
    assert full["run"].null_count() == 20
    assert full["balance_point"][0] == 17
    assert frame.filter(curve="worst")["crp"][-1] == -55
    assert data(CAMPAIGN, curves=["worst", "worst"]).frame["curve"].n_unique() == 2
    assert "full-scale" in texts(draw(frame))


def test_several_runs_have_the_same_length() -> None:
    runs = {**RUNS, "short": {"351": {"d000": 1.0}}}
    frame = data(assay.read(QRELS, runs), run=["short", "bbn1"]).frame
    assert frame["run"].unique(maintain_order=True).to_list() == ["short", "bbn1"]
    assert frame.group_by("run").len()["len"].to_list() == [20, 20]
    assert frame.filter(run="short")["balance_point"].null_count() == 20
    chart = draw(frame)
    assert titles(chart)[0] == "topic 351"
    assert texts(chart).count("short") == 1
    assert {"short", "bbn1", "R = 10"} <= set(texts(chart))
    assert marks(chart).count("rect") == 2, "one bar per run"
    tooltips = [view["encoding"]["tooltip"] for view in views(chart) if len(view["encoding"].get("tooltip", [])) == 3]
    assert [field.get("title") for field in tooltips[0]] == [None, "CRP, short", "CRP, bbn1"]


def test_landmarks_are_labelled() -> None:
    chart = draw(data(CAMPAIGN).frame)
    height = oracle.running_sum(oracle.rp(GRADES, oracle.ideal_vector(COUNTS, 20)))
    assert {"R = 10", "m = 8", f"loss {-height[9]}", "b = 13", "N = 20"} <= set(texts(chart))
    points = {(row["x"], row["y"]) for row in mark_rows(chart, "circle")}
    assert points == {(rank, height[rank - 1]) for rank in (8, 10, 13, 20)}
    assert titles(chart)[0] == "bbn1, topic 351"


def test_all_landmarks_of_the_sketch() -> None:
    frame = data(CAMPAIGN, landmarks="all").frame
    assert frame["curve"].unique(maintain_order=True).to_list() == ["run", "full-scale"]
    ideal = oracle.ideal_vector(COUNTS, 20)
    run = oracle.running_sum(oracle.rp(GRADES, ideal))
    worst = oracle.running_sum(oracle.rp(ideal[::-1], ideal))
    landmarks = list_landmarks(frame.filter(curve="run"), frame.filter(curve="full-scale"))
    ranks = {"min": 8, "R": 10, "b_r": 13, "b_w": 17, "N": 20}
    assert {mark.name: mark.rank for mark in landmarks} == ranks
    assert [(mark.run, mark.full_scale) for mark in landmarks] == [
        (run[rank - 1], worst[rank - 1]) for rank in ranks.values()
    ]
    chart = draw(frame)
    assert {*ranks, "CRP of r", "CRP of w", "b_w, balance point of w", str(worst[-1])} <= set(texts(chart))
    assert [row["full_scale"] for row in mark_rows(chart, "circle")][:5] == [worst[rank - 1] for rank in ranks.values()]
    with pytest.raises(InputError, match="landmarks all: shows one run, got 2"):
        data(CAMPAIGN, run=["bbn1", "bbn1"], landmarks="all")


def test_landmarks_that_are_missing_or_not_shown() -> None:
    qrels, runs = build_campaign([0, 0, 1, 0], {1: 2})
    frame = data(assay.read(qrels, runs), landmarks="all").frame
    by_name = {mark.name: mark for mark in list_landmarks(frame.filter(curve="run"), frame.filter(curve="full-scale"))}
    assert by_name["b_r"][2:] == (None, None, None)
    assert "–" in texts(draw(frame))
    frame = data(CAMPAIGN, landmarks="all", depth=9).frame
    by_name = {mark.name: mark for mark in list_landmarks(frame.filter(curve="run"), frame.filter(curve="full-scale"))}
    assert by_name["R"][2:] == (10, None, None), "the rank is known, but not shown"
    assert "R" not in texts(draw(frame, Style(width=320)))


def test_curve_that_never_returns_has_no_balance_point() -> None:
    qrels, runs = build_campaign([0, 0, 1, 0], {1: 2})
    chart = draw(data(assay.read(qrels, runs)).frame)
    assert not any(text.startswith("b = ") for text in texts(chart))
    assert "m = R, loss 3" in texts(chart)


def test_equal_neighbours_share_a_cell() -> None:
    qrels, runs = build_campaign(GRADES, COUNTS, retrieved=16)
    frame = data(assay.read(qrels, runs), depth=20).frame
    palette = PALETTES["safe"]
    cells = merge_cells(frame, "rp", Style(), "intensity").sort("first")
    assert cells["first"][0] == 0.5
    assert cells["last"].to_list() == [*cells["first"].to_list()[1:], 20.5], "the cells cover all ranks"
    colour = {0: palette.right, -1: palette.early, 1: palette.late}
    for first, last, cell_colour, opacity in cells.iter_rows():
        inside = frame.filter(pl.col("rank").is_between(first, last))
        assert {colour[(rp > 0) - (rp < 0)] for rp in inside["rp"]} == {cell_colour}
        assert {document is None for document in inside["document"]} == {opacity < 1}
    neighbours = list(zip(cells["colour"].to_list(), cells["opacity"].to_list(), strict=True))
    assert all(a != b for a, b in itertools.pairwise(neighbours))


def test_misplaced_cells_are_drawn_last() -> None:
    colours = merge_cells(data(CAMPAIGN).frame, "rp", Style("papers"))["colour"].to_list()
    right = PALETTES["papers"].right
    assert colours == sorted(colours, key=lambda colour: colour != right)
    assert len(set(colours)) == 3


def test_bar_can_show_amounts() -> None:
    frame = data(CAMPAIGN, bar="amount").frame
    assert frame["intensity"].to_list() == pytest.approx([abs(rp) / 10 for rp in frame["rp"]])
    assert data(CAMPAIGN).frame["intensity"].unique().to_list() == [1]
    opacity = merge_cells(frame, "rp", Style(), "intensity")["opacity"]
    assert opacity.n_unique() > 3
    assert opacity.min() > 0.2


def test_many_ranks_have_few_cells() -> None:
    collection = assay.simulate(systems=2, topics=3, seed=2)
    frame = data(assay.read(collection.qrels, collection.runs)).frame
    assert len(frame) == 1000
    assert len(merge_cells(frame, "rp", Style())) < 150


def test_tooltip_data_of_a_rank() -> None:
    qrels, runs = {"q": {"a": 2, "b": 0, "c": 1}}, {"r": {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}}
    spec = specification(draw(data(assay.read(qrels, runs), depth=4).frame))
    rows = spec["datasets"][spec["data"]["name"]]
    assert [row["grade"] for row in rows] == ["2", "unjudged", "0", ""]
    assert [row["document"] for row in rows] == ["a", "x", "b", None]
    [param] = spec["params"]
    assert param["select"]["fields"] == ["rank"]


def test_depth_limits_the_ranks_shown() -> None:
    full = data(CAMPAIGN, curves="full-scale").frame
    for depth in (1, 3, 12):
        shown = data(CAMPAIGN, curves="full-scale", depth=depth).frame
        assert shown["rank"].to_list() == [*range(1, depth + 1)] * 2
        expected = full.filter(curve="run")[:depth]
        assert (
            shown.filter(curve="run")
            .select("document", "rp", "crp", "r")
            .equals(expected.select("document", "rp", "crp", "r"))
        )
    relevant = full["r"][0]
    beyond, inside = (texts(draw(data(CAMPAIGN, depth=depth).frame)) for depth in (relevant - 1, relevant))
    assert f"R = {relevant} →" in beyond
    assert not any("loss" in text for text in beyond)
    assert f"R = {relevant}" in inside


def test_existing_curves_are_drawn() -> None:
    frames = {"bbn1": curve(CAMPAIGN, "351").frame()}
    assert data(ShownCurves("351", frames)).frame.equals(data(CAMPAIGN).frame)
    assert data(ShownCurves("351", frames, depth=3)).frame.equals(data(CAMPAIGN).frame[:3])


def test_topic_without_relevant_documents() -> None:
    chart = draw(data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame)
    assert texts(chart) == ["the topic has no relevant documents"]


def test_ideal_ranking_lies_on_the_axis() -> None:
    qrels, runs = build_campaign([2, 1, 0, 0], {2: 1, 1: 1})
    frame = data(assay.read(qrels, runs)).frame
    assert frame["crp"].unique().to_list() == [0]
    assert frame["balance_point"][0] == 2
    assert "b = R, loss 0" in texts(draw(frame))


def test_axis_includes_zero_and_space_for_labels() -> None:
    axis = ValueAxis.spanning(-100, 50, 200, 25, 25)
    assert (axis.low, axis.high) == (-125, 75)
    assert axis.pixel(75) == 0
    assert axis.pixel(0) == 75
    assert ValueAxis.spanning(0, 0, 100, 0, 0)[:2] == (-1, 1)
    assert ValueAxis.spanning(5, 10, 100, 0, 0)[:2] == (0, 10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"curves": "fullscale"}, "curves 'fullscale': choose from full-scale, worst; did you mean full-scale?"),
        ({"bar": "amounts"}, "bar 'amounts': choose one of state, amount; did you mean amount?"),
        ({"topic": "35"}, "has no topic 35; did you mean 351?"),
        ({"run": "bbn"}, "there is no run bbn; did you mean bbn1?"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        data(CAMPAIGN, **options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("grades", "label"),
    [
        ([0, 1, 0, 0], "m = b = R, loss 1"),
        ([1, 2, 0, 0], "b = R, loss 0"),
        ([1, 0, 0, 0], "m = b = R, loss 0"),
    ],
)
def test_balance_point_at_r_is_labelled(grades: list[int], label: str) -> None:
    qrels, runs = build_campaign(grades, {})
    frame = data(assay.read(qrels, runs)).frame
    assert frame["balance_point"][0] == frame["r"][0]
    assert label in texts(draw(frame))


def test_balance_point_is_the_last_negative_rank() -> None:
    frame = data(CAMPAIGN).frame
    balance_point = frame["balance_point"][0]
    assert frame["crp"][balance_point - 1] < 0 <= frame["crp"][balance_point]
