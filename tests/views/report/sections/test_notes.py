"""Tests of the section of notes."""

from __future__ import annotations

from pathlib import Path

from assay.views.report.sections import notes
from report_cases import campaign_with_ranks, context_of, visible_text


def test_notes_are_listed() -> None:
    context = context_of({"p": {"a": 1}, "q": {"b": 1}}, {"x": {"p": {"a": 1.0}}})
    text = visible_text(notes, context)
    assert "1 note on ignored input and assumptions." in text
    assert "lacks 1 of the 2 topics" in text


def test_report_without_notes() -> None:
    text = visible_text(notes, context_of(*campaign_with_ranks({"a": [1]}), "RR"))
    assert "No input was ignored." in text
    assert "trec_eval-10: score as a double, then document id descending" in text


def test_file_names_have_no_directories(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("p 0 a 1\nq 0 b 1\n")
    (tmp_path / "x.run").write_text("p Q0 a 1 1.0 x\n")
    context = context_of(tmp_path / "qrels.txt", tmp_path / "x.run")
    text = visible_text(notes, context)
    assert "x.run: lacks 1 of the 2 topics" in text
    assert str(tmp_path) not in text
