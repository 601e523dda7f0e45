"""Tests of ``assay meta study``."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.cli import main
from assay.errors import DependencyError

ARGS = ["-m", "AP", "P@5", "--seeds", "2", "--resamples", "20"]


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """The folder of a finished study that no test changes."""
    folder = tmp_path_factory.mktemp("complete")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_campaign()
        assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS]) == 0
    return folder / "out"


@pytest.fixture(autouse=True)
def campaign(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_campaign()


def write_campaign():
    qrels = [f"{t} 0 d{d} {int((d * t) % 3 == 1)}\n" for t in range(1, 5) for d in range(12)]
    Path("qrels").write_text("".join(qrels))
    Path("runs").mkdir()
    for run in range(4):
        rows = [f"{t} Q0 d{(d * (run + 1) + t) % 12} {d + 1} {9 - d} s{run}\n" for t in range(1, 5) for d in range(9)]
        Path("runs", f"s{run}.run").write_text("".join(dict.fromkeys(rows)))
    for path in Path("runs").iterdir():  # drop duplicate documents of a topic
        lines = {tuple(line.split()[::2][:2]): line for line in reversed(path.read_text().splitlines())}
        path.write_text("".join(f"{line}\n" for line in reversed(lines.values())))


def test_study_is_written_and_resumed(capsys):
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS]) == 0
    output = capsys.readouterr().out
    assert output.startswith("Studied 2 measures on 4 runs in 29 steps. ")
    assert "index.html" in output
    page = Path("out/index.html").read_text()
    assert "Discriminative power, over the best runs" in page
    assert '<img src="robustness.png"' in page
    files = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS]) == 0
    assert "29 of 29 steps were already complete" in " ".join(capsys.readouterr().out.split())
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == files


def test_different_settings_are_rejected_unless_fresh(complete, capsys):
    shutil.copytree(complete, "out")
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS, "--seed", "1"]) == 2
    assert "holds a study with other settings (seed); name another folder, or add --fresh" in capsys.readouterr().err
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS, "--seed", "1", "--fresh"]) == 0
    assert "done before" not in capsys.readouterr().out


def test_settings_are_recorded(capsys):
    args = ["--best", "100%", "--ratios", "50", "--depths", "2,3", "--alpha", "0.1"]
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS, *args]) == 0
    settings = json.loads(Path("out/study.json").read_text())["study"]["settings"]
    assert [settings[name] for name in ("best", "ratios", "depths", "alpha")] == [1.0, [50], [2, 3], 0.1]


def test_killed_study_is_resumed(complete):
    command = [sys.executable, "-m", "assay", "meta", "study", "qrels", "runs", "-o", "out", *ARGS]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while process.poll() is None and not Path("out/study.json").exists():
        time.sleep(0.005)
    process.kill()
    process.wait()
    assert Path("out/study.json").exists()
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS]) == 0
    expected, files = (
        {path.name: path.read_bytes() for path in Path(directory).iterdir() if path.name[0] != "."}
        for directory in (complete, "out")
    )
    assert files == expected


def test_without_altair_there_are_no_figures(capsys, monkeypatch):
    def fail():
        raise DependencyError("figures need altair")

    monkeypatch.setattr("assay.views.plots._altair.altair", fail)
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS]) == 0
    assert "figures" not in capsys.readouterr().out
    assert not list(Path("out").glob("*.png"))


def test_groups_add_a_step(capsys):
    Path("groups").write_text("s0 X\ns1 X\ns2 Y\ns3 Y\n")
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS, "--groups", "groups"]) == 0
    assert "in 30 steps" in capsys.readouterr().out
    assert Path("out/groups-reuse.parquet").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--seeds", "0"], "--seeds must be a whole number of at least 1, got 0"),
        (["--resamples", "0"], "--resamples must be a whole number of at least 1, got 0"),
        (["--alpha", "2"], "--alpha must lie between 0 and 1, such as 0.05, got 2.0"),
        (["--levels", "0.05,5"], "--levels must lie between 0 and 1, such as 0.05, got 5.0"),
        (["--ratios", "120"], "ratios are percentages from 1 to 100, such as 90, got 120.0"),
        (["--depths", "0"], "--depths 0: numbers must be from 1 to 1000000, and ranges must ascend, got 0"),
        (["--seed", "-1"], "--seed must be a whole number of at least 0, got -1"),
        (["-m", "P@5"], "measures: a study needs AP to select the best runs; add AP"),
    ],
)
def test_invalid_arguments_are_rejected_before_writing(capsys, args, message):
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *args]) == 2
    assert capsys.readouterr().err == f"assay: {message}\n"
    assert not Path("out").exists()


def test_interrupt_message_explains_how_to_continue(capsys, monkeypatch):
    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.meta._study.Record.resume", interrupt)
    assert main(["meta", "study", "qrels", "runs", "-o", "out", *ARGS]) == 130
    assert capsys.readouterr().err == "assay: interrupted; run the same command again to continue\n"


def test_output_directory_is_required(capsys):
    assert main(["meta", "study", "qrels", "runs"]) == 2
    text = capsys.readouterr().err
    assert "-o/--output" in text
    assert text.count("\n") == 1
