"""Markdown elements: tables, code, and the text of docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`~?\.?([^`]+)`")
_MATH = re.compile(r":math:`([^`]+)`")


def render_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table. Vertical bars in cells are escaped, and line breaks become spaces."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(_format_cell, line))} |\n" for line in lines)


def _format_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def format_code(text: object) -> str:
    """Return text as inline code."""
    return f"`{text}`"


def format_code_list(names: Iterable[object]) -> str:
    """Return names as inline code, separated by commas."""
    return ", ".join(map(format_code, names))


def render_block(text: str, kind: str = "text") -> str:
    """Return text as a code block."""
    return f"```{kind}\n{text.rstrip()}\n```\n"


def convert_inline(text: str) -> str:
    """Convert the markup of a docstring: names to code, formulas to TeX.

    >>> convert_inline("See :func:`.seeds.variance` and ``rbo`` with :math:`p < 1`.")
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
