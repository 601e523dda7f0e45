"""assay meta study."""

from __future__ import annotations

import json
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
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Studied 2 measures on 4 runs in 9 steps; the ")
    assert "summary.md" in said
    text = Path("out/summary.md").read_text()
    assert "## Discriminative power, over the best runs" in text.splitlines()
    assert "| measure | AP | P@5 |" in text
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS]) == 0
    assert "9 of 9 steps were already complete" in " ".join(capsys.readouterr().out.split())
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before


def test_another_study_is_refused_or_begun_anew(capsys):
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS]) == 0
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS, "--seed", "1"]) == 2
    assert "holds a study with other settings (seed); name another folder, or add --fresh" in capsys.readouterr().err
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS, "--seed", "1", "--fresh"]) == 0
    assert "done before" not in capsys.readouterr().out


def test_settings(capsys):
    words = ["--best", "100%", "--ratios", "50", "--depths", "2,3", "--alpha", "0.1"]
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS, *words]) == 0
    settings = json.loads(Path("out/study.json").read_text())["study"]["settings"]
    assert [settings[name] for name in ("best", "ratios", "depths", "alpha")] == [1.0, [50], [2, 3], 0.1]
    assert {path.stem for path in Path("out").glob("correlation-depth*")} == {
        "correlation-depth2",
        "correlation-depth3",
    }


def test_killed_half_way_nothing_is_lost(capsys):
    assert main(["meta", "study", "qrels", "runs", "-o", "whole", *WORDS]) == 0
    command = [sys.executable, "-m", "assay", "meta", "study", "qrels", "runs", "-o", "out", *WORDS]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and not Path("out/study.json").exists():
        time.sleep(0.005)
    process.kill()
    process.wait()
    assert Path("out/study.json").exists()
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS]) == 0
    whole, out = ({p.name: p.read_bytes() for p in Path(f).iterdir() if p.name[0] != "."} for f in ("whole", "out"))
    assert out == whole


def test_groups(capsys):
    Path("groups").write_text("s0 X\ns1 X\ns2 Y\ns3 Y\n")
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS, "--groups", "groups"]) == 0
    assert "in 10 steps" in capsys.readouterr().out
    assert Path("out/groups-reuse.csv").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seeds", "0"], "--seeds must be a whole number of at least 1, got 0"),
        (["--resamples", "0"], "--resamples must be a whole number of at least 1, got 0"),
        (["--alpha", "2"], "--alpha must lie between 0 and 1, such as 0.05, got 2.0"),
        (["--levels", "0.05,5"], "--levels must lie between 0 and 1, such as 0.05, got 5.0"),
        (["--ratios", "120"], "ratios are percentages from 1 to 100, such as 90, got 120.0"),
        (["--depths", "0"], "--depths 0: numbers must be from 1 to 1000000, ranges ascending, got 0"),
        (["--seed", "-1"], "--seed must be a whole number of at least 0, got -1"),
        (["-m", "P@5"], "measures: a study needs AP to select the best runs; add it"),
    ],
)
def test_refused_before_anything_is_written(capsys, words, message):
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *words]) == 2
    assert capsys.readouterr().err == f"assay: {message}\n"
    assert not Path("out").exists()


def test_an_interrupt_says_that_nothing_is_lost(capsys, monkeypatch):
    def interrupt(*_given, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.meta._study.Record.resume", interrupt)
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *WORDS]) == 130
    assert capsys.readouterr().err == "assay: interrupted; run the same command again to continue\n"


def test_a_folder_is_needed(capsys):
    assert main(["meta", "study", "qrels", "runs"]) == 2
    text = capsys.readouterr().err
    assert "-o/--output" in text
    assert text.count("\n") == 1
