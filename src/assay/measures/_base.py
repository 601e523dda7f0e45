"""What a measure is: a value that turns judged rankings into one number per run and topic."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import MeasureError, suggestion
from assay.model.arrays import Bools, Floats, Ints, Numbers
from assay.model.gains import Gains
from assay.model.judged import Judged

if TYPE_CHECKING:
    from assay.model.judged import Rows

CATALOGUE: dict[str, type[Measure]] = {}
# Limits of parameters that state none of their own; see docs/concepts/limits.md.
LARGEST_WHOLE = 10**15
LARGEST_NUMBER = 1e6
LARGEST_GRADE = 1e9
DEEPEST = 8
"""How many measures may stand inside each other, as in ``GM(Condensed(AP))``."""


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
    """A parameter of a measure: what it means, its default, and what it may be.

    *kind* is ``whole``, ``number``, ``text``, ``flag``, ``gains`` or ``measure``. A parameter that the field
    always writes has no default. *at* marks the one that is written behind ``@``. A number without an upper limit gets
    ``LARGEST_WHOLE`` or ``LARGEST_NUMBER``: beyond, arithmetic overflows or takes for ever.
    """
    if kind in ("whole", "number") and high is None and below is None:
        high = LARGEST_WHOLE if kind == "whole" else LARGEST_NUMBER
    limits = {"low": low, "high": high, "above": above, "below": below}
    metadata = {"doc": doc, "kind": kind, "choices": tuple(choices), "at": at, **limits}
    return dataclasses.field(default=default, metadata=metadata)


def cutoff(default: Any = MISSING, high: float = LARGEST_WHOLE) -> Any:
    """How many ranks a measure looks at; written ``@k``."""
    return param("how many ranks are looked at", default, kind="whole", low=1, high=high, at=True)


def rel() -> Any:
    """The lowest relevant grade."""
    return param("lowest grade that counts as relevant", 1, above=0, high=LARGEST_GRADE)


def gains(default: str) -> Any:
    """A gain mapping."""
    return param("what a document of each grade is worth", Gains(default), kind="gains")


def floor() -> Any:
    """The lowest grade with a gain."""
    return param("grades below this one are worth nothing", None, above=0, high=LARGEST_GRADE)


def max_rel() -> Any:
    """The top of the scale."""
    return param("top grade of the scale (default: the largest in the qrels)", None, above=0, high=LARGEST_GRADE)


class MeasureType(type):
    """Collects the parameters of each measure, and lets a measure be written ``nDCG @ 10``.

    Only the fields of a dataclass are made here. Its methods would be compiled for each of the classes, which takes
    a tenth of the time that the command needs for a small run; the base class has one of each instead.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        made: type = cls
        dataclass(init=False, repr=False, eq=False, match_args=False)(made)

    def __matmul__(cls, cut: float) -> Any:
        return _at_field(cls, cut)


def parameters_of(measure: Any) -> tuple[dataclasses.Field[Any], ...]:
    """The parameters of a measure or of a class of measures."""
    return dataclasses.fields(measure)


def _at_field(cls: Any, cut: float, **given: Any) -> Any:
    names = [f.name for f in parameters_of(cls) if f.metadata["at"]]
    if not names:
        raise MeasureError(f"measure '{cls.name}@{cut}': {cls.name} takes no cutoff")
    return cls(**{**given, names[0]: cut})


def _needed(field: dataclasses.Field[Any]) -> str:
    written = f"@, {field.metadata['doc']}" if field.metadata["at"] else field.metadata["doc"]
    return f"{field.name} ({written})"


def unknown(cls: Any, name: str) -> str:
    """That a measure has no such parameter, and which it has."""
    known = [field.name for field in parameters_of(cls)]
    has = f"it has {', '.join(known)}" if known else "it has none"
    return f"{cls.name} has no parameter {name}; {has}{suggestion(name, known)}"


class Measure(metaclass=MeasureType):
    """A measure: frozen, hashable, printed as the field writes it, and read back from that.

    A subclass stands in a file of its own, with its parameters as fields. It says about itself what follows, and
    computes ``score``: one number for each judged ranking.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    trec_eval: ClassVar[tuple[str, ...]] = ()
    """Names in trec_eval; ``P_*`` stands for a cutoff behind the underscore."""
    examples: ClassVar[tuple[str, ...]] = ()
    uses_recall_base: ClassVar[bool] = False
    """Whether it needs to know all relevant documents; undefined for topics that have none."""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    aggregate: ClassVar[str] = "mean"
    """How topics are put together: ``mean``, ``sum`` or ``geometric``."""
    order_matters: ClassVar[bool] = True
    """Whether the order of the documents matters (or only which documents there are)."""
    lower_is_better: ClassVar[bool] = False
    """Whether runs with lower values are better: what is measured is a cost."""
    swap_monotone: ClassVar[bool] = False
    """Whether putting the one worth more of two neighbours first never lowers the value; to be proved, in
    docs/concepts/ties.md. The extremes over the orders of tied documents are exact then (see ``worth``)."""
    swap: ClassVar[bool | None] = None
    """Whether exchanging any two documents so that the better one stands first never lowers the value.

    True is said of every setting in which a higher grade is not worth less, False if some setting has a counterexample,
    None if nothing is said. Every document is judged, and a cutoff, which makes of a swap across it a replacement, cuts
    nothing off. Unlike ``swap_monotone`` this is about grades and about documents far apart: see assay axioms."""
    replacement: ClassVar[bool | None] = None
    """Whether a document of a higher grade in place of another never lowers the value; said as ``swap`` is."""

    dilutes: ClassVar[bool | None] = None
    """Whether documents that the ranking lacks never raise the value by being relevant, or by having a higher grade;
    said as ``swap`` is. Measures without a recall base do not know of them."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            return
        names = (cls.name, *cls.aliases)
        for name in names:
            if name.lower() in CATALOGUE:
                raise TypeError(f"{name} is already the name of {CATALOGUE[name.lower()].__name__}")
        CATALOGUE.update(dict.fromkeys(map(str.lower, names), cls))

    def __init__(self, *unnamed: Any, **given: Any) -> None:
        if unnamed:
            raise MeasureError(
                f"measure '{self.name}': name the parameters, such as {self.examples[0]}, got {unnamed[0]!r}"
            )
        for field in parameters_of(self):
            value = given.pop(field.name, field.default)
            if value is MISSING:
                raise MeasureError(f"measure '{self.name}': {self.name} needs {_needed(field)}")
            object.__setattr__(self, field.name, _checked(field, value, self.name))
        for name in given:
            raise MeasureError(f"measure '{self.name}': {unknown(type(self), name)}")
        self.check()

    def check(self) -> None:
        """Refuse parameters that do not go together."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"a measure does not change; write another {self.name}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"a measure does not change; write another {self.name}")

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in parameters_of(self))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Measure) and other._values() == self._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __str__(self) -> str:
        given = ""
        cut = ""
        for field in parameters_of(self):
            value = getattr(self, field.name)
            if field.metadata["at"]:
                cut = "" if value is None else f"@{_text(value)}"
            elif value != field.default:
                given += f", {field.name}={_text(value)}" if field.metadata["kind"] != "measure" else f", {value}"
        return f"{self.name}{f'({given[2:]})' if given else ''}{cut}"

    def __repr__(self) -> str:
        return str(self)

    def __matmul__(self, cut: float) -> Measure:
        given = {f.name: getattr(self, f.name) for f in parameters_of(self)}
        measure: Measure = _at_field(type(self), cut, **given)
        return measure

    def score(self, judged: Judged) -> Floats:
        """One number for each ranking, in a fixed order of the documents."""
        raise NotImplementedError

    def expected(self, judged: Judged) -> Floats | None:
        """The mean over all orders of tied documents, or None when there is no closed form."""
        return None if self.order_matters else self.score(judged)

    def worth(self, judged: Judged) -> Floats | None:
        """What a document is worth to a measure that is swap monotone, by code; None if it is not known to be.

        Tied documents give the largest value when they stand in the order of their worth, the smallest in reverse.
        """
        if self.order_matters and not self.swap_monotone:
            return None
        gain: Callable[[Judged], Floats] | None = getattr(self, "gain", None)
        return gain(judged) if gain is not None else judged.relevance(getattr(self, "rel", 1))

    def caveat(self) -> str | None:
        """Return what readers of every value must know, for a note beside the results; None if there is nothing."""
        return None

    def defined(self, judged: Judged) -> Bools:
        """For each ranking, whether its topic has what the measure needs."""
        if not self.uses_recall_base:
            return np.ones(len(judged), dtype=bool)
        return judged.recall_base(getattr(self, "rel", 1)) > 0

    def of(self, ranking: Sequence[float | None], judged: Mapping[float, int] | None = None) -> float:
        """The value of one ranking written down as grades; None is an unjudged document.

        *judged* says how many documents of the topic were judged with each grade; by default just those
        of the ranking.
        """
        return float(self.score(Judged.from_grades([ranking], judged))[0])


class Additive(Measure):
    """A measure that adds up, over the ranks, weight(rank) x gain(grade), over a scale of the topic."""

    swap_monotone = True

    def gain(self, judged: Judged) -> Floats:
        """The gain by code: of unjudged documents, then of each level."""
        return judged.relevance(getattr(self, "rel", 1))

    def weight(self, rank: Ints) -> Floats:
        """The weight of a rank."""
        return np.ones(len(rank))

    def weighed(self, gain: Floats, rank: Ints) -> Floats:
        """What gains at ranks contribute."""
        return gain * self.weight(rank)

    def depth(self, judged: Judged) -> float | Numbers:
        """How many ranks count, for all rankings or for each."""
        cut = getattr(self, "cutoff", None)
        return math.inf if cut is None else float(cut)

    def scale(self, judged: Judged) -> float | Numbers:
        """What the sum is divided by, for all rankings or for each."""
        return 1.0

    def within(self, judged: Judged) -> Rows:
        """The documents with a gain that stand within the depth."""
        rows = judged.rows(self.gain(judged))
        depth = self.depth(judged)
        if np.ndim(depth) == 0 and math.isinf(float(depth)):
            return rows
        limit = depth if np.ndim(depth) == 0 else np.asarray(depth)[rows.ranking]
        keep = rows.rank <= limit
        return type(rows)(rows.ranking[keep], rows.rank[keep], rows.gain[keep])

    def score(self, judged: Judged) -> Floats:
        rows = self.within(judged)
        total = judged.total(rows.ranking, self.weighed(rows.gain, rows.rank))
        return ratio(total, self.scale(judged))

    def expected(self, judged: Judged) -> Floats | None:
        # Judged.rows shares the gains within tied groups, which is the expectation of a sum.
        return self.score(judged)


def ratio(numerator: Floats, denominator: float | Numbers) -> Floats:
    """The quotient, and 0 where the denominator is 0."""
    below = np.broadcast_to(np.asarray(denominator, dtype=np.float64), numerator.shape)
    return np.divide(numerator, below, out=np.zeros(numerator.shape), where=below != 0)


def _text(value: object) -> str:
    if isinstance(value, float):
        return repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _checked(field: dataclasses.Field[Any], value: Any, measure: str) -> Any:
    """The value of a parameter in its plain form; a wrong one is refused with what it may be."""
    about = field.metadata
    if value is None and field.default is None:
        return None
    checks = {"gains": _as_gains, "measure": _as_measure, "flag": _as_flag, "text": _as_text}
    if about["kind"] in checks:
        value = checks[about["kind"]](field.name, value, measure)
    else:
        value = _as_number(field.name, value, measure, about)
    if about["choices"] and value not in about["choices"]:
        choices = ", ".join(map(str, about["choices"]))
        raise MeasureError(f"measure '{measure}': {field.name} must be one of {choices}, got {_text(value)}")
    return value


_LIMITS: tuple[tuple[str, Callable[[float, float], bool], str], ...] = (
    ("low", operator.ge, "at least"),
    ("above", operator.gt, "above"),
    ("high", operator.le, "at most"),
    ("below", operator.lt, "below"),
)


def _as_number(name: str, value: Any, measure: str, about: Mapping[str, Any]) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise MeasureError(f"measure '{measure}': {name} must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    plain = int(number) if number.is_integer() else number
    wrong = _wrong(number, about)
    if wrong is not None:
        raise MeasureError(f"measure '{measure}': {name} {wrong}, got {_text(plain)}")
    return plain


def _wrong(number: float, about: Mapping[str, Any]) -> str | None:
    """What is wrong with a number, if anything is."""
    for name, holds, words in _LIMITS:
        limit = about[name]
        if limit is not None and not holds(number, limit):
            return f"must be {words} {limit:,.16g}"
    if not math.isfinite(number):
        return "must be finite"
    return "must be a whole number" if about["kind"] == "whole" and not number.is_integer() else None


def _as_gains(_name: str, value: Any, measure: str) -> Gains:
    try:
        return value if isinstance(value, Gains) else Gains(value)
    except MeasureError as error:
        raise MeasureError(f"measure '{measure}': {error}") from None


def _as_measure(name: str, value: Any, measure: str) -> Measure:
    if not isinstance(value, Measure):
        raise MeasureError(f"measure '{measure}': {name} must be a measure, got {value!r}")
    if _nested(value) >= DEEPEST:
        raise MeasureError(f"measure '{measure}': {name} must nest at most {DEEPEST - 1} measures")
    return value


def _nested(measure: Measure) -> int:
    """Count a measure and those inside it."""
    inner = [getattr(measure, field.name) for field in parameters_of(measure) if field.metadata["kind"] == "measure"]
    return 1 + max(map(_nested, inner), default=0)


def _as_flag(name: str, value: Any, measure: str) -> bool:
    if not isinstance(value, bool):
        raise MeasureError(f"measure '{measure}': {name} must be true or false, got {value!r}")
    return value


def _as_text(_name: str, value: Any, _measure: str) -> str:
    return str(value)


__all__ = ["Additive", "Measure", "cutoff", "floor", "gains", "max_rel", "param", "ratio", "rel"]
