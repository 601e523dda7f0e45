"""Tests of the figure of cumulated relative position and cumulated gain."""

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


def test_gains_at_every_rank() -> None:
    frame = data(CAMPAIGN).frame
    gains, ideal_gains = np.array([1, 0, 3, 0, 2, 0, 0, 0]), np.array([3, 2, 2, 1, 0, 0, 0, 0])
    assert len(frame) == 8, "2 R ranks"
    assert frame["dcg"].to_list() == pytest.approx(np.cumsum(gains * DISCOUNT).tolist())
    assert frame["ideal_dcg"].to_list() == pytest.approx(np.cumsum(ideal_gains * DISCOUNT).tolist())
    expected = ((gains - ideal_gains) * DISCOUNT).tolist()
    assert frame["delta"].to_list()[:5] == pytest.approx(expected[:5])
    assert frame["delta"].to_list()[5:] == [None] * 3, "neither ranking has a gain there"
    assert frame["gain"].unique().to_list() == ["DCG"]
    assert frame["rp"].to_list() == curve(CAMPAIGN, "t").frame()["rp"].to_list()


def test_depth_limits_the_ranks_shown() -> None:
    full, shown = data(CAMPAIGN).frame, data(CAMPAIGN, depth=2).frame
    columns = ["rank", "document", "rp", "crp", "dcg", "ideal_dcg", "delta", "r"]
    assert shown.select(columns).equals(full[:2].select(columns))
    assert "R = 4 →" in texts(draw(shown))


def test_rounding_errors_are_not_differences() -> None:
    documents = [f"d{i:03}" for i in range(400)]
    qrels = {"t": {document: 1 + i % 3 for i, document in enumerate(documents)}}
    order = sorted(documents, key=lambda document: -qrels["t"][document])
    order[10], order[200] = order[200], order[10]
    frame = data(assay.read(qrels, {"r": {"t": {document: -float(i) for i, document in enumerate(order)}}})).frame
    assert frame.filter(frame["delta"] != 0)["rank"].to_list() == [11, 201]


def test_missing_relevant_documents_are_losses() -> None:
    frame = data(assay.read(QRELS, {"r": {"t": {"a": 1.0}}})).frame
    assert frame["delta"].to_list()[0] == 0
    assert all(delta < 0 for delta in frame["delta"].to_list()[1:4])
    assert frame["delta"].to_list()[4:] == [None] * 4


def test_weights_of_the_paper() -> None:
    frame = data(CAMPAIGN, gain="DCG(base=2, gains=negative)").frame
    discount = [1, 1, *(1 / math.log2(rank) for rank in range(3, 9))]
    expected = (np.array([1, -1, 3, -1, 2]) - np.array([3, 2, 2, 1, -1])) * discount[:5]
    assert frame["delta"].to_list()[:5] == pytest.approx(expected.tolist())
    assert frame["dcg"].to_list()[4:] == pytest.approx([frame["dcg"][4]] * 4), "ranks beyond the ranking cost nothing"
    assert frame["gain"][0] == "DCG(base=2, gains=negative)"


def test_bar_colours() -> None:
    """A non-relevant document at a high rank is too early (red) in one bar and a loss (blue) in the other."""
    frame = data(CAMPAIGN).frame.filter(rank=2)
    palette = PALETTES["papers"]
    style = Style("papers")
    assert merge_cells(frame, "rp", style)["colour"].to_list() == [palette.early]
    assert merge_cells(frame, "delta", style)["colour"].to_list() == [palette.late]
    late = data(CAMPAIGN).frame.filter(rank=5)
    assert merge_cells(late, "rp", style)["colour"].to_list() == [palette.late]
    assert merge_cells(late, "delta", style)["colour"].to_list() == [palette.early]


def test_two_panels_share_one_axis() -> None:
    chart = draw(data(CAMPAIGN).frame)
    spec = specification(chart)
    assert len(spec["vconcat"]) == 2
    assert spec["bounds"] == "flush", "aligns the panels exactly"
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
    rows = spec["datasets"][spec["data"]["name"]]
    assert {"rank", "document", "grade", "rp", "crp", "dcg", "ideal_dcg", "delta"} == set(rows[0])


def test_existing_curve_is_drawn() -> None:
    gain = "DCG(gains=exp)"
    curves = ShownCurves("t", {"bm25": curve(CAMPAIGN, "t", gain=gain).frame()})
    assert data(curves, gain=gain).frame.equals(data(CAMPAIGN, gain=gain).frame)


def test_topic_without_relevant_documents() -> None:
    assert texts(draw(data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame)) == [
        "the topic has no relevant documents"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gain": "AP"}, "gain 'AP': use a form of DCG"),
        ({"run": ["bm25", "bm25"]}, "this figure shows one run, got 2"),
        ({"topic": "tt"}, "has no topic tt; did you mean t?"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        data(CAMPAIGN, **options)
    assert message in str(error.value)


def test_balance_point_at_r_is_labelled() -> None:
    chart = draw(data(assay.read({"q": {"a": 1, "b": 0}}, {"r": {"q": {"b": 2.0, "a": 1.0}}})).frame)
    assert "m = b = R, loss 1" in texts(chart)
