"""Gain mappings: from a grade to what a document is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import MeasureError, suggestion
from assay.io.problems import shown
from assay.model.arrays import Floats

LARGEST = 1e9
"""Of a listed grade or gain: sums of larger ones could overflow."""


def _exp(grade: Floats, _top: float) -> Floats:
    if len(grade) and grade.max() > 1000:
        raise MeasureError(
            f"gains exp: 2^{grade.max():g} is too large; use exp12 or exp-unit, which scale by the top grade"
        )
    return np.exp2(grade) - 1


def _exp_unit(grade: Floats, top: float) -> Floats:
    return np.asarray((np.exp2(grade - top) - 2.0**-top) / (1 - 2.0**-top))


# Each takes grades of at least 0 and the top of the scale.
NAMED: dict[str, tuple[str, Callable[[Floats, float], Floats]]] = {
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
    """What a document of each grade is worth: a name, or grades with their gains.

    Grades that a list of gains leaves out are worth themselves, as in trec_eval.

    >>> Gains("exp").table(np.array([0, 1, 2]), rel=None, top=2).tolist()
    [0.0, 0.0, 1.0, 3.0]
    >>> print(Gains({1: 3, 2: 9}))
    {1:3,2:9}
    """

    spec: str | Mapping[float, float] | tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if isinstance(self.spec, str):
            if self.spec not in NAMED:
                hint = suggestion(self.spec, NAMED)
                raise MeasureError(f"there are no gains {self.spec}; choose from {', '.join(NAMED)}{hint}")
        else:
            object.__setattr__(self, "spec", _as_pairs(self.spec))

    def __str__(self) -> str:
        if isinstance(self.spec, str):
            return self.spec
        return "{" + ",".join(f"{_text(grade)}:{_text(gain)}" for grade, gain in self._pairs()) + "}"

    @property
    def negative(self) -> bool:
        """Whether a document can be worth less than nothing."""
        return self.spec == "negative" or any(gain < 0 for _, gain in self._pairs())

    @property
    def unit(self) -> bool:
        """Whether no document is worth more than 1."""
        if isinstance(self.spec, str):
            return self.spec in ("binary", "unit", "exp12", "exp-unit")
        return all(0 <= gain <= 1 for _, gain in self._pairs())

    def table(self, levels: Floats, rel: float | None, top: float | None, *, unit: bool = False) -> Floats:
        """The gain of each code of a judged ranking: of an unjudged document, then of each of *levels*.

        Unjudged documents and grades below *rel* (or not above 0) are worth what grade 0 is worth. A list of gains
        can make them worth less than nothing in this way, but not more; only judged documents can be worth
        something, else a ranking could be worth more than the ideal one.
        *top* is the top of the scale; by default the largest of *levels*. With *unit* a gain above 1 is refused.
        """
        if isinstance(self.spec, str):
            return self._by_name(self.spec, levels, rel, top)
        return self._listed(levels, rel, unit)

    def _by_name(self, name: str, levels: Floats, rel: float | None, top: float | None) -> Floats:
        largest = float(levels.max(initial=0))
        scale = float(top) if top is not None else max(largest, 1.0)
        if name in ("unit", "exp12", "exp-unit") and largest > scale:
            raise MeasureError(f"gains {self}: the qrels hold grade {largest:g}, above max_rel={scale:g}")
        grade = np.concatenate([[0.0], levels])
        low = grade < rel if rel is not None else grade < 1 if name == "binary" else grade <= 0
        return np.asarray(NAMED[name][1](np.where(low, 0.0, grade), scale), dtype=np.float64)

    def _listed(self, levels: Floats, rel: float | None, unit: bool) -> Floats:
        given = dict(self._pairs())
        nothing = min(given.get(0.0, 0.0), 0.0)
        floor = -np.inf if rel is None else rel
        own = [nothing if g < floor else given.get(g, g if g > 0 else nothing) for g in levels.tolist()]
        if unit and max(own, default=0.0) > 1:
            raise MeasureError(
                f"gains {self}: grade {levels[int(np.argmax(own))]:g} is not listed and would be worth more than 1"
            )
        return np.array([nothing, *own], dtype=np.float64)

    def _pairs(self) -> tuple[tuple[float, float], ...]:
        return self.spec if isinstance(self.spec, tuple) else ()


def _as_pairs(spec: Any) -> tuple[tuple[float, float], ...]:
    """Grades with their gains, by grade."""
    try:
        pairs = tuple(sorted((float(grade), float(gain)) for grade, gain in dict(spec).items()))
    except (TypeError, ValueError):
        pairs = ()
    if not pairs or not np.isfinite(pairs).all():
        raise MeasureError(f"gains must be a name or numbers by grade, such as {{1:3,2:9}}, got {shown(spec)}")
    if np.abs(pairs).max() > LARGEST:
        raise MeasureError(f"gains must lie between {-LARGEST:,.12g} and {LARGEST:,.12g}, got {shown(spec)}")
    return pairs


def _text(number: float) -> str:
    """As short as reads back to the same number."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
