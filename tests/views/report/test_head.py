"""Tests of the head of a report."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assay import __version__
from assay.views.report.head import describe, list_facts, list_inputs, make_title
from assay.views.report.names import Name
from assay.views.report.section import Section, templates
from assay.views.report.sections import agreement, notes
from report_cases import (
    HOSTILE,
    campaign_with_ranks,
    compute_section,
    context_of,
    headline,
    simulated_context,
    strip_markup,
)


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


def test_findings_are_the_headlines_of_sections_with_content() -> None:
    context = simulated_context(2, 3, 1, "AP", "RR", title=HOSTILE)
    sections = [
        compute_section(agreement, context),
        compute_section(notes, context),
        Section("effort", "Effort", {}, "There is nothing to show."),
    ]
    content = describe(context, sections)
    assert content["findings"] == sections[:1]
    html = templates().get_template("head.html").render(content)
    assert "<script" not in html
    assert "not a file" in html
    assert strip_markup(html.split("Main findings")[1]).startswith(" ".join(headline(agreement, context)))
    assert '<a href="#agreement" class="more">Agreement of measures</a>' in html
    assert "Main findings" not in templates().get_template("head.html").render(content | {"findings": []})
