"""Tests of the page of a report: security policy, parts and assets."""

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
def build_page() -> str:
    context = context_of(*campaign_with_ranks({HOSTILE: [1]}), "RR", title=HOSTILE)
    sections = [Section("one", HOSTILE, {}, HOSTILE), notes.compute(context, Figures())]
    return render_page(context, sections, Figures()).decode()


def test_policy_allows_only_the_own_scripts_and_style() -> None:
    text = build_page()
    [policy] = map(unescape, re.findall(r'Content-Security-Policy" content="([^"]*)"', text))
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert len(scripts) == 2
    directives = dict(directive.split(" ", 1) for directive in policy.split("; "))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"].split(" ") == [f"'sha256-{digest(script)}'" for script in scripts]
    assert directives["style-src"] == f"'sha256-{digest(style)}'"
    assert "unsafe" not in policy
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script")


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_page_loads_nothing_and_has_no_inline_handlers_or_styles() -> None:
    markup = re.sub(r"<script.*?</script>|<style>.*?</style>", "", build_page(), flags=re.DOTALL)
    assert not re.search(r"\ssrc=|<link|<iframe|<object|\sstyle=|\son[a-z]+=|javascript:", markup)
    assert re.findall(r'href="([^"]*)"', markup) == ["#content", "#one", "#notes"]
    assert "url(" not in read_asset("page.css")
    assert "@import" not in read_asset("page.css")


def test_scripts_can_be_embedded() -> None:
    for script in (runtime(), read_asset("page.js")):
        assert "</script" not in script.lower()
        assert "<!--" not in script
        assert "\r" not in script, "a browser converts it to a line feed, which changes the hash"


def test_hostile_titles_are_escaped() -> None:
    text = build_page()
    assert HOSTILE not in text
    assert "<title>&lt;script&gt;" in text


def test_parts_of_the_page() -> None:
    text = build_page()
    assert re.search(
        r'<section id="one"><h2>&lt;script&gt;.*?</h2>\s*<p class="brief">&lt;script&gt;.*?</p>\s*</section>', text
    )
    assert re.search(r"How these numbers were computed. </b>\s*This report was written by assay", text)
    assert "<noscript>" in text
    assert '<html lang="en">' in text
    assert 'href="#notes">Notes</a>' in text


def test_page_and_figures_use_the_same_colours() -> None:
    css = read_asset("page.css")
    light, dark = css.split("@media (prefers-color-scheme: dark)")[:2]
    for name, section in (("light", light), ("dark", dark.split("* {")[0])):
        for role, colour in THEMES[name].items():
            assert f"--{role}: {colour};" in section
