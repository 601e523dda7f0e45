"""Estimates of the values of one run: means and quantiles, by topic and over topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.engine.campaign import Campaign
from assay.measures import Measure
from assay.model.arrays import ROUNDING, Bools, Floats
from assay.model.grade_codes import mask_ungraded
from assay.model.judged import Judged
from assay.results.aggregation import aggregate_values
from assay.uncertainty._estimate.expectation import (
    RandomGrades,
    count_distribution,
    expect_values,
    find_unit,
    split_relevance,
)
from assay.uncertainty._estimate.priors import Evidence, grade_probabilities
from assay.uncertainty._estimate.sampling import Hits, draw_grades, sample_values

QUANTILES = (0.05, 0.5, 0.95)


class EstimateSettings(NamedTuple):
    """Settings of an estimate: see the parameters of ``estimate``.

    *by_topic* is False if only the estimates over topics are needed.
    """

    prior: str
    completed: bool
    samples: int
    seed: int
    by_topic: bool = True


class RunEstimate(NamedTuple):
    """Estimates of one measure for one run.

    *mean* and *quantiles* (quantiles x topics) belong to topics; *overall* and *overall_quantiles* are over topics.
    *draws* are the sampled values over topics. *exact* is True if *overall* is exact.
    """

    mean: Floats
    quantiles: Floats
    overall: float
    overall_quantiles: Floats
    draws: Floats
    exact: bool


def estimate_run(
    campaign: Campaign,
    measures: tuple[Measure, ...],
    run: int,
    evidence: Evidence,
    *,
    key: np.ndarray,
    settings: EstimateSettings,
) -> list[RunEstimate]:
    """Return the estimates of each measure for one run, given by index.

    *key* is a hash of the topic and the id of each document of the rankings of the run.
    """
    topics = len(campaign.topics)
    judged = campaign.whole.select_rankings(np.arange(run * topics, (run + 1) * topics))
    probabilities = grade_probabilities(settings.prior, judged, evidence, run)
    ungraded = mask_ungraded(judged.code, judged.levels)
    hits = draw_grades(probabilities, key[ungraded], settings.samples, settings.seed)
    estimates = []
    for measure in measures:
        random = RandomGrades.build(measure, judged, evidence.grades, probabilities, settings.completed)
        estimates.append(_estimate_measure(random, hits, _mask_topics(campaign, measure, judged), settings))
    return estimates


def _mask_topics(campaign: Campaign, measure: Measure, judged: Judged) -> Bools:
    """Return a mask of the rankings that the policies on missing topics and undefined values do not exclude."""
    counted = np.ones(len(judged), dtype=bool)
    if campaign.policies.missing == "exclude":
        counted &= judged.answered
    if campaign.policies.undefined == "exclude":
        counted &= measure.is_defined(judged)
    return counted


def _estimate_measure(random: RandomGrades, hits: Hits, counted: Bools, settings: EstimateSettings) -> RunEstimate:
    aggregate, unit = random.measure.aggregate, find_unit(random)
    mean = expect_values(random)
    sampled = np.isnan(mean)
    exact = aggregate in ("mean", "sum") and not sampled[counted].any()
    quantiles, overall_quantiles = np.full((2, len(QUANTILES), len(mean)), np.nan)
    draws = np.full(settings.samples, np.nan)
    if settings.by_topic or unit is None or not exact:
        values = sample_values(random, hits, settings.samples)
        mean = np.where(sampled, values.mean(axis=0), mean)
        draws = aggregate_draws(values[:, counted], aggregate)
        quantiles = find_quantiles(values) if settings.by_topic else quantiles
    mean[~counted] = np.nan
    overall = aggregate_values(mean, aggregate) if aggregate in ("mean", "sum") else float(draws.mean())
    overall_quantiles = find_quantiles(draws[:, None])[:, 0]
    if unit is not None:
        quantiles, overall_quantiles = _count_quantiles(random, unit, counted, settings.by_topic)
    quantiles[:, ~counted] = np.nan
    return RunEstimate(mean, quantiles, overall, overall_quantiles, draws, exact)


def aggregate_draws(draws: Floats, aggregate: str) -> Floats:
    """Return the value over topics of each row of *draws* (samples x topics); NaN without topics."""
    if not draws.shape[1]:
        return np.full(len(draws), np.nan)
    if aggregate == "mean":
        return np.asarray(draws.mean(axis=1))
    return np.array([aggregate_values(row, aggregate) for row in draws])


def find_quantiles(draws: Floats) -> Floats:
    """Return quantiles x columns; each quantile is one of the sampled values."""
    return np.asarray(np.quantile(draws, QUANTILES, axis=0, method="inverted_cdf"))


def _count_quantiles(random: RandomGrades, unit: float, counted: Bools, by_topic: bool) -> tuple[Floats, Floats]:
    """Return the exact quantiles of each topic and of the mean over topics, if each relevant document adds *unit*."""
    base, probabilities = random.score_current(), split_relevance(random)
    quantiles = np.full((len(QUANTILES), len(base)), np.nan)
    for topic, own in enumerate(probabilities if by_topic else ()):
        quantiles[:, topic] = base[topic] + unit * _find_count_quantiles(own)
    if not counted.any():
        return quantiles, np.full(len(QUANTILES), np.nan)
    counts = _find_count_quantiles(
        np.concatenate([own for own, use in zip(probabilities, counted, strict=True) if use])
    )
    total = base[counted].sum() + unit * counts
    return quantiles, total / (counted.sum() if random.measure.aggregate == "mean" else 1)


def _find_count_quantiles(probabilities: Floats) -> Floats:
    """Return the quantiles of the number of relevant documents, given the probability of each."""
    cumulative = np.cumsum(count_distribution(probabilities))
    # The tolerance keeps rounding errors of the sums from moving a quantile.
    return np.searchsorted(cumulative, np.array(QUANTILES) - ROUNDING).astype(np.float64)
