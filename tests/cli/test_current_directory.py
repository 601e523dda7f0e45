"""Tests that neither commands nor their subprocesses import modules from the current directory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.views.explorer.files import VegaProcess

HOSTILE = "open('executed', 'a').write(__name__)\nraise SystemExit(1)\n"
MODULES = ("json", "random", "pickle", "struct", "numpy", "polars", "sitecustomize", "usercustomize")
# Commands that start a process themselves or through a library. The process of assay explore is tested directly below,
# Spark in tests/spark/test_session.py.
COMMANDS = {
    "eval": "eval qrels.txt a.run -m AP",
    "plot": "plot leaderboard qrels.txt a.run -o figure.png",
    "report": "report qrels.txt a.run --without robustness --without systems -o report.html",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Directory with data and with modules that must not be executed."""
    (tmp_path / "qrels.txt").write_text("1 0 d 1\n2 0 e 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d 1 1 a\n2 Q0 f 1 1 a\n")
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(HOSTILE)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_do_not_import_modules_of_the_current_directory(command: str, folder: Path) -> None:
    # -P imitates the installed script, which puts its own directory, not the current one, on the path.
    args = [sys.executable, "-P", "-m", "assay", *COMMANDS[command].split()]
    process = subprocess.run(args, cwd=folder, capture_output=True, text=True, check=False)
    assert not (folder / "executed").exists()
    assert process.returncode == 0, process.stderr


def test_explorer_does_not_import_modules_of_the_current_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with VegaProcess() as vega:
        assert b"vegaEmbed" in vega._process.communicate()[0]
    assert not (folder / "executed").exists()
