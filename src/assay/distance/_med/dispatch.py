"""Choice of the algorithm for the MED of a measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.distance._med.additive import AdditiveMed
from assay.distance._med.any_measure import AnyMeasure
from assay.distance._med.average_precision import AveragePrecision
from assay.distance._med.cascade import Cascade
from assay.distance._med.first_relevant import FirstRelevant
from assay.distance._med.fixed_recall_base import GivenBase
from assay.distance._med.interface import Extreme, Family
from assay.distance._med.normalised import NormalisedMed
from assay.distance._med.q_measure import QMeasure
from assay.distance._med.search import Found, exhaustive, greedy, tabu
from assay.errors import InputError, MeasureError, suggestion
from assay.measures import Additive as Sum
from assay.measures import Measure
from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings

METHODS = {
    "exact": "the algorithm of the measure's family; an interval where there is none",
    "max-grade": "labels are 0 or the top grade, as in the paper (nDCG and its like)",
    "exhaustive": "every labeling, for few documents",
    "greedy": "one label at a time as in the paper, until it does not help (AP, SSP, SP): a lower bound",
    "greedy-on": "the same, but to the end (AP, SSP, SP): a lower bound",
    "tabu": "tabu search (AP, SSP, SP): a lower bound",
}


STRATEGIES: dict[str, Callable[[Any], Family]] = {
    "cascade": Cascade,
    "fixed-weights": AdditiveMed,
    "known-recall-base": GivenBase,
    "mean-of-prefixes": GivenBase,
    "normalised": NormalisedMed,
    "nth-relevant": FirstRelevant,
    "precision-sums": AveragePrecision,
    "q-measure": lambda measure: AnyMeasure(measure, QMeasure(measure)),
}
"""Algorithms by the name that measures declare as ``med_strategy``; a wrapper declares ``inner``."""


class Task(NamedTuple):
    """A measure, the algorithm that finds its extremes, and its depth.

    *depth* is where rankings are cut whose documents all have labels, *reach* where they are cut as judged so far: a
    measure of condensed rankings looks further down.
    """

    measure: Measure
    family: Family
    depth: int | None
    reach: int | None

    @classmethod
    def of(cls, measure: Measure, depth: int | None, method: str, *, residual: bool = False, seed: int = 0) -> Task:
        """Prepare a measure of the first *depth* documents: its cutoff, if it can have one and has none."""
        # A cutoff would leave nothing to come behind it, and a residual is about just that.
        chosen = measure if depth is None or residual else _with_cutoff(measure, depth)
        limits = [limit for limit in (getattr(_unwrap(chosen), "cutoff", None), depth) if limit is not None]
        cut = int(min(limits)) if limits else None
        return cls(
            measure=chosen,
            family=family(chosen, method, residual=residual, seed=seed),
            depth=cut,
            reach=depth if chosen.condenses else cut,
        )


def of_one_length(measure: Measure, longest: int) -> Measure:
    """Return a measure of effort without a cutoff with that of the longest ranking, which all topics must share.

    >>> from assay.measures import measure
    >>> [of_one_length(measure(text), 1000) for text in ("Twist", "Twist@100", "GM(Twist)", "AP")]
    [Twist@1000, Twist@100, GM(Twist@1000), AP]
    """
    return _with_cutoff(measure, longest) if _unwrap(measure).uses_max_depth else measure


def _unwrap(measure: Measure) -> Measure:
    """Return the measure whose MED a wrapper such as GM or Condensed has."""
    inner = measure.inner
    return measure if inner is None or measure.med_strategy != "inner" else _unwrap(inner)


def _with_cutoff(measure: Measure, depth: int) -> Measure:
    """Set the cutoff of a measure, or of the one that it wraps, if it can have one and has none."""
    if measure.inner is not None and measure.med_strategy == "inner":
        return measure.replace(of_measure=_with_cutoff(measure.inner, depth))
    return measure.replace(cutoff=depth) if measure.parameters.get("cutoff", 0) is None else measure


def family(measure: Measure, method: str = "exact", *, residual: bool = False, seed: int = 0) -> Family:
    """Return the algorithm that finds the extremes of a measure by the requested method."""
    if method not in METHODS:
        raise InputError(f"method {method!r}: choose one of {', '.join(METHODS)}{suggestion(method, METHODS)}")
    measure = _unwrap(measure)
    strategy = measure.med_strategy
    if residual:
        if method != "exact" or strategy != "fixed-weights" or not isinstance(measure, Sum):
            raise MeasureError(f"measure '{measure}': has no residual; RBP, P and other sums have, by the exact method")
        return AdditiveMed(measure, residual=True)
    if method == "max-grade":
        if strategy != "normalised" or not isinstance(measure, Sum):
            raise MeasureError(f"measure '{measure}': the method max-grade is for nDCG and its like; use exact")
        return _MaxGrade(measure)
    if method not in ("exact", "exhaustive") and strategy != "precision-sums":
        raise MeasureError(f"measure '{measure}': the method {method} is for AP, SSP and SP; use exact")
    if method != "exact":
        return _Searched(measure, method, seed)
    return _choose_exact(measure)


def _choose_exact(measure: Measure) -> Family:
    if measure.med_strategy is None:
        return AnyMeasure(measure)
    if measure.med_strategy not in STRATEGIES:
        raise MeasureError(
            f"measure '{measure}': there is no med_strategy {measure.med_strategy!r}; "
            f"choose one of {', '.join(STRATEGIES)}, or None"
        )
    return STRATEGIES[measure.med_strategy](measure)


@dataclass(frozen=True)
class _MaxGrade:
    """The algorithm of the paper for graded nDCG: it can find less than the distance, which is the upper bound."""

    measure: Sum
    cost: ClassVar[str] = "linear"

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """See ``Family``."""
        found = NormalisedMed(self.measure, variant="max-grade").largest(rankings, a, b)
        return Extreme(found.low, NormalisedMed(self.measure).largest(rankings, a, b).high)

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """See ``Family``."""
        return NormalisedMed(self.measure, variant="max-grade").labels(rankings, a, b)


@dataclass(frozen=True)
class _Searched:
    """A method that tries labels one after the other; nothing but what it finds is known."""

    measure: Measure
    method: str
    seed: int
    cost: ClassVar[str] = "slow"

    def largest(self, rankings: TopicRankings, a: Ints, b: Ints) -> Extreme:
        """See ``Family``; of a lower bound nothing is known above it."""
        found = np.array([self._find(rankings, i, j).value for i, j in zip(a.tolist(), b.tolist(), strict=True)])
        high = found if self.method == "exhaustive" else np.full(len(found), np.inf)
        return Extreme(found.reshape(-1), high.reshape(-1))

    def labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """See ``Family``."""
        return self._find(rankings, a, b).labels

    def _find(self, rankings: TopicRankings, a: int, b: int) -> Found:
        if self.method == "exhaustive":
            return exhaustive(self.measure, rankings, a, b)
        if self.method == "tabu":
            return tabu(self.measure, rankings, a, b, rng=self.seed)
        return greedy(self.measure, rankings, a, b, stop=self.method == "greedy")
