"""The steps of a study: the tables that each computes."""

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
"""The measures of the papers on Twist, RBP and MED, and those that they are compared with."""


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
    def of(cls, given: StudySettings | Mapping[str, Any]) -> StudySettings:
        """Return settings as they are, or from a dict of some of them.

        >>> StudySettings.of({"measures": "AP", "ratios": [50]}).ratios
        (50,)
        """
        if isinstance(given, StudySettings):
            return given
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise InputError(f"settings: there is no {name!r}{suggestion(name, known)}")
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        if "measures" in plain:
            plain["measures"] = tuple(map(str, parse_measures(plain["measures"])))
        return cls(**plain)


@dataclass(frozen=True, eq=False)
class StudyContext:
    """The campaign of a study, its settings, and the values that several steps need."""

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
    """Tables that are computed together: the name of the step, a description, and the function that computes them."""

    name: str
    about: str
    make: Callable[[StudyContext], Tables]


def steps(settings: StudySettings) -> tuple[StudyStep, ...]:
    """Return all steps of a study; those that take long are one for each measure."""
    power_steps = [
        StudyStep(f"power {name}", f"Discriminative power of {name}: ASL of every pair.", _power(name))
        for name in map(str, parse_measures(settings.measures))
    ]
    groups = [StudyStep("groups", "Reusability: pools without the judgments of one group.", _groups)]
    return (
        StudyStep("scores", "The mean of every run and measure, and every topic.", _scores),
        StudyStep("judgments", "Relevant documents by topic and grade, and the ideal DCG.", _judgments),
        StudyStep("correlation", "Kendall's tau between the orders that measures give.", _correlation),
        StudyStep("pool-depth", "Scores and orders with shallower pools.", _pool_depth),
        *(groups if settings.groups is not None else []),
        StudyStep("significance-counts", "Pairs of runs that differ significantly.", _significance_counts),
        *power_steps,
        StudyStep("power", "Discriminative power of all measures, and the differences that it takes.", _all_power),
        StudyStep("robustness", "Orders with random samples of the judgments.", _robustness),
    )


def _scores(context: StudyContext) -> Tables:
    return {"scores": context.results.means(), "scores-topics": context.results.frame()}


def _judgments(context: StudyContext) -> Tables:
    report = judgments(context.campaign)
    return {"judgments": report.by_topic(), "judgments-ideal": report.ideals(), "judgments-grades": report.frame()}


def _correlation(context: StudyContext) -> Tables:
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


def _pool_depth(context: StudyContext) -> Tables:
    report = pool_depth(context.campaign, context.measures, context.settings.depths)
    return {"pool-depth": report.by_pool(), "pool-depth-scores": report.by_run()}


def _groups(context: StudyContext) -> Tables:
    runs = context.campaign.runs
    members = number_groups(runs, context.settings.groups)
    pooled = max(context.settings.depths), np.arange(len(runs))
    report = leave_out(context.campaign, context.results, members, pooled)
    return {"groups": report.by_group(), "groups-runs": report.frame(), "groups-reuse": report.by_measure()}


def _significance_counts(context: StudyContext) -> Tables:
    levels = context.settings.levels
    return {
        "significance-counts": significance_counts(context.results, levels=levels).frame(),
        "significance-counts-best": significance_counts(context.best, levels=levels).frame(),
    }


def _power(name: str) -> Callable[[StudyContext], Tables]:
    def make(context: StudyContext) -> Tables:
        how = context.settings
        reports = {
            test: power(context.best, name, test=test, resamples=how.resamples, alpha=how.alpha, seed=how.seed)
            for test in TESTS
        }
        label = _file_name(name)
        curves = {f"asl-{label}-{test}": report.curves() for test, report in reports.items()}
        return {f"power-{label}": pl.concat([report.frame() for report in reports.values()]), **curves}

    return make


def _all_power(context: StudyContext) -> Tables:
    parts = [read_table(context.folder, f"power-{_file_name(str(one))}") for one in context.measures]
    return {"power": pl.concat(parts).sort("test", "dp", descending=[False, True], maintain_order=True)}


def _robustness(context: StudyContext) -> Tables:
    how = context.settings
    report = robustness(
        context.campaign, context.measures, ratios=how.ratios, seeds=how.seeds, seed=how.seed, best=how.best
    )
    return {"robustness": report.frame(), "robustness-seeds": report.each()}


def _file_name(measure: str) -> str:
    """Write a measure as part of the name of a file."""
    return "".join(sign if sign.isalnum() or sign in "@.=" else "_" for sign in measure).strip("_")
