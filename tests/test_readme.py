"""The commands of the README run, and its numbers are correct."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from assay.cli import list_commands, main
from assay.measures import catalogue
from assay.views.plots._figures import figures

README = (Path(__file__).parent.parent / "README.md").read_text()
SHELL = [
    shlex.split(line, comments=True)[1:]
    for block in re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
    if line.startswith("assay ")
]


def test_numbers_match_the_code() -> None:
    [measures] = re.findall(r"any of more than (\d+) measures", README)
    [others] = re.findall(r"draws this and (\d+) \[other figures\]", README)
    [listed] = re.findall(r"assay --help lists (\d+) commands", README)
    assert int(measures) < len(catalogue())
    assert int(others) <= len(figures()) - 1
    assert int(listed) == len(list_commands())


def test_the_shell_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    verdicts = {"check": (0, 1), "gate": (0, 1, 3)}
    assert len(SHELL) == 12
    for words in SHELL:
        if words[0] == "explore":  # It would serve until it is stopped.
            continue
        assert main(words) in verdicts.get(words[0], (0,)), words
        captured = capsys.readouterr()
        assert captured.out or "wrote report.html" in captured.err, words
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_install_command_includes_the_extras_that_the_readme_uses() -> None:
    assert "pip install -e '.[explore]'" in README
    assert "make demo" in README
