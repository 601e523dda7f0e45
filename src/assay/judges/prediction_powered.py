r"""Prediction-powered estimates: means by a human judge, from few human and many machine judgments.

On n topics, a measure has the value Y by human judgments and F by machine judgments. On N other topics, there are only
machine judgments, with the value :math:`\tilde F`. The human mean over all topics is estimated by

.. math:: \hat\theta = \lambda\, \overline{\tilde F} + \overline{Y - \lambda F}

For a fixed :math:`\lambda`, the estimate is unbiased, whatever the errors of the machine judge are. :math:`\lambda = 0`
is the mean of the human values, and :math:`\lambda = 1` is the original prediction-powered estimate. By default,

.. math:: \hat\lambda = \frac{\mathrm{cov}(Y, F)}{(1 + n/N) \mathrm{var}(F \cup \tilde F)}

cut to [0, 1], which minimizes the variance. The only assumption is that the topics with human judgments are a random
sample of all topics.

The interval is by Student's t with the degrees of freedom of Satterthwaite. The published interval uses the normal
distribution; it is too narrow for the small numbers of topics that are usual here.

References
----------
Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, *Prediction-powered inference*, Science 382, 2023. Angelopoulos, Duchi &
Zrnic, *PPI++: efficient prediction-powered inference*, arXiv 2311.01453, 2023. Fisch et al., *Stratified
prediction-powered inference*, NeurIPS 2024. Oosterhuis et al., *Reliable confidence intervals for information retrieval
evaluation using generative AI*, KDD 2024.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.errors import InputError
from assay.model.arrays import ROUNDING, Floats

FEWEST_HUMAN, FEWEST_MACHINE = 5, 2
"""Least numbers of topics with human judgments, and with machine judgments only."""
FEWEST_DISAGREEMENTS = 5
"""With fewer topics on which both judges give different values, the interval would be too narrow."""
_OWN_LAMBDA = 10  # topics with human judgments that every stratum needs for a lambda of its own


class Sample(NamedTuple):
    """Values on topics with both judgments (*human* and *machine*), and on topics with machine judgments only."""

    human: Floats
    machine: Floats
    machine_only: Floats


class PoweredEstimate(NamedTuple):
    """A prediction-powered estimate with its interval, next to the mean of the human values alone.

    *method* is ``ppi++`` (tuned), ``ppi`` (a fixed lambda) or ``human`` (the machine values are not used). *machine* is
    the mean of all machine values, whose bias is unknown. *effective_topics* is the number of topics with human
    judgments alone that would give the same standard error.
    """

    method: str
    lam: float
    estimate: float
    error: float
    df: float
    low: float
    high: float
    human: float
    human_low: float
    human_high: float
    machine: float
    rho: float
    disagreements: int
    effective_topics: float


def estimate_mean(sample: Sample, lam: float | None = None, confidence: float = 0.95) -> PoweredEstimate:
    """Estimate the human mean; *lam* is a fixed lambda, by default it is tuned.

    Raise an error for fewer than five topics with human judgments, or fewer than two with machine judgments only.
    """
    human, machine, other = (np.asarray(values, dtype=np.float64) for values in sample)
    n, rest = len(human), len(other)
    if n < FEWEST_HUMAN or rest < FEWEST_MACHINE:
        raise InputError(
            f"need at least {FEWEST_HUMAN} topics with human judgments and {FEWEST_MACHINE} with machine judgments "
            f"only, got {n} and {rest}"
        )
    difference = np.abs(human - machine)
    disagreements = int((difference > ROUNDING * np.maximum(np.abs(human), np.abs(machine))).sum())
    method, chosen, lost = "ppi", lam, 1
    if lam is None:
        method, chosen, lost = "ppi++", tune(Sample(human, machine, other)), 2
    if disagreements < FEWEST_DISAGREEMENTS:
        method, chosen, lost = "human", 0.0, 1
    assert chosen is not None
    residual = human - chosen * machine
    part_machine = chosen**2 * other.var(ddof=1) / rest
    part_human = np.square(residual - residual.mean()).sum() / ((n - lost) * n)
    error = math.sqrt(part_machine + part_human)
    df = _degrees_of_freedom([(part_machine, rest - 1), (part_human, n - lost)])
    estimate = float(chosen * other.mean() + residual.mean())
    margin = _quantile(df, confidence) * error
    human_error = human.std(ddof=1) / math.sqrt(n)
    human_margin = _quantile(n - 1, confidence) * human_error
    return PoweredEstimate(
        method=method,
        lam=float(chosen),
        estimate=estimate,
        error=error,
        df=df,
        low=estimate - margin,
        high=estimate + margin,
        human=float(human.mean()),
        human_low=float(human.mean() - human_margin),
        human_high=float(human.mean() + human_margin),
        machine=float(np.concatenate([machine, other]).mean()),
        rho=correlate(human, machine),
        disagreements=disagreements,
        effective_topics=math.nan if error == 0 else float(human.var(ddof=1) / error**2),
    )


def tune(sample: Sample) -> float:
    """Return the lambda in [0, 1] that minimizes the estimated variance; 0 if the machine values do not vary."""
    human, machine, other = sample
    spread = np.concatenate([machine, other]).var(ddof=1)
    if spread == 0:
        return 0.0
    covariance = np.cov(human, machine)[0, 1]
    return float(np.clip(covariance / ((1 + len(human) / len(other)) * spread), 0.0, 1.0))


def correlate(a: Floats, b: Floats) -> float:
    """Return the correlation coefficient; NaN if one of the two does not vary."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


class StratifiedEstimate(NamedTuple):
    """A prediction-powered estimate over strata; *lam* has a lambda for each stratum."""

    weights: Floats
    lam: Floats
    estimate: float
    error: float
    df: float
    low: float
    high: float


def estimate_stratified(
    samples: Sequence[Sample], weights: Sequence[float] | None = None, confidence: float = 0.95
) -> StratifiedEstimate:
    """Estimate the human mean over strata, from which topics with human judgments were drawn separately.

    Parameters
    ----------
    samples
        The values of each stratum; at least two topics of each kind in every stratum.
    weights
        Weights of the strata, which add up to 1; by default their shares of all topics.
    confidence
        Level of the interval.
    """
    for number, sample in enumerate(samples, 1):
        if len(sample.human) < 2 or len(sample.machine_only) < 2:
            raise InputError(f"stratum {number}: needs at least two topics with and without human judgments")
    sizes = np.array([len(sample.human) + len(sample.machine_only) for sample in samples], dtype=np.float64)
    weight = sizes / sizes.sum() if weights is None else np.asarray(weights, dtype=np.float64)
    if abs(weight.sum() - 1) > 1e-9 or (weight < 0).any():
        raise InputError(f"weights: must be at least 0 and add up to 1, got a sum of {weight.sum():g}")
    human_topics = sum(len(sample.human) for sample in samples)
    has_own = all(len(sample.human) >= _OWN_LAMBDA for sample in samples)
    lam = np.array([tune(sample) for sample in samples]) if has_own else _tune_common(samples, weight)
    # A common lambda costs one degree of freedom in all, instead of one in each stratum.
    inflation = 1.0 if has_own else (human_topics - len(samples)) / (human_topics - len(samples) - 1)
    estimate, terms = 0.0, []
    for sample, share, one in zip(samples, weight, lam, strict=True):
        residual = sample.human - one * sample.machine
        n, rest, lost = len(residual), len(sample.machine_only), 2 if has_own else 1
        estimate += share * (one * sample.machine_only.mean() + residual.mean())
        terms.append((share**2 * one**2 * sample.machine_only.var(ddof=1) / rest, rest - 1))
        spread = np.square(residual - residual.mean()).sum() / ((n - lost) * n)
        terms.append((share**2 * spread * inflation, n - lost))
    error = math.sqrt(sum(part for part, _ in terms))
    df = _degrees_of_freedom(terms)
    margin = _quantile(df, confidence) * error
    return StratifiedEstimate(weight, lam, estimate, error, df, estimate - margin, estimate + margin)


def _tune_common(samples: Sequence[Sample], weight: Floats) -> Floats:
    """Return the same lambda for every stratum."""
    above = below = 0.0
    for sample, share in zip(samples, weight, strict=True):
        n, rest = len(sample.human), len(sample.machine_only)
        above += share**2 / n * np.cov(sample.human, sample.machine)[0, 1]
        below += share**2 * (1 / n + 1 / rest) * np.concatenate([sample.machine, sample.machine_only]).var(ddof=1)
    return np.full(len(samples), float(np.clip(above / below, 0.0, 1.0)) if below else 0.0)


def estimate_topic(weights: Floats, machine: Floats, human: dict[int, float], probability: Floats) -> float:
    """Estimate the value of a topic of which only some documents have human grades.

    The value is a sum of gains with weights of the ranks. Documents are graded by humans with known probabilities. The
    estimate is the machine value plus the weighted errors of the machine on the sampled documents, each divided by its
    probability; it is unbiased and may be outside [0, 1].

    Parameters
    ----------
    weights, machine, probability
        Weight, machine gain and sampling probability of the document at each rank.
    human
        Human gains by position in the ranking, from 0.
    """
    value = float(weights @ machine)
    return value + float(sum(weights[i] * (gain - machine[i]) / probability[i] for i, gain in human.items()))


def expected_variance_ratio(rho: Floats, human: int, machine: int) -> Floats:
    """Return the variance of the tuned estimate relative to that of human judgments alone, for a correlation rho."""
    return np.asarray(1 - np.square(rho) * machine / (human + machine))


def _degrees_of_freedom(parts: Sequence[tuple[float, int]]) -> float:
    total = sum(part for part, _ in parts)
    below = sum(part**2 / df for part, df in parts if part > 0)
    return math.nan if below == 0 else total**2 / below


def _quantile(df: float, confidence: float) -> float:
    from scipy.special import stdtrit

    return 0.0 if math.isnan(df) else float(stdtrit(df, (1 + confidence) / 2))
