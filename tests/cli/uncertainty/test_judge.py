"""Tests of the options of ``assay uncertainty judge``; tests/views/judging uses the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli import main

COMMAND = ["uncertainty", "judge", "qrels.txt", "one.run"]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "-o is required"),
        (["-o", "nowhere/judged.qrels"], "directory nowhere does not exist"),
        (["-o", "judged.qrels", "--port", "99999"], "port must be from 0 to 65535"),
        (["-o", "judged.qrels", "--max-grade", "10"], "--max-grade must be from 1 to 9, got 10"),
        (["-o", "judged.qrels", "--max-grade", "x"], "--max-grade: write a whole number"),
        (["-o", "judged.qrels", "-m", "AP"], "measure 'AP': is not a weighted sum"),
        (["-o", "judged.qrels", "--pair", "one", "two"], "no run two"),
        (["-o", "qrels.txt"], "would overwrite an input"),
        (["-o", "judged.qrels", "--host", "0.0.0.0"], "unknown option --host"),
    ],
)
def test_invalid_options_are_one_line(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, *args]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not Path("judged.qrels").exists()


def test_an_invalid_output_names_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("judged.qrels").write_text("1 0 b 1\n1 0 b 2\n")
    assert main([*COMMAND, "-o", "judged.qrels", "--port", "0"]) == 2
    assert "judged.qrels:2: document b of topic 1 was already judged in line 1" in capsys.readouterr().err
