"""What follows the point in ``-m P.5,10``: parameters of a measure as trec_eval reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from assay.errors import AssayError
from assay.io.numbers import parse_integer

_WHOLE = re.compile(r"\s*[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
Number = TypeVar("Number", int, float)
LARGEST = 10**15  # more ranks than any file has; C has a limit too


class RefusedError(AssayError):
    """What trec_eval refuses too; *exit_code* is the one it leaves with."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


USAGE, INPUT, EVALUATION, NO_TOPICS = 1, 2, 4, 7  # exit codes of trec_eval


class Gain(NamedTuple):
    """``grade=gain``; a name that is not a grade is a parameter of its own, such as ``p`` of rbp."""

    name: str
    value: float

    @property
    def grade(self) -> int | None:
        """The grade, or None if the name is not a whole number."""
        return parse_integer(self.name)

    def as_version_9(self) -> Gain:
        """trec_eval 9 takes any name for a grade: the number at its start, else 0."""
        match = _WHOLE.match(self.name)
        return Gain(match[0].strip() if match else "0", self.value)


def cutoffs(measure: str, text: str) -> tuple[int, ...]:
    """Ranks: positive whole numbers, ascending; digits behind a point are cut off."""
    given = [_leading(measure, each, _WHOLE, int, "a whole number") for each in text.split(",")]
    found = _ascending(measure, [min(cut, LARGEST) for cut in given])
    if found[0] <= 0:
        raise RefusedError(f"-m {measure}.{text}: a cutoff must be at least 1, got {found[0]}", INPUT)
    return found


def levels(measure: str, text: str) -> tuple[float, ...]:
    """Levels of recall, or multiples of R, ascending."""
    return _ascending(measure, numbers(measure, text))


def numbers(measure: str, text: str) -> tuple[float, ...]:
    """Numbers in the order in which they are given."""
    return tuple(_leading(measure, each, _NUMBER, float, "a number") for each in text.split(","))


def gains(measure: str, text: str) -> tuple[Gain, ...]:
    """Pairs such as ``1=3,2=9``."""
    pairs = [each.partition("=") for each in text.split(",")]
    if not all(equals and name for name, equals, _ in pairs):
        raise RefusedError(f"-m {measure}.{text}: write pairs such as {measure}.1=3,2=9", INPUT)
    found = tuple(Gain(name, _leading(measure, value, _NUMBER, float, "a number")) for name, _, value in pairs)
    names = [gain.name for gain in found]
    if len(set(names)) < len(names):
        raise RefusedError(f"-m {measure}.{text}: a grade is given twice", INPUT)
    return found


def _leading(measure: str, text: str, pattern: re.Pattern[str], convert: Callable[[str], Number], what: str) -> Number:
    """The number at the start of *text*; as in C, what follows it does not matter."""
    match = pattern.match(text)
    if match is None or not math.isfinite(float(match[0])):
        raise RefusedError(f"-m {measure}: expected {what} as parameter, found {text!r}", INPUT)
    return convert(match[0])


def _ascending(measure: str, found: Sequence[Number]) -> tuple[Number, ...]:
    ordered = tuple(sorted(found))
    if any(before == after for before, after in pairwise(ordered)):
        raise RefusedError(f"-m {measure}: a parameter is given twice", INPUT)
    return ordered


def decimals(label: str, value: float) -> str:
    """``iprec_at_recall_0.10``: two digits, cut where trec_eval runs out of space."""
    return f"{label}_{value:.2f}"[: len(label) + 9]


def cut_notes(source: str, cut: int) -> tuple[str, ...]:
    """That grades lost their digits behind the point."""
    grades = f"{cut} grade{'s' * (cut != 1)}"
    note = f"{source}: {grades} with digits behind the point cut to whole numbers, as trec_eval does"
    return (note,) if cut else ()
