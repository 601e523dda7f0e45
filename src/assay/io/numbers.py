"""Numbers as users write them: ASCII decimals only, no ``inf``, ``0x10``, ``1_000`` or ``١٢``."""

from __future__ import annotations

import math
import re

MOST_DIGITS = 18
"""Digits of a whole number: as many as always fit into 64 bits. Python itself refuses to read more than 4300."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(rf"[+-]?\d{{1,{MOST_DIGITS}}}", re.ASCII)


def number(text: str) -> float | None:
    """Read a finite decimal number, or return None.

    >>> number("1e-4"), number("1_000"), number("1e400")
    (0.0001, None, None)
    """
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def whole_number(text: str) -> int | None:
    """Read a whole number of at most ``MOST_DIGITS`` digits, or return None.

    >>> whole_number("12"), whole_number("1_2"), whole_number("١٢"), whole_number("9" * 19)
    (12, None, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None
