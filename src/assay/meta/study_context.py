"""The settings of a study, and the results and reports that its steps share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.effort._against_gain import EffortGain, against_gain
from assay.effort._indicators import EffortReport, indicators
from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.measures import Measure, measure
from assay.measures import measures as parse_measures
from assay.measures.twist import Twist
from assay.meta._pool_depth import DEPTHS
from assay.meta._power import ALPHA, RESAMPLES
from assay.meta._robustness import RATIOS, SEEDS
from assay.meta._significance_counts import LEVELS
from assay.meta.selection import BY, select_best
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.uncertainty._residual import ResidualCurves, residual

MEASURES = (
    *("AP", "P@10", "Rprec", "RR", "bpref", "nDCG", "nDCG@10", "nDCG(base=10, gains=base5)@1000"),
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@20", "Q", "Twist@1000"),
)
"""The measures in the papers on Twist, RBP and MED, including those used for comparison."""
EFFORT = "Twist@1000"
"""The measure of effort of a study whose measures do not include Twist."""
TOP_RUNS = 5
"""Number of runs whose pairs are compared by MED."""

Plot = Callable[..., Any]


@dataclass(frozen=True)
class StudySettings:
    """Settings of a study; the defaults are those of the papers."""

    measures: tuple[str, ...] = MEASURES
    best: float = 0.75
    ratios: tuple[float, ...] = RATIOS
    seeds: int = SEEDS
    depths: tuple[int, ...] = DEPTHS
    resamples: int = RESAMPLES
    alpha: float = ALPHA
    levels: tuple[float, ...] = LEVELS
    seed: int = 0
    groups: str | Mapping[str, str] | None = None

    @classmethod
    def of(cls, settings: StudySettings | Mapping[str, Any]) -> StudySettings:
        """Convert a dict of settings; missing settings have their defaults.

        >>> StudySettings.of({"measures": "AP", "ratios": [50]}).ratios
        (50,)
        """
        if isinstance(settings, StudySettings):
            return settings
        known = [field.name for field in fields(cls)]
        for name in settings:
            if name not in known:
                raise InputError(f"settings: unknown setting {name!r}{suggestion(name, known)}")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
        }
        if "measures" in values:
            values["measures"] = tuple(map(str, parse_measures(values["measures"])))
        return cls(**values)


@dataclass(frozen=True, eq=False)
class StudyContext:
    """The campaign and settings of a study, and the results and reports that several steps use."""

    campaign: Campaign
    measures: tuple[Measure, ...]
    settings: StudySettings
    folder: Path
    plot: Plot | None = None

    @cached_property
    def results(self) -> Results:
        """The values of all runs."""
        return evaluate(self.campaign, self.measures)

    @cached_property
    def best(self) -> Results:
        """The values of the best runs by MAP."""
        return select_best(self.results, self.settings.best)

    @cached_property
    def top_runs(self) -> tuple[str, ...]:
        """The few best runs by MAP, the best first."""
        means = self.results.select(measures=BY).means().sort("value", descending=True, nulls_last=True)
        return tuple(means["run"].to_list()[:TOP_RUNS])

    @cached_property
    def top_campaign(self) -> Campaign:
        """The campaign with the few best runs only."""
        return self.campaign.select(self.top_runs)

    @cached_property
    def effort_measure(self) -> Twist:
        """The first form of Twist among the measures; otherwise ``EFFORT``."""
        return next(one for one in (*self.measures, measure(EFFORT)) if isinstance(one, Twist))

    @cached_property
    def effort(self) -> EffortReport:
        """The indicators of effort, with the settings of the measure of effort."""
        twist = self.effort_measure
        return indicators(
            self.campaign,
            depth=twist.cutoff,
            length=twist.length,
            crossing=twist.crossing,
            endpoint=twist.endpoint,
            rel=twist.rel,
        )

    @cached_property
    def effort_gain(self) -> EffortGain:
        """Effort against gain by every measure of the study except forms of Twist."""
        gains = [one for one in self.measures if not isinstance(one, Twist)]
        return against_gain(self.campaign, gains, twist=self.effort_measure)

    @cached_property
    def residual(self) -> ResidualCurves:
        """Bounds of RBP by depth, with the shallowest pool and with all judgments."""
        return residual(self.campaign, pools=min(self.settings.depths))
