"""Lists of numbers as words of a command: ``10,20,50``, ``1..100``, ``0.5,0.8``."""

from __future__ import annotations

import math

from assay.errors import InputError

_MOST = 1_000_000


def whole(option: str, texts: list[str]) -> list[int]:
    """Whole numbers from 1, each once; ``1..4`` is 1, 2, 3, 4.

    >>> whole("--depths", ["1..4,20", "4"])
    [1, 2, 3, 4, 20]
    """
    found: dict[int, None] = {}
    for text in texts:
        for piece in text.split(","):
            ends = [end.strip() for end in piece.split("..")]
            if len(ends) > 2 or not all(end.isascii() and end.isdigit() for end in ends):
                raise InputError(f"{option} {text}: write whole numbers such as 10, 1..100 or 10,20,50")
            low, high = int(ends[0]), int(ends[-1])
            if not 1 <= low <= high <= _MOST:
                raise InputError(f"{option} {text}: numbers go up from 1 to at most {_MOST}, got {piece.strip()}")
            found.update(dict.fromkeys(range(low, high + 1)))
    return list(found)


def decimals(option: str, texts: list[str], such_as: str = "0.8 or 0.5,0.8,0.95") -> list[float]:
    """Numbers, each once.

    >>> decimals("-p", ["0.5,0.8", "0.95"])
    [0.5, 0.8, 0.95]
    """
    found: dict[float, None] = {}
    for text in texts:
        try:
            numbers = [float(piece) for piece in text.split(",")]
        except ValueError:
            numbers = [math.nan]
        if not all(map(math.isfinite, numbers)):
            raise InputError(f"{option} {text}: write numbers such as {such_as}")
        found.update(dict.fromkeys(numbers))
    return list(found)


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
