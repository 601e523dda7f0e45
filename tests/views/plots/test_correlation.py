"""Correlation: the taus of the analysis in an order that puts alike measures together."""

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

MADE = simulate(systems=9, topics=10, seed=6)
CAMPAIGN = read(MADE.qrels, MADE.runs)
MEASURES = ["RR", "AP", "P@1", "nDCG"]


def cells(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for values in spec["datasets"].values() for row in values if "tau" in row]


def test_every_two_measures_with_their_tau() -> None:
    found = correlate(CAMPAIGN, MEASURES)
    frame = figure.data(CAMPAIGN, measures=MEASURES).frame
    assert frame.height == 16
    for row in frame.iter_rows(named=True):
        i, j = MEASURES.index(row["measure"]), MEASURES.index(row["other"])
        assert row["tau"] == found.taus.tau[i, j]
        assert row["p"] == found.taus.p[i, j]
        assert row["tau_ap"] == found.taus.tau_ap[i, j]
    assert set(frame["runs"]) == {9}
    assert set(figure.data(CAMPAIGN, measures=MEASURES, share=0.5).frame["runs"]) == {5}
    assert figure.data(found).frame.equals(frame)
    assert figure.data(evaluate(CAMPAIGN, MEASURES), measures=MEASURES).frame.equals(frame)


def test_the_order() -> None:
    given = figure.data(CAMPAIGN, measures=MEASURES, order="given").frame
    assert given.filter(column=1)["measure"].to_list() == MEASURES
    block = np.full((6, 6), 0.1)
    for group in ([0, 3, 5], [1, 2, 4]):
        block[np.ix_(group, group)] = 0.9
    np.fill_diagonal(block, 1)
    found = figure.cluster_order(block)
    assert {frozenset(found[:3]), frozenset(found[3:])} == {frozenset([0, 3, 5]), frozenset([1, 2, 4])}
    assert found.index(0) < 3, "the first one given stands in the first half"
    assert figure.cluster_order(np.eye(2)) == [0, 1]
    with pytest.raises(InputError, match="order 'alik': choose one of alike, given; did you mean alike"):
        figure.data(CAMPAIGN, order="alik")


def test_neighbours_are_alike() -> None:
    rng = np.random.default_rng(2)
    line = rng.permutation(12)
    tau = 1 - np.abs(line[:, None] - line[None, :]) / 12
    order = line[figure.cluster_order(tau)]
    assert abs(np.diff(order)).max() == 1, "measures on a line stand in its order"


def test_a_measure_without_an_order_has_no_tau() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP", "NumQ", "RR"]).frame
    assert frame.filter(measure="NumQ")["tau"].is_null().all()
    spec = specification(figure.draw(frame))
    assert sorted(row["text"] for row in cells(spec)).count("-") == 2


def test_rows_that_are_others_are_refused() -> None:
    other = correlate(CAMPAIGN, ["AP", "RR"], rows=["P@5"])
    with pytest.raises(InputError, match="each measure with each other"):
        figure.data(other)


def test_half_of_the_cells_is_drawn_with_names_on_the_diagonal() -> None:
    frame = figure.data(CAMPAIGN, measures=MEASURES).frame
    spec = specification(figure.draw(frame))
    assert len(cells(spec)) == 6
    assert all(row["row"] > row["column"] for row in cells(spec))
    names = [row for values in spec["datasets"].values() for row in values if "short" in row]
    assert [row["name"] for row in names] == frame.filter(column=1)["measure"].to_list()
    assert [row["at"] for row in names] == [0.5, 1.5, 2.5, 3.5]


def test_opposite_orders_have_another_colour() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP", "nDCG"]).frame
    [cell] = cells(specification(figure.draw(frame)))
    assert cell["tau"] > 0
    assert cell["sign"] == "alike"
    [turned] = cells(specification(figure.draw(frame.with_columns(tau=-frame["tau"]))))
    assert turned["sign"] == "opposite"
    assert turned["depth"] == cell["depth"]


def test_numbers_are_left_out_where_they_do_not_fit() -> None:
    measures = [f"P@{k}" for k in range(1, 31)]
    frame = figure.data(CAMPAIGN, measures=measures).frame
    wide, narrow = (specification(figure.draw(frame, Style(width=width))) for width in (1100, 320))
    assert sum(layer["mark"]["type"] == "text" for layer in wide["layer"]) > 2
    assert sum(layer["mark"]["type"] == "text" for layer in narrow["layer"]) == 2, "names, and what colours say"
    assert narrow["width"] <= 320


def test_one_measure_or_one_run() -> None:
    frame = figure.data(CAMPAIGN, measures=["AP"]).frame
    assert "fewer than two measures" in str(specification(figure.draw(frame)))
    with pytest.raises(InputError, match="at least two runs"):
        figure.data(CAMPAIGN.select(CAMPAIGN.runs[:1]))
