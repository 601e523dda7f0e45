"""Values of a measure: scores of judged rankings with the policies applied."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.measures._base import Measure
from assay.model.arrays import ROUNDING, Bools, Floats
from assay.model.judged import Judged


class Values(NamedTuple):
    """One value for each ranking; NaN where the policies leave the topic out.

    *error* is the standard error of values that were sampled over the orders of tied documents, else None.
    *undefined* marks the rankings of topics that lack what the measure needs.
    """

    value: Floats
    error: Floats | None
    undefined: Bools


def values(measure: Measure, judged: Judged) -> Values:
    """Return the values of *measure* under the policies of *judged*."""
    error = None
    if judged.tied is None:
        value = measure.score(judged)
    else:
        exact = measure.expected(judged)
        value, error = (exact, None) if exact is not None else _sample(measure, judged)
    return settled(measure, judged, value, error)


def settled(measure: Measure, judged: Judged, value: Floats, error: Floats | None = None) -> Values:
    """Turn scores into values: apply the policies for missing topics and for topics without a value."""
    undefined = ~measure.defined(judged)
    value = np.where(undefined, np.nan if judged.policies.undefined == "exclude" else 0.0, value)
    if judged.policies.missing == "exclude":
        value[~judged.answered] = np.nan
    return Values(value, error, undefined)


def _sample(measure: Measure, judged: Judged) -> tuple[Floats, Floats]:
    """Return the mean over random orders of tied documents, and its standard error.

    Rankings in which only equal grades are tied need no sampling and have the error 0.
    """
    value = measure.score(judged.fixed())
    error = np.zeros(len(judged))
    mixed = judged.mixed()
    if not len(mixed):
        return value, error
    if len(mixed) == 1:
        # numpy adds a single column pairwise and several columns row by row, which rounds differently. Sampling a
        # ranking twice makes its value independent of the rankings it is evaluated with.
        mixed = np.repeat(mixed, 2)
    some = judged.only(mixed)
    samples = np.stack([measure.score(some.shuffled(sample)) for sample in range(judged.policies.samples)])
    value[mixed] = samples.mean(axis=0)
    error[mixed] = deviation(samples) / np.sqrt(len(samples))
    return value, error


def deviation(samples: Floats) -> Floats:
    """Return the standard deviation of each column: 0 if all are equal, infinity if some are infinite."""
    low, high = samples.min(axis=0), samples.max(axis=0)
    same = (low == high) | np.isnan(low)
    deviations = np.where(same, 0.0, np.inf)
    finite = np.isfinite(low) & np.isfinite(high)
    deviations[finite] = samples[:, finite].std(axis=0, ddof=1)
    deviations[finite & (np.where(finite, high, 1) - np.where(finite, low, 0) < ROUNDING)] = 0.0
    return deviations
