"""Shell completion scripts."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from assay.views.completion import script

OPTIONS = {"eval": ["--help", "--measure"], "measures": ["--help"]}


@pytest.mark.parametrize(("words", "expected"), [("assay ev", "eval"), ("assay eval --me", "--measure")])
def test_bash_completes_commands_and_options(words: str, expected: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash on this machine")
    array = " ".join(words.split())
    code = f"{script('bash', OPTIONS)}\nCOMP_WORDS=({array}); COMP_CWORD={len(words.split()) - 1}; _assay; echo ${{COMPREPLY[@]}}"
    out = subprocess.run([bash, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.split() == [expected]


def test_zsh_and_fish() -> None:
    assert script("zsh", OPTIONS).startswith("#compdef assay\n")
    assert "complete -c assay -n '__fish_seen_subcommand_from eval' -l measure" in script("fish", OPTIONS)
