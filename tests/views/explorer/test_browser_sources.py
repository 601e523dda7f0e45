"""Tests of the page sources: nothing external, no markup built from names, no inline scripts or styles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.views.explorer.files import STATIC
from assay.views.explorer.pages import PAGES, TEMPLATES

SCRIPTS = sorted(STATIC.glob("*.js"))
MARKUP_FROM_TEXT = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc"
)
CODE_FROM_TEXT = re.compile(r"\beval\(|new Function|setTimeout\(\s*[\"'`]|javascript:")
EXTERNAL = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|[\"'(]//\w")
IMPORT = re.compile(r"""(?:from|import)\s*\(?["'](\./[^"']+)["']""")


def file_names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


@pytest.mark.parametrize("path", SCRIPTS, ids=file_names(SCRIPTS))
def test_scripts_build_no_markup_or_code_from_text_and_import_existing_files(path: Path) -> None:
    text = path.read_text()
    assert not MARKUP_FROM_TEXT.search(text)
    assert not CODE_FROM_TEXT.search(text)
    assert not EXTERNAL.search(text)
    assert {name for name in IMPORT.findall(text) if not (STATIC / name).is_file()} == set()


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.html")), ids=file_names(sorted(TEMPLATES.glob("*.html"))))
def test_templates_contain_no_scripts_styles_or_external_addresses(path: Path) -> None:
    text = path.read_text()
    assert re.findall(r"<script(?![^>]*\ssrc=)", text) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", text) == []
    assert not EXTERNAL.search(text)
    assert "|safe" not in text.replace(" ", "")


def test_stylesheet_loads_nothing() -> None:
    text = (STATIC / "style.css").read_text()
    assert "url(" not in text
    assert "@import" not in text


def test_every_page_has_its_own_script() -> None:
    for page in PAGES:
        script = page.template.replace(".html", ".js")
        assert f'script = "{script}"' in (TEMPLATES / page.template).read_text()
        assert (STATIC / script).is_file()


def test_every_script_is_used() -> None:
    """Every script is loaded by a template or imported by another script."""
    texts = "".join(path.read_text() for path in [*SCRIPTS, *TEMPLATES.glob("*.html")])
    for path in SCRIPTS:
        assert f"/{path.name}" in texts or f'"{path.name}"' in texts, path.name
