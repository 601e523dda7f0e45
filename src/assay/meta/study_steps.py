"""The steps of a study, and the settings and results that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.io.study_record import Tables, read_table
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.meta._correlate import correlate
from assay.meta._judgments import judgments
from assay.meta._pool_depth import DEPTHS, pool_depth
from assay.meta._power import ALPHA, RESAMPLES, TESTS, power
from assay.meta._robustness import RATIOS, SEEDS, robustness
from assay.meta._significance_counts import LEVELS, significance_counts
from assay.meta.groups import number_groups
from assay.meta.left_out import leave_out
from assay.meta.selection import select_best
from assay.results._evaluate import evaluate
from assay.results.results import Results

MEASURES = (
    *("AP", "P@10", "Rprec", "RR", "bpref", "nDCG", "nDCG@10", "nDCG(base=10, gains=base5)@1000"),
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@20", "Q", "Twist@1000"),
)
"""The measures in the papers on Twist, RBP and MED, including those used for comparison."""


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
    """The campaign and settings of a study, and the results that several steps use."""

    campaign: Campaign
    measures: tuple[Measure, ...]
    settings: StudySettings
    folder: Path

    @cached_property
    def results(self) -> Results:
        """The values of all runs."""
        return evaluate(self.campaign, self.measures)

    @cached_property
    def best(self) -> Results:
        """The values of the best runs by MAP."""
        return select_best(self.results, self.settings.best)


class StudyStep(NamedTuple):
    """A step of a study: its name, a description, and the function that computes its tables."""

    name: str
    about: str
    compute: Callable[[StudyContext], Tables]


def build_steps(settings: StudySettings) -> tuple[StudyStep, ...]:
    """Return all steps of a study. Discriminative power takes longest and has one step for each measure."""
    power_steps = [
        StudyStep(f"power {name}", f"Discriminative power of {name}: the ASL of each run pair.", _make_power_step(name))
        for name in map(str, parse_measures(settings.measures))
    ]
    groups = [StudyStep("groups", "Reusability: pools without the judgments of one group.", _compute_groups)]
    return (
        StudyStep("scores", "The mean of each run and measure, and the value of each topic.", _compute_scores),
        StudyStep(
            "judgments", "Number of relevant documents by topic and grade, and the ideal DCG.", _compute_judgments
        ),
        StudyStep("correlation", "Kendall's tau between the orders of runs by measures.", _compute_correlation),
        StudyStep("pool-depth", "Values and orders of runs with shallower pools.", _compute_pool_depth),
        *(groups if settings.groups is not None else []),
        StudyStep("significance-counts", "Pairs of runs that differ significantly.", _compute_significance_counts),
        *power_steps,
        StudyStep(
            "power",
            "Discriminative power of all measures, and the difference needed for significance.",
            _concatenate_power,
        ),
        StudyStep("robustness", "Orders of runs with random samples of the judgments.", _compute_robustness),
    )


def _compute_scores(context: StudyContext) -> Tables:
    return {"scores": context.results.means(), "scores-topics": context.results.frame()}


def _compute_judgments(context: StudyContext) -> Tables:
    report = judgments(context.campaign)
    return {"judgments": report.by_topic(), "judgments-ideal": report.ideals(), "judgments-grades": report.frame()}


def _compute_correlation(context: StudyContext) -> Tables:
    shallow = {
        f"correlation-depth{depth}": correlate(
            context.results, rows=evaluate(context.campaign.pool(depth), context.measures)
        ).matrix()
        for depth in context.settings.depths
    }
    return {
        "correlation": correlate(context.results).frame(),
        "correlation-best": correlate(context.best).frame(),
        **shallow,
    }


def _compute_pool_depth(context: StudyContext) -> Tables:
    report = pool_depth(context.campaign, context.measures, context.settings.depths)
    return {"pool-depth": report.by_pool(), "pool-depth-scores": report.by_run()}


def _compute_groups(context: StudyContext) -> Tables:
    runs = context.campaign.runs
    members = number_groups(runs, context.settings.groups)
    pooled = max(context.settings.depths), np.arange(len(runs))
    report = leave_out(context.campaign, context.results, members, pooled)
    return {"groups": report.by_group(), "groups-runs": report.frame(), "groups-reuse": report.by_measure()}


def _compute_significance_counts(context: StudyContext) -> Tables:
    levels = context.settings.levels
    return {
        "significance-counts": significance_counts(context.results, levels=levels).frame(),
        "significance-counts-best": significance_counts(context.best, levels=levels).frame(),
    }


def _make_power_step(name: str) -> Callable[[StudyContext], Tables]:
    """Return the function that computes the discriminative power of one measure."""

    def compute(context: StudyContext) -> Tables:
        best, options = context.best, context.settings
        reports = {
            test: power(best, name, test=test, resamples=options.resamples, alpha=options.alpha, seed=options.seed)
            for test in TESTS
        }
        label = _file_name(name)
        curves = {f"asl-{label}-{test}": report.curves() for test, report in reports.items()}
        return {f"power-{label}": pl.concat([report.frame() for report in reports.values()]), **curves}

    return compute


def _concatenate_power(context: StudyContext) -> Tables:
    # The steps of single measures may have been computed before the study was resumed, so their tables are read from
    # the folder.
    frames = [read_table(context.folder, f"power-{_file_name(str(one))}") for one in context.measures]
    return {"power": pl.concat(frames).sort("test", "dp", descending=[False, True], maintain_order=True)}


def _compute_robustness(context: StudyContext) -> Tables:
    settings = context.settings
    report = robustness(
        context.campaign,
        context.measures,
        ratios=settings.ratios,
        seeds=settings.seeds,
        best=settings.best,
        seed=settings.seed,
    )
    return {"robustness": report.frame(), "robustness-seeds": report.each()}


def _file_name(measure: str) -> str:
    """Return the notation of a measure; characters that are not safe in a file name are replaced."""
    return "".join(char if char.isalnum() or char in "@.=" else "_" for char in measure).strip("_")
