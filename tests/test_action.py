"""The GitHub action that runs assay gate: its inputs, and its script, run by hand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

FOLDER = Path(__file__).parents[1] / ".github" / "actions" / "gate"
ACTION = (FOLDER / "action.yml").read_text(encoding="utf-8")
SCRIPT = (FOLDER / "gate.sh").read_text(encoding="utf-8")
TOPICS = [f"q{i:02}" for i in range(24)]

pytestmark = [pytest.mark.posix, pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")]


def test_every_input_reaches_the_script():
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load(ACTION)
    assert action["runs"]["using"] == "composite"
    install, gate = action["runs"]["steps"]
    variables = {name: re.findall(r"inputs\.([\w-]+)", text) for name, text in gate["env"].items()}
    used = {name for names in variables.values() for name in names} | set(re.findall(r"inputs\.([\w-]+)", str(install)))
    assert used == set(action["inputs"])
    assert all(f"{name}" in SCRIPT for name in variables)
    assert set(re.findall(r"GATE_[A-Z_]+", SCRIPT.replace("GATE_*", ""))) <= {*variables, "GATE_"}
    # Inputs in the text of a script would be executed by the shell.
    assert not any("${{" in step["run"] for step in action["runs"]["steps"])
    assert all(one.get("required") or "default" in one for one in action["inputs"].values())
    assert all(one["description"] for one in action["inputs"].values())


@pytest.fixture
def run_script(tmp_path):
    """Return a function that runs the script with inputs, and returns its exit code and its output."""
    judgments = "".join(f"{topic} 0 a 1\n" for topic in TOPICS)
    (tmp_path / "qrels.txt").write_text(judgments)
    for name, shift in (("old", 0), ("bad", 2), ("unclear", 1)):
        ranks = [(i % 3 + shift) % 3 if name == "unclear" else min(i % 3 + shift, 2) for i in range(24)]
        lines = [
            f"{topic} Q0 {document} 1 {score} {name}\n"
            for topic, rank in zip(TOPICS, ranks, strict=True)
            for document, score in (("a", 5 - 2 * rank), ("x", 4), ("y", 2))
        ]
        (tmp_path / f"{name} run").write_text("".join(lines))
    command = tmp_path / "assay command"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m assay "$@"\n')
    command.chmod(0o755)

    def run(**inputs):
        standard = {"QRELS": "qrels.txt", "BASELINE": "old run", "MARGINS": "AP=0.05", "COMMAND": str(command)}
        environment = {f"GATE_{name}": value for name, value in {**standard, **inputs}.items()}
        files = {name: str(tmp_path / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        process = subprocess.run(
            ["bash", str(FOLDER / "gate.sh")],
            cwd=tmp_path,
            env={**os.environ, **environment, **files},
            capture_output=True,
            text=True,
            check=False,
        )
        return process.returncode, process.stdout, process.stderr

    return run


def test_a_failing_change_fails_the_step(run_script, tmp_path):
    margins = "  AP=0.05\r\n\nRR=10%\n"
    code, out, _ = run_script(RUN="bad run", MARGINS=margins, JUNIT="gate.xml", OPTIONS="--min-topics\n5\n")
    assert code == 1
    assert out.count("::error title=assay gate") == 2
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == "verdict=fail\n"
    assert "### assay gate: fail" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "2"


def test_undecided_is_a_warning_unless_it_blocks(run_script):
    code, out, _ = run_script(RUN="unclear run")
    assert code == 0
    assert "::warning title=assay gate" in out
    code, out, _ = run_script(RUN="unclear run", UNDECIDED="block")
    assert code == 1
    assert "::error title=assay gate" in out


def test_text_of_inputs_is_not_executed(run_script, tmp_path):
    code, out, error = run_script(RUN="$(touch hacked); `touch hacked`", UNDECIDED="warn")
    assert code == 2
    assert "no such file" in error
    assert "::error title=assay gate::the gate could not run" in out
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"RUN": ""}, "GATE_RUN is empty; set the input run"),
        ({"RUN": "old run", "UNDECIDED": "no"}, "choose warn or block"),
    ],
)
def test_invalid_inputs(run_script, inputs, message):
    code, _, error = run_script(**inputs)
    assert code == 2
    assert message in error
