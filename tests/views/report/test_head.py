"""The beginning of a report."""

from __future__ import annotations

import hashlib
from pathlib import Path

from assay import __version__
from assay.views.report.head import facts, findings, head, inputs, title
from assay.views.report.markup import said, tag
from assay.views.report.section import Section
from report_cases import HOSTILE, graded, material, simulated, text


def test_titles() -> None:
    assert title(material(*graded({"a": [1]}), "RR")) == "Evaluation of 1 run on 1 topic"
    assert title(simulated(3, 4)) == "Evaluation of 3 runs on 4 topics"
    assert title(simulated(3, 4, title=" Spring ")) == "Spring"
    assert title(simulated(3, 4, title="  ")) == "Evaluation of 3 runs on 4 topics"
    assert "<script" not in head(simulated(2, 3, title=HOSTILE), [])


def test_facts() -> None:
    found = material({"q": {"a": 2, "b": 0, "c": -1}}, {"x": {"q": {"a": 1.0}}}, "AP", "RR", ties="file", seed=7)
    seen = text(facts(found))
    assert "3, of which 1 is relevant; grades -1, 0, 2" in seen
    assert "AP, RR" in seen
    assert "none: there is one run only" in seen
    assert "ties file, topics qrels, undefined zero, unjudged nonrelevant, seed 7" in seen
    assert f"assay {__version__}" in seen
    assert "Holm's correction" in text(facts(simulated(2, 3)))


def test_many_grades() -> None:
    qrels = {"q": {f"d{i}": i / 10 for i in range(20)}}
    assert "grades 0 to 1.9, 20 of them" in text(facts(material(qrels, {"x": {"q": {"d1": 1.0}}})))


def test_inputs_are_named_by_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "x.run").write_text("q Q0 a 1 1.0 x\n")
    found = material(tmp_path / "qrels.txt", tmp_path / "x.run")
    seen = text(inputs(found))
    assert "Inputs (2)" in seen
    assert "x.run" in seen
    assert hashlib.sha256(b"q Q0 a 1 1.0 x\n").hexdigest() in seen
    assert str(tmp_path) not in seen
    assert "not a file" in text(inputs(material(*graded({"a": [1]}), "RR")))


def test_findings_are_the_first_sentences() -> None:
    sections = [
        Section("leaderboard", "Leaderboard", (said("One."), said("Two."), said("Three.")), (tag("p"),)),
        Section("notes", "Notes", (said("Four."),), (tag("p"),)),
        Section("effort", "Effort", (said("There is nothing to show."),)),
        Section("topics", "Topics", ()),
    ]
    assert text(findings(sections)) == "In shortOne. Two. Leaderboard"
    assert findings([]) == ""
