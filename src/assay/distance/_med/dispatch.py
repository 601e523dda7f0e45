"""Choice of the MED algorithm for a measure and a method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.distance._med.additive import AdditiveMed
from assay.distance._med.any_measure import AnyMeasureMed
from assay.distance._med.average_precision import AveragePrecisionMed
from assay.distance._med.cascade import CascadeMed
from assay.distance._med.first_relevant import FirstRelevantMed
from assay.distance._med.fixed_recall_base import FixedRecallBaseMed
from assay.distance._med.interface import Maximum, MedAlgorithm
from assay.distance._med.normalised import NormalisedMed
from assay.distance._med.q_measure import QMeasureMed
from assay.distance._med.search import SearchResult, exhaustive, greedy, tabu
from assay.errors import InputError, MeasureError, suggestion
from assay.measures import Additive, Measure
from assay.model.arrays import Floats, Ints
from assay.model.rankings import TopicRankings

METHODS = {
    "exact": "the exact algorithm for the measure; an interval if there is none",
    "max-grade": "labels are 0 or the top grade, as in the paper (nDCG, nCG, recall, F@k)",
    "exhaustive": "every labeling, for few documents",
    "greedy": "one label at a time until no label increases the difference, as in the paper (AP, SSP, SP): a lower "
    "bound",
    "greedy-on": "greedy, continued until all documents are labelled (AP, SSP, SP): a lower bound",
    "tabu": "tabu search (AP, SSP, SP): a lower bound",
}
STRATEGIES: dict[str, Callable[[Any], MedAlgorithm]] = {
    "cascade": CascadeMed,
    "fixed-weights": AdditiveMed,
    "known-recall-base": FixedRecallBaseMed,
    "mean-of-prefixes": FixedRecallBaseMed,
    "normalised": NormalisedMed,
    "nth-relevant": FirstRelevantMed,
    "precision-sums": AveragePrecisionMed,
    "q-measure": lambda measure: AnyMeasureMed(measure, QMeasureMed(measure)),
}
"""Algorithms by the name that measures declare as ``med_strategy``; a wrapper declares ``inner``."""


class Task(NamedTuple):
    """A measure, the algorithm that maximizes its differences, and its depth.

    Attributes
    ----------
    measure, algorithm
        The measure, with the cutoff that applies, and its algorithm.
    depth
        Depth at which rankings are cut before free documents are labelled.
    judged_depth
        Depth at which rankings are cut to compute the value with the current judgments. A measure of condensed rankings
        skips unjudged documents, so it needs more ranks than its cutoff.
    """

    measure: Measure
    algorithm: MedAlgorithm
    depth: int | None
    judged_depth: int | None

    @classmethod
    def prepare(
        cls, measure: Measure, depth: int | None, method: str, *, residual: bool = False, seed: int = 0
    ) -> Task:
        """Prepare a measure; *depth* becomes the cutoff of a measure that takes a cutoff but has none."""
        # The residual covers documents after the end of a ranking. With a cutoff there would be no such documents.
        if depth is not None and not residual:
            measure = _with_cutoff(measure, depth)
        inner = unwrap(measure)
        deepest = None if inner.reads_beyond_cutoff else getattr(inner, "cutoff", None)
        limits = [limit for limit in (deepest, depth) if limit is not None]
        cutoff = int(min(limits)) if limits else None
        return cls(
            measure=measure,
            algorithm=choose_algorithm(measure, method, residual=residual, seed=seed),
            depth=cutoff,
            judged_depth=depth if measure.condenses else cutoff,
        )


def with_common_cutoff(measure: Measure, longest: int) -> Measure:
    """Give an effort measure without a cutoff the cutoff *longest*, the length of the longest ranking.

    Effort measures depend on the common length of the rankings, which must be the same for all topics.

    >>> from assay.measures import measure
    >>> [with_common_cutoff(measure(text), 1000) for text in ("Twist", "Twist@100", "GM(Twist)", "AP")]
    [Twist@1000, Twist@100, GM(Twist@1000), AP]
    """
    return _with_cutoff(measure, longest) if unwrap(measure).uses_max_depth else measure


def unwrap(measure: Measure) -> Measure:
    """Return the measure inside a wrapper such as GM or Condensed, whose MED is the MED of the inner measure."""
    inner = measure.inner
    return measure if inner is None or measure.med_strategy != "inner" else unwrap(inner)


def _with_cutoff(measure: Measure, depth: int) -> Measure:
    """Set the cutoff of a measure, or of the measure inside a wrapper, if it takes a cutoff but has none."""
    if measure.inner is not None and measure.med_strategy == "inner":
        return measure.replace(of_measure=_with_cutoff(measure.inner, depth))
    return measure.replace(cutoff=depth) if measure.parameters.get("cutoff", 0) is None else measure


def choose_algorithm(measure: Measure, method: str = "exact", *, residual: bool = False, seed: int = 0) -> MedAlgorithm:
    """Return the algorithm for a measure and a method; refuse combinations that do not exist."""
    if method not in METHODS:
        raise InputError(f"method {method!r}: choose one of {', '.join(METHODS)}{suggestion(method, METHODS)}")
    measure = unwrap(measure)
    strategy = measure.med_strategy
    if residual:
        if method != "exact" or strategy != "fixed-weights" or not isinstance(measure, Additive):
            raise MeasureError(
                f"measure '{measure}': has no residual; use RBP, P or another sum over ranks, and the exact method"
            )
        return AdditiveMed(measure, residual=True)
    if method == "max-grade":
        if strategy != "normalised" or not isinstance(measure, Additive):
            raise MeasureError(f"measure '{measure}': method max-grade is for nDCG, nCG, recall and F@k; use exact")
        return NormalisedMed(measure, max_grade=True)
    if method not in ("exact", "exhaustive") and strategy != "precision-sums":
        raise MeasureError(f"measure '{measure}': method {method} is for AP, SSP and SP; use exact")
    if method != "exact":
        return _SearchMed(measure, method, seed)
    if strategy is None:
        return AnyMeasureMed(measure)
    if strategy not in STRATEGIES:
        raise MeasureError(
            f"measure '{measure}': there is no med_strategy {strategy!r}; choose one of "
            f"{', '.join(STRATEGIES)}, or None"
        )
    return STRATEGIES[strategy](measure)


@dataclass(frozen=True)
class _SearchMed:
    """A search over labelings: an exhaustive search, or a heuristic that finds a lower bound."""

    measure: Measure
    method: str
    seed: int
    cost: ClassVar[str] = "slow"

    def maximize(self, rankings: TopicRankings, a: Ints, b: Ints) -> Maximum:
        """Return the largest difference that the search finds for each pair; the upper bound of a heuristic is inf."""
        values = [self._search(rankings, i, j).value for i, j in zip(a.tolist(), b.tolist(), strict=True)]
        low = np.array(values, dtype=np.float64)
        return Maximum(low, low if self.method == "exhaustive" else np.full(len(low), np.inf))

    def find_labels(self, rankings: TopicRankings, a: int, b: int) -> Floats:
        """Return the labels that the search finds."""
        return self._search(rankings, a, b).labels

    def _search(self, rankings: TopicRankings, a: int, b: int) -> SearchResult:
        if self.method == "exhaustive":
            return exhaustive(self.measure, rankings, a, b)
        if self.method == "tabu":
            return tabu(self.measure, rankings, a, b, rng=self.seed)
        return greedy(self.measure, rankings, a, b, stop_early=self.method == "greedy")
