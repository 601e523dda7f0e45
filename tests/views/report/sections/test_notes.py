"""What was ignored or assumed."""

from __future__ import annotations

from pathlib import Path

from assay.views.report.sections import notes
from report_cases import campaign_with_ranks, context_of, visible_text


def test_notes_are_listed() -> None:
    found = context_of({"p": {"a": 1}, "q": {"b": 1}}, {"x": {"p": {"a": 1.0}}})
    seen = visible_text(notes, found)
    assert "1 note on ignored input and assumptions." in seen
    assert "lacks 1 of the 2 topics" in seen


def test_nothing_to_note() -> None:
    seen = visible_text(notes, context_of(*campaign_with_ranks({"a": [1]}), "RR"))
    assert "No input was ignored." in seen
    assert "trec_eval-10: score as a double, then document id descending" in seen


def test_files_are_named_without_where_they_lie(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("p 0 a 1\nq 0 b 1\n")
    (tmp_path / "x.run").write_text("p Q0 a 1 1.0 x\n")
    found = context_of(tmp_path / "qrels.txt", tmp_path / "x.run")
    seen = visible_text(notes, found)
    assert "x.run: lacks 1 of the 2 topics" in seen
    assert str(tmp_path) not in seen
