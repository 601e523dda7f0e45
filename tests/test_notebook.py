"""Execute the notebooks and compare the output with the stored output."""

from __future__ import annotations

import base64
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
AGAIN = "update it with python docs/notebooks/make.py"


def load_script(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"docs_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = load_script(FOLDER / "make.py")
each_notebook = pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)


def texts(cell: Any) -> list[dict[str, str]]:
    """Return the output of a cell without pictures."""
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


def test_the_folder_holds_one_notebook() -> None:
    assert [path.name for path in sorted(FOLDER.glob("*.ipynb"))] == ["two-runs.ipynb"]


@each_notebook
def test_a_notebook_prints_the_stored_output(path: Path, tmp_path: Path) -> None:
    stored, current = make.read(path), make.execute(path, tmp_path)
    for number, (before, after) in enumerate(zip(stored.cells, current.cells, strict=True)):
        assert before.get("execution_count") == after.get("execution_count"), AGAIN
        assert texts(before) == texts(after), f"cell {number} prints different output; {AGAIN}"
        assert len(pictures(before)) == len(pictures(after)), f"cell {number} draws different pictures; {AGAIN}"
        assert all(picture.startswith(b"\x89PNG") for picture in pictures(before))


@each_notebook
def test_a_notebook_has_pictures_and_a_small_file(path: Path) -> None:
    images = [picture for cell in make.read(path).cells for picture in pictures(cell)]
    assert len(images) >= 3
    assert path.stat().st_size < 1_500_000


@each_notebook
def test_a_notebook_ends_with_a_conclusion_in_three_short_points(path: Path) -> None:
    last = make.read(path).cells[-1].source
    title, *points = [line for line in last.splitlines() if line]
    assert title == "## Conclusion"
    assert [point[:3] for point in points] == ["1. ", "2. ", "3. "]
    assert all(point.endswith(".") and point[3:].count(". ") <= 3 for point in points)


@each_notebook
def test_the_page_of_a_notebook_is_complete(path: Path) -> None:
    page = make.notebook_page(path)
    cells = make.read(path).cells
    assert all(cell.source in page for cell in cells)
    assert page.count("](data:image/png;base64,") == sum(len(pictures(cell)) for cell in cells)
    assert "\n\n| run | measure | value  |" in page, "tables must be Markdown tables"
    assert "```text\n\n" not in page
