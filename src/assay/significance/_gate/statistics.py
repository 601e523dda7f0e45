"""Statistics of the rows of a gate: bounds, one-sided tests at the tolerated loss, and the number of topics needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.model.arrays import ROUNDING, Bools, Floats, Ints, subtract
from assay.significance.differences import Differences, scale_differences
from assay.significance.topic_set_size import compute_detectable_difference, plan_one_sided_topics

FEW_CHANGED = 10
"""With fewer changed topics, a pass also needs a limit on the frequency of losses; see :func:`limit_loss`."""


class GateSettings(NamedTuple):
    """The test of a gate, a paired test with one-sided p-values, its level, and limits for a decision."""

    test: Any
    alpha: float
    power: float
    min_topics: int
    min_coverage: float = 0.8


@dataclass(frozen=True, eq=False)
class PairedValues:
    """Values of rows of a gate that have the same number of topics.

    Attributes
    ----------
    baseline, candidate
        Values, rows x topics, without NaN; logarithms for a geometric mean.
    sign
        1 for each row whose measure is better if higher, otherwise -1.
    size, relative
        The tolerated loss of each row: a difference or, if relative, a fraction of the mean of the baseline.
    """

    baseline: Floats
    candidate: Floats
    sign: Ints
    size: Floats
    relative: Bools

    @property
    def gain(self) -> Floats:
        """Gain of the candidate on each topic, positive if it is better; 0 if both values are equal up to rounding."""
        largest = np.maximum(np.abs(self.baseline), np.abs(self.candidate))
        gain = self.candidate - self.baseline
        gain[np.abs(gain) <= ROUNDING * largest] = 0.0
        return np.asarray(self.sign[:, None] * gain)

    @property
    def tolerance(self) -> Floats:
        """Tolerated loss on each topic; its mean is the margin."""
        size = self.size[:, None]
        return np.where(self.relative[:, None], size * self.baseline, np.broadcast_to(size, self.baseline.shape))


def compute_columns(rows: PairedValues, settings: GateSettings) -> dict[str, Floats]:
    r"""Return the statistics of rows by name, one value for each row.

    The gains are d, the tolerated loss on topic t is m: the margin M, or r times the value of the baseline on t. A
    relative margin is therefore tested as a contrast, d + r b = c - (1 - r) b if higher values are better. The test
    compares the mean of

    .. math:: x_t = d_t + m_t

    with 0. *p_pass* is small if the loss is below the margin, *p_fail* if it is above. *p_mirror* is small if the gain
    is below the margin. *low* and *high* are the one-sided bounds of the difference c - b by Student's t, each with
    confidence 1 - alpha. *limit* is the limit of :func:`limit_loss`. *topics_needed* is the number of topics with which
    an equally good candidate passes with the given power; *mdd* is the smallest margin with which it does at this
    number of topics. All but the means are NaN for fewer than two topics; p is NaN below the smallest number of topics.
    """
    gain, tolerance = rows.gain, rows.tolerance
    count, topics = gain.shape
    means = {"baseline": _mean(rows.baseline), "candidate_value": _mean(rows.candidate)}
    columns = {
        "topics": np.full(count, float(topics)),
        "changed": np.count_nonzero(gain, axis=1).astype(np.float64),
        **means,
        "difference": subtract(means["candidate_value"], means["baseline"]),
        "margin": _mean(tolerance),
    }
    names = ("low", "high", "p_pass", "p_fail", "p_mirror", "limit", "topics_needed", "mdd")
    columns |= {name: np.full(count, np.nan) for name in (*names, "change", "change_low", "change_high")}
    if topics < 2:
        return columns
    contrast = scale_differences(gain + tolerance)
    columns["low"], columns["high"] = _bound_differences(rows, scale_differences(gain), settings.alpha)
    columns["limit"] = limit_loss(gain, settings.alpha)
    columns |= _plan(columns["margin"], contrast, settings)
    columns |= compute_change(rows.baseline, rows.candidate, settings.alpha)
    if topics >= settings.min_topics:
        columns["p_pass"], columns["p_fail"] = settings.test.compute_tails(contrast)
        columns["p_mirror"] = settings.test.compute_tails(scale_differences(tolerance - gain)).greater
    return columns


def _mean(values: Floats) -> Floats:
    """Return means, added in the order of the topics, so that they equal the means of an evaluation."""
    topics = values.shape[1]
    return np.cumsum(values, axis=1)[:, -1] / topics if topics else np.full(len(values), np.nan)


def _bound_differences(rows: PairedValues, gain: Differences, alpha: float) -> tuple[Floats, Floats]:
    """Return the lower and the upper one-sided bound of the difference candidate - baseline."""
    from scipy.special import stdtrit

    half = stdtrit(gain.topics - 1, 1 - alpha) * gain.error * gain.scale
    mean = rows.sign * gain.mean * gain.scale
    return mean - half, mean + half


def _plan(margin: Floats, contrast: Differences, settings: GateSettings) -> dict[str, Floats]:
    """Return the number of topics needed (NaN if there is none) and the minimum detectable difference."""
    deviation = contrast.deviation * contrast.scale
    effect = np.divide(margin, deviation, out=np.full(len(margin), np.nan), where=deviation > 0)
    needed = plan_one_sided_topics(effect, settings.alpha, settings.power)
    variance, alpha, power = np.square(deviation), settings.alpha, settings.power
    detectable = compute_detectable_difference(contrast.topics, variance, alpha, power, sides=1)
    return {"topics_needed": np.where(np.isinf(needed), np.nan, needed), "mdd": detectable}


def limit_loss(gain: Floats, alpha: float) -> Floats:
    """Return an upper limit of the mean loss if losses are rare: their frequency could be higher than observed.

    The limit is the Clopper-Pearson upper limit of the share of losing topics, with confidence 1 - alpha, times their
    mean loss. Gains are not set against it. The limit is NaN unless 1 to 9 topics changed: with more changed topics,
    the test suffices.
    """
    from scipy.special import betaincinv

    topics = gain.shape[1]
    changed, lost = np.count_nonzero(gain, axis=1), np.count_nonzero(gain < 0, axis=1)
    mean_loss = np.abs(np.minimum(gain, 0.0)).sum(axis=1) / np.maximum(lost, 1)
    share = np.where(lost < topics, betaincinv(lost + 1, np.maximum(topics - lost, 1), 1 - alpha), 1.0)
    return np.where((changed > 0) & (changed < FEW_CHANGED), share * mean_loss, np.nan)


def share_unseen(topics: int, alpha: float) -> float:
    """Return the share of topics that may differ although none of the observed topics does, 1 - alpha^(1/n).

    >>> round(share_unseen(200, 0.05), 4)
    0.0149
    """
    return float(-np.expm1(np.log(alpha) / topics))


def compute_change(baseline: Floats, candidate: Floats, alpha: float) -> dict[str, Floats]:
    r"""Return the relative change of the mean and its one-sided bounds by Fieller's theorem.

    The bounds are the ratios r with

    .. math:: |\overline{c - r b}| \le t_{n-1, 1-\alpha} \; s_{c - r b} / \sqrt n

    minus 1. They are NaN if the mean of the baseline is not clearly different from 0.
    """
    from scipy.special import stdtrit

    topics = baseline.shape[1]
    b, c = baseline.mean(axis=1), candidate.mean(axis=1)
    deviations = (baseline - b[:, None], candidate - c[:, None])
    factor = stdtrit(topics - 1, 1 - alpha) ** 2 / topics / (topics - 1)
    with np.errstate(all="ignore"):
        first, middle, last = (
            x * y - factor * (u * v).sum(axis=1)
            for x, y, u, v in (
                (b, b, deviations[0], deviations[0]),
                (b, c, deviations[0], deviations[1]),
                (c, c, deviations[1], deviations[1]),
            )
        )
        root = np.sqrt(np.maximum(np.square(middle) - first * last, 0.0))
        known = first > 0
        low, high = (np.where(known, (middle + side * root) / first - 1, np.nan) for side in (-1, 1))
        change = np.where(b == 0, np.nan, c / b - 1)
    return {"change": change, "change_low": low, "change_high": high}
