"""The pages on the papers: every listed command exists and runs on a small simulated collection."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

import assay
from assay.cli import main

PAPERS = Path(__file__).parent.parent / "docs" / "papers"
HEADER = "| item | content | command | paper and assay |"

# Commands and options that other branches add. Empty this list when they are merged: every listed command then runs.
PENDING: tuple[str, ...] = ()


def list_rows(page: str) -> list[list[str]]:
    """Return the cells of each row in the table of the numbered items of a paper."""
    _, _, text = (PAPERS / page).read_text().partition(f"{HEADER}\n")
    lines = text.partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


PAGES = ("crp.md", "measurement.md", "med.md", "rbp.md", "twist.md")
ITEMS = {
    "crp.md": [*(f"eq. {number}" for number in range(1, 11)), "Fig. 1", "Fig. 2", "Fig. 3"],
    "measurement.md": ["Definition 5.1", "Theorem 5.2", "Algorithm 1", "Fig. 1a", "Fig. 1b", "Fig. 2"],
    "med.md": [
        *(f"eq. {number}" for number in range(1, 14)),
        *("Table 1", "Table 2", "Table 3", "Algorithm 1", "Fig. 1", "Fig. 2"),
    ],
    "rbp.md": ["Table I", "Table II", "Table III", "Table IV", *(f"Fig. {number}" for number in range(1, 7))],
    "twist.md": [
        *(f"Definition {number}" for number in range(1, 16)),
        *(f"Proposition {number}" for number in range(1, 4)),
        *(f"Table {number}" for number in range(1, 5)),
        *(f"Fig. {number}" for number in range(1, 15)),
    ],
}
COMMANDS = sorted(
    {text for page in PAGES for row in list_rows(page) for text in re.findall(r"`(assay [^`]*)`", row[2])}
)


def expand_item(text: str) -> list[str]:
    """Return the items of a cell that names several, such as ``Definitions 7 to 9`` or ``eqs. 2, 3``.

    >>> expand_item("Figs. 8, 9, 10")
    ['Fig. 8', 'Fig. 9', 'Fig. 10']
    """
    kind, _, rest = text.partition(" ")
    plural = re.fullmatch(r"(eq|Fig)s\.|(Definition)s", kind)
    if plural is None:
        return [text]
    singular = f"{plural[1]}." if plural[1] else "Definition"
    first, to, last = rest.partition(" to ")
    numbers = range(int(first), int(last) + 1) if to else rest.split(", ")
    return [f"{singular} {number}" for number in numbers]


@pytest.mark.parametrize("page", PAGES)
def test_every_numbered_item_has_a_row(page: str) -> None:
    rows = list_rows(page)
    assert all(len(row) == 4 and row[0] and row[1] and row[3] for row in rows)
    listed = [item for row in rows for item in expand_item(row[0])]
    assert [item for item in ITEMS[page] if item not in listed] == []


def is_pending(command: str) -> bool:
    return any(text in command for text in PENDING)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory with the files that the commands name, from a small simulated collection."""
    directory = tmp_path_factory.mktemp("papers") / "collection"
    assay.simulate(systems=4, topics=5, depth=25, pool=10, seed=1).write(directory)
    runs = sorted((directory / "runs").iterdir())
    for name, path in zip(("a.run", "b.run"), runs, strict=False):
        shutil.copy(path, directory / name)
    return directory


@pytest.mark.parametrize("command", [command for command in COMMANDS if not is_pending(command)])
def test_listed_commands_run(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(command)[1:]
    assert main([*words, "-o", "figure.json"] if words[0] == "plot" else words) == 0, capsys.readouterr().err


def test_commands_name_only_the_files_that_the_pages_explain() -> None:
    words = {word for command in COMMANDS for word in shlex.split(command)}
    assert {word for word in words if word.endswith((".txt", ".run", "/"))} == {"qrels.txt", "a.run", "b.run", "runs/"}


def test_pending_commands_are_listed() -> None:
    assert [text for text in PENDING if not any(text in command for command in COMMANDS)] == []
