"""Checks of numbers that users give."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from assay.errors import InputError
from assay.io.problems import shown


def whole(name: str, number: Any, least: int) -> int:
    """A whole number of at least *least*, or an error that names the argument.

    >>> whole("depth", 2.5, 1)
    Traceback (most recent call last):
    ...
    assay.errors.InputError: depth must be a whole number of at least 1, got 2.5
    """
    if isinstance(number, bool) or not isinstance(number, Integral) or number < least:
        raise InputError(f"{name} must be a whole number of at least {least}, got {shown(number)}")
    return int(number)
