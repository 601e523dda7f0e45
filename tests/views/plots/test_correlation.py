"""Tests of the correlation figure: taus in an order that places similar measures together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay import evaluate, read, simulate
from assay.errors import InputError
from assay.meta._correlate import correlate
from assay.views.plots import correlation as figure
from assay.views.plots._export import specification
from assay.views.plots._style import Style

COLLECTION = simulate(systems=9, topics=10, seed=6)
CAMPAIGN = read(COLLECTION.qrels, COLLECTION.runs)
MEASURES = ["RR", "AP", "P@1", "nDCG"]


def read_cells(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for values in spec["datasets"].values() for row in values if "tau" in row]


def test_taus_match_the_report() -> None:
    report = correlate(CAMPAIGN, MEASURES)
    frame = figure.data(CAMPAIGN, measures=MEASURES).frame
    assert frame.height == 16
    for row in frame.iter_rows(named=True):
        i, j = MEASURES.index(row["measure"]), MEASURES.index(row["other"])
        assert row["tau"] == report.taus.tau[i, j]
        assert row["p"] == report.taus.p[i, j]
        assert row["tau_ap"] == report.taus.tau_ap[i, j]
    assert set(frame["runs"]) == {9}
    assert set(figure.data(CAMPAIGN, measures=MEASURES, share=0.5).frame["runs"]) == {5}
    assert figure.data(report).frame.equals(frame)
    assert figure.data(evaluate(CAMPAIGN, MEASURES), measures=MEASURES).frame.equals(frame)


def test_order_of_measures() -> None:
    frame = figure.data(CAMPAIGN, measures=MEASURES, order="given").frame
    assert frame.filter(column=1)["measure"].to_list() == MEASURES
    tau = np.full((6, 6), 0.1)
    for group in ([0, 3, 5], [1, 2, 4]):
        tau[np.ix_(group, group)] = 0.9
    np.fill_diagonal(tau, 1)
    order = figure.cluster_order(tau)
    assert {frozenset(order[:3]), frozenset(order[3:])} == {frozenset([0, 3, 5]), frozenset([1, 2, 4])}
    assert order.index(0) < 3, "the first measure is in the first half"
    assert figure.cluster_order(np.eye(2)) == [0, 1]
    with pytest.raises(InputError, match="order 'alik': choose one of alike, given; did you mean alike"):
        figure.data(CAMPAIGN, order="alik")


def test_similar_measures_are_neighbours() -> None:
    rng = np.random.default_rng(2)
    positions = rng.permutation(12)
    tau = 1 - np.abs(positions[:, None] - positions[None, :]) / 12
    order = positions[figure.cluster_order(tau)]
    assert abs(np.diff(order)).max() == 1, "measures on a line keep its order"


def test_constant_measure_has_no_tau() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP", "NumQ", "RR"]).frame
    assert frame.filter(measure="NumQ")["tau"].is_null().all()
    spec = specification(figure.draw(frame))
    assert sorted(row["text"] for row in read_cells(spec)).count("-") == 2


def test_different_rows_are_rejected() -> None:
    report = correlate(CAMPAIGN, ["AP", "RR"], rows=["P@5"])
    with pytest.raises(InputError, match="compares all pairs of measures"):
        figure.data(report)


def test_lower_triangle_is_drawn_with_names_on_the_diagonal() -> None:
    frame = figure.data(CAMPAIGN, measures=MEASURES).frame
    spec = specification(figure.draw(frame))
    assert len(read_cells(spec)) == 6
    assert all(row["row"] > row["column"] for row in read_cells(spec))
    names = [row for values in spec["datasets"].values() for row in values if "short" in row]
    assert [row["name"] for row in names] == frame.filter(column=1)["measure"].to_list()
    assert [row["at"] for row in names] == [0.5, 1.5, 2.5, 3.5]


def test_negative_tau_has_another_colour() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP", "nDCG"]).frame
    [cell] = read_cells(specification(figure.draw(frame)))
    assert cell["tau"] > 0
    assert cell["sign"] == "alike"
    [negative_cell] = read_cells(specification(figure.draw(frame.with_columns(tau=-frame["tau"]))))
    assert negative_cell["sign"] == "opposite"
    assert negative_cell["depth"] == cell["depth"]


def test_numbers_are_omitted_in_small_cells() -> None:
    measures = [f"P@{k}" for k in range(1, 31)]
    frame = figure.data(CAMPAIGN, measures=measures).frame
    wide, narrow = (specification(figure.draw(frame, Style(width=width))) for width in (1100, 320))
    assert sum(layer["mark"]["type"] == "text" for layer in wide["layer"]) > 2
    assert sum(layer["mark"]["type"] == "text" for layer in narrow["layer"]) == 2, "names and the legend of colours"
    assert narrow["width"] <= 320


def test_one_measure_or_run_is_not_enough() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP"]).frame
    assert "fewer than two measures" in str(specification(figure.draw(frame)))
    with pytest.raises(InputError, match="at least two runs"):
        figure.data(CAMPAIGN.select(CAMPAIGN.runs[:1]))
