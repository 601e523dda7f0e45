"""Tests of ``assay uncertainty ties``."""

import io
import json
from pathlib import Path

import polars as pl
import pytest

from assay import read, uncertainty
from assay.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 b 1 3.0 bm25\nq1 Q0 a 2 3.0 bm25\nq2 Q0 a 1 1.0 bm25\n"
FILES = ["qrels.txt", "bm25.run"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("bm25.run").write_text(RUN)


def run_command(capsys, *args, code=0):
    assert main(["uncertainty", "ties", *args]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_table_has_one_row_per_run(capsys):
    lines = run_command(capsys, *FILES, "-m", "RR", "P@1").splitlines()
    assert lines[0].split() == ["run", "tied", "share", "mixed", "RR", "P@1"]
    assert lines[2].split()[:6] == ["bm25", "2", "66.7", "%", "2", "0.7500–1.0000"]


def test_table_of_tie_policies(capsys):
    lines = [line.split() for line in run_command(capsys, *FILES, "-m", "RR", "P@1", "--show", "orders").splitlines()]
    assert lines[0][:4] == ["run", "ties", "RR", "P@1"]
    assert [line[1:4] for line in lines[2:11]] == [
        ["trec_eval-10", "0.7500", "0.5000"],
        ["trec_eval-9", "0.7500", "0.5000"],
        ["score-file", "0.7500", "0.5000"],
        ["score-id", "1.0000", "1.0000"],
        ["rank", "0.7500", "0.5000"],
        ["file", "0.7500", "0.5000"],
        ["expected", "0.8750", "0.7500"],
        ["min", "0.7500", "0.5000"],
        ["max", "1.0000", "1.0000"],
    ]


@pytest.mark.parametrize("show", ["runs", "orders", "topics"])
def test_output_matches_the_function(capsys, show):
    content = read_json(capsys, *FILES, "-m", "AP", "RR", "--show", show)
    report = uncertainty.ties(read(*FILES, keep="runs"), ["AP", "RR"])
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_per_topic(capsys):
    assert read_json(capsys, *FILES, "--per-topic")["rows"] == read_json(capsys, *FILES, "--show", "topics")["rows"]


def test_default_measures_match_eval(capsys):
    assert read_json(capsys, *FILES)["provenance"]["settings"]["measures"] == ["AP", "nDCG@10", "P@10", "RR"]


def test_formats(capsys):
    args = [*FILES, "-m", "RR", "--show", "orders"]
    assert (
        run_command(capsys, *args, "--format", "tsv", "--digits", "2").splitlines()[-1]
        == "bm25\tRR\tall\tmax\t1.0\ttrue"
    )
    run_command(capsys, *args, "-o", "x.parquet")
    assert pl.read_parquet("x.parquet").to_dicts() == read_json(capsys, *args)["rows"]


def test_policies(capsys):
    Path("more.txt").write_text(QRELS + "q3 0 z 0\nq1 0 c -1\n")

    def read_maximum(*args):
        rows = read_json(capsys, "more.txt", "bm25.run", "-m", "AP", "--show", "orders", *args)["rows"]
        return next(row["value"] for row in rows if (row["ties"], row["measure"]) == ("max", "AP"))

    assert read_maximum() == pytest.approx(2 / 3)
    assert read_maximum("--undefined", "exclude") == 1
    assert read_maximum("--missing", "exclude") == 1
    assert read_maximum("--topics", "q1") == 1
    assert read_maximum("--grades", "1=0") == 0
    args = ["more.txt", "bm25.run", "--unjudged", "condensed", "--format", "json"]
    assert json.loads(run_command(capsys, *args))["provenance"]["policies"]["unjudged"] == "condensed"


def test_samples_and_seed(capsys):
    assert main(["uncertainty", "ties", *FILES, "-m", "infAP", "--samples", "3", "--seed", "9"]) == 0
    assert "3 sampled orders (seed 9); the true range may be wider: infAP" in capsys.readouterr().err


def test_lenient(capsys):
    Path("bm25.run").write_text(RUN + "q1 Q0 a 3 1.0 bm25\n")
    assert "; fix it, or pass --lenient\n" in run_command(capsys, *FILES, code=2)
    assert main(["uncertainty", "ties", *FILES, "--lenient"]) == 0
    assert "skipped duplicate documents, keeping the first: 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--samples", "1"], "--samples must be at least 2, got 1"),
        (["--topics", "all"], "there is no topic all"),
        (["--missing", "all"], "--missing all: choose one of empty, exclude"),
        (["-m", "ndgc"], "measure 'ndgc': there is no measure ndgc; did you mean nDCG?"),
        (["--show", "min"], "--show min: choose one of runs, orders, topics"),
        (["--ties", "rank"], "unknown option --ties"),
        (["-o", "bm25.run", "--format", "tsv"], "-o bm25.run: would overwrite an input"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *FILES, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1


def test_standard_input(monkeypatch, capsys):
    class Stdin:
        buffer = io.BytesIO(RUN.encode())

    monkeypatch.setattr("sys.stdin", Stdin())
    text = run_command(capsys, "qrels.txt", "-", "-m", "RR", "--show", "orders", "--format", "csv")
    assert "bm25,RR,all,max,1.0,true" in text
