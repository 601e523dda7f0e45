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


def parsed(thing: object) -> Docstring:
    """The docstring of a thing."""
    lines = inspect.cleandoc(getattr(thing, "__doc__", None) or "").splitlines()
    starts = [number - 1 for number, line in enumerate(lines) if number and _RULE.match(line)]
    sections = {lines[start]: lines[start + 2 : end] for start, end in pairwise([*starts, len(lines)])}
    return Docstring(lines[: starts[0]] if starts else lines, sections)


def summary(thing: object) -> str:
    """The first line."""
    return inline(next(iter(parsed(thing).body), ""))


def markdown(thing: object, leave: tuple[str, ...] = ()) -> str:
    """The docstring, without the sections to *leave* out."""
    found = parsed(thing)
    parts = [prose(found.body)]
    for title, lines in found.sections.items():
        if title not in leave:
            parts.append(_section(title, lines))
    return "\n".join(part for part in parts if part.strip())


def _section(title: str, lines: list[str]) -> str:
    if title in _NAMED:
        return f"{title}:\n\n{_definitions(lines)}"
    if title == "References":
        return quoted(lines)
    if title == "Examples":
        return block("\n".join(lines).strip(), "python")
    return f"{title}:\n\n{prose(lines)}"


def quoted(lines: list[str]) -> str:
    """A quotation; each reference is a paragraph."""
    return "".join(f"> {inline(line)}".rstrip() + "\n" for line in "\n".join(lines).strip().splitlines())


def _definitions(lines: list[str]) -> str:
    """Names with what they mean, one item each."""
    items: list[list[str]] = []
    for line in lines:
        if line and not line.startswith(" "):
            names = ", ".join(f"`{name.strip()}`" for name in line.split(","))
            items.append([f"- {names}:"])
        elif line.strip():
            items[-1].append(inline(line.strip()))
    return "".join(" ".join(item) + "\n" for item in items)


def prose(lines: list[str]) -> str:
    """Paragraphs, lists, formulas, sessions and blocks of code."""
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines).strip("\n"))
    made = [_paragraph(text) for text in paragraphs if text.strip() not in ("", "::")]
    return "\n\n".join(made) + "\n" if made else ""


def _paragraph(text: str) -> str:
    if text.startswith(">>> "):
        return block(text, "python").rstrip()
    if text.startswith("    "):
        return block(dedent(text), "py").rstrip()
    if text.startswith(".. math::"):
        formula = [line.strip() for line in text.removeprefix(".. math::").splitlines()]
        return "\n".join(["$$", *(line for line in formula if line), "$$"])
    return "\n".join(inline(line) for line in text.splitlines())
