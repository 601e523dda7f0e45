"""assay study."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.cli import main

WORDS = ["-m", "AP", "P@5", "--seeds", "2", "--resamples", "20"]


@pytest.fixture(autouse=True)
def campaign(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels = [f"{t} 0 d{d} {int((d * t) % 3 == 1)}\n" for t in range(1, 5) for d in range(12)]
    Path("qrels").write_text("".join(qrels))
    Path("runs").mkdir()
    for run in range(4):
        rows = [f"{t} Q0 d{(d * (run + 1) + t) % 12} {d + 1} {9 - d} s{run}\n" for t in range(1, 5) for d in range(9)]
        Path("runs", f"s{run}.run").write_text("".join(dict.fromkeys(rows)))
    for path in Path("runs").iterdir():  # a document stands once in a ranking
        seen = {tuple(line.split()[::2][:2]): line for line in reversed(path.read_text().splitlines())}
        path.write_text("".join(f"{line}\n" for line in reversed(seen.values())))


def test_a_study_is_written_and_goes_on(capsys):
    assert main(["study", "qrels", "runs", "-o", "out", *WORDS]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{Path('out', 'summary.md')}\n"
    text = Path("out/summary.md").read_text()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert "## Discriminative power, over the best runs" in headings
    assert "## Samples of the judgments: tau with the order by all of them, over the best runs" in headings
    assert "| measure | AP | P@5 |" in text
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert main(["study", "qrels", "runs", "-o", "out", *WORDS]) == 0
    assert "9 of 9 steps were done before" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before


def test_settings(capsys):
    words = ["--best", "100%", "--ratios", "50", "--depths", "2,3", "--alpha", "0.1"]
    assert main(["study", "qrels", "runs", "-o", "out", *WORDS, *words]) == 0
    settings = json.loads(Path("out/study.json").read_text())["study"]["settings"]
    assert [settings[name] for name in ("best", "ratios", "depths", "alpha")] == [1.0, [50], [2, 3], 0.1]
    assert {path.stem for path in Path("out").glob("correlation-depth*")} == {
        "correlation-depth2",
        "correlation-depth3",
    }


def test_killed_half_way_nothing_is_lost(capsys):
    assert main(["study", "qrels", "runs", "-o", "whole", *WORDS]) == 0
    command = [sys.executable, "-m", "assay", "study", "qrels", "runs", "-o", "out", *WORDS]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and not Path("out/study.json").exists():
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert main(["study", "qrels", "runs", "-o", "out", *WORDS]) == 0
    whole, out = ({p.name: p.read_bytes() for p in Path(f).iterdir() if p.name[0] != "."} for f in ("whole", "out"))
    assert out == whole


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seeds", "0"], "assay: --seeds must be at least 1, got 0\n"),
        (["--resamples", "0"], "assay: --resamples must be at least 1, got 0\n"),
        (["--alpha", "2"], "assay: --alpha must lie between 0 and 1, such as 0.05, got 2\n"),
        (["--ratios", "120"], "assay: ratios are percentages from 1 to 100, such as 90, got 120.0\n"),
        (["--depths", "0"], "assay: --depths 0: numbers go up from 1 to at most 1000000, got 0\n"),
        (["--seed", "-1"], "assay: --seed must be at least 0, got -1\n"),
        (["-m", "P@5"], "assay: measures: a study needs AP, by which the best runs are chosen; add it\n"),
    ],
)
def test_refused(capsys, words, message):
    assert main(["study", "qrels", "runs", "-o", "out", *words]) == 2
    assert capsys.readouterr().err == message
    assert not Path("out").exists()


def test_an_interrupt_says_that_nothing_is_lost(capsys, monkeypatch):
    def interrupt(*_given, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.meta.study.study", interrupt)
    assert main(["study", "qrels", "runs", "-o", "out", *WORDS]) == 130
    assert capsys.readouterr().err == "assay: interrupted; the same command goes on with what is left\n"


def test_a_folder_is_needed(capsys):
    with pytest.raises(SystemExit):
        main(["study", "qrels", "runs"])
    assert "-o/--output" in capsys.readouterr().err
