r"""Coefficients of agreement between judges, with intervals over topics.

All coefficients are functions of sums over judged documents, so that the sums of the topics can be added, and a topic
can be left out by subtraction.

* **Agreement** is the fraction of documents with the same grade.
* **Cohen's kappa** compares the disagreement with that of independent judges with the same grade frequencies: with the
  table n of two judges, n documents and a distance v of grades,

  .. math:: \kappa = 1 - \frac{\sum v_{ij} n_{ij}}{\sum v_{ij} n_{i\cdot} n_{\cdot j} / n}

  The distance is 1 for different grades (``none``), the difference of the grades (``linear``) or its square
  (``quadratic``). It is the distance of the grades and not of their positions, so that a grade which nobody used does
  not change the coefficient.
* **Krippendorff's alpha** allows any number of judges and missing judgments. A document with m judgments adds each
  ordered pair of its grades with the weight 1 / (m - 1) to the coincidences o; :math:`n_c` are their row sums and n
  is their total.

  .. math:: \alpha = 1 - (n - 1) \frac{\sum o_{cd} \Delta_{cd}}{\sum n_c n_d \Delta_{cd}}

  The distance is nominal, ordinal (by the number of judgments between the two grades) or interval (squared difference).
* **Gwet's AC1 and AC2** estimate the agreement by chance from grades that are hard to judge. If almost all documents
  have the same grade, kappa is near 0 even if judges almost always agree, and AC1 is not.

A coefficient is undefined (NaN) if only one grade occurs.

References
----------
Cohen, *A coefficient of agreement for nominal scales*, Educational and Psychological Measurement 20, 1960, and
*Weighted kappa*, Psychological Bulletin 70, 1968. Krippendorff, *Computing Krippendorff's alpha-reliability*, 2011.
Gwet, *Computing inter-rater reliability and its variance in the presence of high agreement*, British Journal of
Mathematical and Statistical Psychology 61, 2008.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from assay.model.arrays import Floats, Ints

WEIGHTS = ("none", "linear", "quadratic")
METRICS = ("nominal", "ordinal", "interval")


class Estimate(NamedTuple):
    """A value with its standard error and interval over topics; NaN if undefined."""

    value: float
    error: float
    low: float
    high: float


def cross_tabulate(a: Ints, b: Ints, topic: Ints, topics: int, grades: int) -> Floats:
    """Return for each topic a table of two judges: topics x grades of a x grades of b.

    *a* and *b* are the indices of the grades of each document.
    """
    cell = (topic * grades + a) * grades + b
    return np.bincount(cell, minlength=topics * grades * grades).reshape(topics, grades, grades).astype(np.float64)


def agreement(table: Floats) -> Floats:
    """Return the fraction of documents with the same grade; *table* has the two judges in its last axes."""
    return _divide(np.trace(table, axis1=-2, axis2=-1), table.sum(axis=(-2, -1)))


def kappa(table: Floats, grades: Floats, weights: str = "none") -> Floats:
    """Return Cohen's kappa; *table* has the two judges in its last axes, and *grades* are the grades of both."""
    distance = _distances(grades, weights)
    n = table.sum(axis=(-2, -1))
    expected = table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :]
    observed = (distance * table).sum(axis=(-2, -1))
    return 1 - _divide(observed * n, (distance * expected).sum(axis=(-2, -1)))


def _distances(grades: Floats, weights: str) -> Floats:
    difference = np.abs(grades[:, None] - grades[None, :])
    return {"none": (difference > 0).astype(np.float64), "linear": difference, "quadratic": difference**2}[weights]


def count_grades(codes: Ints, grades: int) -> Floats:
    """Return documents x grades: the number of judges who gave each grade; *codes* is -1 for no judgment."""
    documents = len(codes)
    cell = np.arange(documents)[:, None] * grades + codes
    counts = np.bincount(cell[codes >= 0], minlength=documents * grades)
    return counts.reshape(documents, grades).astype(np.float64)


def coincidences(counts: Floats, topic: Ints, topics: int) -> Floats:
    """Return the coincidences of each topic, topics x grades x grades, from the grade counts of documents."""
    judges = counts.sum(axis=1)
    weight = np.divide(1.0, judges - 1, out=np.zeros(len(counts)), where=judges > 1)
    grades = counts.shape[1]
    table = np.empty((topics, grades, grades))
    for c in range(grades):
        for d in range(grades):
            pairs = counts[:, c] * (counts[:, d] - (c == d)) * weight
            table[:, c, d] = np.bincount(topic, weights=pairs, minlength=topics)
    return table


def alpha(table: Floats, grades: Floats, metric: str = "nominal") -> Floats:
    """Return Krippendorff's alpha; *table* has coincidences in its last axes."""
    margin = table.sum(axis=-1)
    total = margin.sum(axis=-1)
    if metric == "ordinal":
        # The number of judgments from grade c to grade d, with half of those at both ends.
        middle = np.cumsum(margin, axis=-1) - margin / 2
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        distance = _distances(grades, "none" if metric == "nominal" else "quadratic")
    observed = (table * distance).sum(axis=(-2, -1))
    expected = (margin[..., :, None] * margin[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - _divide((total - 1) * observed, expected)


class GwetSums(NamedTuple):
    """Sums over the documents of each topic: agreement of documents with several judges, their number, grade shares.

    *shares* is topics x grades, summed over *judged* documents.
    """

    agreement: Floats
    paired: Floats
    shares: Floats
    judged: Floats


def sum_for_gwet(counts: Floats, grades: Floats, topic: Ints, topics: int, weights: str = "none") -> GwetSums:
    """Return the sums of Gwet's coefficient by topic, from the grade counts of documents."""
    judges = counts.sum(axis=1)
    similarity = _similarities(grades, weights)
    pairs = (counts * (counts @ similarity - 1)).sum(axis=1)
    observed = np.divide(pairs, judges * (judges - 1), out=np.zeros(len(counts)), where=judges > 1)
    shares = np.divide(counts, judges[:, None], out=np.zeros(counts.shape), where=judges[:, None] > 0)

    def add(values: Floats) -> Floats:
        return np.bincount(topic, weights=values, minlength=topics).astype(np.float64)

    by_grade = np.stack([add(column) for column in shares.T], axis=1)
    return GwetSums(add(observed), add((judges > 1).astype(float)), by_grade, add((judges > 0).astype(float)))


def _similarities(grades: Floats, weights: str) -> Floats:
    """Return the weight of each pair of grades as agreement: 1 for equal grades."""
    extent = grades.max() - grades.min() if len(grades) > 1 else 1.0
    scale = {"none": 1.0, "linear": extent, "quadratic": extent**2}[weights]
    return np.asarray(1 - _distances(grades, weights) / scale)


def gwet(sums: GwetSums, grades: Floats, weights: str = "none") -> tuple[Floats, Floats, Floats]:
    """Return the observed agreement, the agreement by chance, and Gwet's coefficient: AC1, or AC2 with weights."""
    share = _divide(sums.shares, sums.judged[..., None])
    observed = _divide(sums.agreement, sums.paired)
    count = len(grades)
    chance = (share * (1 - share)).sum(axis=-1)
    expected = _similarities(grades, weights).sum() / max(count * (count - 1), 1) * chance
    return observed, expected, _divide(observed - expected, 1 - expected)


def jackknife(parts: tuple[Floats, ...], compute: Callable[..., Floats], confidence: float = 0.95) -> Estimate:
    r"""Return a coefficient with its interval; each topic is left out once.

    Documents of a topic are not independent, so topics are the sample. With T topics and the values
    :math:`\theta_{(t)}` without topic t, the squared standard error is
    :math:`\frac{T-1}{T} \sum_t (\theta_{(t)} - \bar\theta)^2`. The interval by Student's t with T - 1 degrees of
    freedom is cut to [-1, 1]. It is undefined for a single topic, or if a coefficient without a topic is undefined.

    Parameters
    ----------
    parts
        Sums by topic, with the topic as first axis.
    compute
        Function from the sums over topics to the coefficient.
    confidence
        Level of the interval.
    """
    from scipy.special import stdtrit

    totals = [part.sum(axis=0) for part in parts]
    value = float(compute(*totals))
    topics = len(parts[0])
    without = np.asarray(compute(*(total - part for total, part in zip(totals, parts, strict=True))))
    if topics < 2 or not np.isfinite(without).all() or math.isnan(value):
        return Estimate(value, math.nan, math.nan, math.nan)
    error = math.sqrt((topics - 1) / topics * np.square(without - without.mean()).sum())
    margin = float(stdtrit(topics - 1, (1 + confidence) / 2)) * error
    return Estimate(value, error, max(value - margin, -1.0), min(value + margin, 1.0))


class MarginTests(NamedTuple):
    """Tests whether two judges use the grades equally often."""

    bowker: float
    bowker_df: int
    bowker_p: float
    stuart_maxwell: float
    df: int
    p: float


def compare_margins(table: Floats) -> MarginTests:
    r"""Test the symmetry (Bowker) and the margins (Stuart and Maxwell) of the table of two judges.

    Bowker's statistic is :math:`\sum_{i<j} (n_{ij} - n_{ji})^2 / (n_{ij} + n_{ji})`. The statistic of Stuart and
    Maxwell is :math:`d^T S^- d`, with the differences of the margins d and the Moore-Penrose inverse of their
    covariance. With two grades, both are McNemar's test. They assume that documents are independent, so they are only
    descriptions.

    References
    ----------
    Bowker, JASA 43, 1948. Stuart, Biometrika 42, 1955. Maxwell, British Journal of Psychiatry 116, 1970.
    """
    from scipy.special import chdtrc

    both = table + table.T
    upper = np.triu(both > 0, 1)
    bowker = float((np.square(table - table.T)[upper] / both[upper]).sum())
    df = int(upper.sum())
    difference = table.sum(axis=1) - table.sum(axis=0)
    covariance = np.diag(table.sum(axis=1) + table.sum(axis=0)) - both
    rank = int(np.linalg.matrix_rank(covariance)) if covariance.any() else 0
    stuart = float(difference @ np.linalg.pinv(covariance) @ difference) if rank else 0.0
    return MarginTests(
        bowker, df, float(chdtrc(df, bowker)) if df else 1.0, stuart, rank, float(chdtrc(rank, stuart)) if rank else 1.0
    )


def _divide(numerator: Floats, denominator: Floats) -> Floats:
    """Return a quotient; NaN for a denominator of 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    out = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out
