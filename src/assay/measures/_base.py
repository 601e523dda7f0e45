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
MAX_NESTING = 8
"""Maximum number of nested measures; ``GM(Condensed(AP))`` has three."""


class MeasureType(type):
    """Metaclass that collects the parameters of a measure and supports ``nDCG @ 10``.

    It turns each class into a dataclass without generated methods. Letting ``dataclass`` generate the methods of every
    class would take a tenth of the run time of the command line on a small run, so the base class defines them once.
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


def _describe_parameter(field: dataclasses.Field[Any]) -> str:
    """Return the name of a parameter and its meaning, for error messages."""
    doc = f"@, {field.metadata['doc']}" if field.metadata["at"] else field.metadata["doc"]
    return f"{field.name} ({doc})"


def describe_unknown_parameter(cls: Any, name: str) -> str:
    """Return an error message for an unknown parameter, with the parameters of the measure."""
    known = [field.name for field in parameters_of(cls)]
    known_text = f"it has {', '.join(known)}" if known else "it has none"
    return f"{cls.name} has no parameter {name}; {known_text}{suggestion(name, known)}"


class Measure(metaclass=MeasureType):
    """A measure: an immutable, hashable value such as ``nDCG@10``, whose text parses back to the same measure.

    A subclass declares its parameters as fields, sets the class attributes that differ from their defaults,
    and implements ``score``.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    trec_eval: ClassVar[tuple[str, ...]] = ()
    """Names in trec_eval. ``P_*`` stands for any cutoff; ``gm_map=GM(AP)`` gives the notation of the measure."""
    examples: ClassVar[tuple[str, ...]] = ()
    uses_recall_base: ClassVar[bool] = False
    """True if the value depends on the recall base (all relevant documents of the topic).

    The value is then undefined for topics without relevant documents."""
    facets: ClassVar[tuple[str, ...]] = ()
    """Facets of judgments and documents that the measure needs: ``subtopic``, ``stratum``, ``probability``, ``cost``.

    Evaluating the measure without them is an error that names the option."""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    aggregate: ClassVar[str] = "mean"
    """Aggregation over topics: ``mean``, ``sum`` or ``geometric``."""
    order_matters: ClassVar[bool] = True
    """False if the value depends only on the set of retrieved documents."""
    lower_is_better: ClassVar[bool] = False
    """True if runs with lower values are better, as for a cost."""
    can_be_infinite: ClassVar[bool] = False
    """True if a ranking can have an infinite value."""
    swap_monotone: ClassVar[bool] = False
    """True if moving the higher-gain of two adjacent documents up never lowers the value.

    The extremes over the orders of tied documents are then exact (see ``tie_key``). Proofs are in
    docs/concepts/ties.md."""
    swap: ClassVar[bool | None] = None
    """True if swapping any two documents so that the higher grade comes first never lowers the value.

    The claim covers all parameters for which a higher grade never has a lower gain. It assumes that every document is
    judged and that no cutoff lies between the two documents (such a swap would be a replacement). False means that a
    counterexample is known. None means that nothing is claimed. Unlike ``swap_monotone``, the claim is about grades
    instead of gains, and about documents at any distance. ``assay theory axioms`` checks the claim."""
    replacement: ClassVar[bool | None] = None
    """True if replacing a document by one with a higher grade never lowers the value.

    False and None have the same meaning as in ``swap``."""
    dilutes: ClassVar[bool | None] = None
    """True if the value never rises when a document outside the ranking becomes relevant or gets a higher grade.

    False and None have the same meaning as in ``swap``. Measures without a recall base ignore documents outside the
    ranking."""
    reads_beyond_cutoff: ClassVar[bool] = False
    """True if the value depends on retrieved documents below the cutoff."""
    vanishes: ClassVar[bool] = False
    """True if ``saturation`` is infinite and the value tends to 0 as the number of missed relevant documents grows."""
    opaque: ClassVar[bool] = False
    """True if nothing is known about the measure, not even its bounds: a user-defined function of grades."""
    med_cost: ClassVar[str] = "search"
    """Cost of MED without a special algorithm for the measure; see ``MedAlgorithm.cost`` in distance/_med."""

    # The following may depend on parameters, so they are properties. A subclass may set a plain attribute instead.

    @property
    def bounds_strategy(self) -> str | None:
        """Name of the algorithm that bounds the value over all grades of unjudged documents.

        The names are the keys of ``STRATEGIES`` in uncertainty/completions. With None, the algorithm is chosen from
        ``replacement``, ``swap``, ``dilutes`` and ``uses_recall_base``.
        """
        return None

    @property
    def med_strategy(self) -> str | None:
        """Name of the algorithm for the maximized effectiveness distance (``STRATEGIES`` in distance/_med/dispatch.py).

        With None, all assignments of grades are enumerated if there are few documents; otherwise the distance is an
        interval.
        """
        return None

    @property
    def contribution_strategy(self) -> str:
        """Name of the closed form of document contributions (``_contributions``); ``sampled`` if there is none."""
        return "sampled"

    @property
    def uses_unjudged(self) -> bool:
        """True if the measure distinguishes unjudged documents from documents judged non-relevant."""
        return False

    @property
    def uses_max_depth(self) -> bool:
        """True if the value depends on the length of the longest ranking of the campaign."""
        return False

    @property
    def ideal_is_best(self) -> bool:
        """True if no order of the same documents has a better value than the order by descending grade.

        False for indicators that describe a ranking without rating it.
        """
        return True

    @property
    def empty_is_zero(self) -> bool:
        """True if an empty ranking has value 0."""
        return True

    @property
    def inner(self) -> Measure | None:
        """The measure inside a wrapper (its parameter ``of_measure``): AP in ``GM(AP)``."""
        return getattr(self, "of_measure", None)

    @property
    def core(self) -> Measure:
        """The innermost measure: AP for ``GM(Condensed(AP))`` and for AP."""
        return self if self.inner is None else self.inner.core

    @property
    def condenses(self) -> bool:
        """True if this measure, or a measure inside it, removes unjudged documents before scoring."""
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
                raise MeasureError(f"measure '{self.name}': {self.name} needs {_describe_parameter(field)}")
            if value is not None or field.default is not None:
                check = _check_inner if field.metadata["kind"] == "measure" else check_value
                value = check(field, value, self.name)
            object.__setattr__(self, field.name, value)
        for name in parameters:
            raise MeasureError(f"measure '{self.name}': {describe_unknown_parameter(type(self), name)}")
        self.check()

    def check(self) -> None:
        """Raise ``MeasureError`` if the parameters cannot be combined."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"measures cannot be changed; create another {self.name}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"measures cannot be changed; create another {self.name}")

    @property
    def parameters(self) -> dict[str, Any]:
        """Values of the parameters by name."""
        return {field.name: getattr(self, field.name) for field in parameters_of(self)}

    def replace(self, **changes: Any) -> Measure:
        """Return a copy with some parameters changed."""
        return type(self)(**{**self.parameters, **changes})

    def _parameter_values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in parameters_of(self))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Measure):
            return False
        return other._parameter_values() == self._parameter_values()

    def __hash__(self) -> int:
        return hash((type(self), self._parameter_values()))

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
        """Return one value for each ranking; the documents are in a fixed order."""
        raise NotImplementedError

    def expected_values(self, judged: Judged) -> Floats | None:
        """Return the mean value over all orders of tied documents, or None if it must be sampled."""
        return None if self.order_matters else self.score(judged)

    def tie_key(self, judged: Judged) -> Floats | None:
        """Return a sort key by grade code for tied documents, or None if the measure is not swap monotone.

        The value is highest if tied documents are in descending order of the key, and lowest if they are in ascending
        order.
        """
        if self.order_matters and not self.swap_monotone:
            return None
        gain: Callable[[Judged], Floats] | None = getattr(self, "gain", None)
        return gain(judged) if gain is not None else judged.relevance(getattr(self, "rel", 1))

    def saturation(self, longest: int, gain: float) -> float:
        """Return a number of relevant documents outside the ranking such that additional ones do not change the value.

        *longest* is the length of the longest ranking, and *gain* is the largest gain. The result is infinite if there
        is no such number.
        """
        return math.inf

    def tail_weight(self, length: Numbers) -> Floats | None:
        """Return the total weight of all ranks after the last retrieved document, which is at rank *length*.

        Documents at these ranks could add at most this weight to the value. The result is None if the measure does not
        evaluate such ranks, or if the sum of their weights is not known.
        """
        return None

    def is_defined(self, judged: Judged) -> Bools:
        """Return for each ranking whether the measure is defined for its topic."""
        if not self.uses_recall_base:
            return np.ones(len(judged), dtype=bool)
        return judged.recall_base(getattr(self, "rel", 1)) > 0

    def of(self, ranking: Sequence[float | None], judged: Mapping[float, int] | None = None) -> float:
        """Return the value of one ranking, given as a list of grades; None is an unjudged document.

        *judged* maps each grade to the number of documents of the topic with this grade. By default, the ranking
        contains all judged documents.
        """
        return float(self.score(Judged.from_grades([ranking], judged))[0])


class Additive(Measure):
    """A measure that is a sum over ranks of weight(rank) x gain(grade), divided by a scale.

    The scale may depend on the topic: nDCG divides by the DCG of the ideal ranking. A subclass defines ``weight`` and,
    where needed, ``gain``, ``depth`` and ``scale``.
    """

    swap_monotone = True

    @property
    def is_plain_sum(self) -> bool:
        """True if the value is the sum itself, divided by a scale that does not depend on the retrieved documents.

        A subclass that adds a term to the sum or transforms it is no plain sum.
        """
        return type(self).score is Additive.score

    @property
    def has_fixed_weights(self) -> bool:
        """True if judgments affect only the gains, not the weights, the depth or the scale."""
        if self.uses_recall_base or not self.is_plain_sum:
            return False
        # A scalar scale or depth is the same for all rankings; an array has one entry for each ranking.
        empty_ranking = Judged.from_grades([[]])
        return np.ndim(self.scale(empty_ranking)) == 0 and np.ndim(self.depth(empty_ranking)) == 0

    @property
    def med_strategy(self) -> str | None:
        return "fixed-weights" if self.has_fixed_weights else None

    @property
    def contribution_strategy(self) -> str:
        return "own-terms" if self.is_plain_sum else "sampled"

    def gain(self, judged: Judged) -> Floats:
        """Return gains by grade code: of unjudged documents (code 0), then of each grade of ``judged.levels``."""
        return judged.relevance(getattr(self, "rel", 1))

    def weight(self, rank: Ints) -> Floats:
        """Return the weight of each rank (from 1)."""
        return np.ones(len(rank))

    def weighted_gain(self, gain: Floats, rank: Ints) -> Floats:
        """Return gain x weight(rank); a subclass may compute the product with a smaller rounding error."""
        return gain * self.weight(rank)

    def depth(self, judged: Judged) -> float | Numbers:
        """Return the number of ranks that are evaluated: one for all rankings, or an array with one for each."""
        cut = getattr(self, "cutoff", None)
        return math.inf if cut is None else float(cut)

    def scale(self, judged: Judged) -> float | Numbers:
        """Return the divisor of the sum: one number for all rankings, or an array with one for each ranking."""
        return 1.0

    def rows_to_depth(self, judged: Judged) -> Rows:
        """Return the documents with a non-zero gain down to the depth of the measure."""
        rows = judged.rows(self.gain(judged))
        depth = self.depth(judged)
        if np.ndim(depth) == 0 and math.isinf(float(depth)):
            return rows
        limit = depth if np.ndim(depth) == 0 else np.asarray(depth)[rows.ranking]
        return rows.filter(rows.rank <= limit)

    def score(self, judged: Judged) -> Floats:
        rows = self.rows_to_depth(judged)
        total = judged.total(rows.ranking, self.weighted_gain(rows.gain, rows.rank))
        return ratio(total, self.scale(judged))

    def expected_values(self, judged: Judged) -> Floats | None:
        # Judged.rows divides the gains of a group of tied documents equally among them. The expectation of a sum is the
        # sum of expectations, so the score with these gains is the mean over all orders.
        return self.score(judged)


def ratio(numerator: Floats, denominator: float | Numbers) -> Floats:
    """Return numerator / denominator, or 0 where the denominator is 0."""
    divisor = np.broadcast_to(np.asarray(denominator, dtype=np.float64), numerator.shape)
    return np.divide(numerator, divisor, out=np.zeros(numerator.shape), where=divisor != 0)


def _check_inner(field: dataclasses.Field[Any], value: Any, measure: str) -> Measure:
    if not isinstance(value, Measure):
        raise MeasureError(f"measure '{measure}': {field.name} must be a measure, got {value!r}")
    if _nesting_depth(value) >= MAX_NESTING:
        raise MeasureError(f"measure '{measure}': {field.name} must nest at most {MAX_NESTING - 1} measures")
    return value


def _nesting_depth(measure: Measure) -> int:
    """Return 1 for a plain measure, 2 for ``GM(AP)``, and so on."""
    inner = [value for value in measure.parameters.values() if isinstance(value, Measure)]
    return 1 + max(map(_nesting_depth, inner), default=0)
