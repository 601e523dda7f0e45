"""Context of a report: campaign, settings, and analyses; each analysis is computed when a section first needs it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import polars as pl

from assay import effort, meta
from assay.effort._against_gain import EffortGain
from assay.effort._indicators import MAIN, EffortReport
from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.measures._threshold import check_thresholds, lowest_relevant_grade, suggest_rel
from assay.measures.rank_biased import RBPresidual
from assay.meta._correlate import Correlation, correlate
from assay.meta._judgments import JudgmentReport
from assay.meta._pool_depth import PoolDepth, pool_depth
from assay.meta._robustness import Robustness, robustness
from assay.model.arrays import Floats, Ints
from assay.model.grade_codes import mask_ungraded
from assay.model.policies import reject_expected_ties
from assay.results._evaluate import evaluate
from assay.results.names import shorten_names
from assay.results.report import Report
from assay.results.results import Results
from assay.results.sliced_results import SlicedResults
from assay.significance._compare import compare
from assay.significance._topics import topics
from assay.significance.comparison import Comparison
from assay.significance.separation import Separation, separate
from assay.significance.slice_comparison import SliceComparison
from assay.significance.topic_report import Topics
from assay.significance.validation import resolve_baselines
from assay.significance.wording import describe_test
from assay.uncertainty._bounds import Bounds, bounds
from assay.views.report.phrasing import Name
from assay.views.report.sections import SECTIONS, VALUE_SECTIONS
from assay.views.report.settings import ReportSettings, check_settings
from assay.views.topic_summary import TopicSummary, summarize_topics

PERSISTENCES = (0.5, 0.8, 0.95)
UNJUDGED_DEPTHS = (10, 100)
"""Depths down to which unjudged documents are counted."""
RATIOS = (90, 70, 50, 30, 10)
"""Percentages of the judgments in the samples."""
SAMPLES = 5
"""Number of samples for each percentage."""
POOL_DEPTHS = (5, 10, 20, 50, 100)
MAX_CASES = 5  # Topics of which documents are listed.
MAX_TOPICS_DRAWN = 1000  # With more topics, figures with a mark for each topic would be slow and too large.
MAX_NAME_LENGTH = 32  # Characters of a name in tables and sentences.


Analysis = TypeVar("Analysis", bound=Report)


def check_ties(ties: str) -> None:
    """Raise an error for a tie policy that a report does not support."""
    reject_expected_ties(ties, "curves of relative position and bounds need an order")


def _check_baseline(settings: ReportSettings, source: Campaign | Results) -> None:
    """Raise an error if the baseline is not a run, or the only run."""
    if settings.baseline is None:
        return
    resolve_baselines(settings.baseline, source.runs, source.provenance)
    if len(source.runs) < 2:
        raise InputError(f"baseline {settings.baseline!r}: is the only run; add the run to compare with it")


@dataclass(frozen=True, eq=False)
class ReportContext:
    """A campaign or results, the settings of the report, and its analyses; constructed by ``of``."""

    source: Campaign | Results
    measures: tuple[Measure, ...]
    settings: ReportSettings
    analysis_notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, campaign: Campaign | Results, settings: ReportSettings) -> ReportContext:
        """Check the settings and the campaign (or the results), and return the context."""
        if isinstance(campaign, Results):
            results = campaign.select(measures=settings.measures)
            checked = check_settings(settings, results.measures)
            omitted = [name for name in settings.sections if name not in VALUE_SECTIONS]
            note = f"omitted sections that need runs and qrels: {', '.join(SECTIONS[name] for name in omitted)}"
            settings = replace(settings, without=(*settings.without, *omitted))
            _check_baseline(settings, results)
            return cls(results, checked, settings, [note] if omitted else [])
        measures = check_settings(settings)
        check_ties(campaign.policies.ties)
        if not campaign.runs:
            raise InputError("runs: a report needs at least one run")
        levels = campaign.judgments.levels
        check_thresholds(measures, levels)
        highest = float(levels.max(initial=0))
        if 0 < highest < lowest_relevant_grade(measures):
            raise InputError(
                f"measures: no grade in the qrels reaches 1 (the highest is {highest:g}), and no measure sets the "
                f"lowest relevant grade; add a measure with rel, such as AP(rel={suggest_rel(highest):g})"
            )
        _check_baseline(settings, campaign)
        return cls(campaign, measures, settings)

    @property
    def campaign(self) -> Campaign:
        """The judgments and runs; an error for results."""
        if isinstance(self.source, Results):
            raise InputError("this section needs runs and qrels; pass a campaign instead of results")
        return self.source

    # Names and settings -------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.source.runs

    @cached_property
    def _short_names(self) -> dict[str, str]:
        return shorten_names(self.runs, MAX_NAME_LENGTH)

    def run_name(self, run: int) -> Name:
        """Return the name of a run; it links to the section on systems if that section describes the run."""
        full = self.runs[run]
        shown = self._short_names[full]
        has_details = "systems" in self.settings.sections and run in self.order[: self.settings.most]
        return Name(shown, full if shown != full else None, f"#system-{run}" if has_details else None)

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics of the judgments."""
        return self.source.topics

    @property
    def first_measure(self) -> Measure:
        """The first measure, which orders the runs."""
        return self.measures[0]

    @property
    def rel(self) -> float:
        """Lowest relevant grade, from the first measure that defines one."""
        return lowest_relevant_grade(self.measures)

    @property
    def confidence(self) -> float:
        """Confidence level of intervals."""
        return 1 - self.settings.alpha

    # Values -------------------------------------------------------------------------------------------------

    @cached_property
    def results(self) -> Results:
        """Values of the measures by run and topic."""
        if isinstance(self.source, Results):
            return self.source
        return self._add_notes(evaluate(self.campaign, self.measures))

    @cached_property
    def order(self) -> list[int]:
        """Indices of the runs, sorted by the first measure, best first."""
        return [self.runs.index(run) for run in self.results.best(self.first_measure)]

    @cached_property
    def overall(self) -> Floats:
        """Array of runs x measures: the values aggregated over topics."""
        return self.results.overall()

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row per run and measure: the value aggregated over topics with its confidence interval."""
        return self.results.means(self.confidence)

    @cached_property
    def places(self) -> Ints:
        """Array of runs x measures: the places of the runs; tied runs share a place, runs without a value are last."""
        return np.stack([self.results.places(measure) for measure in self.measures], axis=1)

    @cached_property
    def sliced(self) -> SlicedResults:
        """Values of the measures in slices of topics."""
        settings = self.settings
        sliced = self.results.by(settings.topics_table, settings.by)
        self.analysis_notes.extend(sliced.slices.notes)
        return sliced

    @cached_property
    def slice_comparison(self) -> SliceComparison | None:
        """Comparison of all pairs of runs in each slice of topics; None for a single run."""
        if len(self.runs) < 2:
            return None
        comparison = self._add_notes(self._compare(self.sliced))
        return comparison if isinstance(comparison, SliceComparison) else None

    def leaders_by(self, measure: int) -> list[int]:
        """Return the indices of the runs in first place by a measure: several if they are tied, none without values."""
        has_value = ~np.isnan(self.overall[:, measure])
        return np.flatnonzero((self.places[:, measure] == 1) & has_value).tolist()

    @cached_property
    def topic_summary(self) -> TopicSummary:
        """Median, minimum and maximum of the first measure over the runs, by topic."""
        return summarize_topics(self.results.values[0])

    @cached_property
    def cases(self) -> Topics | str:
        """Topics of the candidate against the baseline, or of the leader; or the reason why there are none."""
        first, second = self.runs[self.candidate], self.baseline
        if self.first_measure.aggregate != "mean":
            return f"{self.first_measure} is not a mean over topics, so topics cannot explain it."
        if not np.isfinite(self.results.values[0][~np.isnan(self.results.values[0])]).all():
            return f"{self.first_measure} is infinite on some topics, so topics cannot explain its mean."
        pair = [first] if second is None else [self.runs[second], first]
        settings = self.settings
        report = topics(
            self.campaign.select(pair),
            self.first_measure,
            most=MAX_CASES,
            topics_table=settings.topics_table,
            by=settings.by,
        )
        return self._add_notes(report)

    # Analyses -----------------------------------------------------------------------------------------------

    @cached_property
    def comparison(self) -> Comparison | None:
        """Comparison of all pairs of runs by every measure; None for a single run."""
        if len(self.runs) < 2:
            return None
        return self._add_notes(self._compare(self.results))

    def _compare(self, results: Results | SlicedResults) -> Comparison:
        settings = self.settings
        return compare(
            results,
            test=settings.test,
            correction=settings.correction,
            alpha=settings.alpha,
            resamples=settings.resamples,
            seed=settings.seed,
            baseline=() if settings.baseline is None else settings.baseline,
        )

    @cached_property
    def baseline(self) -> int | None:
        """Index of the baseline; None if all pairs of runs are compared."""
        return (
            None
            if self.comparison is None or not self.comparison.baselines
            else self.runs.index(self.comparison.baselines[0])
        )

    @cached_property
    def candidate(self) -> int:
        """Index of the best run by the first measure that is not the baseline."""
        return next(run for run in self.order if run != self.baseline)

    @property
    def test_title(self) -> str | None:
        """The significance test with its correction and alpha; None for a single run."""
        if self.comparison is None:
            return None
        return f"{describe_test(self.comparison)}, alpha {self.settings.alpha:g}"

    @cached_property
    def separation(self) -> Separation | None:
        """Runs that differ significantly from the leader by the first measure; None for a single run."""
        return (
            None
            if self.comparison is None
            else separate(
                self.comparison, self.first_measure, None if self.baseline is None else self.runs[self.baseline]
            )
        )

    @cached_property
    def effort(self) -> EffortReport:
        """Indicators of effort and archetypes of curves."""
        return self._add_notes(effort.indicators(self.campaign, rel=self.rel))

    @cached_property
    def against_gain(self) -> EffortGain | None:
        """Effort against gain, for the measures where higher is better; None if there are none."""
        gains = [i for i, measure in enumerate(self.measures) if not measure.lower_is_better]
        if not gains:
            return None
        indicators, column = self.effort.results, list(MAIN).index("twist")
        twist = indicators.measures[column]
        # The values of Twist and of the measures of gain are combined, instead of evaluating the campaign again.
        combined = replace(
            self.results,
            measures=(twist, *(self.measures[i] for i in gains)),
            values=np.concatenate([indicators.values[column][None], self.results.values[gains]]),
            errors=np.concatenate([indicators.errors[column][None], self.results.errors[gains]]),
        )
        against_gain = effort.against_gain(combined, combined.measures[1:], twist=twist)
        return replace(against_gain, archetypes=self.effort.archetypes)

    @cached_property
    def correlation(self) -> Correlation | None:
        """Agreement of measures on the order of runs; None for a single run or measure."""
        if len(self.runs) < 2 or len(self.measures) < 2:
            return None
        return self._add_notes(correlate(self.results))

    @cached_property
    def judgments(self) -> JudgmentReport:
        """Number of judged documents and number of relevant documents of each topic."""
        return self._add_notes(meta.judgments(self.campaign))

    @cached_property
    def robustness(self) -> Robustness | None:
        """Agreement of the orders of runs by samples of the judgments and by all judgments; None for a single run."""
        if len(self.runs) < 2:
            return None
        seed = self.settings.seed
        return self._add_notes(robustness(self.campaign, self.measures, ratios=RATIOS, seeds=SAMPLES, seed=seed))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Those of ``POOL_DEPTHS`` at which a pool of these runs would not contain all judgments."""
        best = self.campaign.best_rank()
        retrieved = best[np.isfinite(best)]
        return tuple(depth for depth in POOL_DEPTHS if (retrieved > depth).any())

    @cached_property
    def pool_depth(self) -> PoolDepth | None:
        """Evaluation with pools of several depths; None for a single run, or if all pools contain all judgments."""
        if len(self.runs) < 2 or not self.depths:
            return None
        return self._add_notes(pool_depth(self.campaign, self.measures, self.depths))

    @cached_property
    def campaign_with_unjudged(self) -> Campaign:
        """The campaign with a policy under which unjudged documents stay in the rankings as non-relevant."""
        return self.campaign.with_policies(unjudged="nonrelevant")

    @cached_property
    def unjudged(self) -> Floats:
        """Fraction of unjudged documents, runs x topics x depths; NaN for an empty ranking.

        The depths are ``UNJUDGED_DEPTHS`` and, last, the whole ranking.
        """
        judged = self.campaign.whole
        # Entry i is the number of unjudged documents before document i, over all rankings one after another. The
        # difference of two entries is therefore the number of unjudged documents between two positions.
        cumulative = np.concatenate([[0], np.cumsum(mask_ungraded(judged.code, judged.levels))])
        fractions = []
        for depth in (*UNJUDGED_DEPTHS, None):
            length = judged.length if depth is None else np.minimum(judged.length, depth)
            unjudged = cumulative[judged.start[:-1] + length] - cumulative[judged.start[:-1]]
            fractions.append(np.where(length > 0, unjudged / np.maximum(length, 1), np.nan))
        return np.stack(fractions, axis=-1).reshape(*self.campaign.shape, -1)

    @cached_property
    def mean_unjudged(self) -> Floats:
        """Mean fraction of unjudged documents over topics, runs x depths; NaN for a run without documents."""
        is_retrieved = ~np.isnan(self.unjudged)
        total, topics = np.where(is_retrieved, self.unjudged, 0.0).sum(axis=1), is_retrieved.sum(axis=1)
        return np.where(topics > 0, total / np.maximum(topics, 1), np.nan)

    def unjudged_ranks(self, run: int, topic: int, depth: int) -> list[int]:
        """Return the ranks of the unjudged documents among the first *depth* documents of a ranking."""
        judged = self.campaign.whole
        ranking = run * len(self.topics) + topic
        code = judged.code[judged.start[ranking] : judged.start[ranking + 1]][:depth]
        return (np.flatnonzero(mask_ungraded(code, judged.levels)) + 1).tolist()

    @cached_property
    def bounds(self) -> Bounds | None:
        """Bounds under missing judgments; None if unjudged documents are removed from the rankings."""
        if self.campaign.policies.unjudged != "nonrelevant":
            return None
        # Without the section on uncertainty, only the first screen needs bounds.
        measures = self.measures if "uncertainty" in self.settings.sections else self.measures[:1]
        return self._add_notes(bounds(self.campaign, measures))

    @cached_property
    def residuals(self) -> Results:
        """Residuals of RBP for the persistences ``PERSISTENCES``."""
        return evaluate(self.campaign_with_unjudged, tuple(RBPresidual(p=p) for p in PERSISTENCES))

    # Notes --------------------------------------------------------------------------------------------------

    def _add_notes(self, analysis: Analysis) -> Analysis:
        self.analysis_notes.extend(analysis.notes)
        return analysis

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the campaign and of all analyses computed so far, without duplicates."""
        return tuple(dict.fromkeys((*self.source.notes, *self.analysis_notes)))
