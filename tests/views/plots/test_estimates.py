"""Tests of the figure of estimates."""

from __future__ import annotations

import pytest

import assay
from assay.errors import AssayError
from assay.views.plots._export import specification
from assay.views.plots.estimates import TREATMENTS, data, draw

QRELS = {"q": {"a": 1, "b": 0, "c": 0}}
RUNS = {"x": {"q": {"a": 3.0, "u": 2.0}}, "y": {"q": {"u": 3.0, "b": 1.0}}, "z": {"q": {"c": 3.0, "b": 1.0}}}
CAMPAIGN = assay.read(QRELS, RUNS, keep="documents")


def test_the_data_are_those_of_the_report() -> None:
    report = assay.uncertainty.estimate(CAMPAIGN, "P@2", leave_out=False)
    frame = data(CAMPAIGN, measures="P@2").frame
    assert frame.equals(data(report).frame)
    assert frame.select("place", "run", "value", "mean", "low", "high").rows() == [
        (1, "x", 0.5, 0.6875, 0.5, 1.0),
        (2, "y", 0.0, 0.1875, 0.0, 0.5),
        (3, "z", 0.0, 0.0, 0.0, 0.0),
    ]
    assert data(report, most=2).frame["run"].to_list() == ["x", "y"]


def test_the_legend_names_all_treatments() -> None:
    spec = str(specification(draw(data(CAMPAIGN, measures="P@2").frame)))
    assert all(name in spec for name in TREATMENTS)


def test_most_must_be_positive() -> None:
    with pytest.raises(AssayError, match="most"):
        data(CAMPAIGN, most=0)
