"""assay completion."""

from __future__ import annotations

import pytest

from assay.cli import main


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_name_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "eval" in script
    assert "per-topic" in script


def test_other_shells_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["completion", "csh"])
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
