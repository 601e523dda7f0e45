"""Docstrings in the numpy convention as Markdown."""

from __future__ import annotations

import inspect
import re
from itertools import pairwise
from textwrap import dedent
from typing import NamedTuple

from reference_pages._markdown import block, inline

_RULE = re.compile(r"^-{3,}$")
_NAMED = ("Parameters", "Attributes", "Returns", "Yields", "Raises")


class Docstring(NamedTuple):
    """The text before the sections, and the sections by their titles."""

    body: list[str]
    sections: dict[str, list[str]]


def parse_docstring(documented: object) -> Docstring:
    """Parse the docstring of a module, class or function."""
    lines = inspect.cleandoc(getattr(documented, "__doc__", None) or "").splitlines()
    starts = [number - 1 for number, line in enumerate(lines) if number and _RULE.match(line)]
    sections = {lines[start]: lines[start + 2 : end] for start, end in pairwise([*starts, len(lines)])}
    return Docstring(lines[: starts[0]] if starts else lines, sections)


def summary(documented: object) -> str:
    """Return the first line of a docstring."""
    return inline(next(iter(parse_docstring(documented).body), ""))


def markdown(documented: object, omit: tuple[str, ...] = ()) -> str:
    """Return a docstring as Markdown, without the sections in *omit*."""
    docstring = parse_docstring(documented)
    parts = [prose(docstring.body)]
    for title, lines in docstring.sections.items():
        if title not in omit:
            parts.append(_section(title, lines))
    return "\n".join(part for part in parts if part.strip())


def _section(title: str, lines: list[str]) -> str:
    if title in _NAMED:
        return f"{title}:\n\n{_definitions(lines)}"
    if title == "References":
        return quote(lines)
    if title == "Examples":
        return block("\n".join(lines).strip(), "python")
    return f"{title}:\n\n{prose(lines)}"


def quote(lines: list[str]) -> str:
    """Return a block quotation; each reference is a paragraph."""
    return "".join(f"> {inline(line)}".rstrip() + "\n" for line in "\n".join(lines).strip().splitlines())


def _definitions(lines: list[str]) -> str:
    """Return a list with one item for each name and its description."""
    items: list[list[str]] = []
    for line in lines:
        if line and not line.startswith(" "):
            names = ", ".join(f"`{name.strip()}`" for name in line.split(","))
            items.append([f"- {names}:"])
        elif line.strip():
            items[-1].append(inline(line.strip()))
    return "".join(" ".join(item) + "\n" for item in items)


def prose(lines: list[str]) -> str:
    """Convert paragraphs, lists, formulas, Python sessions and code blocks to Markdown."""
    texts = re.split(r"\n\s*\n", "\n".join(lines).strip("\n"))
    paragraphs = [_paragraph(text) for text in texts if text.strip() not in ("", "::")]
    return "\n\n".join(paragraphs) + "\n" if paragraphs else ""


def _paragraph(text: str) -> str:
    if text.startswith(">>> "):
        return block(text, "python").rstrip()
    if text.startswith("    "):
        return block(dedent(text), "py").rstrip()
    if text.startswith(".. math::"):
        formula = [line.strip() for line in text.removeprefix(".. math::").splitlines()]
        return "\n".join(["$$", *(line for line in formula if line), "$$"])
    return "\n".join(inline(line) for line in text.splitlines())
