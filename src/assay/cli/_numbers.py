"""Lists of numbers on the command line: ``10,20,50``, ``1..100``, ``0.5,0.8``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from assay.errors import InputError
from assay.io.numbers import parse_integer, parse_number
from assay.io.problems import format_value, shorten

_LARGEST = 1_000_000
Number = TypeVar("Number", int, float)


def parse_integers(option: str, texts: list[str], largest: int = _LARGEST) -> list[int]:
    """Parse whole numbers from 1 to *largest*, without duplicates; ``1..4`` means 1, 2, 3, 4.

    >>> parse_integers("--depths", ["1..4,20", "4"])
    [1, 2, 3, 4, 20]
    """
    numbers: dict[int, None] = {}  # A dict removes duplicates and keeps the order.
    for text in texts:
        for part in text.split(","):
            ends = [end.strip() for end in part.split("..")]
            if len(ends) > 2 or not all(end.isascii() and end.isdigit() for end in ends):
                raise InputError(f"{option} {shorten(text)}: write whole numbers such as 10, 1..100 or 10,20,50")
            low, high = parse_integer(ends[0]), parse_integer(ends[-1])
            if low is None or high is None or not 1 <= low <= high <= largest:
                problem = f"numbers must be from 1 to {largest}, and ranges must ascend, got {shorten(part.strip())}"
                raise InputError(f"{option} {shorten(text)}: {problem}")
            numbers.update(dict.fromkeys(range(low, high + 1)))
    return list(numbers)


def parse_numbers(option: str, texts: list[str], example: str = "0.8 or 0.5,0.8,0.95") -> list[float]:
    """Parse numbers, without duplicates; *example* is shown in the error message.

    >>> parse_numbers("-p", ["0.5,0.8", "0.95"])
    [0.5, 0.8, 0.95]
    """
    numbers: dict[float, None] = {}
    for text in texts:
        for part in text.split(","):
            value = parse_number(part.strip())
            if value is None:
                raise InputError(f"{option} {shorten(text)}: write numbers such as {example}")
            numbers[value] = None
    return list(numbers)


def parse_pairs(
    option: str, text: str, form: str, example: str, read: Callable[[str], Number | None]
) -> dict[float, Number]:
    """Parse a map from numbers to numbers.

    The error message shows *form*, which describes a pair and contains its separator (``=`` or ``:``), and *example*.
    *read* parses the second number of a pair.

    >>> parse_pairs("--grades", "4=3,-2=0", "grade=grade", "4=3", parse_number)
    {4.0: 3.0, -2.0: 0.0}
    """
    separator = "=" if "=" in form else ":"
    numbers: dict[float, Number] = {}
    for pair in text.split(","):
        first, _, second = pair.partition(separator)
        key, value = parse_number(first.strip()), read(second.strip())
        if key is None or value is None:
            raise InputError(f"{option} {format_value(text)}: write {form}, such as {example}")
        numbers[key] = value
    return numbers


def parse_percentages(option: str, texts: list[str]) -> list[float]:
    """Parse percentages, with or without ``%`` and without duplicates.

    >>> parse_percentages("--ratios", ["90,50%", "10"])
    [90.0, 50.0, 10.0]
    """
    plain = [",".join(part.strip().removesuffix("%") for part in text.split(",")) for text in texts]
    return parse_numbers(option, plain, "50 or 90,70,50")


def parse_percentage_pair(option: str, texts: list[str]) -> tuple[float, ...]:
    """Parse a pair of percentages, such as ``70,10``; they may be equal.

    >>> parse_percentage_pair("--first", ["70,10%"])
    (70.0, 10.0)
    """
    pair = [parse_percentages(option, [part])[0] for part in texts[-1].split(",")]
    if len(pair) != 2:
        raise InputError(f"{option} {texts[-1]}: write two percentages, such as 70,10")
    return tuple(pair)
