"""Tests of ``assay demo``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay.cli import main


def test_prints_a_leaderboard(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--systems", "4", "--topics", "5"]) == 0
    output = capsys.readouterr().out
    assert "A simulated campaign with 4 systems, 5 topics" in output
    assert "95 % CI of the mean" in output
    assert "●" in output


def test_written_files_can_be_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = tmp_path / "demo"
    assert main(["demo", str(directory), "--systems", "3", "--topics", "4"]) == 0
    output = capsys.readouterr().out
    assert f"The files are in {directory}/. The report is {directory}/report.html" in output
    assert f"  assay explore {directory}/qrels.txt {directory}/runs --open\n" in output
    assert (directory / "report.html").read_bytes().startswith(b"<!doctype html>")
    assert main(["eval", str(directory / "qrels.txt"), str(directory / "runs"), "-m", "AP"]) == 0
    assert len(capsys.readouterr().out.split("\n\n")[0].splitlines()) == 2 + 3


def test_only_an_earlier_demo_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)  # Reports take a second each.
    directory = tmp_path / "demo"
    for systems in ("3", "2"):
        assert main(["demo", str(directory), "--systems", systems, "--topics", "2"]) == 0
    assert len(list((directory / "runs").iterdir())) == 2
    other_directory = tmp_path / "mine"
    other_directory.mkdir()
    (other_directory / "bm25.run").write_text("1 Q0 a 1 1 bm25\n")
    capsys.readouterr()
    assert main(["demo", str(other_directory)]) == 2
    assert capsys.readouterr() == (
        "",
        f"assay: {other_directory}: contains other files, such as bm25.run; choose a new directory\n",
    )
    assert [path.name for path in other_directory.iterdir()] == ["bm25.run"]


def test_no_report_without_altair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert main(["demo", str(tmp_path / "demo"), "--systems", "2", "--topics", "3"]) == 0
    assert "No report was written: figures need altair" in capsys.readouterr().out
    assert not (tmp_path / "demo" / "report.html").exists()
