"""Which way leads to the MED of a measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.analyses.distance.med import additive, first_relevant, given_base, normalised
from assay.analyses.distance.med.additive import Additive
from assay.analyses.distance.med.any_measure import AnyMeasure
from assay.analyses.distance.med.average_precision import AveragePrecision
from assay.analyses.distance.med.cascade import Cascade
from assay.analyses.distance.med.extreme import Extreme, Family
from assay.analyses.distance.med.first_relevant import FirstRelevant
from assay.analyses.distance.med.given_base import GivenBase
from assay.analyses.distance.med.normalised import Normalised
from assay.analyses.distance.med.q_measure import QMeasure
from assay.analyses.distance.med.search import Found, exhaustive, greedy, tabu
from assay.errors import InputError, MeasureError, suggestion
from assay.measures import Additive as Sum
from assay.measures import Measure
from assay.measures._base import parameters_of
from assay.measures._effort import Effort
from assay.measures.average_precision import AP, SP, SSP
from assay.measures.cascade import ERR
from assay.measures.q_measure import Q
from assay.measures.wrappers import GM, Condensed
from assay.model.arrays import Floats, Ints
from assay.model.rankings import Lists

METHODS = {
    "exact": "the algorithm of the measure's family; an interval where there is none",
    "max-grade": "labels are 0 or the top grade, as in the paper (nDCG and its like)",
    "exhaustive": "every labeling, for few documents",
    "greedy": "one label at a time as in the paper, until it does not help (AP, SSP, SP): a lower bound",
    "greedy-on": "the same, but to the end (AP, SSP, SP): a lower bound",
    "tabu": "tabu search (AP, SSP, SP): a lower bound",
}


class Task(NamedTuple):
    """A measure, what finds its extremes, and how deep it looks.

    *depth* is where rankings are cut whose documents all have labels, *reach* where they are cut as judged so far: a
    measure of the judged documents only looks further down.
    """

    measure: Measure
    family: Family
    depth: int | None
    reach: int | None

    @classmethod
    def of(cls, measure: Measure, depth: int | None, method: str, *, residual: bool = False, seed: int = 0) -> Task:
        """A measure that looks at the first *depth* documents: its cutoff, if it can have one and has none."""
        # A cutoff would leave nothing to come behind it, and a residual is about just that.
        chosen = measure if depth is None or residual else _with_cutoff(measure, depth)
        limits = [limit for limit in (_inner(chosen, "cutoff"), depth) if limit is not None]
        cut = int(min(limits)) if limits else None
        return cls(
            measure=chosen,
            family=family(chosen, method, residual=residual, seed=seed),
            depth=cut,
            reach=depth if _is_condensed(chosen) else cut,
        )


def of_one_length(measure: Measure, longest: int) -> Measure:
    """Measures of effort compare rankings of one length for all topics: without a cutoff that of the longest one.

    >>> from assay.measures import measure
    >>> [of_one_length(measure(text), 1000) for text in ("Twist", "Twist@100", "GM(Twist)", "AP")]
    [Twist@1000, Twist@100, GM(Twist@1000), AP]
    """
    return _with_cutoff(measure, longest, Effort)


def _with_cutoff(measure: Measure, depth: int, of: type[Measure] = Measure) -> Measure:
    """The measure, or the one that it is made of, with a cutoff if it can have one and has none."""
    if isinstance(measure, GM | Condensed):
        return type(measure)(of_measure=_with_cutoff(measure.of_measure, depth, of))
    fields = {field.name: getattr(measure, field.name) for field in parameters_of(measure)}
    lacks = isinstance(measure, of) and fields.get("cutoff", 0) is None
    return type(measure)(**{**fields, "cutoff": depth}) if lacks else measure


def _inner(measure: Measure, name: str) -> int | None:
    """A parameter of the measure, or of the one that it is made of."""
    found: int | None = getattr(measure, name, None)
    return _inner(measure.of_measure, name) if isinstance(measure, GM | Condensed) else found


def _is_condensed(measure: Measure) -> bool:
    return isinstance(measure, Condensed) or (isinstance(measure, GM) and _is_condensed(measure.of_measure))


def family(measure: Measure, method: str = "exact", *, residual: bool = False, seed: int = 0) -> Family:
    """What finds the extremes of a measure, by the method asked for."""
    if method not in METHODS:
        raise InputError(f"method {method!r}: choose one of {', '.join(METHODS)}{suggestion(method, METHODS)}")
    if isinstance(measure, GM | Condensed):  # labels leave nothing to condense, and topics stand for themselves
        return family(measure.of_measure, method, residual=residual, seed=seed)
    if residual and not (method == "exact" and additive.fits(measure)):
        raise MeasureError(f"measure '{measure}': has no residual; RBP, P and other sums have, by the exact method")
    if method == "max-grade":
        if not normalised.fits(measure):
            raise MeasureError(f"measure '{measure}': the method max-grade is for nDCG and its like; use exact")
        return _MaxGrade(measure)
    if method not in ("exact", "exhaustive") and not isinstance(measure, AP | SSP | SP):
        raise MeasureError(f"measure '{measure}': the method {method} is for AP, SSP and SP; use exact")
    if method != "exact":
        return _Searched(measure, method, seed)
    return _exact(measure, residual)


def _exact(measure: Measure, residual: bool) -> Family:
    if additive.fits(measure):
        return Additive(measure, residual=residual)
    found: Family | None = None
    if first_relevant.fits(measure):
        found = FirstRelevant(measure)
    elif normalised.fits(measure):
        found = Normalised(measure)
    elif given_base.fits(measure):
        found = GivenBase(measure)
    elif isinstance(measure, AP | SSP | SP):
        found = AveragePrecision(measure)
    elif isinstance(measure, ERR):
        found = Cascade(measure)
    elif isinstance(measure, Q):
        found = AnyMeasure(measure, QMeasure(measure))
    return found or AnyMeasure(measure)


@dataclass(frozen=True)
class _MaxGrade:
    """The algorithm of the paper for graded nDCG: what it finds can be less than the distance, which bounds it."""

    measure: Sum

    def largest(self, lists: Lists, a: Ints, b: Ints) -> Extreme:
        """See ``Family``."""
        found = Normalised(self.measure, variant="max-grade").largest(lists, a, b)
        return Extreme(found.low, Normalised(self.measure).largest(lists, a, b).high)

    def labels(self, lists: Lists, a: int, b: int) -> Floats:
        """See ``Family``."""
        return Normalised(self.measure, variant="max-grade").labels(lists, a, b)


@dataclass(frozen=True)
class _Searched:
    """A method that looks at labels one after the other; what it finds is all that is known."""

    measure: Measure
    method: str
    seed: int

    def largest(self, lists: Lists, a: Ints, b: Ints) -> Extreme:
        """See ``Family``; of a lower bound nothing is known above it."""
        found = np.array([self._find(lists, i, j).value for i, j in zip(a.tolist(), b.tolist(), strict=True)])
        high = found if self.method == "exhaustive" else np.full(len(found), np.inf)
        return Extreme(found.reshape(-1), high.reshape(-1))

    def labels(self, lists: Lists, a: int, b: int) -> Floats:
        """See ``Family``."""
        return self._find(lists, a, b).labels

    def _find(self, lists: Lists, a: int, b: int) -> Found:
        if self.method == "exhaustive":
            return exhaustive(self.measure, lists, a, b)
        if self.method == "tabu":
            return tabu(self.measure, lists, a, b, rng=self.seed)
        return greedy(self.measure, lists, a, b, stop=self.method == "greedy")
