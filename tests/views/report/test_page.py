"""Tests of the page of a report: security policy, parts and assets."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import unescape
from pathlib import Path

from assay import __version__
from assay.views.plots._export import runtime
from assay.views.plots._theme import THEMES
from assay.views.report.figures import Figures
from assay.views.report.page import list_facts, list_inputs, make_title, read_asset, render_page
from assay.views.report.phrasing import Name
from assay.views.report.section import Section
from assay.views.report.sections import agreement, notes, verdict
from report_cases import (
    HOSTILE,
    campaign_with_ranks,
    compute_section,
    context_of,
    simulated_context,
)


@cache
def build_page() -> str:
    context = context_of(*campaign_with_ranks({HOSTILE: [1]}), "RR", title=HOSTILE)
    sections = [Section("one", HOSTILE, HOSTILE), compute_section(notes, context)]
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
    assert re.findall(r'href="([^"]*)"', markup) == ["#content", "#data", "#notes", "#one"]
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


# The head of the page --------------------------------------------------------------------------------------------


def test_default_and_custom_titles() -> None:
    assert make_title(context_of(*campaign_with_ranks({"a": [1]}), "RR")) == "Evaluation of 1 run on 1 topic"
    assert make_title(simulated_context(3, 4)) == "Evaluation of 3 runs on 4 topics"
    assert make_title(simulated_context(3, 4, title=" Spring ")) == "Spring"
    assert make_title(simulated_context(3, 4, title="  ")) == "Evaluation of 3 runs on 4 topics"


def test_facts_describe_the_campaign() -> None:
    context = context_of({"q": {"a": 2, "b": 0, "c": -1}}, {"x": {"q": {"a": 1.0}}}, "AP", "RR", ties="file", seed=7)
    facts = list_facts(context)
    assert facts["Judgments"] == "3, of which 1 is relevant; grades -1, 0, 2"
    assert facts["Measures"] == [Name("AP"), Name("RR")]
    assert "only one run" in str(facts["Test"])
    assert facts["Policies"] == "ties file, missing empty, undefined zero, unjudged nonrelevant, seed 7"
    assert facts["Software"] == f"assay {__version__}"
    assert "Holm's correction" in str(list_facts(simulated_context(2, 3))["Test"])


def test_many_grades_are_summarized() -> None:
    qrels = {"q": {f"d{i}": i / 10 for i in range(20)}}
    facts = list_facts(context_of(qrels, {"x": {"q": {"d1": 1.0}}}))
    assert "grades 0 to 1.9 (20 grades)" in str(facts["Judgments"])


def test_inputs_have_names_and_hashes(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "x.run").write_text("q Q0 a 1 1.0 x\n")
    qrels, run = list_inputs(context_of(tmp_path / "qrels.txt", tmp_path / "x.run"))
    assert qrels[:3] == ("qrels", "qrels", "qrels.txt")
    assert run[1:] == ("run", "x.run", hashlib.sha256(b"q Q0 a 1 1.0 x\n").hexdigest())
    assert [row[2:] for row in list_inputs(context_of(*campaign_with_ranks({"a": [1]}), "RR"))] == [("–", None)] * 2


def test_main_story_comes_before_the_appendix() -> None:
    context = simulated_context(2, 3, 1, "AP", "RR", title=HOSTILE)
    sections = [compute_section(module, context) for module in (verdict, agreement, notes)]
    html = render_page(context, sections, Figures()).decode()
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", html.split("<main")[1].split("</main>")[0])
    assert titles == ["Verdict", "Data and settings", "Appendix", "Agreement of measures", "Notes"]
    main = html.split("<main")[1].split("</main>")[0]
    assert "<script" not in main
    assert "not a file" in main
    assert "Appendix" not in render_page(context, sections[::2], Figures()).decode()
