"""State of the explorer: a campaign in memory, and caches of results."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from threading import Lock
from typing import Any

import numpy as np
from cachetools import LRUCache, cachedmethod

from assay import effort
from assay.distance.maximized_effectiveness import MedReport, med
from assay.effort._indicators import EffortReport, build_effort_measures
from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.arrays import Ints
from assay.model.policies import reject_expected_ties
from assay.model.rankings import Rankings
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.significance._compare import Comparison, compare

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Twist")
"""Measures of the first page; the first one orders the runs and is the default measure of gain."""
TEST = "t"
"""Default significance test."""
CONFIDENCE = 0.95
"""Default confidence level of intervals."""
CACHED_MEASURES = 256
CACHED_DISTANCES = 32
CACHED_COMPARISONS = 8


@dataclass(frozen=True, eq=False)
class ExplorerState:
    """A campaign and the results that requests share.

    Attributes
    ----------
    campaign
        Judgments and runs, read with ``keep="documents"``; ties cannot be ``expected``.
    """

    campaign: Campaign
    _values: LRUCache[Any, Results] = field(default_factory=lambda: LRUCache(CACHED_MEASURES), repr=False)
    _distances: LRUCache[Any, MedReport] = field(default_factory=lambda: LRUCache(CACHED_DISTANCES), repr=False)
    _comparisons: LRUCache[Any, Comparison] = field(default_factory=lambda: LRUCache(CACHED_COMPARISONS), repr=False)
    _lock: AbstractContextManager[Any] = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        reject_expected_ties(self.campaign.policies.ties, "the explorer shows curves, and a curve needs an order")
        highest = self.campaign.judgments.levels.max(initial=0)
        if 0 < highest < 1:
            raise InputError(
                f"{self.campaign.judgments.source}: the explorer treats grades of at least 1 as relevant, and the "
                f"highest grade is {highest:g}; map the grades of relevant documents to 1 or more with --grades"
            )

    @cached_property
    def run_index(self) -> dict[str, int]:
        """Index of each run by name."""
        return {name: index for index, name in enumerate(self.campaign.runs)}

    @cached_property
    def topic_index(self) -> dict[str, int]:
        """Index of each topic by name."""
        return {topic: index for index, topic in enumerate(self.campaign.topics)}

    @cached_property
    def relevant(self) -> Ints:
        """Number of relevant documents of each topic; documents with a grade of at least 1 are relevant."""
        qrels = self.campaign.judgments
        return np.asarray(qrels.counts[:, qrels.levels >= 1].sum(axis=1))

    @cached_property
    def all_rankings(self) -> Rankings:
        """Complete rankings, including unjudged documents under every policy."""
        return self.campaign.rankings()

    @cached_property
    def rankings(self) -> Rankings:
        """Rankings that measures evaluate: without unjudged documents if the policy is ``condensed``."""
        condensed = self.campaign.policies.unjudged == "condensed"
        return self.all_rankings.condense() if condensed else self.all_rankings

    @cached_property
    def effort(self) -> EffortReport:
        """Indicators of effort of every run and topic."""
        return effort.indicators(self.campaign)

    def prepare(self) -> None:
        """Compute the values of the first pages, so that the first request does not wait for them."""
        _ = self.effort, self.run_index, self.topic_index, self.relevant, self.rankings
        self.values(DEFAULT_MEASURES).means()

    def values(self, measures: str | Measure | Iterable[str | Measure]) -> Results:
        """Return the values of measures; the values of recently used measures are cached."""
        parsed = parse_measures(measures)
        results = [self._evaluate(measure) for measure in parsed]
        notes = dict.fromkeys(note for result in results for note in result.notes)
        return replace(
            results[0],
            measures=parsed,
            values=np.concatenate([result.values for result in results]),
            errors=np.concatenate([result.errors for result in results]),
            notes=tuple(notes),
        )

    @cachedmethod(attrgetter("_comparisons"), lock=attrgetter("_lock"))
    def compare(self, measure: Measure, test: str, correction: str, alpha: float) -> Comparison:
        """Compare all pairs of runs; every page corrects p over this family of comparisons."""
        return compare(self.values(measure), test=test, correction=correction, alpha=alpha)

    @cachedmethod(attrgetter("_distances"), lock=attrgetter("_lock"))
    def distance(self, pair: tuple[str, str], measure: Measure, depth: int | None) -> MedReport:
        """Compute the maximized effectiveness distance of two runs on each topic, over the first *depth* ranks."""
        return med(self.campaign.select(pair), measure, depth=depth)

    @cachedmethod(attrgetter("_values"), lock=attrgetter("_lock"))
    def _evaluate(self, measure: Measure) -> Results:
        # Requests may name any measure. Only the default measures may leave intermediate results in the cache of the
        # campaign; the intermediate results of other measures would accumulate.
        is_default = measure in self._default_measures
        return evaluate(self.campaign if is_default else self.campaign.without_cache(), (measure,))

    @cached_property
    def _default_measures(self) -> frozenset[Measure]:
        return frozenset((*parse_measures(DEFAULT_MEASURES), *build_effort_measures()))
