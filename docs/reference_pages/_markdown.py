"""Pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`~?\.?([^`]+)`")
_MATH = re.compile(r":math:`([^`]+)`")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar or a line end in a cell does not break it."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: object) -> str:
    """A piece of code in a line."""
    return f"`{text}`"


def listed(names: Iterable[object]) -> str:
    """Pieces of code, one after the other."""
    return ", ".join(map(code, names))


def block(text: str, kind: str = "text") -> str:
    """A block of code."""
    return f"```{kind}\n{text.rstrip()}\n```\n"


def inline(text: str) -> str:
    """A text of docstrings: names as code, formulas as TeX.

    >>> inline("See :func:`.seeds.variance` and ``rbo`` with :math:`p < 1`.")
    'See `variance` and `rbo` with $p < 1$.'
    """
    text = _ROLE.sub(lambda found: f"`{found[1].rpartition('.')[2]}`", text)
    return _MATH.sub(r"$\1$", text).replace("``", "`")


def escaped(text: str) -> str:
    r"""A text of help, in which nothing is marked.

    >>> print(escaped("lines: a_b *c* _d"))
    lines: a_b \*c\* \_d
    """
    return re.sub(r"([\\`*<\[]|\b_|_\b)", r"\\\1", text)
