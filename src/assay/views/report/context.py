"""Context of a report: its campaign and settings, and the analyses, computed when a section first needs them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
import polars as pl

from assay import effort, meta
from assay.effort._against_gain import EffortGain
from assay.effort._indicators import MAIN, EffortReport
from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.measures._threshold import lowest_relevant, reachable, refuse_unreached
from assay.measures.rank_biased import RBPresidual
from assay.meta._correlate import Correlation, correlate
from assay.meta._judgments import JudgmentReport
from assay.meta._pool_depth import PoolDepth, pool_depth
from assay.meta._robustness import Robustness, robustness
from assay.model.arrays import Floats, Ints
from assay.model.grade_codes import ungraded
from assay.model.policies import refuse_expected
from assay.results._evaluate import evaluate
from assay.results.names import shorten_names
from assay.results.results import Results
from assay.significance._compare import compare
from assay.significance.comparison import Comparison
from assay.significance.separation import Separation, separate
from assay.uncertainty._bounds import Bounds, bounds
from assay.views.report.settings import ReportSettings, check_settings

PERSISTENCES = (0.5, 0.8, 0.95)
LOOKED_AT = (10, 100)
"""Depths to which unjudged documents are counted."""
LONGEST_NAME = 32  # characters, in tables and sentences


class HasNotes(Protocol):
    """A report of an analysis, with notes on what was ignored or assumed."""

    @property
    def notes(self) -> tuple[str, ...]:
        """One line each."""


Analysis = TypeVar("Analysis", bound=HasNotes)


def check_ties(ties: str) -> None:
    """Refuse a tie policy with which there can be no report."""
    refuse_expected(ties, "curves of relative position and bounds need an order")


@dataclass(frozen=True, eq=False)
class ReportContext:
    """A campaign, the settings of its report, and everything that is computed for it; made by ``of``."""

    campaign: Campaign
    measures: tuple[Measure, ...]
    settings: ReportSettings
    analysis_notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, campaign: Campaign, settings: ReportSettings) -> ReportContext:
        """Check the settings, and whether the campaign can be reported on."""
        measures = check_settings(settings)
        check_ties(campaign.policies.ties)
        if not campaign.runs:
            raise InputError("runs: a report needs at least one run")
        levels = campaign.judgments.levels
        refuse_unreached(measures, levels)
        highest = float(levels.max(initial=0))
        if 0 < highest < lowest_relevant(measures):
            raise InputError(
                f"measures: no grade in the qrels reaches 1 (the highest is {highest:g}), and no measure says which "
                f"documents are relevant; add one that does, such as AP(rel={reachable(highest):g})"
            )
        return cls(campaign, measures, settings)

    # Names and settings -------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.campaign.runs

    @cached_property
    def short_names(self) -> list[str]:
        """For each run a name that fits into a table."""
        short = shorten_names(self.runs, LONGEST_NAME)
        return [short[run] for run in self.runs]

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the judgments."""
        return self.campaign.topics

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
        """Confidence of intervals."""
        return 1 - self.settings.alpha

    # Values -------------------------------------------------------------------------------------------------

    @cached_property
    def results(self) -> Results:
        """The values of the measures."""
        return self._add_notes(evaluate(self.campaign, self.measures))

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

    # Analyses -----------------------------------------------------------------------------------------------

    @cached_property
    def comparison(self) -> Comparison | None:
        """Every two runs by every measure; None for a single run."""
        if len(self.runs) < 2:
            return None
        settings = self.settings
        comparison = compare(
            self.results,
            test=settings.test,
            correction=settings.correction,
            alpha=settings.alpha,
            resamples=settings.resamples,
            seed=settings.seed,
        )
        return self._add_notes(comparison)

    @cached_property
    def separation(self) -> Separation | None:
        """The runs that differ significantly from the leader by the first measure; None for a single run."""
        return None if self.comparison is None else separate(self.comparison, self.first)

    @cached_property
    def effort(self) -> EffortReport:
        """The indicators of effort and the archetypes of curves."""
        report = effort.indicators(self.campaign, rel=self.rel)
        return self._add_notes(report)

    @cached_property
    def against_gain(self) -> EffortGain | None:
        """Effort against gain, by those of the measures of which more is better; None if there are none."""
        gains = [i for i, measure in enumerate(self.measures) if not measure.lower_is_better]
        if not gains:
            return None
        values, number = self.effort.results, list(MAIN).index("twist")
        twist = values.measures[number]
        both = replace(
            self.results,
            measures=(twist, *(self.measures[i] for i in gains)),
            values=np.concatenate([values.values[number][None], self.results.values[gains]]),
            errors=np.concatenate([values.errors[number][None], self.results.errors[gains]]),
        )
        return replace(effort.against_gain(both, both.measures[1:], twist=twist), archetypes=self.effort.archetypes)

    @cached_property
    def correlation(self) -> Correlation | None:
        """Agreement of measures on the order of runs; None for a single run or measure."""
        if len(self.runs) < 2 or len(self.measures) < 2:
            return None
        return self._add_notes(correlate(self.results))

    @cached_property
    def judgments(self) -> JudgmentReport:
        """Contents of the judgments."""
        return self._add_notes(meta.judgments(self.campaign))

    @cached_property
    def robustness(self) -> Robustness | None:
        """Orders of runs by samples of the judgments; None for a single run."""
        if len(self.runs) < 2:
            return None
        ratios, seeds, seed = self.settings.ratios, self.settings.seeds, self.settings.seed
        return self._add_notes(robustness(self.campaign, self.measures, ratios=ratios, seeds=seeds, seed=seed))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Depths at which a pool of these runs would lack judgments that there are."""
        best = self.campaign.best_rank()
        retrieved = best[np.isfinite(best)]
        return tuple(depth for depth in self.settings.depths if (retrieved > depth).any())

    @cached_property
    def pool_depth(self) -> PoolDepth | None:
        """Pools of several depths; None if there are fewer than two runs, or no pool that is smaller."""
        if len(self.runs) < 2 or not self.depths:
            return None
        return self._add_notes(pool_depth(self.campaign, self.measures, self.depths))

    @cached_property
    def whole(self) -> Campaign:
        """The campaign with the unjudged documents of its rankings, whatever its policy on these."""
        return self.campaign.with_policies(unjudged="nonrelevant")

    @cached_property
    def unjudged(self) -> Floats:
        """Runs x topics x depths (``LOOKED_AT``, all): share of unjudged documents; NaN for an empty ranking."""
        judged = self.campaign.whole
        missing = np.concatenate([[0], np.cumsum(ungraded(judged.code, judged.levels))])
        shares = []
        for depth in (*LOOKED_AT, None):
            length = judged.length if depth is None else np.minimum(judged.length, depth)
            lacking = missing[judged.start[:-1] + length] - missing[judged.start[:-1]]
            shares.append(np.where(length > 0, lacking / np.maximum(length, 1), np.nan))
        return np.stack(shares, axis=-1).reshape(*self.campaign.shape, -1)

    def unjudged_ranks(self, run: int, topic: int, most: int) -> list[int]:
        """Return the first ranks of a ranking that have unjudged documents, at most *most*."""
        judged = self.campaign.whole
        ranking = run * len(self.topics) + topic
        code = judged.code[judged.start[ranking] : judged.start[ranking + 1]]
        return [int(rank) + 1 for rank in np.flatnonzero(ungraded(code, judged.levels))[:most]]

    @cached_property
    def bounds(self) -> Bounds | None:
        """Bounds under missing judgments; None if unjudged documents are removed from the rankings."""
        if self.campaign.policies.unjudged != "nonrelevant":
            return None
        return self._add_notes(bounds(self.campaign, self.measures))

    @cached_property
    def residuals(self) -> Results:
        """The residuals of RBP for a few persistences."""
        return evaluate(self.whole, tuple(RBPresidual(p=p) for p in PERSISTENCES))

    # Notes --------------------------------------------------------------------------------------------------

    def _add_notes(self, analysis: Analysis) -> Analysis:
        self.analysis_notes.extend(analysis.notes)
        return analysis

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what was ignored or assumed by everything that was computed so far, each once."""
        return tuple(dict.fromkeys((*self.campaign.notes, *self.analysis_notes)))
