"""Relative position and cumulated gain side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import assay
from assay.effort._curve import curve
from assay.errors import InputError
from assay.views.plots._crp_layers import merge_cells
from assay.views.plots._export import specification
from assay.views.plots._shown_curves import ShownCurves
from assay.views.plots._style import PALETTES, Style
from assay.views.plots.crp_dcg import data, draw
from chart_parts import marks, texts, titles

QRELS = {"t": {"a": 3, "b": 2, "c": 1, "d": 0, "e": 2}}
RUN = {"t": {"c": 9.0, "d": 8.0, "a": 7.0, "x": 6.0, "b": 5.0}}
CAMPAIGN = assay.read(QRELS, {"bm25": RUN})
DISCOUNT = [1 / math.log2(1 + rank) for rank in range(1, 9)]


def test_gains_rank_by_rank() -> None:
    frame = data(CAMPAIGN).frame
    own, ideal = np.array([1, 0, 3, 0, 2, 0, 0, 0]), np.array([3, 2, 2, 1, 0, 0, 0, 0])
    assert len(frame) == 8, "2 R ranks"
    assert frame["dcg"].to_list() == pytest.approx(np.cumsum(own * DISCOUNT).tolist())
    assert frame["ideal_dcg"].to_list() == pytest.approx(np.cumsum(ideal * DISCOUNT).tolist())
    delta = ((own - ideal) * DISCOUNT).tolist()
    assert frame["delta"].to_list()[:5] == pytest.approx(delta[:5])
    assert frame["delta"].to_list()[5:] == [None] * 3, "nothing was shown there, and nothing was due"
    assert frame["gain"].unique().to_list() == ["DCG"]
    assert frame["rp"].to_list() == curve(CAMPAIGN, "t").frame()["rp"].to_list()


def test_depth_limits_the_ranks_shown() -> None:
    whole, shown = data(CAMPAIGN).frame, data(CAMPAIGN, depth=2).frame
    columns = ["rank", "document", "rp", "crp", "dcg", "ideal_dcg", "delta", "r"]
    assert shown.select(columns).equals(whole[:2].select(columns))
    assert "R = 4 →" in texts(draw(shown))


def test_no_difference_is_none_in_spite_of_rounding() -> None:
    documents = [f"d{i:03}" for i in range(400)]
    qrels = {"t": {document: 1 + i % 3 for i, document in enumerate(documents)}}
    order = sorted(documents, key=lambda document: -qrels["t"][document])
    order[10], order[200] = order[200], order[10]
    frame = data(assay.read(qrels, {"r": {"t": {document: -float(i) for i, document in enumerate(order)}}})).frame
    assert frame.filter(frame["delta"] != 0)["rank"].to_list() == [11, 201]


def test_a_relevant_document_that_is_due_where_nothing_was_shown_is_a_loss() -> None:
    frame = data(assay.read(QRELS, {"r": {"t": {"a": 1.0}}})).frame
    assert frame["delta"].to_list()[0] == 0
    assert all(delta < 0 for delta in frame["delta"].to_list()[1:4])
    assert frame["delta"].to_list()[4:] == [None] * 4


def test_the_weights_of_the_paper() -> None:
    frame = data(CAMPAIGN, gain="DCG(base=2, gains=negative)").frame
    discount = [1, 1, *(1 / math.log2(rank) for rank in range(3, 9))]
    delta = (np.array([1, -1, 3, -1, 2]) - np.array([3, 2, 2, 1, -1])) * discount[:5]
    assert frame["delta"].to_list()[:5] == pytest.approx(delta.tolist())
    assert frame["dcg"].to_list()[4:] == pytest.approx([frame["dcg"][4]] * 4), "what was never shown costs nothing"
    assert frame["gain"][0] == "DCG(base=2, gains=negative)"


def test_colours_of_the_bars() -> None:
    """An early document that is not relevant: too early (red) in one bar, a loss (blue) in the other."""
    frame = data(CAMPAIGN).frame.filter(rank=2)
    of = PALETTES["papers"]
    style = Style("papers")
    assert merge_cells(frame, "rp", style)["colour"].to_list() == [of.early]
    assert merge_cells(frame, "delta", style)["colour"].to_list() == [of.late]
    late = data(CAMPAIGN).frame.filter(rank=5)
    assert merge_cells(late, "rp", style)["colour"].to_list() == [of.late]
    assert merge_cells(late, "delta", style)["colour"].to_list() == [of.early]


def test_two_panels_over_one_axis() -> None:
    chart = draw(data(CAMPAIGN).frame)
    spec = specification(chart)
    assert len(spec["vconcat"]) == 2
    assert spec["bounds"] == "flush", "else the panels would not stand exactly above each other"
    assert marks(chart).count("rect") == 2
    assert titles(chart)[0] == "bm25, topic t"
    assert {"in place", "too early", "too late", "no difference", "gain", "loss"} <= set(texts(chart))
    domains = {
        tuple(layer["encoding"]["x"]["scale"]["domain"])
        for panel in spec["vconcat"]
        for layer in panel["layer"]
        if layer["encoding"].get("x", {}).get("scale")
    }
    assert domains == {(0.5, 8.5)}
    assert len(spec["params"]) == 2
    shared = spec["datasets"][spec["data"]["name"]]
    assert {"rank", "document", "grade", "rp", "crp", "dcg", "ideal_dcg", "delta"} == set(shared[0])


def test_a_curve_that_is_there() -> None:
    gain = "DCG(gains=exp)"
    shown = ShownCurves("t", {"bm25": curve(CAMPAIGN, "t", gain=gain).frame()})
    assert data(shown, gain=gain).frame.equals(data(CAMPAIGN, gain=gain).frame)


def test_nothing_relevant() -> None:
    assert texts(draw(data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame)) == [
        "the topic has no relevant documents"
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gain": "AP"}, "gain 'AP': name a form of DCG"),
        ({"run": ["bm25", "bm25"]}, "this figure shows one run, got 2"),
        ({"topic": "tt"}, "has no topic tt; did you mean t?"),
    ],
)
def test_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        data(CAMPAIGN, **given)
    assert message in str(error.value)


def test_a_balance_point_at_r_is_named() -> None:
    chart = draw(data(assay.read({"q": {"a": 1, "b": 0}}, {"r": {"q": {"b": 2.0, "a": 1.0}}})).frame)
    assert "m = b = R, loss 1" in texts(chart)
