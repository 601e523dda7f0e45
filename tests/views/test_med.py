"""The tables of MED."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

from assay import read
from assay.distance.maximized import med
from assay.measures import measure
from assay.views.med import distances, labels, matrix
from assay.views.tables import FORMATS, render

RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}},
    "y": {"1": {"b": 3.0, "a": 2.0, "d": 1.0}, "2": {"a": 1.0}},
    "z_&": {"1": {"d": 1.0}},
}
QRELS = {"1": {"a": 1, "c": 0}, "2": {"a": 0}}
MEAN = ["run_a", "run_b", "measure", "med", "difference", "exact", "smallest", "largest"]
PER_TOPIC = ["run_a", "run_b", "measure", "topic", "med", "difference", "direction", "exact", "smallest", "largest"]


def test_means_leave_out_what_is_the_same_in_every_row() -> None:
    report = med(read(QRELS, RUNS), ["AP", "RR"])
    table = distances(report)
    assert table.wide.columns == MEAN
    assert table.wide["exact"].to_list() == ["yes"] * 6
    assert table.tidy.equals(report.frame())
    assert table.notes == report.notes != ()


def test_per_topic() -> None:
    report = med(read(QRELS, RUNS), "AP")
    table = distances(report, per_topic=True)
    assert table.wide.columns == PER_TOPIC
    assert table.wide["topic"].to_list() == ["1", "2", "all"] * 3
    assert table.tidy.equals(report.frame(per_topic=True))


def test_intervals_show_their_ends() -> None:
    table = distances(med(read(QRELS, RUNS), "AP", method="greedy"))
    assert table.wide.columns == [*MEAN[:-2], "low", "high", "smallest", "largest"]
    assert table.wide["exact"].to_list() == ["no"] * 3
    assert json.loads(render(table, "json"))["rows"][0]["high"] == "inf"


def test_matrix() -> None:
    report = med(read(QRELS, RUNS), ["AP", "RR"])
    table = matrix(report, measure("RR"))
    assert table.wide.columns == ["RR", "x", "y", "z_&"]
    assert table.wide["RR"].to_list() == ["x", "y", "z_&"]
    assert table.wide.drop("RR").to_numpy().tolist() == report.matrix(measure("RR")).tolist()
    assert table.tidy.equals(table.wide)  # a matrix in every format
    some = matrix(med(read(QRELS, RUNS), "RR", first=True), measure("RR")).wide
    assert some.row(1)[1:] == (pytest.approx(report.matrix(measure("RR"))[0, 1]), 0, None)


def test_labels() -> None:
    report = med(read(QRELS, RUNS), "AP", labels=True)
    table = labels(report)
    assert table.wide.columns == ["run_a", "run_b", "measure", "topic", "document", "grade"]
    assert table.wide.schema["grade"] == pl.Int64
    assert table.tidy.equals(report.label_frame())
    assert len(table.wide) > 0
    fractions = med(read({"1": {"a": 0.5}}, RUNS), "DCG", labels=True)
    assert labels(fractions).wide.schema["grade"] == pl.Float64
    assert len(labels(med(read(QRELS, RUNS), "AP")).wide) == 0


def test_provenance() -> None:
    told = distances(med(read(QRELS, RUNS), "AP", depth=2, method="tabu", seed=4)).provenance
    assert (told["depth"], told["method"], told["residual"]) == (2, "tabu", False)
    assert told["seed"] == 4
    assert [each["role"] for each in told["inputs"]] == ["qrels", "run", "run", "run"]
    told = matrix(med(read(runs=RUNS), "RBP(p=0.8)", residual=True), measure("RBP(p=0.8)")).provenance
    assert told["residual"] is True
    assert [each["role"] for each in told["inputs"]] == ["run"] * 3


@pytest.mark.parametrize("form", FORMATS)
def test_every_format(form: str) -> None:
    report = med(read(QRELS, RUNS), ["AP", "BalancePoint"], labels=True, method="exact")
    for table in (
        distances(report),
        distances(report, per_topic=True),
        matrix(report, report.measures[1]),
        labels(report),
    ):
        assert render(table, form)


def test_formats_for_programs_have_every_column() -> None:
    table = distances(med(read(QRELS, RUNS), "AP"), per_topic=True)
    columns = table.tidy.columns
    assert render(table, "tsv").decode().splitlines()[0].split("\t") == columns
    assert list(json.loads(render(table, "json"))["rows"][0]) == columns
    assert pl.read_parquet(io.BytesIO(render(table, "parquet"))).columns == columns
    assert r"z\_\&" in render(table, "latex").decode()
