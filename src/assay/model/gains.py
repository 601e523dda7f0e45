"""Gain mappings: from the grade of a document to its gain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import MeasureError, suggestion
from assay.io.problems import format_value
from assay.model.arrays import Floats

MAX_MAGNITUDE = 1e9
"""Largest magnitude of a grade or gain in a mapping; sums of larger gains could overflow."""


def _exp(grade: Floats, _top: float) -> Floats:
    if len(grade) and grade.max() > 1000:
        raise MeasureError(
            f"gains exp: 2^{grade.max():g} is too large; use exp12 or exp-unit, which scale by the top grade"
        )
    return np.exp2(grade) - 1


def _exp_unit(grade: Floats, top: float) -> Floats:
    return np.asarray((np.exp2(grade - top) - 2.0**-top) / (1 - 2.0**-top))


# For each name a description, and a function of the grades (at least 0) and of the top grade of the scale.
NAMED_GAINS: dict[str, tuple[str, Callable[[Floats, float], Floats]]] = {
    "binary": ("1 if relevant, else 0", lambda grade, top: (grade > 0).astype(np.float64)),
    "identity": ("the grade", lambda grade, top: grade),
    "base5": ("5 x the grade", lambda grade, top: 5 * grade),
    "negative": ("-1 if not relevant, else the grade", lambda grade, top: np.where(grade > 0, grade, -1.0)),
    "unit": ("the grade / the top grade", lambda grade, top: grade / top),
    "exp": ("2^grade - 1", _exp),
    "exp12": ("(2^grade - 1) / 2^top", lambda grade, top: np.exp2(grade - top) - np.exp2(-top)),
    "exp-unit": ("(2^grade - 1) / (2^top - 1)", _exp_unit),
}


@dataclass(frozen=True)
class Gains:
    """The gain of a document of each grade: a name of ``NAMED_GAINS``, or a mapping from grades to gains.

    If the mapping omits a positive grade, its gain is the grade itself, as in trec_eval.

    >>> Gains("exp").table(np.array([0, 1, 2]), rel=None, top=2).tolist()
    [0.0, 0.0, 1.0, 3.0]
    >>> print(Gains({1: 3, 2: 9}))
    {1:3,2:9}
    """

    spec: str | Mapping[float, float] | tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if isinstance(self.spec, str):
            if self.spec not in NAMED_GAINS:
                hint = suggestion(self.spec, NAMED_GAINS)
                raise MeasureError(f"unknown gains {self.spec}; choose from {', '.join(NAMED_GAINS)}{hint}")
        else:
            object.__setattr__(self, "spec", _as_pairs(self.spec))

    def __str__(self) -> str:
        if isinstance(self.spec, str):
            return self.spec
        return "{" + ",".join(f"{_format_number(grade)}:{_format_number(gain)}" for grade, gain in self._pairs()) + "}"

    @property
    def negative(self) -> bool:
        """True if a gain can be negative."""
        return self.spec == "negative" or any(gain < 0 for _, gain in self._pairs())

    @property
    def unit(self) -> bool:
        """True if all gains lie between 0 and 1."""
        if isinstance(self.spec, str):
            return self.spec in ("binary", "unit", "exp12", "exp-unit")
        return all(0 <= gain <= 1 for _, gain in self._pairs())

    def table(self, levels: Floats, rel: float | None, top: float | None, *, unit: bool = False) -> Floats:
        """Return the gain of each grade code: the gain of unjudged documents, then one gain for each of *levels*.

        Unjudged documents and grades below *rel* have the gain of grade 0, or 0 if that gain is positive. Without
        *rel*, grades of at most 0 that a mapping does not list have the same gain. If an unjudged document had a
        positive gain, a ranking could exceed the ideal ranking, which has judged documents only.

        Parameters
        ----------
        levels
            The grades, ascending.
        rel
            The lowest relevant grade; None for the default of the gains.
        top
            The top grade of the scale; by default the largest of *levels*, at least 1.
        unit
            Raise an error if a gain of a mapping exceeds 1.
        """
        if isinstance(self.spec, str):
            return self._named_table(self.spec, levels, rel, top)
        return self._mapped_table(levels, rel, unit)

    def _named_table(self, name: str, levels: Floats, rel: float | None, top: float | None) -> Floats:
        """Return the gain of each grade code for gains with a name."""
        largest = float(levels.max(initial=0))
        scale = float(top) if top is not None else max(largest, 1.0)
        if name in ("unit", "exp12", "exp-unit") and largest > scale:
            raise MeasureError(f"gains {self}: the qrels hold grade {largest:g}, above max_rel={scale:g}")
        grade = np.concatenate([[0.0], levels])
        # Grades that count as 0: those below *rel*, or without *rel* those that are not positive (binary: below 1).
        low = grade < rel if rel is not None else grade < 1 if name == "binary" else grade <= 0
        return np.asarray(NAMED_GAINS[name][1](np.where(low, 0.0, grade), scale), dtype=np.float64)

    def _mapped_table(self, levels: Floats, rel: float | None, unit: bool) -> Floats:
        """Return the gain of each grade code for a mapping; a positive grade that is not listed is its own gain."""
        mapping = dict(self._pairs())
        zero = min(mapping.get(0.0, 0.0), 0.0)  # the gain of grade 0, of lower grades and of unjudged documents
        floor = -np.inf if rel is None else rel
        gains = [zero if g < floor else mapping.get(g, g if g > 0 else zero) for g in levels.tolist()]
        if unit and max(gains, default=0.0) > 1:
            grade = levels[int(np.argmax(gains))]
            raise MeasureError(f"gains {self}: grade {grade:g} is not listed and would have a gain above 1")
        return np.array([zero, *gains], dtype=np.float64)

    def _pairs(self) -> tuple[tuple[float, float], ...]:
        return self.spec if isinstance(self.spec, tuple) else ()


def _as_pairs(spec: Any) -> tuple[tuple[float, float], ...]:
    """Return (grade, gain) pairs sorted by grade."""
    try:
        pairs = tuple(sorted((float(grade), float(gain)) for grade, gain in dict(spec).items()))
    except (TypeError, ValueError):
        pairs = ()
    if not pairs or not np.isfinite(pairs).all():
        raise MeasureError(f"gains must be a name or numbers by grade, such as {{1:3,2:9}}, got {format_value(spec)}")
    if np.abs(pairs).max() > MAX_MAGNITUDE:
        raise MeasureError(
            f"gains must lie between {-MAX_MAGNITUDE:,.12g} and {MAX_MAGNITUDE:,.12g}, got {format_value(spec)}"
        )
    return pairs


def _format_number(number: float) -> str:
    """Format a number in the shortest form that reads back to the same number."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
