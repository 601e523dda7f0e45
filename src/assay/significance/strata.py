"""Averages over several collections, their intervals, and tests of differences between such averages.

In this module, a *cell* is the mean of one run (or of the difference of two runs) over the topics of one collection.
Arrays of cells are collections x columns, where a column is a run or a pair of runs; NaN is a missing cell. All
collections have the same weight, whatever their number of topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints, Numbers, subtract
from assay.significance.differences import safe_ratio, split_rows
from assay.significance.interaction import Moments, compute_moments
from assay.significance.tests.randomization import Randomization


class Averages(NamedTuple):
    """Averages over collections with their standard errors, degrees of freedom and intervals, one for each column."""

    value: Floats
    error: Floats
    df: Floats
    low: Floats
    high: Floats


def describe_runs(values: Sequence[Floats]) -> Moments:
    """Return the cells of each run; *values* has an array of runs x topics for each collection, NaN for no value."""
    topics, means, variances = [], [], []
    for runs in values:
        known = ~np.isnan(runs)
        count = known.sum(axis=1)
        # cumsum adds in the order of the topics, so the means equal the means of an evaluation to the last digit.
        total = np.cumsum(np.where(known, runs, 0.0), axis=1)[:, -1] if runs.shape[1] else np.zeros(len(runs))
        mean = safe_mean(total, count)
        squares = np.where(known, np.square(runs - mean[:, None]), 0.0).sum(axis=1)
        topics.append(count)
        means.append(mean)
        variances.append(safe_mean(squares, count - 1))
    return Moments(np.array(topics, dtype=np.float64), np.array(means), np.array(variances))


def safe_mean(total: Numbers, count: Numbers) -> Floats:
    """Return total / count, and NaN for a count below 1."""
    result = np.full(np.shape(total), np.nan)
    np.divide(total, count, out=result, where=count > 0)
    return result


def describe_pairs(values: Sequence[Floats], pairs: Ints) -> Moments:
    """Return the cells of the differences of each pair of runs, over the topics for which both runs have a value."""
    moments = compute_moments(values, pairs)
    for runs, topics, mean in zip(values, moments.topics, moments.mean, strict=True):
        # A difference on a single topic has no variance.
        single = np.flatnonzero(topics == 1)
        difference = subtract(*runs[pairs[single].T])
        mean[single] = np.where(np.isnan(difference), 0.0, difference).sum(axis=1)
    return moments


def average_topics(cells: Moments, alpha: float = 0.05) -> Averages:
    r"""Return averages whose intervals are about other topics of the same collections.

    With C collections, and s² and n of each,

    .. math:: A = \frac{1}{C} \sum_c \bar{v}_c, \quad \mathrm{Var}(A) = \frac{1}{C^2} \sum_c \frac{s_c^2}{n_c}

    The degrees of freedom are those of Welch and Satterthwaite. A column has no interval if one of its cells has only
    one topic.

    References
    ----------
    Satterthwaite, *An approximate distribution of estimates of variance components*, Biometrics Bulletin 2, 1946.
    """
    from scipy.special import stdtrit

    present = ~np.isnan(cells.mean)
    collections = present.sum(axis=0)
    value = safe_mean(np.where(present, cells.mean, 0.0).sum(axis=0), collections)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(present, cells.variance / cells.topics, 0.0)
        total = part.sum(axis=0)
        error = np.sqrt(total) / collections
        df = np.square(total) / np.where(present, np.square(part) / (cells.topics - 1), 0.0).sum(axis=0)
        margin = np.where(total == 0, 0.0, stdtrit(df, 1 - alpha / 2) * error)
    return Averages(value, error, df, value - margin, value + margin)


def average_collections(cells: Moments, alpha: float = 0.05) -> Averages:
    """Return averages whose intervals are about other collections: Student's t over the cells of each column."""
    from scipy.special import stdtrit

    columns = describe_runs([cells.mean.T])
    value, count = columns.mean[0], columns.topics[0]
    error = np.sqrt(safe_mean(columns.variance[0], count))
    df = np.where(count > 1, count - 1.0, np.nan)
    margin = stdtrit(df, 1 - alpha / 2) * error
    return Averages(value, error, df, value - margin, value + margin)


def student_p(averages: Averages) -> tuple[Floats, Floats]:
    """Return t and its two-sided p; without spread, p is 1 for a difference of 0, and 0 otherwise."""
    from scipy.special import stdtr

    t = safe_ratio(averages.value, averages.error)
    p = np.where(averages.error > 0, 2 * stdtr(averages.df, -np.abs(t)), (averages.value == 0).astype(np.float64))
    return t, np.where(np.isnan(averages.value + averages.error), np.nan, p)


def randomize(values: Sequence[Floats], pairs: Ints, resamples: int, seed: int) -> Floats:
    """Return p of a randomization test: the signs of differences are reversed topic by topic.

    The average over collections is a sum over all topics, in which a topic has the weight 1/n of its collection. The
    test of such a sum is the ordinary randomization test of weighted differences.
    """
    p = np.full(len(pairs), np.nan)
    test = Randomization(resamples=resamples, seed=seed)
    weighted = _weigh_topics(values)
    if weighted is not None:
        return test.compare(weighted, pairs).p
    for index, pair in enumerate(pairs):
        selected = [runs[pair] for runs in values]
        complete = [runs[:, ~np.isnan(runs).any(axis=0)] for runs in selected]
        weighted = _weigh_topics([runs for runs in complete if runs.size])
        p[index] = np.nan if weighted is None else test.compare(weighted, np.array([[0, 1]])).p[0]
    return p


def _weigh_topics(values: Sequence[Floats]) -> Floats | None:
    """Return runs x topics of all collections, each value divided by the number of topics; None if one is missing."""
    if not values or any(np.isnan(runs).any() for runs in values):
        return None
    return np.concatenate([runs / runs.shape[1] for runs in values], axis=1)


def draw_averages(values: Sequence[Floats], resamples: int, seed: int) -> Iterator[Floats]:
    """Yield bootstrap averages, blocks of resamples x runs: topics are drawn with replacement within each collection.

    All runs get the same topics, so differences between them stay paired.
    """
    rng = np.random.default_rng(seed)
    for block in split_rows(resamples, max(runs.shape[1] for runs in values)):
        size = block.stop - block.start
        draws = [rng.integers(runs.shape[1], size=(size, runs.shape[1])) for runs in values]
        yield resample_averages(values, draws)


def resample_averages(values: Sequence[Floats], draws: Sequence[Ints]) -> Floats:
    """Return the average over collections of each run for topics drawn from each collection: resamples x runs."""
    means = []
    for runs, draw in zip(values, draws, strict=True):
        size, topics = draw.shape
        count = np.bincount((draw + np.arange(size)[:, None] * topics).ravel(), minlength=size * topics)
        count = count.reshape(size, topics).astype(np.float64)
        known = ~np.isnan(runs)
        means.append(safe_mean(count @ np.where(known, runs, 0.0).T, count @ known.T.astype(np.float64)))
    return np.asarray(np.mean(means, axis=0))


def draw_collections(means: Floats, resamples: int, seed: int) -> Floats:
    """Return bootstrap averages, resamples x runs: whole collections are drawn with replacement."""
    draws = np.random.default_rng(seed).integers(len(means), size=(resamples, len(means)))
    return np.asarray(means[draws].mean(axis=1))


def mean_ranks(values: Floats, lower_is_better: bool = False) -> Floats:
    """Rank each row of values from 1, the best first; equal values get the mean of their ranks, and NaN stays NaN.

    Values are equal if they differ by at most the tolerance for rounding errors.

    >>> mean_ranks(np.array([[0.2, 0.1 + 0.2, 0.3, np.nan]])).tolist()
    [[3.0, 1.5, 1.5, nan]]
    """
    cost = values if lower_is_better else -values
    order = np.argsort(cost, axis=1)  # NaN is last
    ascending = np.take_along_axis(cost, order, axis=1)
    is_worse = ~(subtract(ascending[:, 1:], ascending[:, :-1]) <= 0)
    position = np.arange(values.shape[1])
    first = np.maximum.accumulate(
        np.where(np.pad(is_worse, ((0, 0), (1, 0)), constant_values=True), position, 0), axis=1
    )
    ends = np.where(np.pad(is_worse, ((0, 0), (0, 1)), constant_values=True), position, values.shape[1])
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, 1 + (first + last) / 2, axis=1)
    return np.where(np.isnan(values), np.nan, ranks)


def rank_intervals(ranks: Floats, alpha: float = 0.05) -> tuple[Floats, Floats, Floats]:
    """Return the lower and upper end of the rank of each run over resamples, and how often its rank is 1.

    The ends are quantiles by the inverse of the distribution function, so they are ranks that occur.
    """
    low, high = np.quantile(ranks, [alpha / 2, 1 - alpha / 2], axis=0, method="inverted_cdf")
    return low, high, (ranks == 1).mean(axis=0)


def rank_bounds(runs: int, pairs: Ints, verdicts: Floats) -> tuple[Ints, Ints]:
    """Return the best and the worst possible rank of each run.

    *verdicts* is 1 for a pair whose first run is significantly better, -1 if the second is, else 0. If the verdicts are
    corrected over all pairs, all true ranks are within the bounds with a probability of at least 1 - alpha.

    References
    ----------
    Mogstad, Romano, Shaikh & Wilhelm, *Inference for ranks*, Review of Economic Studies 91, 2024.
    """
    better, worse = np.zeros(runs, dtype=np.int64), np.zeros(runs, dtype=np.int64)
    for sign, (winner, loser) in ((1, (0, 1)), (-1, (1, 0))):
        rows = pairs[verdicts == sign]
        better += np.bincount(rows[:, loser], minlength=runs)
        worse += np.bincount(rows[:, winner], minlength=runs)
    return 1 + better, runs - worse
