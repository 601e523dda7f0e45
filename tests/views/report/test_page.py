"""The page by itself: its policy, its parts, its files."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import unescape

from assay.views.plots._export import runtime
from assay.views.plots._style import THEMES
from assay.views.report.figures import Figures
from assay.views.report.page import read_asset, render_page
from assay.views.report.section import Section
from assay.views.report.sections import notes
from report_cases import HOSTILE, campaign_with_ranks, context_of


@cache
def made() -> str:
    found = context_of(*campaign_with_ranks({HOSTILE: [1]}), "RR", title=HOSTILE)
    sections = [Section("one", HOSTILE, {}, HOSTILE), notes.compute(found, Figures())]
    return render_page(found, sections, Figures()).decode()


def test_only_its_own_scripts_and_style_may_run() -> None:
    text = made()
    [policy] = map(unescape, re.findall(r'Content-Security-Policy" content="([^"]*)"', text))
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert len(scripts) == 2
    allowed = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert allowed["default-src"] == "'none'"
    assert allowed["script-src"].split(" ") == [f"'sha256-{digest(script)}'" for script in scripts]
    assert allowed["style-src"] == f"'sha256-{digest(style)}'"
    assert "unsafe" not in policy
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script")


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_it_loads_nothing_and_has_no_inline_handlers_or_styles() -> None:
    shown = re.sub(r"<script.*?</script>|<style>.*?</style>", "", made(), flags=re.DOTALL)
    assert not re.search(r"\ssrc=|<link|<iframe|<object|\sstyle=|\son[a-z]+=|javascript:", shown)
    assert re.findall(r'href="([^"]*)"', shown) == ["#content", "#one", "#notes"]
    assert "url(" not in read_asset("page.css")
    assert "@import" not in read_asset("page.css")


def test_scripts_can_stand_in_a_page() -> None:
    for script in (runtime(), read_asset("page.js")):
        assert "</script" not in script.lower()
        assert "<!--" not in script
        assert "\r" not in script, "a browser would turn it into a line feed, and the hash would be another"


def test_hostile_titles_are_text() -> None:
    text = made()
    assert HOSTILE not in text
    assert "<title>&lt;script&gt;" in text


def test_the_parts() -> None:
    text = made()
    assert re.search(
        r'<section id="one"><h2>&lt;script&gt;.*?</h2>\s*<p class="brief">&lt;script&gt;.*?</p>\s*</section>', text
    )
    assert re.search(r"How these numbers were computed. </b>\s*This report was written by assay", text)
    assert "<noscript>" in text
    assert '<html lang="en">' in text
    assert 'href="#notes">Notes</a>' in text


def test_the_colours_are_those_of_figures() -> None:
    css = read_asset("page.css")
    light, dark = css.split("@media (prefers-color-scheme: dark)")[:2]
    for name, part in (("light", light), ("dark", dark.split("* {")[0])):
        for word, colour in THEMES[name].items():
            assert f"--{word}: {colour};" in part
