"""Values of a measure for judged rankings, with the policies applied."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.measures._base import Measure
from assay.model.arrays import ROUNDING, Bools, Floats
from assay.model.judged import Judged


class Values(NamedTuple):
    """Values of a measure, one for each ranking.

    Attributes
    ----------
    value
        The values; NaN where a policy excludes the topic.
    error
        Standard errors of values that were sampled over orders of tied documents; None if no values were sampled.
    undefined
        For each ranking, True if the measure is not defined for its topic, such as a topic without relevant documents.
    """

    value: Floats
    error: Floats | None
    undefined: Bools


def compute_values(measure: Measure, judged: Judged) -> Values:
    """Evaluate *measure* under the policies of *judged*."""
    error = None
    if judged.tied is None:
        value = measure.score(judged)
    else:
        exact = measure.expected_values(judged)
        value, error = (exact, None) if exact is not None else _sample(measure, judged)
    return apply_policies(measure, judged, value, error)


def apply_policies(measure: Measure, judged: Judged, value: Floats, error: Floats | None = None) -> Values:
    """Apply the policies on missing topics and on undefined values."""
    undefined = ~measure.is_defined(judged)
    value = np.where(undefined, np.nan if judged.policies.undefined == "exclude" else 0.0, value)
    if judged.policies.missing == "exclude":
        value[~judged.answered] = np.nan
    return Values(value, error, undefined)


def _sample(measure: Measure, judged: Judged) -> tuple[Floats, Floats]:
    """Return the mean over random orders of tied documents, and its standard error.

    Rankings in which only documents with equal grades are tied need no sampling; their error is 0.
    """
    value = measure.score(judged.without_ties())
    error = np.zeros(len(judged))
    mixed = judged.find_mixed_ties()
    if not len(mixed):
        return value, error
    if len(mixed) == 1:
        # numpy sums a single column pairwise but several columns row by row, which rounds differently. Sampling a
        # single ranking twice makes its value independent of the other rankings of the block.
        mixed = np.repeat(mixed, 2)
    selected = judged.select_rankings(mixed)
    samples = np.stack([measure.score(selected.shuffle_ties(sample)) for sample in range(judged.policies.samples)])
    value[mixed] = samples.mean(axis=0)
    error[mixed] = standard_deviations(samples) / np.sqrt(len(samples))
    return value, error


def standard_deviations(samples: Floats) -> Floats:
    """Return the standard deviation of each column: 0 if all samples are equal, infinity if some are infinite."""
    low, high = samples.min(axis=0), samples.max(axis=0)
    is_constant = (low == high) | np.isnan(low)
    deviations = np.where(is_constant, 0.0, np.inf)
    finite = np.isfinite(low) & np.isfinite(high)
    deviations[finite] = samples[:, finite].std(axis=0, ddof=1)
    # Samples that differ by rounding only have deviation 0.
    deviations[finite & (np.where(finite, high, 1) - np.where(finite, low, 0) < ROUNDING)] = 0.0
    return deviations
