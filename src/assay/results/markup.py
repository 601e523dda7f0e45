"""Tables as Markdown, LaTeX and HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from typing import NamedTuple

from assay.errors import escape_control_characters
from assay.results.tables import Table, format_column, format_intervals, is_numeric

_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    **{c: f"${c}$" for c in "<>"},
    **{
        c: f"$^{{{name}}}$"
        for c, name in (("†", r"\dagger"), ("‡", r"\ddagger"), ("§", r"\S"), ("¶", r"\P"), ("↓", r"\downarrow"))
    },
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
    "≈": r"$\approx$",
    "–": "--",
    "−": "$-$",
    "…": r"\dots{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_PAGE_STYLE = ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:2rem}"
# Notebooks have their own style rules for tables. The class selector makes these rules more specific, so that they
# override the rules of the notebook.
_TABLE_STYLE = (
    ".assay table{border-collapse:collapse;margin:0 0 .8em}.assay p{max-width:48em;margin:.4em 0}"
    ".assay p.legend{font-size:.85em;opacity:.8}"
    ".assay table th,.assay table td{padding:.15em .7em;text-align:left;white-space:nowrap}"
    ".assay table .n{text-align:right;font-variant-numeric:tabular-nums}"
    ".assay thead th{border-bottom:1px solid}.assay .apart td{border-bottom:1px solid}"
)


def render_markdown(table: Table, digits: int | None, sentences: Iterable[str]) -> str:
    """Render the table and the sentences below it as Markdown."""
    names = table.columns()
    cells = {name: _format_with_intervals(table, name, digits, _MARKDOWN) for name in names}
    rule = ["---:" if is_numeric(table, name) else "---" for name in names]
    blocks = []
    for title, rows in table.groups() if names else ():
        head = [escape_markdown(_format_header(table, name)) for name in names]
        lines = [head, rule, *([cells[name][row] for name in names] for row in rows)]
        blocks.append(
            f"**{escape_markdown(title)}**\n\n" * bool(title) + "".join(f"| {' | '.join(line)} |\n" for line in lines)
        )
    return "\n".join([*blocks, *(f"{escape_markdown(sentence)}\n" for sentence in sentences)])


def escape_markdown(text: str) -> str:
    """Escape characters that Markdown would read as markup, and the beginning of HTML tags and entities."""
    return re.sub(r"([\\`*|\[\]]|<(?=[A-Za-z/!?])|&(?=#?\w+;))", r"\\\1", text)


def _format_header(table: Table, name: str) -> str:
    """Return the header of a column; if the column has intervals, the header includes their name."""
    return (
        f"{escape_control_characters(name)} [{table.interval_name}]"
        if name in table.intervals
        else escape_control_characters(name)
    )


class Markup(NamedTuple):
    """Functions that write plain text, emphasis and signs (such as a dagger) in one format."""

    escape: Callable[[str], str]
    strong: Callable[[str], str]
    sign: Callable[[str], str]


def _format_cells(table: Table, name: str, digits: int | None, markup: Markup) -> list[str]:
    """Return the cells of a column with emphasis and signs."""
    plain = format_column(table, name, digits)
    bold = set[int]().union(*(table.find_best(name, plain, rows) for _, rows in table.groups()))
    cells = [
        markup.strong(markup.escape(cell)) if row in bold else markup.escape(cell) for row, cell in enumerate(plain)
    ]
    if name in table.marks:
        signs = [markup.sign(sign) if sign else "" for sign in table.marks[name]]
        cells = [cell + sign for cell, sign in zip(cells, signs, strict=True)]
    return cells


def _format_with_intervals(table: Table, name: str, digits: int | None, markup: Markup) -> list[str]:
    """Return the cells of a column with emphasis, signs and intervals."""
    cells = _format_cells(table, name, digits, markup)
    if name not in table.intervals:
        return cells
    ends = format_intervals(table.intervals[name], digits)
    return [f"{cell} {end}".rstrip() for cell, end in zip(cells, ends, strict=True)]


# LaTeX ----------------------------------------------------------------------------------------------------------


def render_latex(table: Table, digits: int | None, caption: str, label: str) -> str:
    r"""Render the table for a paper; it needs the LaTeX package booktabs, and amssymb for triangles.

    Signs take no space (``\rlap``), so that numbers stay aligned. The ends of intervals have no zero before the decimal
    point.
    """
    names = [name for name in table.columns() if name not in table.omitted_in_latex]
    cells = {name: _format_latex_cells(table, name, digits) for name in names}
    columns = "".join("r" if is_numeric(table, name) else "l" for name in names)
    head = " & ".join(_escape_latex(escape_control_characters(name)) for name in names)
    body = ""
    for title, rows in table.groups():
        body += (
            f"\\midrule\n\\multicolumn{{{len(names)}}}{{l}}{{\\textit{{{_escape_latex(title)}}}}} \\\\\n"
            if title
            else ""
        )
        body += "\\midrule\n"
        for row in rows:
            body += "\\midrule\n" if table.rows_above_rule and row == table.rows_above_rule else ""
            body += f"{' & '.join(cells[name][row] for name in names)} \\\\\n"
    tabular = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head} \\\\\n{body}\\bottomrule\n\\end{{tabular}}\n" * bool(
        names
    )
    reference = f"\\label{{{label}}}\n" if label else ""
    return f"\\begin{{table}}\n\\centering\n\\caption{{{_escape_latex(caption)}}}\n{reference}{tabular}\\end{{table}}\n"


def _format_latex_cells(table: Table, name: str, digits: int | None) -> list[str]:
    """Return the cells of a column in LaTeX, with emphasis, signs and intervals."""
    cells = _format_cells(table, name, digits, _LATEX_MARKUP)
    if name not in table.intervals:
        return cells
    unsigned = _format_cells(table, name, digits, _LATEX_MARKUP._replace(sign=lambda signs: ""))
    signs = table.marks.get(name, [""] * len(cells))
    # Signs before an interval have the same width in every row, so that the intervals stay aligned.
    boxes = [f"\\makebox[1.2em][l]{{{_superscript(sign) if sign else ''}}}" if any(signs) else "" for sign in signs]
    # Intervals have one digit less than values, and no zero before the decimal point.
    interval_digits = None if digits is None else max(digits - 1, 1)
    ends = [
        re.sub(r"(?<=[\[ ])(-?)0\.", r"\1.", end) for end in format_intervals(table.intervals[name], interval_digits)
    ]
    return [f"{cell}{sign} {end}".rstrip() for cell, sign, end in zip(unsigned, boxes, ends, strict=True)]


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _superscript(signs: str) -> str:
    """Return signs as a LaTeX superscript; the math delimiters of single commands are removed."""
    inner = "".join(
        re.sub(r"^\$\^?\{?|\}?\$$", "", _LATEX[c]) if c in _LATEX and "$" in _LATEX[c] else _escape_latex(c)
        for c in signs
    )
    return f"$^{{{inner}}}$"


# HTML -----------------------------------------------------------------------------------------------------------


_MARKDOWN = Markup(escape_markdown, "**{}**".format, escape_markdown)
_LATEX_MARKUP = Markup(_escape_latex, "\\textbf{{{}}}".format, lambda signs: f"\\rlap{{{_superscript(signs)}}}")
_HTML = Markup(escape, "<strong>{}</strong>".format, lambda signs: f"<sup>{escape(signs)}</sup>")


def render_fragment(table: Table, digits: int | None, sentences: Iterable[str], notes: Iterable[str] = ()) -> str:
    """Render the table, the sentences and the notes as an HTML element that can be part of a page."""
    names = table.columns()
    cells = {name: _format_with_intervals(table, name, digits, _HTML) for name in names}
    kinds = {name: ' class="n"' if is_numeric(table, name) else "" for name in names}
    head = "".join(f"<th{kinds[name]}>{escape(_format_header(table, name))}</th>" for name in names)
    body = ""
    for title, rows in table.groups():
        body += f'<tr><th colspan="{len(names)}">{escape(title)}</th></tr>\n' if title else ""
        for row in rows:
            row_class = ' class="apart"' if table.rows_above_rule and row == table.rows_above_rule - 1 else ""
            body += f"<tr{row_class}>{''.join(f'<td{kinds[name]}>{cells[name][row]}</td>' for name in names)}</tr>\n"
    classes = {table.caption: ' class="legend"'}
    text = "".join(
        f"<p{classes.get(sentence, '')}>{'<br>'.join(escape(sentence).splitlines())}</p>\n" for sentence in sentences
    )
    items = "".join(f"<li>{escape(escape_control_characters(note))}</li>\n" for note in notes)
    details = f"<details><summary>notes</summary><ul>\n{items}</ul></details>\n" if items else ""
    content = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>" if names else ""
    return f'<div class="assay">\n<style>{_TABLE_STYLE}</style>\n{content}\n{text}{details}</div>\n'


def render_page(title: str, fragment: str) -> str:
    """Return a self-contained page that follows the reader's light or dark colour scheme."""
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>{_PAGE_STYLE}</style>\n{fragment}"
    )
