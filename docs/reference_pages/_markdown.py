"""Markdown elements: tables, code, and text of docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`~?\.?([^`]+)`")
_MATH = re.compile(r":math:`([^`]+)`")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars and line breaks in cells are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: object) -> str:
    """Return inline code."""
    return f"`{text}`"


def code_list(names: Iterable[object]) -> str:
    """Return names as inline code, separated by commas."""
    return ", ".join(map(code, names))


def block(text: str, kind: str = "text") -> str:
    """Return a code block."""
    return f"```{kind}\n{text.rstrip()}\n```\n"


def inline(text: str) -> str:
    """Convert the markup of a docstring: names to code, formulas to TeX.

    >>> inline("See :func:`.seeds.variance` and ``rbo`` with :math:`p < 1`.")
    'See `variance` and `rbo` with $p < 1$.'
    """
    text = _ROLE.sub(lambda match: f"`{match[1].rpartition('.')[2]}`", text)
    return _MATH.sub(r"$\1$", text).replace("``", "`")


def escape(text: str) -> str:
    r"""Escape the characters of plain text that Markdown would interpret.

    >>> print(escape("lines: a_b *c* _d"))
    lines: a_b \*c\* \_d
    """
    return re.sub(r"([\\`*<\[]|\b_|_\b)", r"\\\1", text)
