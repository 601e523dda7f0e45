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
    unique = [selected] if isinstance(selected, str) else list(dict.fromkeys(selected))
    position = {name: number for number, name in enumerate(names)}
    for name in unique:
        if name not in position:
            raise InputError(f"there is no {noun} {name}{suggestion(str(name), names)}")
    return np.array([position[name] for name in unique], dtype=np.int64)
