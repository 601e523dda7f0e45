"""Which runs are looked at: the best share of them by MAP.

Very poor runs are easy to tell from all others, and would make every measure look alike. Studies of measures therefore
keep the best 75 % of the runs by mean average precision, with every grade above 0 relevant and with all judgments; the
same runs are kept whatever is done to the judgments afterwards. Of n runs these are the best ceil(0.75 n), and of runs
with the same MAP those that come first in the order of their names.

References
----------
Voorhees & Buckley, *The effect of topic set size on retrieval experiment error*, SIGIR 2002; Ferro, Silvello,
Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation*, JASIST 67 (2016), who do not say how they round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assay.errors import InputError
from assay.io.numbers import number
from assay.measures import measure
from assay.model.arrays import Floats, Ints
from assay.results._evaluate import Prepared, evaluated
from assay.results.table import Results

BY = "AP"
_ROUNDING = 1e-9


def best_runs(ready: Prepared, share: float) -> tuple[str, ...]:
    """The names of the best share of the runs by MAP, in the order in which the runs stand."""
    found = evaluated(ready, (measure(BY),))
    return tuple(ready.runs[i] for i in kept(ready.runs, found.overall()[:, 0], share))


def selected(results: Results, share: float | None) -> Results:
    """The results of the best share of the runs (None: of all) by MAP, which must be among the measures."""
    if share is None:
        return results
    values = results.overall()[:, _column(results)]
    return results.only(results.runs[i] for i in kept(results.runs, values, share))


def _column(results: Results) -> int:
    wanted = measure(BY)
    if wanted not in results.measures:
        raise InputError(f"the best runs are chosen by {BY}, which is not among these results; add it to the measures")
    return results.measures.index(wanted)


def kept(names: Sequence[str], values: Floats, share: float) -> Ints:
    """Which of the runs have the largest values, ascending; runs without a value come last.

    >>> kept(["c", "b", "a", "d"], np.array([0.1, 0.3, 0.1, 0.0]), 0.5).tolist()
    [1, 2]
    """
    many = how_many(len(names), share)
    values = np.where(np.isnan(values), -np.inf, values)
    best_first = sorted(range(len(names)), key=lambda i: (-values[i], names[i]))
    return np.array(sorted(best_first[:many]), dtype=np.int64)


def how_many(runs: int, share: float) -> int:
    """How many runs a share of them is, rounded up.

    >>> [how_many(runs, 0.75) for runs in (95, 74, 37, 27)]
    [72, 56, 28, 21]
    """
    if not 0 < share <= 1:
        raise InputError(f"the best share of the runs must be above 0 and at most 1, such as 0.75, got {share:g}")
    # 0.1 x 30 is a little more than 3 in floating point, and is 3 runs all the same.
    return max(1, math.ceil(share * runs - _ROUNDING))


def as_share(text: str) -> float:
    """A share as people write it.

    >>> as_share("75%"), as_share("0.75")
    (0.75, 0.75)
    """
    share = (number(text.removesuffix("%").strip()) or 0.0) / (100 if text.endswith("%") else 1)
    if not 0 < share <= 1:
        raise InputError(f"--best {text}: write a share of the runs, such as 75% or 0.75")
    return share
