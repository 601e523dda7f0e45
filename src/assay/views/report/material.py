"""What a report is made of: everything is read once, joined once, and computed when a section first asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
import polars as pl

from assay.effort.against_gain import EffortGain, classified
from assay.effort.indicators import MAIN, EffortReport, effort_measures, reported
from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._possible_grades import unsettled
from assay.measures._threshold import lowest_relevant, reachable, refuse_unreached
from assay.measures.rank_biased import RBPresidual
from assay.meta.correlation import Correlation, correlated
from assay.meta.judgments import JudgmentReport, judgment_report
from assay.meta.pool_depth import PoolDepth, rebuilt
from assay.meta.pools import Pools
from assay.meta.robustness import Robustness, robust
from assay.model.arrays import Floats, Ints
from assay.model.policies import Policies, refuse_expected
from assay.model.relative_position import Setting
from assay.results._evaluate import Prepared, evaluated
from assay.results.table import Results
from assay.significance._compare import Comparison, checked, compare
from assay.significance.separation import Separation, separate
from assay.uncertainty.bounding import Bounds, bounded
from assay.views.names import shorten_names

MEASURES = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)")
PERSISTENCES = (0.5, 0.8, 0.95)
LOOKED_AT = (10, 100)
"""To which ranks unjudged documents are counted."""
MOST_MEASURES = 40


class Notes(Protocol):
    """Something that says what was ignored or assumed."""

    @property
    def notes(self) -> tuple[str, ...]:
        """One line each."""


Noted = TypeVar("Noted", bound=Notes)


@dataclass(frozen=True)
class ReportSettings:
    """What a report depends on beside its inputs.

    Attributes
    ----------
    measures
        The first one orders the runs; it is also the gain that is set against effort.
    title
        The heading; by default how many runs and topics there are.
    test, correction, alpha, resamples, seed
        How runs are compared, as in ``compare``; intervals have the confidence 1 - alpha.
    most
        How many runs have a page of their own: the best by the first measure.
    without
        Sections that are left out, by their names.
    ratios, seeds, depths
        The samples of the judgments in percent, how many of each, and the depths of pools that are tried.
    ties, topics, undefined, unjudged
        As in ``evaluate``; ties cannot be ``expected``.
    """

    measures: tuple[str, ...] = MEASURES
    title: str | None = None
    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    resamples: int | None = None
    seed: int = 0
    most: int = 50
    without: tuple[str, ...] = ()
    ratios: tuple[float, ...] = (90, 70, 50, 30, 10)
    seeds: int = 5
    depths: tuple[int, ...] = (5, 10, 20, 50, 100)
    ties: str = "trec_eval-10"
    topics: str = "qrels"
    undefined: str = "zero"
    unjudged: str = "nonrelevant"

    @property
    def policies(self) -> Policies:
        """The policies of evaluation."""
        return Policies(self.ties, self.topics, self.undefined, self.unjudged, seed=self.seed)

    def checked(self) -> tuple[Measure, ...]:
        """The measures; whatever can be seen wrong before anything is read is refused."""
        refuse_expected(self.ties, "curves of relative position and bounds need an order")
        checked(self.test, self.correction, alpha=self.alpha, resamples=self.resamples, seed=self.seed)
        _ = self.policies
        if self.most < 1:
            raise InputError(f"most must be at least 1, got {self.most}; leave out the section systems for none")
        chosen = parse_measures(self.measures)
        if len(chosen) > MOST_MEASURES:
            raise InputError(f"measures: a report is of {MOST_MEASURES} measures at most, got {len(chosen)}")
        return chosen


LONGEST_NAME = 32  # characters, in tables and sentences


@dataclass(frozen=True, eq=False)
class Material:
    """Runs and judgments, read once, and what is computed of them."""

    pools: Pools
    measures: tuple[Measure, ...]
    settings: ReportSettings
    said: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls, qrels: Any, runs: Any, settings: ReportSettings, *, lenient: bool = False, progress: Progress | None = None
    ) -> Material:
        """Read everything and join it."""
        chosen = settings.checked()
        pools = Pools.of(qrels, runs, settings.policies, lenient=lenient, progress=progress)
        refuse_unreached(chosen, pools.qrels.levels)
        highest = float(pools.qrels.levels.max(initial=0))
        if 0 < highest < lowest_relevant(chosen):
            raise InputError(
                f"measures: no grade in the qrels reaches 1 (the highest is {highest:g}), and no measure says which "
                f"documents are relevant; add one that does, such as AP(rel={reachable(highest):g})"
            )
        return cls(pools, chosen, settings)

    # What it is about --------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.pools.runs

    @cached_property
    def short_names(self) -> list[str]:
        """For each run a name that fits into a table."""
        short = shorten_names(self.runs, LONGEST_NAME)
        return [short[run] for run in self.runs]

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the judgments."""
        return self.pools.qrels.topics

    @property
    def first(self) -> Measure:
        """The measure that orders the runs."""
        return self.measures[0]

    @property
    def rel(self) -> float:
        """The lowest relevant grade: that of the first measure that has one."""
        return lowest_relevant(self.measures)

    @property
    def confidence(self) -> float:
        """That of intervals."""
        return 1 - self.settings.alpha

    @cached_property
    def ready(self) -> Prepared:
        """The runs joined with all judgments."""
        return self.pools.part()

    @cached_property
    def results(self) -> Results:
        """The values of the measures."""
        return self._noted(evaluated(self.ready, self.measures))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The numbers of the runs, best first by the first measure."""
        return tuple(self.runs.index(run) for run in self.results.best(self.first))

    @cached_property
    def overall(self) -> Floats:
        """Runs x measures: the values over topics."""
        return self.results.overall()

    @cached_property
    def means(self) -> pl.DataFrame:
        """Run by run and measure by measure: the value over topics with its interval."""
        return self.results.means(self.confidence)

    @cached_property
    def places(self) -> Ints:
        """Runs x measures: the place of each run; equal runs share one, and those without a value are last."""
        return np.stack([self.results.places(measure) for measure in self.measures], axis=1)

    def first_by(self, measure: int) -> list[int]:
        """Return the runs that are first by a measure: several if their values are equal, none without values."""
        known = ~np.isnan(self.overall[:, measure])
        return np.flatnonzero((self.places[:, measure] == 1) & known).tolist()

    @cached_property
    def medians(self) -> Floats:
        """For each topic the median of the first measure over the runs that have a value; NaN if none has."""
        values = self.results.values[0].T
        return np.array([np.median(row[~np.isnan(row)]) if not np.isnan(row).all() else np.nan for row in values])

    # What is computed of it --------------------------------------------------------------------------------

    @cached_property
    def comparison(self) -> Comparison | None:
        """Every two runs by every measure; None of a single run."""
        if len(self.runs) < 2:
            return None
        how = self.settings
        found = compare(
            self.results,
            test=how.test,
            correction=how.correction,
            alpha=how.alpha,
            resamples=how.resamples,
            seed=how.seed,
        )
        return self._noted(found)

    @cached_property
    def separation(self) -> Separation | None:
        """The runs that differ significantly from the leader by the first measure; None of a single run."""
        return None if self.comparison is None else separate(self.comparison, self.first)

    @cached_property
    def effort(self) -> EffortReport:
        """The indicators of effort and the archetypes of curves."""
        found = reported(self.ready, effort_measures(rel=self.rel), Setting(None, "extend", rel=self.rel))
        self._noted(found.results)
        return found

    @cached_property
    def against_gain(self) -> EffortGain | None:
        """Effort against gain, by those of the measures of which more is better; None if there are none."""
        twist = list(MAIN).index("twist")
        gains = [i for i, measure in enumerate(self.measures) if not measure.lower_is_better]
        if not gains:
            return None
        both = replace(
            self.results,
            measures=(self.effort.results.measures[twist], *(self.measures[i] for i in gains)),
            values=np.concatenate([self.effort.results.values[twist][None], self.results.values[gains]]),
            errors=np.concatenate([self.effort.results.errors[twist][None], self.results.errors[gains]]),
        )
        return classified(both)

    @cached_property
    def correlation(self) -> Correlation | None:
        """How far measures agree on the order of runs; None if there is nothing to agree on."""
        if len(self.runs) < 2 or len(self.measures) < 2:
            return None
        return self._noted(correlated(self.results))

    @cached_property
    def judgments(self) -> JudgmentReport:
        """What the judgments hold."""
        return self._noted(judgment_report(self.pools.qrels))

    @cached_property
    def robustness(self) -> Robustness | None:
        """Orders of runs by samples of the judgments; None of a single run."""
        if len(self.runs) < 2:
            return None
        seeds = range(self.settings.seed, self.settings.seed + self.settings.seeds)
        return self._noted(robust(self.pools, self.measures, self.settings.ratios, seeds))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Depths at which a pool of these runs would lack judgments that there are."""
        best = self.pools.best_rank()
        retrieved = best[np.isfinite(best)]
        return tuple(depth for depth in self.settings.depths if (retrieved > depth).any())

    @cached_property
    def pool_depth(self) -> PoolDepth | None:
        """Pools of several depths; None if there are fewer than two runs, or no pool that is smaller."""
        if len(self.runs) < 2 or not self.depths:
            return None
        return self._noted(rebuilt(self.pools, self.measures, self.depths))

    @cached_property
    def whole(self) -> Prepared:
        """The rankings with their unjudged documents, whatever the policies do with them."""
        policies = replace(self.pools.policies, unjudged="nonrelevant")
        return self.ready if policies == self.pools.policies else replace(self.pools, policies=policies).part()

    def only(self, run: int) -> Prepared:
        """The rankings of one run, with their unjudged documents."""
        topics = len(self.topics)
        place = run * topics + np.arange(topics)
        return replace(self.whole, runs=(self.runs[run],), judged=self.whole.judged.only(place))

    @cached_property
    def unjudged(self) -> Floats:
        """Runs x topics x (ranks looked at, all): which share of the documents was not judged; NaN without any."""
        judged = self.whole.judged
        missing = np.concatenate([[0], np.cumsum(unsettled(judged.code, judged.levels))])
        shares = []
        for depth in (*LOOKED_AT, None):
            length = judged.length if depth is None else np.minimum(judged.length, depth)
            lacking = missing[judged.start[:-1] + length] - missing[judged.start[:-1]]
            shares.append(np.where(length > 0, lacking / np.maximum(length, 1), np.nan))
        return np.stack(shares, axis=-1).reshape(*self.ready.shape, -1)

    def unjudged_ranks(self, run: int, topic: int, most: int) -> list[int]:
        """The first ranks of a ranking that hold unjudged documents."""
        judged = self.whole.judged
        ranking = run * len(self.topics) + topic
        code = judged.code[judged.start[ranking] : judged.start[ranking + 1]]
        return [int(rank) + 1 for rank in np.flatnonzero(unsettled(code, judged.levels))[:most]]

    @cached_property
    def bounds(self) -> Bounds | None:
        """Bounds under missing judgments; None where unjudged documents were taken out of the rankings."""
        if self.settings.unjudged != "nonrelevant":
            return None
        return self._noted(bounded(self.ready, self.measures))

    @cached_property
    def residuals(self) -> Results:
        """The residuals of RBP for a few persistences."""
        return evaluated(self.whole, tuple(RBPresidual(p=p) for p in PERSISTENCES))

    # What was ignored or assumed ---------------------------------------------------------------------------

    def _noted(self, found: Noted) -> Noted:
        self.said.extend(found.notes)
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What was ignored or assumed by everything that was computed so far, each once."""
        return tuple(dict.fromkeys((*self.pools.notes, *self.said)))
