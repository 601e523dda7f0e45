"""Snippets of texts: one line of limited width without control characters."""

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.results.formats import FORMATS, TableLayout, render
from assay.results.report import Report
from assay.results.snippets import display_width, make_snippet, pad_text
from assay.results.tables import Table
from assay.results.text_table import render_text

HOSTILE = "<script>alert(1)</script> & \x1b[31mred\x00\r\n\u202e| `x` $x_1$ \\input{x} 評価"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("short", 5, "short"),
        ("longer text", 7, "longer…"),
        ("longer text", 8, "longer…"),
        (" a \t\n b\r\n", 9, "a b"),
        ("評価評価", 8, "評価評価"),
        ("評価評価", 7, "評価評…"),
        ("評価評価", 6, "評価…"),
        ("a\x1b[31mb", 20, r"a\x1b[31mb"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("", 5, ""),
        (" " * 10_000 + "x", 5, "x"),
        ("x" * 10**7, 5, "xxxx…"),
    ],
)
def test_snippets(text, width, expected):
    assert make_snippet(text, width) == expected


@given(st.text(), st.integers(2, 40))
def test_snippets_fit_and_are_printable(text, width):
    snippet = make_snippet(text, width)
    assert display_width(snippet) <= width
    assert len(snippet) <= 4 * width
    assert snippet == snippet.strip()
    assert all(character.isprintable() or character in "\xa0\xad" or ord(character) > 0x2000 for character in snippet)
    assert make_snippet(snippet, width) == snippet


def test_combining_characters_are_limited():
    assert len(make_snippet("e" + "\u0301" * 10**6, 10)) <= 40


def test_padding():
    assert pad_text("評価", 6) == "評価  "
    assert pad_text("評価", 6, right=True) == "  評価"


class TextReport(Report):
    name = "texts"
    notes = ()
    provenance = None

    def summary(self):
        return ""

    def _show_table(self):
        frame = pl.DataFrame({"doc": ["a", "b"], "text": [make_snippet(HOSTILE, 300), "x"], "grade": [1, 0]})
        return Table(frame, frame)


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("json", "parquet")])
def test_hostile_texts_are_safe_in_tables(form):
    output = render(TextReport(), form, layout=TableLayout(width=200)).decode()
    assert not {"\x1b", "\x00", "\r", "\u202e"} & set(output)
    if form == "html":
        assert "<script>" not in output
    if form == "latex":
        assert r"\textbackslash{}input\{x\}" in output
        assert r"\$x\_1\$" in output
    if form == "markdown":
        assert r"\<script>" in output
        assert r"\| \`x\`" in output
    if form == "table":
        rows = output.splitlines()[2:4]
        assert len({display_width(row) for row in rows}) == 1


def test_texts_lose_their_end_and_names_lose_their_middle():
    frame = pl.DataFrame({"run": ["a-very-long-name-of-a-run"], "query": ["which cities are the largest"], "n": [1]})
    text = render_text(Table(frame, frame, text_columns=("query",)), None, 38)
    assert "which cit…" in text
    assert re.search(r"a-\S+…\S+run ", text)
    assert max(map(len, text.splitlines())) <= 38
