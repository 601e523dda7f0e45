"""Every page is executed: Python blocks as doctests, console blocks by the command, and links are followed."""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli import main
from assay.measures._base import CATALOGUE

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def forget_own_measures() -> Iterator[None]:
    """A page may define a measure of its own, which is none of ours."""
    yield
    for name in [name for name, cls in CATALOGUE.items() if not cls.__module__.startswith("assay.")]:
        del CATALOGUE[name]


def page_id(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", [p for p in PAGES if p.parent.name in ("guide", "concepts")], ids=page_id)
def test_blocks_do_what_they_show(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for kind, title, text in BLOCK.findall(page.read_text()):
        if kind == "file":
            (tmp_path / title).write_text(text)
        elif kind == "python":
            run_python(text, names, page)
        elif kind == "console":
            run_console(text, capsys)


def run_python(text: str, names: dict[str, object], page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    assert not runner.failures, "".join(said)
    names.update(test.globs)


def run_console(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a terminal shows: standard output, then standard error."""
    for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = piece.partition("\n")
        program, *words = shlex.split(command)
        assert program == "assay"
        main(words)
        shown = capsys.readouterr()
        assert shown.out + shown.err == expected, command


def test_the_python_of_the_readme_runs() -> None:
    [code] = [text for kind, _, text in BLOCK.findall((ROOT / "README.md").read_text()) if kind == "python"]
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert repr(names["results"]) == "Results(1 run x 1 topic: AP, nDCG@10, RBP(p=0.8))"


def test_the_readme_is_one_screen_and_tells_the_number_of_measures() -> None:
    from assay.measures import catalogue

    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 60
    assert f"any of {len(catalogue())} measures" in text


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_reference_of_measures_is_what_the_code_says() -> None:
    from assay.views.reference import measures_page

    page = ROOT / "docs" / "reference" / "measures.md"
    assert page.read_text() == measures_page(), "write it again: python -m assay.views.reference"


def test_the_gallery_shows_every_figure() -> None:
    from assay.views.plots._figures import figures

    folder = ROOT / "docs" / "gallery"
    text = (folder / "README.md").read_text()
    for name, figure in figures().items():
        assert f"## {name}\n\n{figure.title}." in text, "make gallery writes it again"
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert {path.stem for path in folder.glob("*.png")} == set(figures())
