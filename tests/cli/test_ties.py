"""assay ties."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from assay.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 b 1 3.0 bm25\nq1 Q0 a 2 3.0 bm25\nq2 Q0 a 1 1.0 bm25\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["ties", *words]) == 0
    return capsys.readouterr().out


def test_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "qrels.txt", "bm25.run", "-m", "RR", "P@1").splitlines() == [
        "run   ties              RR     P@1  tied   share  groups  largest  mixed",
        "────  ────────────  ──────  ──────  ────  ──────  ──────  ───────  ─────",
        "bm25  trec_eval-10  0.7500  0.5000     2  0.6667       1        2      2",
        "bm25  trec_eval-9   0.7500  0.5000     2  0.6667       1        2      2",
        "bm25  score-file    0.7500  0.5000     -       -       -        -      -",
        "bm25  score-id      1.0000  1.0000     -       -       -        -      -",
        "bm25  rank          0.7500  0.5000     -       -       -        -      -",
        "bm25  file          0.7500  0.5000     -       -       -        -      -",
        "bm25  expected      0.8750  0.7500     -       -       -        -      -",
        "bm25  min           0.7500  0.5000     -       -       -        -      -",
        "bm25  max           1.0000  1.0000     -       -       -        -      -",
    ]


def test_default_measures_are_those_of_eval(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "qrels.txt", "bm25.run").split()[:6] == ["run", "ties", "AP", "nDCG@10", "P@10", "RR"]


def test_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["qrels.txt", "bm25.run", "-m", "RR"]
    assert shown(capsys, *words, "--format", "tsv", "--digits", "2").splitlines()[-1] == "bm25\tRR\tall\tmax\t1.0\ttrue"
    content = json.loads(shown(capsys, *words, "--format", "json", "--per-topic"))
    assert content["rows"][-1] == {
        "run": "bm25", "measure": "RR", "topic": "all", "ties": "max", "value": 1.0, "exact": True
    }  # fmt: skip
    assert shown(capsys, *words, "--format", "markdown").startswith("| run | ties |")
    assert shown(capsys, *words, "--format", "latex").startswith("\\begin{tabular}{llrrrrrr}")
    shown(capsys, *words, "-o", "x.parquet")
    assert len(pl.read_parquet("x.parquet")) == 21


def test_options_reach_the_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "more.txt").write_text(QRELS + "q3 0 z 0\nq1 0 c -1\n")
    words = ["more.txt", "bm25.run", "--format", "csv", "-m", "AP"]

    def last(*more: str) -> str:
        return shown(capsys, *words, *more).splitlines()[-1].split(",")[4]

    assert float(last()) == pytest.approx(2 / 3)
    assert float(last("--undefined", "exclude")) == 1.0
    assert float(last("--topics", "intersection")) == 1.0
    assert main(["ties", *words, "-m", "infAP", "--samples", "3", "--seed", "9"]) == 0
    assert (
        "lowest and highest seen in 3 sampled orders (seed 9), the extremes may lie beyond: infAP"
        in capsys.readouterr().err
    )
    condensed = shown(capsys, *words, "--unjudged", "condensed")
    assert "documents,all,trec_eval-10,3.0" in condensed
    (folder / "bm25.run").write_text(RUN + "q1 Q0 a 3 1.0 bm25\n")
    assert main(["ties", *words]) == 2
    assert main(["ties", *words, "--lenient"]) == 0
    assert "duplicate documents, first kept: 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--samples", "1"], "assay: samples must be at least 2, got 1\n"),
        (["--topics", "all"], "assay: topics 'all': choose one of qrels, intersection\n"),
        (["-m", "ndgc"], "assay: measure 'ndgc': there is no measure ndgc; did you mean nDCG?\n"),
        (
            ["-o", "bm25.run", "--format", "tsv"],
            "assay: bm25.run: was read as an input and is not overwritten; name another file\n",
        ),
    ],
)
def test_wrong_options_are_one_line(
    folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ties", "qrels.txt", "bm25.run", *words]) == 2
    failed = capsys.readouterr()
    assert (failed.out, failed.err) == ("", message)


def test_there_is_no_tie_policy_to_choose(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["ties", "q", "r", "--ties", "rank"])
    assert stop.value.code == 2
    assert "there is no option --ties" in capsys.readouterr().err


def test_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Stdin:
        buffer = io.BytesIO(RUN.encode())

    monkeypatch.setattr("sys.stdin", Stdin())
    assert "bm25,RR,all,max,1.0,true" in shown(capsys, "qrels.txt", "-", "-m", "RR", "--format", "csv")


def test_an_interrupt_is_quiet_even_while_standard_input_is_awaited(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "ties", "-", "bm25.run"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        time.sleep(1.5)  # it waits for standard input now, which stays open
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
