"""Arguments that may be one number or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Number = TypeVar("Number")


def several(numbers: Number | Iterable[Number]) -> tuple[Number, ...]:
    """Return one number, or several, as a tuple.

    >>> several(0.8), several([1, 2])
    ((0.8,), (1, 2))
    """
    return tuple(numbers) if isinstance(numbers, Iterable) and not isinstance(numbers, str) else (numbers,)
