"""assay demo."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli import main


def test_a_leaderboard(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--systems", "4", "--topics", "5"]) == 0
    shown = capsys.readouterr().out
    assert "A simulated campaign: 4 systems, 5 topics" in shown
    assert "95 % interval over topics" in shown
    assert "●" in shown


def test_kept_files_can_be_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "kept"
    assert main(["demo", str(place), "--systems", "3", "--topics", "4"]) == 0
    assert f"The files are in {place}/" in capsys.readouterr().out
    assert main(["eval", str(place / "qrels.txt"), str(place / "runs"), "-m", "AP"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 + 3
