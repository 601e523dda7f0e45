"""The partial order on judged rankings.

A ranking r is at most as good as s if, for every rank k and every grade g above 0, the top k of r contain at most as
many documents of grade g or better as the top k of s. Equivalently, for every m, the m-th document of grade g or better
is never at a higher rank in r than in s. Rankings are therefore compared by the ranks of their relevant documents, for
all pairs of rankings at once.

The set-based order requires the condition only for k at the end of the rankings. Two rankings may be incomparable; then
measures are free to disagree. Rankings of unequal length are incomparable, unless the shorter one is padded with
non-relevant documents.
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
"""Treatment of rankings of unequal length: incomparable, or the shorter one padded with non-relevant documents."""
_PAIRS = 1 << 14  # Number of pairs compared at once.


def compare(
    r: Sequence[float | None], s: Sequence[float | None], *, ranked: bool = True, unequal: str = "incomparable"
) -> str:
    """Compare two judged rankings, given as grades by rank: less, greater, equal or incomparable.

    None is an unjudged document, which counts as non-relevant. With *ranked* False, use the set-based order. Rankings
    of unequal length are incomparable; with *unequal* ``pad``, the shorter one is padded with non-relevant documents.

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
    """Return the profile of each ranking of one topic: the ranks of the documents that reach each grade.

    The result is rankings x documents, with the documents of each grade threshold side by side. A ranking with fewer
    such documents than another is padded with a rank after all others. A ranking is at most as good as another if none
    of its ranks is smaller. If not *ranked*, all ranks of retrieved documents are 0, so that only their number counts.
    """
    thresholds = np.flatnonzero(judged.levels > 0)
    selected = judged.select_rankings(rankings)
    after_last = selected.max_depth + 1
    columns = []
    for threshold in thresholds:
        # A gain of 1 for every code whose grade reaches the threshold; code 0 is an unjudged document.
        gain = np.concatenate([[0.0], np.arange(len(judged.levels)) >= threshold])
        rows = selected.rows(gain.astype(np.float64))
        number = selected.cumulative_count(rows) - 1
        table = np.full((len(selected), int(number.max(initial=-1)) + 1), after_last, dtype=np.int64)
        table[rows.ranking, number] = rows.rank if ranked else 0
        columns.append(table)
    return np.hstack([np.zeros((len(selected), 0), dtype=np.int64), *columns])


def compare_profiles(profiles: Ints, pairs: Ints) -> Ints:
    """Return the index in ``OUTCOMES`` of each pair of rows of *profiles*, seen from the first row."""
    outcomes = np.empty(len(pairs), dtype=np.int64)
    for begin in range(0, len(pairs), _PAIRS):
        block = pairs[begin : begin + _PAIRS]
        first, second = profiles[block[:, 0]], profiles[block[:, 1]]
        below, above = np.all(first >= second, axis=1), np.all(first <= second, axis=1)
        outcomes[begin : begin + len(block)] = np.select(
            [below & above, below, above], [EQUAL, LESS, GREATER], default=INCOMPARABLE
        )
    return outcomes


def compare_values(one: Floats, other: Floats) -> Ints:
    """Return the sign of the difference of values: 0 if they differ only by rounding or one is missing.

    The tolerance is relative: at deep ranks the weights of RBP and similar measures cause small but real differences.
    """
    difference = np.nan_to_num(one - other)
    tolerance = ROUNDING * np.maximum(np.abs(one), np.abs(other)) + np.finfo(np.float64).eps
    return np.where(np.abs(difference) <= tolerance, 0, np.sign(difference)).astype(np.int64)


def find_contradictions(outcomes: Ints, first: Floats, second: Floats) -> Bools:
    """Return True where the lower ranking has the larger value, or equal rankings have different values."""
    sign = compare_values(first, second)
    reversed_order = ((outcomes == LESS) & (sign > 0)) | ((outcomes == GREATER) & (sign < 0))
    return np.asarray(reversed_order | ((outcomes == EQUAL) & (sign != 0)))


def is_measurement(measure: Measure) -> bool:
    """Return True if the catalogue declares a measure to be a measurement of utility: both axioms hold.

    The measure must also depend only on what the order takes into account. bpref, for example, distinguishes unjudged
    from non-relevant documents, and set-based measures distinguish a ranking from the same ranking padded with
    non-relevant documents.
    """
    counts = {0.0: 4, 1.0: 3}
    # Three rankings that are equal in the order (the last one after padding).
    values = [measure.of(ranking, counts) for ranking in ([0, 1], [None, 1], [0, 1, 0, 0])]
    return bool(measure.swap and measure.replacement and np.ptp(values) <= ROUNDING)
