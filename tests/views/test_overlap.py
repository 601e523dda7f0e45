"""The tables of how much rankings agree."""

from __future__ import annotations

import json

import polars as pl

from assay import read
from assay.distance.overlap import COLUMNS, overlap
from assay.views.overlap import matrix
from assay.views.overlap import overlap as table
from assay.views.tables import FORMATS, render

RUNS = {
    "x": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}},
    "y": {"q1": {"b": 2.0, "c": 1.0}, "q2": {"a": 2.0, "b": 1.0}},
}


def test_wide_leaves_out_the_topic_and_has_whole_depths_where_it_can() -> None:
    shown = table(overlap(read(runs=RUNS)))
    assert shown.wide.columns == ["run_a", "run_b", *COLUMNS]
    assert shown.wide.schema["depth_a"] == pl.Float64
    assert shown.wide.schema["depth_b"] == pl.Int64
    assert shown.tidy["topic"].to_list() == ["all"]


def test_per_topic() -> None:
    report = overlap(read(runs=RUNS))
    shown = table(report, per_topic=True)
    assert shown.wide["topic"].to_list() == ["q1", "q2", "all"]
    assert shown.tidy.equals(report.frame(per_topic=True))
    assert shown.notes == report.notes


def test_matrix() -> None:
    report = overlap(read(runs=RUNS))
    assert matrix(report).wide.equals(report.matrix("rbo"))
    assert matrix(report, "tau").tidy.equals(report.matrix("tau"))


def test_provenance() -> None:
    told = table(overlap(read(runs=RUNS, topics="intersection"), p=0.8, depth=5, tied="a")).provenance
    assert told["policies"] == {"ties": "trec_eval-10", "topics": "intersection", "tied": "a"}
    assert (told["p"], told["depth"]) == (0.8, 5)
    assert [each["name"] for each in told["inputs"]] == ["x", "y"]


def test_every_format() -> None:
    for form in FORMATS:
        assert render(table(overlap(read(runs=RUNS)), per_topic=True), form)
    assert json.loads(render(table(overlap(read(runs=RUNS))), "json"))["rows"][0]["tau_ap"] is None
