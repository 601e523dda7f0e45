"""The base classes of measures: functions from judged rankings to one value per run and topic."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.errors import MeasureError, suggestion
from assay.measures._parameters import check_value, format_value, parameters_of
from assay.model.arrays import Bools, Floats, Ints, Numbers
from assay.model.judged import Judged

if TYPE_CHECKING:
    from assay.model.judged import Rows

CATALOGUE: dict[str, type[Measure]] = {}
DEEPEST = 8
"""The largest depth of nested measures such as ``GM(Condensed(AP))``."""


class MeasureType(type):
    """Metaclass that collects the parameters of a measure and allows ``nDCG @ 10``.

    Only the fields of a dataclass are created here. Compiling its methods for every class would take a tenth of the
    time that the command needs for a small run; the base class has one of each instead.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        measure_class: type = cls
        dataclass(init=False, repr=False, eq=False, match_args=False)(measure_class)

    def __matmul__(cls, cut: float) -> Any:
        return _with_cutoff(cls, cut)


def _with_cutoff(cls: Any, cut: float, **parameters: Any) -> Any:
    names = [f.name for f in parameters_of(cls) if f.metadata["at"]]
    if not names:
        raise MeasureError(f"measure '{cls.name}@{cut}': {cls.name} takes no cutoff")
    return cls(**{**parameters, names[0]: cut})


def _describe(field: dataclasses.Field[Any]) -> str:
    doc = f"@, {field.metadata['doc']}" if field.metadata["at"] else field.metadata["doc"]
    return f"{field.name} ({doc})"


def describe_unknown(cls: Any, name: str) -> str:
    """Say that a measure has no such parameter, and list those it has."""
    known = [field.name for field in parameters_of(cls)]
    has = f"it has {', '.join(known)}" if known else "it has none"
    return f"{cls.name} has no parameter {name}; {has}{suggestion(name, known)}"


class Measure(metaclass=MeasureType):
    """A measure: a frozen, hashable value, printed in the field's notation and parsed back from it.

    A subclass declares its parameters as fields and the attributes below, and implements ``score``. It belongs in
    the module of its family.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    trec_eval: ClassVar[tuple[str, ...]] = ()
    """Names in trec_eval; ``P_*`` stands for a cutoff after the underscore."""
    examples: ClassVar[tuple[str, ...]] = ()
    uses_recall_base: ClassVar[bool] = False
    """True if it depends on all relevant documents of the topic; undefined for topics that have none."""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    aggregate: ClassVar[str] = "mean"
    """Aggregation over topics: ``mean``, ``sum`` or ``geometric``."""
    order_matters: ClassVar[bool] = True
    """False if only the set of documents matters, not their order."""
    lower_is_better: ClassVar[bool] = False
    """True if runs with lower values are better, as for a cost."""
    can_be_infinite: ClassVar[bool] = False
    """True if a ranking can have an infinite value."""
    swap_monotone: ClassVar[bool] = False
    """True if moving the higher-gain of two adjacent documents up never lowers the value; proofs are in
    docs/concepts/ties.md. The extremes over the orders of tied documents are then exact (see ``worth``)."""
    swap: ClassVar[bool | None] = None
    """True if exchanging any two documents so that the better one precedes the other never lowers the value.

    It must hold for every setting in which a higher grade is not worth less. False means that some setting has a
    counterexample, None that neither is claimed. The claim assumes that every document is judged and that no cutoff
    separates the two documents (then the swap would be a replacement). Unlike ``swap_monotone``, it is about grades and
    about documents any distance apart: see assay theory axioms."""
    replacement: ClassVar[bool | None] = None
    """True if replacing a document by one of a higher grade never lowers the value; False and None as for ``swap``."""
    dilutes: ClassVar[bool | None] = None
    """True if documents outside the ranking never raise the value by becoming relevant or by getting a higher grade;
    False and None as for ``swap``. Measures without a recall base ignore such documents."""
    vanishes: ClassVar[bool] = False
    """True if the value tends to 0 when ever more relevant documents are missed, unless ``saturation`` is finite."""
    opaque: ClassVar[bool] = False
    """True if nothing is known about the measure, not even its bounds: a function of grades that a user wrote."""
    med_cost: ClassVar[str] = "search"
    """Cost of MED without an algorithm for the measure; see ``Family.cost`` in distance/med."""

    # The following can depend on parameters, so they are properties; a subclass may set a plain attribute instead.

    @property
    def bounds_strategy(self) -> str | None:
        """Name of the algorithm that bounds the value where documents are unjudged.

        See ``STRATEGIES`` in uncertainty/completions. None: an algorithm is chosen from ``replacement``,
        ``swap``, ``dilutes`` and ``uses_recall_base``.
        """
        return None

    @property
    def med_strategy(self) -> str | None:
        """Name of the algorithm for the maximized effectiveness distance (``STRATEGIES`` in distance/med).

        None: few documents are labelled in every way, otherwise the distance is an interval.
        """
        return None

    @property
    def uses_unjudged(self) -> bool:
        """True if an unjudged document and one judged not relevant give different values."""
        return False

    @property
    def uses_max_depth(self) -> bool:
        """True if the value of a ranking depends on the length of the longest ranking of the campaign."""
        return False

    @property
    def ideal_is_best(self) -> bool:
        """True if no order of the same documents is better than that by descending grade.

        False for indicators that describe a ranking without rating it.
        """
        return True

    @property
    def empty_is_zero(self) -> bool:
        """True if an empty ranking has value 0."""
        return True

    @property
    def inner(self) -> Measure | None:
        """The measure that a wrapper applies to, its parameter ``of_measure``: AP in ``GM(AP)``."""
        return getattr(self, "of_measure", None)

    @property
    def core(self) -> Measure:
        """The innermost measure: AP in ``GM(Condensed(AP))``, and AP itself for AP."""
        return self if self.inner is None else self.inner.core

    @property
    def condenses(self) -> bool:
        """True if unjudged documents are removed from rankings first, by this measure or by one inside it."""
        return self.inner is not None and self.inner.condenses

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            return
        names = (cls.name, *cls.aliases)
        for name in names:
            if name.lower() in CATALOGUE:
                raise TypeError(f"{name} is already the name of {CATALOGUE[name.lower()].__name__}")
        CATALOGUE.update(dict.fromkeys(map(str.lower, names), cls))

    def __init__(self, *unnamed: Any, **parameters: Any) -> None:
        if unnamed:
            raise MeasureError(
                f"measure '{self.name}': name the parameters, such as {self.examples[0]}, got {unnamed[0]!r}"
            )
        for field in parameters_of(self):
            value = parameters.pop(field.name, field.default)
            if value is MISSING:
                raise MeasureError(f"measure '{self.name}': {self.name} needs {_describe(field)}")
            if value is not None or field.default is not None:
                check = _check_inner if field.metadata["kind"] == "measure" else check_value
                value = check(field, value, self.name)
            object.__setattr__(self, field.name, value)
        for name in parameters:
            raise MeasureError(f"measure '{self.name}': {describe_unknown(type(self), name)}")
        self.check()

    def check(self) -> None:
        """Refuse parameters that cannot be combined."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"a measure does not change; write another {self.name}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"a measure does not change; write another {self.name}")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with their values."""
        return {field.name: getattr(self, field.name) for field in parameters_of(self)}

    def replace(self, **changes: Any) -> Measure:
        """Return a copy with other values of some parameters."""
        return type(self)(**{**self.parameters, **changes})

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in parameters_of(self))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, Measure) and other._values() == self._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __str__(self) -> str:
        parameters = ""
        cut = ""
        for field in parameters_of(self):
            value = getattr(self, field.name)
            if field.metadata["at"]:
                cut = "" if value is None else f"@{format_value(value)}"
            elif value != field.default:
                is_measure = field.metadata["kind"] == "measure"
                parameters += f", {value}" if is_measure else f", {field.name}={format_value(value)}"
        return f"{self.name}{f'({parameters[2:]})' if parameters else ''}{cut}"

    def __repr__(self) -> str:
        return str(self)

    def __matmul__(self, cut: float) -> Measure:
        measure: Measure = _with_cutoff(type(self), cut, **self.parameters)
        return measure

    def score(self, judged: Judged) -> Floats:
        """Return one value for each ranking, whose documents are in a fixed order."""
        raise NotImplementedError

    def expected(self, judged: Judged) -> Floats | None:
        """Return the mean over all orders of tied documents, or None if it must be sampled."""
        return None if self.order_matters else self.score(judged)

    def worth(self, judged: Judged) -> Floats | None:
        """Return the worth of a document by code, for measures that are swap monotone; None for others.

        Tied documents give the largest value in descending order of worth, and the smallest in ascending order.
        """
        if self.order_matters and not self.swap_monotone:
            return None
        gain: Callable[[Judged], Floats] | None = getattr(self, "gain", None)
        return gain(judged) if gain is not None else judged.relevance(getattr(self, "rel", 1))

    def saturation(self, longest: int, gain: float) -> float:
        """Return from how many relevant documents outside the ranking on further ones no longer change the value.

        *longest* is the length of the longest ranking and *gain* the largest gain. Infinity if there is no such number.
        """
        return math.inf

    def tail_weight(self, length: Numbers) -> Floats | None:
        """Return the total weight of all ranks beyond each of some lengths, if the user of the measure never stops.

        None for measures that end at a cutoff or whose weights have no known sum.
        """
        return None

    def caveat(self) -> str | None:
        """Return a warning that belongs to every value, for a note beside the results; None if there is none."""
        return None

    def defined(self, judged: Judged) -> Bools:
        """Return for each ranking whether the measure is defined for its topic."""
        if not self.uses_recall_base:
            return np.ones(len(judged), dtype=bool)
        return judged.recall_base(getattr(self, "rel", 1)) > 0

    def of(self, ranking: Sequence[float | None], judged: Mapping[float, int] | None = None) -> float:
        """Return the value of one ranking, given as grades; None is an unjudged document.

        *judged* is the number of documents of the topic that were judged with each grade; by default those of the
        ranking.
        """
        return float(self.score(Judged.from_grades([ranking], judged))[0])


class Additive(Measure):
    """A measure that is the sum over the ranks of weight(rank) x gain(grade), divided by a scale of the topic."""

    swap_monotone = True

    @property
    def is_plain_sum(self) -> bool:
        """True if the value is the sum itself: false for measures that add or transform something."""
        return type(self).score is Additive.score

    @property
    def has_fixed_weights(self) -> bool:
        """True if judgments change only the gains: neither weights nor depth nor scale."""
        if self.uses_recall_base or not self.is_plain_sum:
            return False
        nothing = Judged.from_grades([[]])
        return np.ndim(self.scale(nothing)) == 0 and np.ndim(self.depth(nothing)) == 0

    @property
    def med_strategy(self) -> str | None:
        return "fixed-weights" if self.has_fixed_weights else None

    def gain(self, judged: Judged) -> Floats:
        """Return the gain by code: of unjudged documents, then of each level."""
        return judged.relevance(getattr(self, "rel", 1))

    def weight(self, rank: Ints) -> Floats:
        """Return the weights of ranks."""
        return np.ones(len(rank))

    def weighed(self, gain: Floats, rank: Ints) -> Floats:
        """Return the contributions of gains at ranks."""
        return gain * self.weight(rank)

    def depth(self, judged: Judged) -> float | Numbers:
        """Return the number of ranks that count, for all rankings or for each."""
        cut = getattr(self, "cutoff", None)
        return math.inf if cut is None else float(cut)

    def scale(self, judged: Judged) -> float | Numbers:
        """Return the divisor of the sum, for all rankings or for each."""
        return 1.0

    def rows_to_depth(self, judged: Judged) -> Rows:
        """Return the documents with a gain down to the depth of the measure."""
        rows = judged.rows(self.gain(judged))
        depth = self.depth(judged)
        if np.ndim(depth) == 0 and math.isinf(float(depth)):
            return rows
        limit = depth if np.ndim(depth) == 0 else np.asarray(depth)[rows.ranking]
        return rows.only(rows.rank <= limit)

    def score(self, judged: Judged) -> Floats:
        rows = self.rows_to_depth(judged)
        total = judged.total(rows.ranking, self.weighed(rows.gain, rows.rank))
        return ratio(total, self.scale(judged))

    def expected(self, judged: Judged) -> Floats | None:
        # Judged.rows shares the gains within tied groups, which is the expectation of a sum.
        return self.score(judged)


def ratio(numerator: Floats, denominator: float | Numbers) -> Floats:
    """Divide; 0 where the denominator is 0."""
    below = np.broadcast_to(np.asarray(denominator, dtype=np.float64), numerator.shape)
    return np.divide(numerator, below, out=np.zeros(numerator.shape), where=below != 0)


def _check_inner(field: dataclasses.Field[Any], value: Any, measure: str) -> Measure:
    if not isinstance(value, Measure):
        raise MeasureError(f"measure '{measure}': {field.name} must be a measure, got {value!r}")
    if _count_nested(value) >= DEEPEST:
        raise MeasureError(f"measure '{measure}': {field.name} must nest at most {DEEPEST - 1} measures")
    return value


def _count_nested(measure: Measure) -> int:
    """Count a measure and those inside it."""
    inner = [value for value in measure.parameters.values() if isinstance(value, Measure)]
    return 1 + max(map(_count_nested, inner), default=0)
