"""Parameters of measures: declaration and validation."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING
from typing import Any

import numpy as np

from assay.errors import MeasureError
from assay.model.gains import Gains

# Default limits of parameters; see docs/concepts/limits.md.
LARGEST_WHOLE = 10**15
LARGEST_NUMBER = 1e6
LARGEST_GRADE = 1e9


def param(
    doc: str,
    default: Any = MISSING,
    *,
    kind: str = "number",
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Sequence[Any] = (),
    at: bool = False,
) -> Any:
    """Declare a parameter of a measure: its meaning, default and permitted values.

    Parameters
    ----------
    doc
        One line on the meaning, for ``assay measures NAME`` and the reference page.
    default
        Default value. A parameter without a default must always be written, such as p of RBP.
    kind
        ``whole``, ``number``, ``text``, ``flag``, ``gains`` or ``measure``.
    low, high, above, below
        Limits: at least *low*, at most *high*, greater than *above*, less than *below*. Without an upper limit,
        ``LARGEST_WHOLE`` or ``LARGEST_NUMBER`` applies; larger numbers would overflow or take too long.
    choices
        Permitted values.
    at
        True for the parameter that is written after ``@``.
    """
    if kind in ("whole", "number") and high is None and below is None:
        high = LARGEST_WHOLE if kind == "whole" else LARGEST_NUMBER
    limits = {"low": low, "high": high, "above": above, "below": below}
    metadata = {"doc": doc, "kind": kind, "choices": tuple(choices), "at": at, **limits}
    return dataclasses.field(default=default, metadata=metadata)


def cutoff(default: Any = MISSING, high: float = LARGEST_WHOLE) -> Any:
    """Declare the cutoff, written ``@k``."""
    return param("number of ranks that are evaluated", default, kind="whole", low=1, high=high, at=True)


def rel() -> Any:
    """Declare the lowest relevant grade."""
    return param("lowest relevant grade", 1, above=0, high=LARGEST_GRADE)


def gains(default: str) -> Any:
    """Declare the mapping from grades to gains."""
    return param("gain of each grade", Gains(default), kind="gains")


def floor() -> Any:
    """Declare the lowest grade with a gain."""
    return param("lowest grade with a gain; lower grades have gain 0", None, above=0, high=LARGEST_GRADE)


def max_rel() -> Any:
    """Declare the top grade of the scale."""
    return param(
        "top grade of the scale; none stands for the largest grade of the qrels", None, above=0, high=LARGEST_GRADE
    )


parameters_of: Callable[[Any], tuple[dataclasses.Field[Any], ...]] = dataclasses.fields
"""Return the parameters of a measure or of its class."""


def format_value(value: object) -> str:
    """Format the value of a parameter as in the notation of measures."""
    if isinstance(value, float):
        return repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_value(field: dataclasses.Field[Any], value: Any, measure: str) -> Any:
    """Return the value of a parameter as a plain Python value; raise ``MeasureError`` if it is invalid."""
    metadata = field.metadata
    if metadata["kind"] == "gains":
        return _as_gains(value, measure)
    if metadata["kind"] == "flag":
        if not isinstance(value, bool):
            raise MeasureError(f"measure '{measure}': {field.name} must be true or false, got {value!r}")
        return value
    value = str(value) if metadata["kind"] == "text" else _as_number(field.name, value, measure, metadata)
    if metadata["choices"] and value not in metadata["choices"]:
        choices = ", ".join(map(str, metadata["choices"]))
        raise MeasureError(f"measure '{measure}': {field.name} must be one of {choices}, got {format_value(value)}")
    return value


_LIMITS: tuple[tuple[str, Callable[[float, float], bool], str], ...] = (
    ("low", operator.ge, "at least"),
    ("above", operator.gt, "above"),
    ("high", operator.le, "at most"),
    ("below", operator.lt, "below"),
)


def _as_number(name: str, value: Any, measure: str, metadata: Mapping[str, Any]) -> int | float:
    """Return a number within its limits; whole numbers become ``int``, so that 2.0 prints as 2."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise MeasureError(f"measure '{measure}': {name} must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    plain = int(number) if number.is_integer() else number
    problem = _find_problem(number, metadata)
    if problem is not None:
        raise MeasureError(f"measure '{measure}': {name} {problem}, got {format_value(plain)}")
    return plain


def _find_problem(number: float, metadata: Mapping[str, Any]) -> str | None:
    """Return the violated limit, or None."""
    for name, satisfies, phrase in _LIMITS:
        limit = metadata[name]
        if limit is not None and not satisfies(number, limit):
            return f"must be {phrase} {limit:,.16g}"
    if not math.isfinite(number):
        return "must be finite"
    return "must be a whole number" if metadata["kind"] == "whole" and not number.is_integer() else None


def _as_gains(value: Any, measure: str) -> Gains:
    try:
        return value if isinstance(value, Gains) else Gains(value)
    except MeasureError as error:
        raise MeasureError(f"measure '{measure}': {error}") from None
