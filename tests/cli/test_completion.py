"""Tests of ``assay completion``."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from assay.cli import main
from assay.cli.completion import write_script


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_name_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "eval" in script
    assert "per-topic" in script


def test_unknown_shells_are_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "csh"]) == 2
    assert capsys.readouterr().err.startswith("assay: completion csh: choose one of bash, zsh, fish")


def complete(*args: str) -> list[str]:
    """Return the completions that bash proposes for the last of the arguments."""
    script = write_script("bash", OPTIONS)
    line = " ".join(f"'{word}'" for word in args)
    probe = f"COMP_WORDS=({line}); COMP_CWORD={len(args) - 1}; _assay; echo ${{COMPREPLY[@]}}"
    process = subprocess.run(["bash", "-c", f"{script}\n{probe}"], capture_output=True, text=True, check=True)
    return process.stdout.split()


OPTIONS = {
    ("eval",): ["--help", "--measures"],
    ("meta", "power"): ["--help", "--alpha"],
    ("meta", "study"): ["--fresh"],
}


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("assay", ""), ["eval", "meta"]),
        (("assay", "m"), ["meta"]),
        (("assay", "meta", ""), ["power", "study"]),
        (("assay", "meta", "p"), ["power"]),
        (("assay", "meta", "power", "--"), ["--help", "--alpha"]),
        (("assay", "eval", "--m"), ["--measures"]),
        (("assay", "eval", "q"), []),
    ],
)
def test_bash_completes_groups_commands_and_options(args: tuple[str, ...], expected: list[str]) -> None:
    assert complete(*args) == expected
