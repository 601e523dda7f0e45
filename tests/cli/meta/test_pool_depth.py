"""Tests of ``assay meta pool-depth``."""

import json
from pathlib import Path

import pytest

from assay import meta, read
from assay.cli import main

ARGS = ["-m", "AP", "RBP(p=0.5)", "--depths", "1,2"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 0\n1 0 d 1\n")
    Path("groups").write_text("x X\ny Y\n")
    Path("runs").mkdir()
    for name, docs in {"x": "abd", "y": "cb"}.items():
        lines = [f"1 Q0 {doc} {rank} {9 - rank} {name}\n" for rank, doc in enumerate(docs, 1)]
        Path("runs", name).write_text("".join(lines))


def run_command(capsys, *args, code=0):
    assert main(["meta", "pool-depth", "qrels", "runs", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def compute_report(**options):
    return meta.pool_depth(read("qrels", "runs", keep="judgments"), ["AP", "RBP(p=0.5)"], [1, 2], **options)


def test_table_of_pools(capsys):
    text = run_command(capsys, *ARGS)
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["measure", "depth", "1", "depth", "2", "falls"]
    assert [(row[0], row[-1]) for row in lines[2:4]] == [("AP", "1"), ("RBP(p=0.5)", "0")]
    assert "Adding judgments lowered AP for some rankings; RBP(p=0.5) cannot fall." in " ".join(text.split())


@pytest.mark.parametrize("show", ["pools", "runs", "falls"])
def test_output_matches_the_function(capsys, show):
    content, report = read_json(capsys, *ARGS, "--show", show), compute_report()
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings
    assert content["provenance"]["settings"]["depths"] == [1, 2]


def test_falls_are_listed(capsys):
    [row] = read_json(capsys, *ARGS, "--show", "falls")["rows"]
    assert row == {
        "measure": "AP", "run": "y", "topic": "1", "depth": 2, "deeper": None, "before": 0.25, "after": 1 / 6
    }  # fmt: skip


@pytest.mark.parametrize("show", ["reuse", "groups", "left-out", "pools"])
def test_tables_with_groups(capsys, show):
    rows = read_json(capsys, *ARGS, "--groups", "groups", "--show", show)["rows"]
    report = compute_report(groups={"x": "X", "y": "Y"})
    assert rows == report.table(show).frame.to_dicts()
    assert rows


def test_default_table_with_groups_is_reuse(capsys):
    assert run_command(capsys, *ARGS, "--groups", "groups") == run_command(
        capsys, *ARGS, "--groups", "groups", "--show", "reuse"
    )


def test_contributors(capsys):
    content = read_json(capsys, *ARGS, "--contributors", "y")
    assert content["rows"] == compute_report(contributors=["y"]).frame().to_dicts()
    assert content["provenance"]["settings"]["contributors"] == ["y"]
    all_contributors = read_json(capsys, *ARGS, "--contributors", "y", "--contributors", "x")
    assert all_contributors["rows"] == compute_report().frame().to_dicts()


def test_notes_name_the_pool(capsys):
    assert main(["meta", "pool-depth", "qrels", "runs", *ARGS, "--contributors", "y"]) == 0
    note = "assay: note: pool of depth 1: AP: counted 1 topic without relevant documents as 0: 1\n"
    assert note in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--show", "left"], "--show left: choose one of pools, runs, falls, reuse, groups, left-out"),
        (["--show", "reuse"], "--show reuse needs groups; add --groups FILE, with lines 'run group'"),
        (["--depths", "0"], "--depths 0: numbers must be from 1"),
        (["--contributors", "z"], "contributors: unknown run z"),
        (["--groups", "qrels"], "qrels:1: expected 2 columns (run group), found 4"),
        (["--groups", "none"], "none: no such file"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert message in text
    assert text.count("\n") == 1
