"""A campaign: qrels and runs, read once and kept small, and what is made of them when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from threading import Lock
from typing import Any

import numpy as np
import polars as pl
from cachetools import LRUCache, cachedmethod

from assay.distance.maximized import MedReport, distances
from assay.distance.med.asked import Asked
from assay.effort.indicators import EffortReport, effort_measures, reported
from assay.engine.joining import each_run, joined
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.arrays import Ints
from assay.model.judged import Judged
from assay.model.policies import Policies, refuse_expected
from assay.model.qrels import Qrels
from assay.model.rankings import Listed, Rankings, listed
from assay.model.relative_position import Curves, Setting
from assay.model.run import Run
from assay.results._evaluate import Prepared, assembled, evaluated
from assay.results.table import Results
from assay.significance._compare import Comparison, compare

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Twist")
"""What the overview shows first; the first one orders the runs and is the gain of effort against gain."""
CACHED_MEASURES = 256
CACHED_DISTANCES = 32
CACHED_COMPARISONS = 8


@dataclass(frozen=True, eq=False)
class Campaign:
    """Runs joined with their qrels, with their documents.

    Attributes
    ----------
    ready
        What measures need.
    rankings
        Which document stands where, as measures see it: without unjudged ones if the policy takes them out. Documents
        are numbers in one list of names, so that a million of them take four megabytes.
    whole
        The same with unjudged documents, whatever the policy says about them.
    """

    ready: Prepared
    rankings: Rankings
    whole: Rankings
    _values: LRUCache[Any, Results] = field(default_factory=lambda: LRUCache(CACHED_MEASURES), repr=False)
    _distances: LRUCache[Any, MedReport] = field(default_factory=lambda: LRUCache(CACHED_DISTANCES), repr=False)
    _comparisons: LRUCache[Any, Comparison] = field(default_factory=lambda: LRUCache(CACHED_COMPARISONS), repr=False)
    _lock: AbstractContextManager[Any] = field(default_factory=Lock, repr=False)

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.ready.runs

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the qrels."""
        return self.ready.qrels.topics

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self.ready.qrels

    @property
    def policies(self) -> Policies:
        """How ties, missing topics, undefined values and unjudged documents are treated."""
        return self.ready.provenance.policies

    @cached_property
    def run_number(self) -> dict[str, int]:
        """The number of each run by its name."""
        return {name: number for number, name in enumerate(self.runs)}

    @cached_property
    def topic_number(self) -> dict[str, int]:
        """The number of each topic."""
        return {topic: number for number, topic in enumerate(self.topics)}

    @cached_property
    def relevant(self) -> Ints:
        """Count the relevant documents of each topic: those with a grade of at least 1."""
        return np.asarray(self.qrels.counts[:, self.qrels.levels >= 1].sum(axis=1))

    @cached_property
    def effort(self) -> EffortReport:
        """The indicators of effort of every run and topic."""
        return reported(self.ready, effort_measures(), Setting())

    @property
    def curves(self) -> Curves:
        """The curves of cumulated relative position of every run and topic."""
        return Curves.of(self.ready.judged, Setting())

    def prepare(self) -> None:
        """Make what the first pages show, so that the first reader does not wait for it."""
        _ = self.effort, self.run_number, self.topic_number, self.relevant
        self.values(DEFAULT_MEASURES).means()

    def values(self, measures: str | Measure | Iterable[str | Measure]) -> Results:
        """Return the values of measures; those used recently are cached."""
        chosen = parse_measures(measures)
        found = [self._evaluate(one) for one in chosen]
        notes = dict.fromkeys(note for each in found for note in each.notes)
        return replace(
            found[0],
            measures=chosen,
            values=np.concatenate([each.values for each in found]),
            errors=np.concatenate([each.errors for each in found]),
            notes=tuple(notes),
        )

    @cachedmethod(attrgetter("_comparisons"), lock=attrgetter("_lock"))
    def compare(self, measure: Measure, test: str, correction: str, alpha: float) -> Comparison:
        """Compare all pairs of runs, the family within which every page decides what is significant."""
        return compare(self.values(measure), test=test, correction=correction, alpha=alpha)

    @cachedmethod(attrgetter("_distances"), lock=attrgetter("_lock"))
    def distance(self, a: str, b: str, measure: Measure, depth: int | None) -> MedReport:
        """Compute the maximized effectiveness distance of two runs on each topic, to a depth."""
        chosen = [self.run_number[a], self.run_number[b]]
        rankings = replace(self.whole, runs=(a, b), start=self.whole.start[chosen], stop=self.whole.stop[chosen])
        return distances(rankings, Asked((measure,), depth), self.ready.provenance)

    @cachedmethod(attrgetter("_values"), lock=attrgetter("_lock"))
    def _evaluate(self, measure: Measure) -> Results:
        return evaluated(self.ready if measure in self._usual else self.afresh(), (measure,))

    def afresh(self) -> Prepared:
        """The same rankings without what was made of them: what is made of these is thrown away with them.

        What measures that anybody can write leave behind must not pile up.
        """
        return replace(self.ready, judged=replace(self.ready.judged, _cache={}))

    def some(self, runs: Sequence[str]) -> Prepared:
        """Some of the runs, as measures need them."""
        topics = len(self.topics)
        place = np.concatenate([self.run_number[run] * topics + np.arange(topics) for run in runs])
        return replace(self.ready, runs=tuple(runs), judged=self.ready.judged.only(place))

    @cached_property
    def _usual(self) -> frozenset[Measure]:
        return frozenset((*parse_measures(DEFAULT_MEASURES), *effort_measures()))

    def ranking(self, run: str, topic: str) -> int:
        """The number of a ranking in what measures need."""
        return self.run_number[run] * len(self.topics) + self.topic_number[topic]

    def documents(self, run: str, topic: str) -> pl.Series:
        """The documents of a ranking as measures see it."""
        here = self.run_number[run], self.topic_number[topic]
        return self.rankings.doc[int(self.rankings.start[here]) : int(self.rankings.stop[here])].cast(pl.String)


def read(
    qrels: Any,
    runs: Any,
    *,
    ties: str = "trec_eval-10",
    topics: str = "qrels",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    lenient: bool = False,
    progress: Progress | None = None,
) -> Campaign:
    """Read a campaign; the arguments are those of ``evaluate``, but ties cannot be ``expected``."""
    refuse_expected(ties, "the explorer shows curves, and a curve needs an order")
    policies = Policies(ties, topics, undefined, unjudged)
    names = pl.Categorical(pl.Categories.random())

    def work(judgments: Qrels, run: Run) -> tuple[Joined, Listed]:
        found = listed(run, judgments, ties)
        slim = found._replace(doc=found.doc.cast(names), key=np.zeros(0))
        return joined(found, judgments, policies), slim

    judgments, found = each_run(qrels, runs, work, lenient, progress, rank=ties == "rank")
    highest = judgments.levels.max()
    if 0 < highest < 1:
        raise InputError(
            f"{judgments.source}: no grade reaches 1, from which on the explorer takes documents for relevant (the "
            f"highest is {highest:g}); write other grades, such as 1 for those above your threshold"
        )
    ready = assembled(judgments, runs, [one for one, _ in found], policies)
    whole = _together(ready, [one for _, one in found])
    return Campaign(ready, _as_measured(whole, ready.judged) if unjudged == "condensed" else whole, whole)


def _together(ready: Prepared, found: list[Listed]) -> Rankings:
    """The documents of all runs; the number of a document in the list of names tells documents apart."""
    length = np.array([run.length for run in found]).reshape(ready.shape)
    stop = np.cumsum(length.ravel()).reshape(ready.shape)
    doc = pl.concat([run.doc for run in found], rechunk=True)
    same = len(doc) == len(ready.judged.code)  # nothing was taken out: one list of grades is enough
    return Rankings(
        runs=ready.runs,
        topics=ready.qrels.topics,
        levels=ready.qrels.levels,
        counts=ready.qrels.counts,
        start=stop - length,
        stop=stop,
        key=doc.to_physical().to_numpy(),
        code=ready.judged.code if same else np.concatenate([run.code for run in found]),
        tied=None,
        doc=doc,
    )


def _as_measured(whole: Rankings, judged: Judged) -> Rankings:
    """Without what ``Judged.condensed`` takes out."""
    keep = np.concatenate([[False], whole.levels >= 0])[whole.code]
    doc = whole.doc.filter(pl.Series(keep))
    shape = whole.start.shape
    return replace(
        whole,
        start=judged.start[:-1].reshape(shape),
        stop=judged.start[1:].reshape(shape),
        key=doc.to_physical().to_numpy(),
        code=judged.code,
        doc=doc,
    )
