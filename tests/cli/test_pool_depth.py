"""assay pool-depth."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay import read
from assay.cli import main
from assay.errors import InputError
from assay.meta.pool_depth import pool_depth
from assay.views.pool_depth import pool_depth as view


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 0\n1 0 d 1\n")
    Path("groups").write_text("x X\ny Y\n")
    Path("runs").mkdir()
    for name, docs in {"x": "abd", "y": "cb"}.items():
        lines = [f"1 Q0 {doc} {rank} {9 - rank} {name}\n" for rank, doc in enumerate(docs, 1)]
        Path("runs", name).write_text("".join(lines))


def run(*words, code=0):
    assert main(["pool-depth", "qrels", "runs", *words]) == code


def rows(capsys, *words):
    run(*words)
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_summary(capsys):
    found = rows(capsys, "-m", "AP", "RBP(p=0.5)", "--depths", "1,2")
    assert found[0] == ["measure", "depth", "judgments", "relevant", "mean", "tau", "tau_ap", "falls"]
    assert [row[1:4] for row in found[2:5]] == [["1", "2", "1"], ["2", "3", "2"], ["all", "4", "3"]]
    assert [row[-1] for row in found[2:]] == ["0", "1", "-", "0", "0", "-"]


def test_the_invariant_is_said(capsys):
    run("-m", "AP", "RBP(p=0.5)", "P@1", "--depths", "1..2")
    checked = "(checked on 2 rankings, from each pool to the next)"
    assert capsys.readouterr().err.splitlines() == [
        f"assay: note: RBP(p=0.5), P@1: cannot fall when judgments are added, and did not {checked}",
        "assay: note: AP: fell 1 times when judgments were added (--show falls)",
    ]


def test_a_broken_invariant_is_said():
    report = pool_depth(read("qrels", "runs"), "RBP(p=0.5)", [1])
    broken = replace(report, falls=np.full(report.falls.shape, 0.1))
    assert view(broken).notes == (
        "RBP(p=0.5): fell 2 times when judgments were added, although it cannot (--show falls)",
    )


def test_runs(capsys):
    assert rows(capsys, "-m", "AP", "--depths", "1,2", "--show", "runs") == [
        ["run", "measure", "1", "2", "all"],
        ["───", "───────", "──────", "──────", "──────"],
        ["x", "AP", "1.0000", "1.0000", "1.0000"],
        ["y", "AP", "0.0000", "0.2500", "0.1667"],
    ]
    assert rows(capsys, "--depths", "1", "--show", "runs", "--format", "csv")[0] == ["run,measure,depth,value"]


def test_falls(capsys):
    found = rows(capsys, "-m", "AP", "--depths", "1,2", "--show", "falls")
    assert found[0] == ["measure", "run", "topic", "depth", "deeper", "before", "after"]
    assert found[2:] == [["AP", "y", "1", "2", "all", "0.2500", "0.1667"]]
    assert len(rows(capsys, "-m", "P@1", "--depths", "1,2", "--show", "falls")) == 2


@pytest.mark.parametrize(
    ("show", "columns", "first"),
    [
        (None, "measure groups change largest moved tau tau_ap", "P@1 2 -0.5000 -1.0000 0"),
        ("groups", "group runs unique relevant measure change moved tau tau_ap", "X 1 1 1 P@1 -1.0000 0"),
        ("left-out", "group run measure value without change rank rank_without moved", "X x P@1 1.0000 0.0000"),
        ("summary", "measure depth judgments relevant mean tau tau_ap falls", "P@1 1 2 1 0.5000"),
    ],
)
def test_groups(capsys, show, columns, first):
    words = [] if show is None else ["--show", show]
    found = rows(capsys, "-m", "P@1", "--depths", "1", "--groups", "groups", *words)
    assert found[0] == columns.split()
    assert found[2][: len(first.split())] == first.split()


def test_what_groups_contributed_is_said(capsys):
    run("-m", "P@1", "--depths", "1", "--groups", "groups")
    assert capsys.readouterr().err == (
        "assay: note: 2 groups: 2 judgments, 1 of them relevant, are of documents that runs of one group only have "
        "among their first 1\n"
    )


def test_contributors(capsys):
    assert rows(capsys, "-m", "AP", "--depths", "1", "--contributor", "y")[2][2:4] == ["1", "0"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--show", "left"], "--show left: choose one of summary, runs, falls, reuse, groups, left-out"),
        (["--show", "reuse"], "--show reuse needs --groups FILE"),
        (["--depths", "0"], "--depths 0: numbers go up from 1"),
        (["--contributor", "z"], "contributors: there is no run z"),
        (["--groups", "qrels"], "qrels:1: expected 2 columns (run group), found 4"),
        (["--groups", "none"], "none"),
    ],
)
def test_refused(capsys, words, message):
    run(*words, code=2)
    assert message in capsys.readouterr().err


def test_a_view_without_groups():
    with pytest.raises(InputError, match="--show groups needs --groups FILE"):
        view(pool_depth(read("qrels", "runs"), "AP", [1]), "groups")
