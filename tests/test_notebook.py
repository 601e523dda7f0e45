"""The notebooks are run from the first cell to the last, and print what they were kept with."""

from __future__ import annotations

import base64
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
AGAIN = "run it again: python docs/notebooks/make.py"


def loaded(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"docs_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = loaded(FOLDER / "make.py")
each_notebook = pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)


def texts(cell: Any) -> list[dict[str, str]]:
    """What a cell printed and showed, pictures aside."""
    return [
        {"stream": output.text}
        if output.output_type == "stream"
        else {kind: text for kind, text in output.data.items() if kind.startswith("text/")}
        for output in cell.get("outputs", [])
    ]


def pictures(cell: Any) -> list[bytes]:
    return [
        base64.b64decode(output.data["image/png"])
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]


def test_there_is_a_notebook() -> None:
    assert [path.name for path in sorted(FOLDER.glob("*.ipynb"))] == ["two-runs.ipynb"]


@each_notebook
def test_it_runs_and_prints_what_is_kept(path: Path, tmp_path: Path) -> None:
    kept, now = make.read(path), make.executed(path, tmp_path)
    for number, (before, after) in enumerate(zip(kept.cells, now.cells, strict=True)):
        assert before.get("execution_count") == after.get("execution_count"), AGAIN
        assert texts(before) == texts(after), f"cell {number} prints something else; {AGAIN}"
        assert len(pictures(before)) == len(pictures(after)), f"cell {number} draws something else; {AGAIN}"
        assert all(picture.startswith(b"\x89PNG") for picture in pictures(before))


@each_notebook
def test_it_draws_and_is_light_enough_to_be_kept(path: Path) -> None:
    drawn = [picture for cell in make.read(path).cells for picture in pictures(cell)]
    assert len(drawn) >= 3
    assert path.stat().st_size < 1_500_000


@each_notebook
def test_it_ends_with_a_conclusion_in_three_sentences(path: Path) -> None:
    last = make.read(path).cells[-1].source
    title, *sentences = [line for line in last.splitlines() if line]
    assert title == "## Conclusion"
    assert [sentence[:3] for sentence in sentences] == ["1. ", "2. ", "3. "]
    assert all(sentence.endswith(".") and ". " not in sentence[3:] for sentence in sentences)


@each_notebook
def test_its_page_has_all_of_it(path: Path) -> None:
    page = make.notebook_page(path)
    cells = make.read(path).cells
    assert all(cell.source in page for cell in cells)
    assert page.count("](data:image/png;base64,") == sum(len(pictures(cell)) for cell in cells)
    assert "\n\n| run | measure | value  |" in page, "tables are tables of Markdown"
    assert "```text\n\n" not in page
