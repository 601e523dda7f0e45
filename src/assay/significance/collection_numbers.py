"""Numbers of one measure over several collections: cells, averages, ranks and comparisons of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.model.arrays import Bools, Floats, Ints
from assay.significance import strata
from assay.significance.base import significance_test
from assay.significance.corrections import adjust_p_values
from assay.significance.interaction import Interaction, Moments, compute_interaction

POPULATIONS = {
    "topics": "other topics of these collections",
    "collections": "other collections like these",
}
TOPIC_TESTS = ("t", "randomization")
"""Tests of a difference that is averaged over collections, with topics as the sample."""


class Settings(NamedTuple):
    """Settings of the comparison; see :func:`assay.collections`."""

    population: str
    test: str
    correction: str
    alpha: float
    resamples: int
    seed: int


@dataclass(frozen=True)
class RunNumbers:
    """Numbers of each run: its cells, its average over collections, and its ranks; NaN if a run has no average."""

    cells: Moments
    averages: strata.Averages
    micro: Floats
    mean_rank: Floats
    borda: Floats
    rank: Floats
    rank_low: Floats
    rank_high: Floats
    first: Floats


@dataclass(frozen=True)
class PairNumbers:
    """Numbers of each pair of runs: differences within the collections, and the average difference.

    *p_each* and *adjusted_each* are collections x pairs; p is corrected over the collections of a pair. *verdicts* is 1
    if the first run of a pair is significantly better on average, -1 if it is worse, else 0; *verdicts_each* has the
    same numbers for each collection. *heterogeneity* tests whether the difference is the same in all collections.
    """

    cells: Moments
    averages: strata.Averages
    statistic: Floats
    p: Floats
    p_adjusted: Floats
    p_each: Floats
    adjusted_each: Floats
    low_each: Floats
    high_each: Floats
    verdicts: Floats
    verdicts_each: Floats
    heterogeneity: Interaction


def compute_run_numbers(values: Sequence[Floats], lower_is_better: bool, settings: Settings) -> RunNumbers:
    """Compute the numbers of runs; *values* has an array of runs x topics for each collection, NaN for no value."""
    cells = strata.describe_runs(values)
    is_complete: Bools = np.asarray(np.isfinite(cells.mean).all(axis=0))
    average = strata.average_topics if settings.population == "topics" else strata.average_collections
    averages = strata.Averages(*(np.where(is_complete, column, np.nan) for column in average(cells, settings.alpha)))
    known = np.where(np.isnan(cells.mean), 0.0, cells.mean)
    micro = strata.safe_mean((known * cells.topics).sum(axis=0), cells.topics.sum(axis=0))
    complete_means = np.where(is_complete, cells.mean, np.nan)
    ranks = strata.mean_ranks(complete_means, lower_is_better)
    low, high, first = (np.full(len(is_complete), np.nan) for _ in range(3))
    if is_complete.any():
        resampled = _resample(values, complete_means, is_complete, settings)
        ranks_of_resamples = strata.mean_ranks(resampled, lower_is_better)
        low[is_complete], high[is_complete], first[is_complete] = strata.rank_intervals(
            ranks_of_resamples, settings.alpha
        )
    return RunNumbers(
        cells=cells,
        averages=averages,
        micro=micro,
        mean_rank=ranks.mean(axis=0),
        borda=(is_complete.sum() - ranks).sum(axis=0),
        rank=strata.mean_ranks(averages.value[None], lower_is_better)[0],
        rank_low=low,
        rank_high=high,
        first=first,
    )


def _resample(values: Sequence[Floats], means: Floats, is_complete: Bools, settings: Settings) -> Floats:
    """Return resampled averages of the complete runs: resamples x runs."""
    if settings.population == "collections":
        return strata.draw_collections(means[:, is_complete], settings.resamples, settings.seed)
    complete = [runs[is_complete] for runs in values]
    return np.concatenate(list(strata.draw_averages(complete, settings.resamples, settings.seed)))


def compute_pair_numbers(
    values: Sequence[Floats], pairs: Ints, lower_is_better: bool, settings: Settings
) -> PairNumbers:
    """Compare pairs of runs over the collections that both have."""
    cells = strata.describe_pairs(values, pairs)
    test = significance_test(settings.test, resamples=settings.resamples, seed=settings.seed)
    each = [test.compare(runs, pairs, settings.alpha) for runs in values]
    p_each = np.array([outcome.p for outcome in each])
    adjusted_each = np.apply_along_axis(adjust_p_values, 0, p_each, settings.correction)
    if settings.population == "topics":
        averages = strata.average_topics(cells, settings.alpha)
        statistic, p = strata.student_p(averages)
        if settings.test == "randomization":
            statistic, p = averages.value, strata.randomize(values, pairs, settings.resamples, settings.seed)
    else:
        averages = strata.average_collections(cells, settings.alpha)
        # The means of the collections are paired like the values of topics.
        means = strata.describe_runs(values).mean.T
        outcome = test.compare(means, pairs, settings.alpha)
        statistic, p = outcome.statistic, outcome.p
    adjusted = adjust_p_values(p, settings.correction)
    direction = -1.0 if lower_is_better else 1.0
    return PairNumbers(
        cells=cells,
        averages=averages,
        statistic=statistic,
        p=p,
        p_adjusted=adjusted,
        p_each=p_each,
        adjusted_each=adjusted_each,
        low_each=np.array([outcome.low for outcome in each]),
        high_each=np.array([outcome.high for outcome in each]),
        verdicts=_decide(adjusted, averages.value, direction, settings.alpha),
        verdicts_each=_decide(adjusted_each, cells.mean, direction, settings.alpha),
        heterogeneity=compute_interaction(cells),
    )


def _decide(p: Floats, difference: Floats, direction: float, alpha: float) -> Floats:
    return np.where(p < alpha, direction * np.sign(difference), 0.0)


def check_settings(settings: Settings) -> None:
    """Raise an error for a test that is not available for the population."""
    if settings.population == "topics" and settings.test not in TOPIC_TESTS:
        raise InputError(
            f"test '{settings.test}': is not available for averages over collections; choose one of "
            f"{', '.join(TOPIC_TESTS)}, or add population 'collections'"
        )
    if significance_test(settings.test).corrected:
        raise InputError(
            f"test '{settings.test}': compares all runs at once; choose t, randomization, sign or wilcoxon"
        )
