"""Checks of numbers and names that users give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from assay.errors import InputError, suggestion
from assay.io.problems import shown
from assay.model.arrays import Ints


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


def find_positions(names: Sequence[str], wanted: str | Iterable[str] | None, what: str) -> Ints:
    """Return the positions of some of the *names*, each once; of all by default. An unknown name is refused.

    >>> find_positions(("bm25", "dense"), "dens", "run")
    Traceback (most recent call last):
    ...
    assay.errors.InputError: there is no run dens; did you mean dense?
    """
    chosen = names if wanted is None else [wanted] if isinstance(wanted, str) else list(dict.fromkeys(wanted))
    position = {name: number for number, name in enumerate(names)}
    for name in chosen:
        if name not in position:
            raise InputError(f"there is no {what} {name}{suggestion(str(name), names)}")
    return np.array([position[name] for name in chosen], dtype=np.int64)
