"""The partial order on judged rankings.

A ranking r is at most as good as s if the following condition holds for every rank k and every grade g above 0: the top
k of r contain at most as many documents of grade g or better as the top k of s. Equivalently, for every m, the m-th
document of grade g or better is not ranked higher in r than in s. Rankings can therefore be compared by the ranks of
their relevant documents.

The set-based order requires the condition only for k at the end of the rankings. Measures may disagree on rankings that
are incomparable. Rankings of unequal length are incomparable, unless the shorter ranking is padded with non-relevant
documents.

If grades have gains on a ratio scale, the sum of the gains in the top k replaces the numbers of documents. More
rankings are then comparable. The set-based order becomes total: it orders rankings by their total gain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.theory._geometric import simplify

OUTCOMES = ("less", "greater", "equal", "incomparable")
LESS, GREATER, EQUAL, INCOMPARABLE = range(4)
UNEQUAL = ("incomparable", "pad")
"""Treatment of rankings of unequal length: they are incomparable, or the shorter ranking is padded."""
GainSpec = str | Mapping[float, float]
"""The gain of each grade: the name of a gain mapping, or a gain for each grade."""
_NUMBERS = 1 << 22  # Size of the profiles that are compared in one block.
_LARGEST_SUM = 2**62  # Larger sums of gains do not fit into 64-bit integers.


def compare(
    r: Sequence[float | None],
    s: Sequence[float | None],
    *,
    ranked: bool = True,
    gains: GainSpec | None = None,
    unequal: str = "incomparable",
) -> str:
    """Compare two judged rankings, given as lists of grades: less, greater, equal or incomparable.

    The grade None means an unjudged document, which counts as non-relevant. If *ranked* is False, use the set-based
    order. If there are *gains*, compare sums of gains. Rankings of unequal length are incomparable, unless *unequal* is
    ``pad``: then the shorter ranking is padded with non-relevant documents.

    >>> compare([0, 1, 1, 2, 2], [2, 0, 1, 2, 1]), compare([0, 1, 0, 1, 0], [1, 0, 0, 0, 1])
    ('less', 'incomparable')
    >>> compare([0, 1], [1]), compare([0, 1], [1], unequal="pad")
    ('incomparable', 'less')
    >>> compare([0, 1, 1, 2, 2], [0, 1, 1, 1, 3], ranked=False, gains="identity")
    'equal'
    """
    check_unequal(unequal)
    if len(r) != len(s) and unequal != "pad":
        return OUTCOMES[INCOMPARABLE]
    judged = Judged.from_grades([r, s])
    units = None if gains is None else compute_units(gains, judged.levels)
    [outcome] = compare_profiles(build_profiles(judged, np.arange(2), ranked, units), np.array([[0, 1]]))
    return OUTCOMES[outcome]


def check_unequal(unequal: str) -> None:
    """Raise an error if *unequal* is not one of ``UNEQUAL``."""
    if unequal not in UNEQUAL:
        raise InputError(f"unequal {unequal!r}: choose one of {', '.join(UNEQUAL)}{suggestion(unequal, UNEQUAL)}")


def compute_units(gains: GainSpec, levels: Floats) -> list[int]:
    """Return the gain of each grade code as a multiple of a common unit, so that sums of gains are exact.

    The first number is for unjudged documents; the others are for *levels*, the grades. On a ratio scale, non-relevant
    documents have gain 0, and a higher grade never has a lower gain; other gains raise an error.

    >>> compute_units({1: 0.5, 2: 0.75}, np.array([0.0, 1.0, 2.0]))
    [0, 0, 2, 3]
    """
    table = Gains(gains).table(levels, rel=None, top=None)
    below, relevant = table[1:][levels <= 0], table[1:][levels > 0]
    if table[0] != 0 or below.any() or (np.diff(relevant, prepend=0.0) < 0).any():
        raise InputError(
            f"gains '{Gains(gains)}': need a ratio scale, with gain 0 for non-relevant documents and gains that do not "
            "fall from one grade to the next"
        )
    fractions = [simplify(gain) for gain in table.tolist()]
    denominator = math.lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * denominator) for fraction in fractions]


def build_profiles(
    judged: Judged, rankings: Ints, ranked: bool = True, units: Sequence[int] | None = None
) -> np.ndarray[Any, Any]:
    """Return the profile of each ranking of one topic.

    A ranking is at most as good as another ranking if none of the numbers in its profile is smaller. The result is
    rankings x numbers.

    Without *units*, the profile consists of the ranks of the documents of at least grade g, for each grade g. If a
    ranking has fewer documents of a grade than others, its profile is padded with a rank after the last. If *ranked* is
    False, the ranks of all retrieved documents are 0, so that only the number of documents counts.

    With *units* (see ``compute_units``), the profile consists of the negative sums of gains in the top k, for each rank
    k. If *ranked* is False, it is the negative total gain.
    """
    selected = judged.select_rankings(rankings)
    if units is not None:
        return -_accumulate_units(selected, units, ranked)
    thresholds = np.flatnonzero(judged.levels > 0)
    after_last = selected.max_depth + 1
    tables = []
    for threshold in thresholds:
        # The gain is 1 for every code whose grade is at least the threshold. Code 0 is an unjudged document.
        gain = np.concatenate([[0.0], np.arange(len(judged.levels)) >= threshold])
        rows = selected.rows(gain.astype(np.float64))
        column = selected.cumulative_count(rows) - 1
        table = np.full((len(selected), int(column.max(initial=-1)) + 1), after_last, dtype=np.int64)
        table[rows.ranking, column] = rows.rank if ranked else 0
        tables.append(table)
    return np.hstack([np.zeros((len(selected), 0), dtype=np.int64), *tables])


def _accumulate_units(judged: Judged, units: Sequence[int], ranked: bool) -> np.ndarray[Any, Any]:
    """Return the sum of gains in the top k of each ranking, rankings x ranks; without ranks, only the total."""
    depth = int(judged.length.max(initial=0))
    # Integers of any size are slower than 64-bit integers, but exact.
    unit = np.array(units, dtype=np.int64 if max(units) * depth < _LARGEST_SUM else object)
    gain = np.zeros((len(judged), depth), dtype=unit.dtype)
    gain[judged.ranking(), judged.rank() - 1] = unit[judged.code]
    if not ranked:
        return np.asarray(gain.sum(axis=1, keepdims=True))
    # At other ranks, no sum changes.
    changes = (gain != 0).any(axis=0)
    return np.asarray(np.cumsum(gain[:, changes], axis=1))


def compare_profiles(profiles: np.ndarray[Any, Any], pairs: Ints) -> Ints:
    """Return the outcome of each pair of rows of *profiles* for the first row, as an index in ``OUTCOMES``."""
    outcomes = np.empty(len(pairs), dtype=np.int64)
    block_size = max(1, _NUMBERS // max(profiles.shape[1], 1))
    for begin in range(0, len(pairs), block_size):
        block = pairs[begin : begin + block_size]
        first, second = profiles[block[:, 0]], profiles[block[:, 1]]
        is_at_most, is_at_least = np.all(first >= second, axis=1), np.all(first <= second, axis=1)
        outcomes[begin : begin + len(block)] = np.select(
            [is_at_most & is_at_least, is_at_most, is_at_least], [EQUAL, LESS, GREATER], default=INCOMPARABLE
        )
    return outcomes


def compare_values(one: Floats, other: Floats) -> Ints:
    """Return the sign of the difference of values: 0 if they differ only by rounding errors or if one is NaN.

    The tolerance is relative, because the small weights of deep ranks (as in RBP) cause small but real differences.
    """
    difference = np.nan_to_num(one - other)
    tolerance = ROUNDING * np.maximum(np.abs(one), np.abs(other)) + np.finfo(np.float64).eps
    return np.where(np.abs(difference) <= tolerance, 0, np.sign(difference)).astype(np.int64)


def find_contradictions(outcomes: Ints, first: Floats, second: Floats) -> Bools:
    """Return True where the lower ranking has the larger value, or where equal rankings have different values."""
    sign = compare_values(first, second)
    reversed_order = ((outcomes == LESS) & (sign > 0)) | ((outcomes == GREATER) & (sign < 0))
    return np.asarray(reversed_order | ((outcomes == EQUAL) & (sign != 0)))


def is_measurement(measure: Measure) -> bool:
    """Return True if the catalogue declares that both axioms hold for a measure (a measurement of utility).

    In addition, rankings that are equal in the order must have equal values. bpref, for example, distinguishes unjudged
    from non-relevant documents. Set-based measures distinguish a ranking from the same ranking padded with non-relevant
    documents.
    """
    # Three rankings that are equal in the order (the third is equal after padding), for two topics: padding changes
    # SetRelP if the topic has several relevant documents, and RnDCG if it has one.
    rankings = ([0, 1], [None, 1], [0, 1, 0, 0])
    values = [[measure.of(ranking, {0.0: 4, 1.0: relevant}) for ranking in rankings] for relevant in (1, 3)]
    return bool(measure.swap and measure.replacement and (np.ptp(values, axis=1) <= ROUNDING).all())
