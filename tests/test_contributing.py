"""Execute the recipes of CONTRIBUTING literally, in a copy of the package and its tests."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from assay import __version__

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECIPES = ("measure", "significance test", "figure", "reader", "analysis", "command")
NEEDS = {"command": ("analysis",)}  # A command calls the function of an analysis.
# Input files for the commands of the recipes.
FILES = {
    "qrels.txt": "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 c 2\n3 0 b 1\n",
    "a.run": "1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n2 Q0 c 1 2 one\n2 Q0 a 2 1 one\n3 Q0 b 1 1 one\n",
    "b.run": "1 Q0 b 1 3 two\n1 Q0 a 2 2 two\n2 Q0 b 1 2 two\n2 Q0 a 2 1 two\n3 Q0 c 1 1 two\n",
}


class Recipe(NamedTuple):
    """The files of a recipe, the lines that it adds to existing files, and its commands."""

    files: dict[str, str]
    lines: dict[str, str]
    commands: list[str]


@cache
def text() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text()


def recipe(name: str) -> Recipe:
    [section] = re.findall(rf"^## Add an? {name}\n(.*?)(?=^## |\Z)", text(), re.MULTILINE | re.DOTALL)
    blocks = BLOCK.findall(section)
    files = {title: body for kind, title, body in blocks if kind == "python"}
    lines = {title: body for kind, title, body in blocks if kind == "pyi"}
    runs = [body for kind, title, body in blocks if (kind, title) == ("sh", "run")]
    return Recipe(files, lines, [line for body in runs for line in body.splitlines()])


def follow(name: str, tree: Path) -> Recipe:
    """Write the files of a recipe and of the recipes that it needs."""
    for other in NEEDS.get(name, ()):
        follow(other, tree)
    steps = recipe(name)
    for path, content in steps.files.items():
        (tree / path).write_text(content)
    for path, content in steps.lines.items():
        before = (tree / path).read_text()
        if content not in before:
            (tree / path).write_text(before + content)
    return steps


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the package and its tests, with the input files for the commands.

    Byte code is copied, too; it is valid because a copy has the time of its original.
    """
    folder = tmp_path_factory.mktemp("tree")
    for part in ("src/assay", "tests"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, content in FILES.items():
        (folder / name).write_text(content)
    scores = pl.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]})
    scores.write_avro(folder / "scores.avro")
    return folder


def run(command: str, tree: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as written, with the package of the copy."""
    program, *words = shlex.split(command)
    options = {"pytest": ["-p", "no:cacheprovider", "-q"], "assay": []}[program]
    # The copy must not inherit the options and coverage settings of the current test session.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_", "COVERAGE_"))
    }
    return subprocess.run(
        [sys.executable, "-m", program, *options, *words],
        cwd=tree,
        env={**environment, "PYTHONPATH": str(tree / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_extension_has_a_recipe() -> None:
    assert re.findall(r"^## Add an? (.+)$", text(), re.MULTILINE) == list(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_has_two_new_files(name: str) -> None:
    module, test = recipe(name).files
    assert module.startswith("src/assay/")
    assert test.startswith("tests/")
    assert Path(test).name == f"test_{Path(module).name.removeprefix('_')}"
    assert not (ROOT / module).exists()
    assert not (ROOT / test).exists()


@pytest.mark.parametrize("name", RECIPES)
def test_the_commands_of_a_recipe_succeed(name: str, tree: Path) -> None:
    steps = follow(name, tree)
    assert {command.split()[0] for command in steps.commands} <= {"pytest", "assay"}
    for command in steps.commands:
        completed_process = run(command, tree)
        assert completed_process.returncode == 0, f"{command}\n{completed_process.stdout}{completed_process.stderr}"
        assert "passed" in completed_process.stdout or not command.startswith("pytest")


def test_additions_appear_in_all_lists(tree: Path) -> None:
    for name in RECIPES:
        follow(name, tree)
    description = run("assay measures ARHR", tree).stdout
    assert description.startswith("ARHR\n\nAverage reciprocal hit rank")
    assert "mid-p" in run("assay compare --help", tree).stdout
    assert (
        "sign test with mid-p values" in run("assay compare qrels.txt a.run b.run -m ARHR@5 --test mid-p", tree).stdout
    )
    assert "two-measures" in run("assay plot --list", tree).stdout
    assert "lengths" in run("assay --help", tree).stdout
    assert "two" in run("assay meta lengths qrels.txt a.run b.run", tree).stdout
    assert "ARHR@5" in run("assay eval qrels.txt scores.avro -m ARHR@5", tree).stdout


@pytest.mark.parametrize("name", RECIPES)
def test_the_files_of_a_recipe_pass_ruff(name: str, tree: Path) -> None:
    for path in follow(name, tree).files:
        for check in (["check"], ["format", "--check"]):
            completed_process = subprocess.run(
                [sys.executable, "-m", "ruff", *check, "--no-cache", path],
                cwd=tree,
                capture_output=True,
                text=True,
                check=False,
            )
            assert completed_process.returncode == 0, completed_process.stdout + completed_process.stderr


def test_named_commands_and_paths_exist() -> None:
    for path in re.findall(r"`((?:tests|docs|src)/[\w./-]+)`", text()):
        assert (ROOT / path).exists(), path
    targets = re.findall(r"\bmake ([a-z-]+)", text())
    assert {"demo", "test", "docs"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), target


def test_the_citation_has_the_current_version() -> None:
    cited = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.+)$", cited, re.MULTILINE)[1] == __version__  # type: ignore[index]
