"""Checks of numbers and names passed by users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from assay.errors import InputError, suggestion
from assay.io.problems import format_value
from assay.model.arrays import Ints


def check_integer(name: str, number: Any, minimum: int) -> int:
    """Return *number* as an int; if it is not an integer >= *minimum*, raise an error that names the argument.

    >>> check_integer("depth", 2.5, 1)
    Traceback (most recent call last):
    ...
    assay.errors.InputError: depth must be a whole number of at least 1, got 2.5
    """
    if isinstance(number, bool) or not isinstance(number, Integral) or number < minimum:
        raise InputError(f"{name} must be a whole number of at least {minimum}, got {format_value(number)}")
    return int(number)


def check_fraction(name: str, value: Any, example: float = 0.05) -> float:
    """Return *value* as a float; if it is not a number between 0 and 1, raise an error that names the argument.

    >>> check_fraction("alpha", 5)
    Traceback (most recent call last):
    ...
    assay.errors.InputError: alpha must lie between 0 and 1, such as 0.05, got 5
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < 1:
        raise InputError(f"{name} must lie between 0 and 1, such as {example}, got {format_value(value)}")
    return float(value)


def find_positions(names: Sequence[str], selected: str | Iterable[str] | None, noun: str) -> Ints:
    """Return the positions in *names* of the selected names (None: all), without repetitions.

    An unknown name is an error. The message uses *noun* for the kind of name, such as ``run``.

    >>> find_positions(("bm25", "dense"), "dens", "run")
    Traceback (most recent call last):
    ...
    assay.errors.InputError: there is no run dens; did you mean dense?
    """
    if selected is None:
        return np.arange(len(names), dtype=np.int64)
    if not isinstance(selected, Iterable):
        raise InputError(f"expected the name of a {noun}, got {type(selected).__name__}")
    unique = [selected] if isinstance(selected, str) else list(dict.fromkeys(selected))
    position = {name: number for number, name in enumerate(names)}
    for name in unique:
        if name not in position:
            raise InputError(f"there is no {noun} {name}{suggestion(str(name), names)}")
    return np.array([position[name] for name in unique], dtype=np.int64)
