"""Numbers of the runs of a campaign: judged documents, ties, values of measures and the variance of differences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.engine.campaign import BLOCK
from assay.engine.inspection import Inspection
from assay.errors import AssayError
from assay.measures import Measure
from assay.measures.counts import JudgedAt
from assay.measures.precision import P
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.judged import Judged
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.results.run_pairs import pair_runs
from assay.significance.topic_set_size import estimate_variances
from assay.significance.values import prepare_values
from assay.uncertainty._ties import COUNTS
from assay.uncertainty._ties.orders import compute_spread
from assay.uncertainty._ties.tied_run import count_ties

VISIBLE = 0.00005
"""Smallest difference that changes the fourth decimal place."""


@dataclass(frozen=True, eq=False)
class CheckedValues:
    """Numbers of the runs.

    Attributes
    ----------
    cutoffs
        The cutoffs at which unjudged documents are counted.
    length
        Runs x topics: number of documents.
    judged
        Cutoffs x runs x topics: number of judged documents in the first documents of the ranking.
    precision
        Cutoffs x runs x topics: precision; None if it cannot be computed, for the reason *failure*.
    tied, mixed
        Runs x topics: number of documents with the score of another document of the topic, and number of those whose
        tie group contains different grades.
    results
        Values of the measures; None if they cannot be computed, for the reason *failure*.
    tie_range
        Measures x runs: difference between the highest and the lowest mean over the orders of tied documents; NaN for
        measures that are not averaged. It is a lower bound for measures for which *tie_range_exact* is False.
    """

    cutoffs: tuple[int, ...]
    length: Ints
    judged: Floats
    precision: Floats | None
    tied: Ints
    mixed: Ints
    results: Results | None
    failure: str
    tie_range: Floats
    tie_range_exact: Bools

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures with values."""
        return () if self.results is None else self.results.measures

    @cached_property
    def considered(self) -> Ints:
        """Cutoffs x runs x topics: number of documents up to the cutoff."""
        return np.stack([np.minimum(self.length, cutoff) for cutoff in self.cutoffs])

    @cached_property
    def unjudged(self) -> Floats:
        """Cutoffs x runs x topics: number of unjudged documents up to the cutoff."""
        return np.round(self.considered - self.judged, 9)

    @cached_property
    def unjudged_share(self) -> Floats:
        """Cutoffs x runs: share of unjudged documents among the documents up to the cutoff; 0 without documents."""
        return np.asarray(self.unjudged.sum(axis=2) / np.maximum(self.considered.sum(axis=2), 1))

    def count_open_pairs(self, index: int) -> int:
        """Count the pairs of runs whose intervals of precision at the cutoff at *index* overlap.

        The interval of a run extends from its precision to the precision if all unjudged documents were relevant. Two
        runs without unjudged documents have a certain order, even if their precision is the same.
        """
        if self.precision is None:
            return 0
        values = self.precision[index]
        low = average_topics(values)
        high = average_topics(values + self.unjudged[index] / self.cutoffs[index])
        a, b = np.triu_indices(len(low), 1)
        separated = (low[a] > high[b] + ROUNDING) | (low[b] > high[a] + ROUNDING)
        certain = high - low <= ROUNDING
        return int((~separated & ~(certain[a] & certain[b])).sum())

    def count_topics(self, index: int) -> int:
        """Return the number of topics on which all runs have a value by the measure at *index*."""
        return 0 if self.results is None else int((~np.isnan(self.results.values[index]).any(axis=0)).sum())

    def variances(self, index: int) -> Floats:
        """Return the variance of the differences of each pair of runs by the measure at *index*."""
        if self.results is None:
            return np.zeros(0)
        pairs = pair_runs(self.results.runs)
        return estimate_variances(prepare_values(self.results, index), pairs)


def compute_numbers(inspection: Inspection, cutoffs: tuple[int, ...], measures: tuple[Measure, ...]) -> CheckedValues:
    """Compute the numbers of the runs that were read."""
    campaign = inspection.campaign
    shape, length = campaign.shape, campaign.whole.length.reshape(campaign.shape)
    judged_at = [JudgedAt(cutoff=cutoff) for cutoff in cutoffs]
    precision_at = [P(cutoff=cutoff) for cutoff in cutoffs]
    results, failure, precision = None, "", None
    try:
        values = evaluate(campaign, list(dict.fromkeys([*judged_at, *precision_at, *measures])))
        results = values.select(measures=measures)
        precision = values.select(measures=precision_at).values
    except AssayError as error:
        failure = str(error)
        values = evaluate(campaign, judged_at)
    fraction = np.nan_to_num(values.select(measures=judged_at).values)
    considered = np.stack([np.minimum(length, cutoff) for cutoff in cutoffs])
    tied, mixed = _count_ties_by_ranking(inspection.tied)
    tie_range, exact = _measure_tie_range(inspection.tied, results)
    return CheckedValues(
        cutoffs,
        length,
        fraction * considered,
        precision,
        tied.reshape(shape),
        mixed.reshape(shape),
        results,
        failure,
        tie_range,
        exact,
    )


def _count_ties_by_ranking(judged: Judged) -> tuple[Ints, Ints]:
    """Return for each ranking the number of tied documents, and of tied documents in groups of different grades."""
    counts = np.zeros((2, len(judged)), dtype=np.int64)
    if judged.tied is not None and judged.tied.any():
        rows_of_counts = [COUNTS.index("tied"), COUNTS.index("mixed")]
        for rows, block in judged.blocks(*BLOCK):
            counts[:, rows] = count_ties(block)[rows_of_counts]
    return counts[0], counts[1]


def _measure_tie_range(judged: Judged, results: Results | None) -> tuple[Floats, Bools]:
    """Return the difference of the means over the best and the worst order of tied documents: measures x runs."""
    if results is None:
        return np.zeros((0, 0)), np.zeros(0, dtype=bool)
    measures, runs, topics = results.values.shape
    exact = np.ones(measures, dtype=bool)
    mixed = judged.find_mixed_ties()
    if not len(mixed):
        return np.zeros((measures, runs)), exact
    rankings = judged.select_rankings(mixed)
    spread = compute_spread(results.measures, rankings)
    width = np.zeros((measures, runs * topics))
    width[:, mixed] = np.nan_to_num(spread.high - spread.low)
    exact[:] = [measure.tie_key(rankings) is not None for measure in results.measures]
    counted = np.maximum((~np.isnan(results.values)).sum(axis=2), 1)
    mean_width = width.reshape(results.values.shape).sum(axis=2) / counted
    mean_width[[measure.aggregate != "mean" for measure in results.measures]] = np.nan
    return mean_width, exact


def average_topics(values: Floats) -> Floats:
    """Return the mean over topics of each run, without missing values; NaN for a run without values."""
    counted = (~np.isnan(values)).sum(axis=1)
    return np.where(counted > 0, np.nansum(values, axis=1) / np.maximum(counted, 1), np.nan)
