"""Parse numbers that users write: ASCII decimals only, not ``inf``, ``0x10``, ``1_000`` or ``١٢``."""

from __future__ import annotations

import math
import re

MAX_DIGITS = 18
"""Maximum number of digits of a whole number: every number of 18 digits fits into 64 bits."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
"""The form of a decimal number."""
_WHOLE = re.compile(rf"[+-]?\d{{1,{MAX_DIGITS}}}", re.ASCII)


def parse_number(text: str) -> float | None:
    """Return a finite decimal number; None if *text* is not one.

    >>> parse_number("1e-4"), parse_number("1_000"), parse_number("1e400")
    (0.0001, None, None)
    """
    value = float(text) if NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def parse_integer(text: str) -> int | None:
    """Return a whole number of at most ``MAX_DIGITS`` digits; None if *text* is not one.

    >>> parse_integer("12"), parse_integer("1_2"), parse_integer("١٢"), parse_integer("9" * 19)
    (12, None, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None
