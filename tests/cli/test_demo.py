"""assay demo."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay.cli import main


def test_a_leaderboard(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--systems", "4", "--topics", "5"]) == 0
    shown = capsys.readouterr().out
    assert "A simulated campaign: 4 systems, 5 topics" in shown
    assert "95 % CI of the mean" in shown
    assert "●" in shown


def test_kept_files_can_be_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "kept"
    assert main(["demo", str(place), "--systems", "3", "--topics", "4"]) == 0
    shown = capsys.readouterr().out
    assert f"The files are in {place}/. The report is {place}/report.html" in shown
    assert f"  assay explore {place}/qrels.txt {place}/runs --open\n" in shown
    assert (place / "report.html").read_bytes().startswith(b"<!doctype html>")
    assert main(["eval", str(place / "qrels.txt"), str(place / "runs"), "-m", "AP"]) == 0
    assert len(capsys.readouterr().out.split("\n\n")[0].splitlines()) == 2 + 3


def test_a_demonstration_is_replaced_by_another_and_nothing_else_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "kept"
    for systems in ("3", "2"):
        assert main(["demo", str(place), "--systems", systems, "--topics", "2"]) == 0
    assert len(list((place / "runs").iterdir())) == 2
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "bm25.run").write_text("1 Q0 a 1 1 bm25\n")
    capsys.readouterr()
    assert main(["demo", str(mine)]) == 2
    assert capsys.readouterr() == (
        "",
        f"assay: {mine}: contains other files, such as bm25.run; choose a new directory\n",
    )
    assert [path.name for path in mine.iterdir()] == ["bm25.run"]


def test_without_the_packages_that_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert main(["demo", str(tmp_path / "kept"), "--systems", "2", "--topics", "3"]) == 0
    assert "No report was written: figures need altair" in capsys.readouterr().out
    assert not (tmp_path / "kept" / "report.html").exists()
