"""The steps of a study: what each computes, and the tables that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.meta.correlation import correlated
from assay.meta.groups import groups_of
from assay.meta.judgments import judgment_report
from assay.meta.left_out import leave_out
from assay.meta.pool_depth import rebuilt
from assay.meta.pools import Pools
from assay.meta.power import discriminated
from assay.meta.robustness import robust
from assay.meta.selection import selected
from assay.meta.significance_counts import counted
from assay.meta.study_record import Tables
from assay.results._evaluate import evaluated
from assay.results.table import Results
from assay.significance.base import significance_test

MEASURES = (
    *("AP", "P@10", "Rprec", "RR", "bpref", "nDCG", "nDCG@10", "nDCG(base=10, gains=base5)@1000"),
    *("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@20", "Q", "Twist@1000"),
)
"""Those of the papers on Twist, RBP and MED, and what they are compared with."""


@dataclass(frozen=True)
class Settings:
    """What a study depends on beside its inputs; the defaults are those of the papers."""

    measures: tuple[str, ...] = MEASURES
    best: float = 0.75
    ratios: tuple[float, ...] = (90, 70, 50, 30, 10)
    seeds: int = 10
    depths: tuple[int, ...] = (10, 20, 50, 100)
    resamples: int = 1000
    alpha: float = 0.05
    levels: tuple[float, ...] = (0.05, 0.01)
    ties: str = "trec_eval-10"
    seed: int = 0
    groups: str | Mapping[str, str] | None = None

    @classmethod
    def of(cls, given: Settings | Mapping[str, Any]) -> Settings:
        """Settings, or some of them by name.

        >>> Settings.of({"measures": "AP", "ratios": [50]}).ratios
        (50,)
        """
        if isinstance(given, Settings):
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
class Material:
    """Runs and judgments, read once, and the values that several steps need."""

    pools: Pools
    measures: tuple[Measure, ...]
    settings: Settings
    folder: Path

    @cached_property
    def results(self) -> Results:
        """The values of all runs."""
        return evaluated(self.pools.part(), self.measures)

    @cached_property
    def best(self) -> Results:
        """The values of the best runs by MAP."""
        return selected(self.results, self.settings.best)


class Step(NamedTuple):
    """Some tables that are made together: a name, what they tell, and how they are made."""

    name: str
    about: str
    make: Callable[[Material], Tables]


def steps(settings: Settings) -> tuple[Step, ...]:
    """All steps of a study; those that take long are one for each measure."""
    power = [
        Step(f"power {name}", f"Discriminative power of {name}: ASL of every pair.", _power(name))
        for name in map(str, parse_measures(settings.measures))
    ]
    groups = [Step("groups", "Reusability: pools without the judgments of one group.", _groups)]
    return (
        Step("scores", "The mean of every run and measure, and every topic.", _scores),
        Step("judgments", "Relevant documents by topic and grade, and the ideal DCG.", _judgments),
        Step("correlation", "Kendall's tau between the orders that measures give.", _correlation),
        Step("pool-depth", "Scores and orders with shallower pools.", _pool_depth),
        *(groups if settings.groups is not None else []),
        Step("significance-counts", "Pairs of runs that differ significantly.", _significance_counts),
        *power,
        Step("power", "Discriminative power of all measures, and the differences that it takes.", _all_power),
        Step("robustness", "Orders with random samples of the judgments.", _robustness),
    )


def _scores(material: Material) -> Tables:
    return {"scores": material.results.means(), "scores-topics": material.results.frame()}


def _judgments(material: Material) -> Tables:
    report = judgment_report(material.pools.qrels)
    return {"judgments": report.frame(), "judgments-ideal": report.ideals(), "judgments-summary": report.summary()}


def _correlation(material: Material) -> Tables:
    shallow = {
        f"correlation-depth{depth}": correlated(
            evaluated(material.pools.part(material.pools.pool(depth)), material.measures), material.results
        ).matrix()
        for depth in material.settings.depths
    }
    return {
        "correlation": correlated(material.results).frame(),
        "correlation-best": correlated(material.best).frame(),
        **shallow,
    }


def _pool_depth(material: Material) -> Tables:
    report = rebuilt(material.pools, material.measures, material.settings.depths)
    return {"pool-depth": report.summary(), "pool-depth-scores": report.frame()}


def _groups(material: Material) -> Tables:
    members = groups_of(material.pools.runs, material.settings.groups)
    every = np.arange(len(material.pools.runs))
    report = leave_out(material.pools, material.results, members, (max(material.settings.depths), every))
    return {"groups": report.by_group(), "groups-runs": report.frame(), "groups-summary": report.summary()}


def _significance_counts(material: Material) -> Tables:
    tests = [significance_test(name) for name in ("t", "wilcoxon")]
    return {
        "significance-counts": counted(material.results, tests, material.settings.levels).frame(),
        "significance-counts-best": counted(material.best, tests, material.settings.levels).frame(),
    }


POWER_TESTS = ("bootstrap", "tukey-randomized")


def _power(name: str) -> Callable[[Material], Tables]:
    def make(material: Material) -> Tables:
        settings = material.settings
        found = [
            discriminated(
                material.best.of_measures([name]),
                significance_test(test, resamples=settings.resamples, seed=settings.seed),
                settings.alpha,
            )
            for test in POWER_TESTS
        ]
        label = _file_name(name)
        curves = {f"asl-{label}-{test}": one.curves() for test, one in zip(POWER_TESTS, found, strict=True)}
        return {f"power-{label}": pl.concat([one.frame() for one in found]), **curves}

    return make


def _all_power(material: Material) -> Tables:
    parts = [pl.read_parquet(material.folder / f"power-{_file_name(str(one))}.parquet") for one in material.measures]
    return {"power": pl.concat(parts).sort("test", "dp", descending=[False, True], maintain_order=True)}


def _robustness(material: Material) -> Tables:
    settings = material.settings
    seeds = range(settings.seed, settings.seed + settings.seeds)
    report = robust(material.pools, material.measures, settings.ratios, seeds, best=settings.best)
    return {"robustness": report.frame(), "robustness-seeds": report.each()}


def _file_name(measure: str) -> str:
    """A measure as part of the name of a file."""
    return "".join(sign if sign.isalnum() or sign in "@.=" else "_" for sign in measure).strip("_")
