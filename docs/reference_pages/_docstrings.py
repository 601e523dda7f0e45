"""Convert docstrings in the numpy convention to Markdown."""

from __future__ import annotations

import inspect
import re
from itertools import pairwise
from textwrap import dedent
from typing import NamedTuple

from reference_pages._markdown import convert_inline, render_block

_UNDERLINE = re.compile(r"^-{3,}$")
_DEFINITION_LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises")


class Docstring(NamedTuple):
    """The lines before the first section, and the lines of each section by title."""

    body: list[str]
    sections: dict[str, list[str]]


def parse_docstring(documented: object) -> Docstring:
    """Parse the docstring of a module, class or function."""
    lines = inspect.cleandoc(getattr(documented, "__doc__", None) or "").splitlines()
    starts = [number - 1 for number, line in enumerate(lines) if number and _UNDERLINE.match(line)]
    sections = {lines[start]: lines[start + 2 : end] for start, end in pairwise([*starts, len(lines)])}
    return Docstring(lines[: starts[0]] if starts else lines, sections)


def read_summary(documented: object) -> str:
    """Return the first line of a docstring."""
    return convert_inline(next(iter(parse_docstring(documented).body), ""))


def render_docstring(documented: object, omit: tuple[str, ...] = ()) -> str:
    """Return a docstring as Markdown, without the sections in *omit*."""
    docstring = parse_docstring(documented)
    parts = [render_prose(docstring.body)]
    for title, lines in docstring.sections.items():
        if title not in omit:
            parts.append(_render_section(title, lines))
    return "\n".join(part for part in parts if part.strip())


def _render_section(title: str, lines: list[str]) -> str:
    if title in _DEFINITION_LISTS:
        return f"{title}:\n\n{_render_definitions(lines)}"
    if title == "References":
        return quote(lines)
    if title == "Examples":
        return render_block("\n".join(lines).strip(), "python")
    return f"{title}:\n\n{render_prose(lines)}"


def quote(lines: list[str]) -> str:
    """Return lines as a block quotation."""
    return "".join(f"> {convert_inline(line)}".rstrip() + "\n" for line in "\n".join(lines).strip().splitlines())


def _render_definitions(lines: list[str]) -> str:
    """Return a list with one item for each name and its description."""
    items: list[list[str]] = []
    for line in lines:
        if line and not line.startswith(" "):
            names = ", ".join(f"`{name.strip()}`" for name in line.split(","))
            items.append([f"- {names}:"])
        elif line.strip():
            items[-1].append(convert_inline(line.strip()))
    return "".join(" ".join(item) + "\n" for item in items)


def render_prose(lines: list[str]) -> str:
    """Convert paragraphs, lists, formulas, Python sessions and code blocks to Markdown."""
    texts = re.split(r"\n\s*\n", "\n".join(lines).strip("\n"))
    paragraphs = [_render_paragraph(text) for text in texts if text.strip() not in ("", "::")]
    return "\n\n".join(paragraphs) + "\n" if paragraphs else ""


def _render_paragraph(text: str) -> str:
    if text.startswith(">>> "):
        return render_block(text, "python").rstrip()
    if text.startswith("    "):
        return render_block(dedent(text), "py").rstrip()
    if text.startswith(".. math::"):
        formula = [line.strip() for line in text.removeprefix(".. math::").splitlines()]
        return "\n".join(["$$", *(line for line in formula if line), "$$"])
    return "\n".join(convert_inline(line) for line in text.splitlines())
