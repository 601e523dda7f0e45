"""What the pages are made of: nothing from elsewhere, no markup made of names, no script or style in the markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.views.explorer.files import STATIC
from assay.views.explorer.pages import PAGES, TEMPLATES

SCRIPTS = sorted(STATIC.glob("*.js"))
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc")
CODE = re.compile(r"\beval\(|new Function|setTimeout\(\s*[\"'`]|javascript:")
ELSEWHERE = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|[\"'(]//\w")
IMPORT = re.compile(r"""(?:from|import)\s*\(?["'](\./[^"']+)["']""")


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


@pytest.mark.parametrize("path", SCRIPTS, ids=names(SCRIPTS))
def test_scripts_make_no_markup_or_code_of_text_and_find_what_they_import(path: Path) -> None:
    text = path.read_text()
    assert not MARKUP.search(text)
    assert not CODE.search(text)
    assert not ELSEWHERE.search(text)
    assert {name for name in IMPORT.findall(text) if not (STATIC / name).is_file()} == set()


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.html")), ids=names(sorted(TEMPLATES.glob("*.html"))))
def test_templates_hold_no_script_style_or_address_of_elsewhere(path: Path) -> None:
    text = path.read_text()
    assert re.findall(r"<script(?![^>]*\ssrc=)", text) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", text) == []
    assert not ELSEWHERE.search(text)
    assert "|safe" not in text.replace(" ", "")


def test_style_fetches_nothing() -> None:
    text = (STATIC / "style.css").read_text()
    assert "url(" not in text
    assert "@import" not in text


def test_every_page_has_a_script_of_its_own() -> None:
    for page in PAGES:
        script = page.template.replace(".html", ".js")
        assert f'script = "{script}"' in (TEMPLATES / page.template).read_text()
        assert (STATIC / script).is_file()


def test_every_script_is_used() -> None:
    """By a template, or by another script that is."""
    texts = "".join(path.read_text() for path in [*SCRIPTS, *TEMPLATES.glob("*.html")])
    for path in SCRIPTS:
        assert f"/{path.name}" in texts or f'"{path.name}"' in texts, path.name
