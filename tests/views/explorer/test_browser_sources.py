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


# Contrast ------------------------------------------------------------------------------------------------------


def read_colours(theme: int) -> dict[str, str]:
    """Return the colours of the style sheet by variable; *theme* is 0 for light and 1 for dark."""
    pattern = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
    colours = [(match[1], match[2 + theme]) for match in pattern.finditer((STATIC / "style.css").read_text())]
    pins = [colour for name, colour in colours if name == "pin"]
    return {**dict(colours), **{f"pin-{number}": colour for number, colour in enumerate(pins, 1)}}


def relative_luminance(colour: str) -> float:
    """Return the relative luminance as defined by WCAG."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast_ratio(one: str, other: str) -> float:
    light, dark = sorted((relative_luminance(one), relative_luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_texts_and_marks_have_the_contrast_of_wcag_aa(theme: int) -> None:
    colours = read_colours(theme)
    pins = [f"pin-{number}" for number in range(1, 7)]
    for text in ("ink", "muted", "accent", "right", "early", "bad"):
        for background in ("paper", "page", "soft"):
            assert contrast_ratio(colours[text], colours[background]) >= 4.5, (text, background)
    for text in ("ink", "muted", "accent", "right"):
        assert contrast_ratio(colours[text], colours["accent-soft"]) >= 4.5, text
    for background in ("accent", *pins):  # The text of buttons and badges.
        assert contrast_ratio(colours["paper"], colours[background]) >= 4.5, background
    for mark in ("late", "early", "right", "strong-line", *pins):
        assert contrast_ratio(colours[mark], colours["paper"]) >= 3, mark
        assert contrast_ratio(colours[mark], colours["soft"]) >= 3, mark
