"""Tests of the figure of the balancing index against the length of rankings."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.theory import balance
from assay.views.plots.balancing import BISECTOR, MEASURES, data, draw
from chart_parts import mark_rows, marks, texts
from oracles import balancing as oracle

CLOSED_FORMS = {
    "AP": oracle.ap,
    "RBP(p=0.8)": lambda n: oracle.rbp(n, "0.8"),
    "RBP(p=0.95)": lambda n: oracle.rbp(n, "0.95"),
    "ERR": lambda n: oracle.err(n, 0.5, 0.5),
    "P@10": lambda n: min(n, 10),
    "nDCG(base=2)": lambda n: oracle.dcg(n, 2),
    "nDCG(base=10)": lambda n: oracle.dcg(n, 10),
}


def test_indices_of_the_paper() -> None:
    frame = data().frame
    assert frame["n"].unique().sort().to_list() == list(range(1, 201))
    for measure in MEASURES:
        closed_form = CLOSED_FORMS[measure]
        assert frame.filter(measure=measure)["balance"].to_list() == [closed_form(n) for n in range(1, 201)]
    assert frame.filter(measure="RBP(p=0.8)", n=200)["balance"].item() == 8
    assert frame.filter(measure="RBP(p=0.95)", n=200)["balance"].item() == 59
    assert frame.filter(measure="AP")["balance"].gather([4, 9, 19, 49, 99, 199]).to_list() == [3, 7, 15, 41, 87, 181]


def test_lengths_are_sorted_and_unique() -> None:
    assert data(measures="P@10", sizes=[20, 5, 20]).frame.rows() == [("P@10", 5, 5), ("P@10", 20, 10)]


def test_measure_without_an_index_is_labelled_and_noted() -> None:
    plot_data = data(measures=["ERR(max_rel=3)", "AP"], sizes=[5, 10], qmax=3)
    assert plot_data.frame.filter(measure="ERR(max_rel=3)")["balance"].to_list() == [None, None]
    assert any("no index for some lengths, because even a ranking" in note for note in plot_data.notes)
    assert plot_data.provenance.settings["qmax"] == 3
    assert texts(draw(plot_data.frame)) == ["ERR(max_rel=3): none", "AP", BISECTOR]


def test_topic_of_the_index() -> None:
    for options in ({"recall_base": 300}, {"counts": {0: 300, 1: 200, 3: 20}, "qmax": 3}):
        plot_data = data(measures=["bpref", "nDCG"], sizes=[10, 50], **options)
        expected = balance(["bpref", "nDCG"], [10, 50], **options)
        assert plot_data.frame["balance"].to_list() == expected.frame()["balance"].to_list()
        assert plot_data.notes == expected.notes


def test_one_line_per_measure_and_the_bisector() -> None:
    chart = draw(data(measures=["AP", "P@10"], sizes=range(1, 31)).frame)
    assert marks(chart) == ["line", "line", "text", "text"]
    bisector = [row for row in mark_rows(chart, "line") if "measure" not in row]
    assert [(row["n"], row["balance"]) for row in bisector] == [(0, 0), (30, 30)]
    assert texts(chart) == ["AP", "P@10", BISECTOR]


def test_few_lengths_have_points() -> None:
    frame = data(measures="AP", sizes=[7]).frame
    assert marks(draw(frame)) == ["line", "line", "circle", "text", "text"]
    assert mark_rows(draw(frame), "circle") == frame.to_dicts()


def test_invalid_length_is_rejected() -> None:
    with pytest.raises(InputError, match="n must be a whole number of at least 1, got 0"):
        data(sizes=[0])
