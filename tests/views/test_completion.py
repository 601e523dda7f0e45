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
    last = len(words.split()) - 1
    probe = f"COMP_WORDS=({words}); COMP_CWORD={last}; _assay; echo ${{COMPREPLY[@]}}"
    code = f"{script('bash', OPTIONS)}\n{probe}"
    out = subprocess.run([bash, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.split() == [expected]


def test_zsh_and_fish() -> None:
    assert script("zsh", OPTIONS).startswith("#compdef assay\n")
    assert "complete -c assay -n '__fish_seen_subcommand_from eval' -l measure" in script("fish", OPTIONS)
