"""Lists of numbers as words of a command: ``10,20,50``, ``1..100``, ``0.5,0.8``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from assay.errors import InputError
from assay.io.numbers import number, whole_number
from assay.io.problems import short, shown

_MOST = 1_000_000
Number = TypeVar("Number", int, float)


def whole(option: str, texts: list[str], most: int = _MOST) -> list[int]:
    """Whole numbers from 1 to *most*, each once; ``1..4`` is 1, 2, 3, 4.

    >>> whole("--depths", ["1..4,20", "4"])
    [1, 2, 3, 4, 20]
    """
    found: dict[int, None] = {}
    for text in texts:
        for piece in text.split(","):
            ends = [end.strip() for end in piece.split("..")]
            if len(ends) > 2 or not all(end.isascii() and end.isdigit() for end in ends):
                raise InputError(f"{option} {short(text)}: write whole numbers such as 10, 1..100 or 10,20,50")
            low, high = whole_number(ends[0]), whole_number(ends[-1])
            if low is None or high is None or not 1 <= low <= high <= most:
                problem = f"numbers go up from 1 to at most {most}, got {short(piece.strip())}"
                raise InputError(f"{option} {short(text)}: {problem}")
            found.update(dict.fromkeys(range(low, high + 1)))
    return list(found)


def decimals(option: str, texts: list[str], such_as: str = "0.8 or 0.5,0.8,0.95") -> list[float]:
    """Numbers, each once.

    >>> decimals("-p", ["0.5,0.8", "0.95"])
    [0.5, 0.8, 0.95]
    """
    found: dict[float, None] = {}
    for text in texts:
        for piece in text.split(","):
            value = number(piece.strip())
            if value is None:
                raise InputError(f"{option} {short(text)}: write numbers such as {such_as}")
            found[value] = None
    return list(found)


def pairs(option: str, text: str, form: str, such_as: str, read: Callable[[str], Number | None]) -> dict[float, Number]:
    """A number for each number; *form* has the sign between them, and *read* reads the second one.

    >>> pairs("--grades", "4=3,-2=0", "grade=grade", "4=3", number)
    {4.0: 3.0, -2.0: 0.0}
    """
    sign = "=" if "=" in form else ":"
    found: dict[float, Number] = {}
    for pair in text.split(","):
        first, _, second = pair.partition(sign)
        key, value = number(first.strip()), read(second.strip())
        if key is None or value is None:
            raise InputError(f"{option} {shown(text)}: write {form}, such as {such_as}")
        found[key] = value
    return found


def percents(option: str, texts: list[str]) -> list[float]:
    """Percentages, each once, with or without their sign.

    >>> percents("--ratios", ["90,50%", "10"])
    [90.0, 50.0, 10.0]
    """
    bare = [",".join(piece.strip().removesuffix("%") for piece in text.split(",")) for text in texts]
    return decimals(option, bare, "50 or 90,70,50")


def shares(option: str, texts: list[str]) -> tuple[float, ...]:
    """Two percentages of one run, which may be the same.

    >>> shares("--first", ["70,10%"])
    (70.0, 10.0)
    """
    found = [percents(option, [piece])[0] for piece in texts[-1].split(",")]
    if len(found) != 2:
        raise InputError(f"{option} {texts[-1]}: write two percentages, such as 70,10")
    return tuple(found)
