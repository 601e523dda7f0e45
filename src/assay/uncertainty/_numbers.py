"""Arguments that accept one number or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Number = TypeVar("Number")


def as_tuple(numbers: Number | Iterable[Number]) -> tuple[Number, ...]:
    """Return one number or an iterable of numbers as a tuple.

    >>> as_tuple(0.8), as_tuple([1, 2])
    ((0.8,), (1, 2))
    """
    return tuple(numbers) if isinstance(numbers, Iterable) and not isinstance(numbers, str) else (numbers,)
