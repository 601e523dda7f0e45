"""assay meta pool-depth."""

import json
from pathlib import Path

import pytest

from assay import meta, read
from assay.cli import main

WORDS = ["-m", "AP", "RBP(p=0.5)", "--depths", "1,2"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 0\n1 0 d 1\n")
    Path("groups").write_text("x X\ny Y\n")
    Path("runs").mkdir()
    for name, docs in {"x": "abd", "y": "cb"}.items():
        lines = [f"1 Q0 {doc} {rank} {9 - rank} {name}\n" for rank, doc in enumerate(docs, 1)]
        Path("runs", name).write_text("".join(lines))


def shown(capsys, *words, code=0):
    assert main(["meta", "pool-depth", "qrels", "runs", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def content(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))


def expected(**given):
    return meta.pool_depth(read("qrels", "runs", keep="judgments"), ["AP", "RBP(p=0.5)"], [1, 2], **given)


def test_pools(capsys):
    text = shown(capsys, *WORDS)
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["measure", "depth", "1", "depth", "2", "falls"]
    assert [(row[0], row[-1]) for row in lines[2:4]] == [("AP", "1"), ("RBP(p=0.5)", "0")]
    assert "Adding judgments lowered AP on some rankings; RBP(p=0.5) cannot fall." in " ".join(text.split())


@pytest.mark.parametrize("show", ["pools", "runs", "falls"])
def test_what_the_function_gives(capsys, show):
    found, report = content(capsys, *WORDS, "--show", show), expected()
    assert found["rows"] == report.table(show).frame.to_dicts()
    assert found["provenance"]["settings"] == report.provenance.settings
    assert found["provenance"]["settings"]["depths"] == [1, 2]


def test_a_fall(capsys):
    [row] = content(capsys, *WORDS, "--show", "falls")["rows"]
    assert row == {
        "measure": "AP", "run": "y", "topic": "1", "depth": 2, "deeper": None, "before": 0.25, "after": 1 / 6
    }  # fmt: skip


@pytest.mark.parametrize("show", ["reuse", "groups", "left-out", "pools"])
def test_groups(capsys, show):
    rows = content(capsys, *WORDS, "--groups", "groups", "--show", show)["rows"]
    report = expected(groups={"x": "X", "y": "Y"})
    assert rows == report.table(show).frame.to_dicts()
    assert rows


def test_with_groups_the_default_is_what_leaving_them_out_does(capsys):
    assert shown(capsys, *WORDS, "--groups", "groups") == shown(capsys, *WORDS, "--groups", "groups", "--show", "reuse")


def test_contributors(capsys):
    found = content(capsys, *WORDS, "--contributors", "y")
    assert found["rows"] == expected(contributors=["y"]).frame().to_dicts()
    assert found["provenance"]["settings"]["contributors"] == ["y"]
    both = content(capsys, *WORDS, "--contributors", "y", "--contributors", "x")
    assert both["rows"] == expected().frame().to_dicts()


def test_what_a_pool_lacks_is_said(capsys):
    assert main(["meta", "pool-depth", "qrels", "runs", *WORDS, "--contributors", "y"]) == 0
    note = "assay: note: pool of depth 1: AP: 1 topic without relevant documents counted 0: 1\n"
    assert note in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--show", "left"], "--show left: choose one of pools, runs, falls, reuse, groups, left-out"),
        (["--show", "reuse"], "--show reuse needs groups; add --groups FILE, with lines 'run group'"),
        (["--depths", "0"], "--depths 0: numbers must be from 1"),
        (["--contributors", "z"], "contributors: there is no run z"),
        (["--groups", "qrels"], "qrels:1: expected 2 columns (run group), found 4"),
        (["--groups", "none"], "none: no such file"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert message in text
    assert text.count("\n") == 1
