"""Parameters of a measure, the part after the point in ``-m P.5,10``, as trec_eval reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from assay.errors import AssayError
from assay.io.numbers import parse_integer

_INTEGER = re.compile(r"\s*[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
Number = TypeVar("Number", int, float)
LARGEST = 10**15  # larger integers are clipped to this number, which exceeds the length of any ranking


class RefusedError(AssayError):
    """Input that trec_eval refuses as well; *exit_code* is the exit code of trec_eval."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


USAGE, INPUT, EVALUATION, NO_TOPICS = 1, 2, 4, 7  # exit codes of trec_eval


class Gain(NamedTuple):
    """A parameter ``grade=gain``; a name that is not a grade is a named parameter, such as ``p`` of rbp."""

    name: str
    value: float

    @property
    def grade(self) -> int | None:
        """The grade, or None if the name is not an integer."""
        return parse_integer(self.name)

    def as_version_9(self) -> Gain:
        """Return the parameter as trec_eval 9 reads it: its grade is the leading integer of the name, or 0."""
        match = _INTEGER.match(self.name)
        return Gain(match[0].strip() if match else "0", self.value)


def parse_cutoffs(measure: str, text: str) -> tuple[int, ...]:
    """Parse cutoffs: positive integers, returned in ascending order; digits after a decimal point are ignored."""
    numbers = [_parse_leading(measure, number, _INTEGER, int, "a whole number") for number in text.split(",")]
    cutoffs = _sort_unique(measure, [min(cutoff, LARGEST) for cutoff in numbers])
    if cutoffs[0] <= 0:
        raise RefusedError(f"-m {measure}.{text}: a cutoff must be at least 1, got {cutoffs[0]}", INPUT)
    return cutoffs


def parse_levels(measure: str, text: str) -> tuple[float, ...]:
    """Parse recall levels, or multiples of R, and return them in ascending order."""
    return _sort_unique(measure, parse_numbers(measure, text))


def parse_numbers(measure: str, text: str) -> tuple[float, ...]:
    """Parse numbers and return them in the order given."""
    return tuple(_parse_leading(measure, number, _NUMBER, float, "a number") for number in text.split(","))


def parse_gains(measure: str, text: str) -> tuple[Gain, ...]:
    """Parse pairs such as ``1=3,2=9``."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(equals and name for name, equals, _ in pairs):
        raise RefusedError(f"-m {measure}.{text}: write pairs such as {measure}.1=3,2=9", INPUT)
    gains = tuple(Gain(name, _parse_leading(measure, value, _NUMBER, float, "a number")) for name, _, value in pairs)
    names = [gain.name for gain in gains]
    if len(set(names)) < len(names):
        raise RefusedError(f"-m {measure}.{text}: a grade is given twice", INPUT)
    return gains


def _parse_leading(
    measure: str, text: str, pattern: re.Pattern[str], convert: Callable[[str], Number], expected: str
) -> Number:
    """Parse the number at the start of *text*; like C's ``atoi`` and ``atof``, ignore the rest."""
    match = pattern.match(text)
    if match is None or not math.isfinite(float(match[0])):
        raise RefusedError(f"-m {measure}: expected {expected} as parameter, found {text!r}", INPUT)
    return convert(match[0])


def _sort_unique(measure: str, numbers: Sequence[Number]) -> tuple[Number, ...]:
    """Sort numbers; refuse duplicates."""
    ordered = tuple(sorted(numbers))
    if any(before == after for before, after in pairwise(ordered)):
        raise RefusedError(f"-m {measure}: a parameter is given twice", INPUT)
    return ordered


def decimal_suffix(value: float) -> str:
    """Return the suffix of a label such as ``iprec_at_recall_0.10``, truncated at the size of trec_eval's buffer."""
    return f"_{value:.2f}"[:9]


def truncation_notes(source: str, count: int) -> tuple[str, ...]:
    """Return a note on the number of grades that were truncated to integers; no note if it is 0."""
    grades = f"{count} grade{'s' * (count != 1)}"
    note = f"{source}: truncated {grades} with decimals to integers, as trec_eval does"
    return (note,) if count else ()
