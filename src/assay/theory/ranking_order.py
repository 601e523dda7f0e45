"""The partial order on judged rankings.

A ranking r is at most as good as s if the following condition holds for every rank k and every grade g above 0: the top
k of r contain at most as many documents of grade g or better as the top k of s. Equivalently, for every m, the m-th
document of grade g or better is not ranked higher in r than in s. Rankings can therefore be compared by the ranks of
their relevant documents.

The set-based order requires the condition only for k at the end of the rankings. Measures may disagree on rankings that
are incomparable. Rankings of unequal length are incomparable, unless the shorter ranking is padded with non-relevant
documents.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.judged import Judged

OUTCOMES = ("less", "greater", "equal", "incomparable")
LESS, GREATER, EQUAL, INCOMPARABLE = range(4)
UNEQUAL = ("incomparable", "pad")
"""Treatment of rankings of unequal length: they are incomparable, or the shorter ranking is padded."""
_PAIRS = 1 << 14  # Number of pairs that are compared in one block.


def compare(
    r: Sequence[float | None], s: Sequence[float | None], *, ranked: bool = True, unequal: str = "incomparable"
) -> str:
    """Compare two judged rankings, given as lists of grades: less, greater, equal or incomparable.

    The grade None means an unjudged document, which counts as non-relevant. If *ranked* is False, use the set-based
    order. Rankings of unequal length are incomparable, unless *unequal* is ``pad``: then the shorter ranking is padded
    with non-relevant documents.

    >>> compare([0, 1, 1, 2, 2], [2, 0, 1, 2, 1]), compare([0, 1, 0, 1, 0], [1, 0, 0, 0, 1])
    ('less', 'incomparable')
    >>> compare([0, 1], [1]), compare([0, 1], [1], unequal="pad")
    ('incomparable', 'less')
    """
    check_unequal(unequal)
    if len(r) != len(s) and unequal != "pad":
        return OUTCOMES[INCOMPARABLE]
    judged = Judged.from_grades([r, s])
    [outcome] = compare_profiles(build_profiles(judged, np.arange(2), ranked), np.array([[0, 1]]))
    return OUTCOMES[outcome]


def check_unequal(unequal: str) -> None:
    """Raise an error if *unequal* is not one of ``UNEQUAL``."""
    if unequal not in UNEQUAL:
        raise InputError(f"unequal {unequal!r}: choose one of {', '.join(UNEQUAL)}{suggestion(unequal, UNEQUAL)}")


def build_profiles(judged: Judged, rankings: Ints, ranked: bool = True) -> Ints:
    """Return the profile of each ranking of one topic: for each grade, the ranks of documents of at least this grade.

    The result is rankings x documents; the columns are grouped by grade. If a ranking has fewer documents of a grade
    than others, its profile is padded with a rank after the last. A ranking is at most as good as another ranking if
    none of its ranks is smaller. If *ranked* is False, the ranks of all retrieved documents are 0, so that only the
    number of documents counts.
    """
    thresholds = np.flatnonzero(judged.levels > 0)
    selected = judged.select_rankings(rankings)
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


def compare_profiles(profiles: Ints, pairs: Ints) -> Ints:
    """Return the outcome of each pair of rows of *profiles* for the first row, as an index in ``OUTCOMES``."""
    outcomes = np.empty(len(pairs), dtype=np.int64)
    for begin in range(0, len(pairs), _PAIRS):
        block = pairs[begin : begin + _PAIRS]
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
    counts = {0.0: 4, 1.0: 3}
    # Three rankings that are equal in the order (the third is equal after padding).
    values = [measure.of(ranking, counts) for ranking in ([0, 1], [None, 1], [0, 1, 0, 0])]
    return bool(measure.swap and measure.replacement and np.ptp(values) <= ROUNDING)
