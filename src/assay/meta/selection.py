"""Selection of the best runs by MAP.

Very poor runs are easy to distinguish from all others, so that all measures appear to agree if such runs are included.
Studies of measures therefore keep only the best 75 % of the runs by mean average precision. It is computed with all
judgments, and every grade above 0 is relevant. The selection does not change when judgments are left out afterwards.
The best ceil(0.75 n) of n runs are selected. Among runs with the same MAP, those whose names come first in sorted order
are selected.

References
----------
Voorhees & Buckley, *The effect of topic set size on retrieval experiment error*, SIGIR 2002; Ferro, Silvello,
Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation*, JASIST 67 (2016). Neither states the rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io.numbers import parse_number
from assay.measures import Measure, measure
from assay.model.arrays import Floats, Ints
from assay.results._evaluate import evaluate
from assay.results.results import Results

BY = "AP"
_ROUNDING = 1e-9


def select_results(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    share: float | None = None,
    default: tuple[str, ...] = (),
) -> Results:
    """Return the values of measures for the best fraction *share* of the runs by MAP (None: all runs).

    If *source* is a campaign, it is evaluated by *measures* (None: by the *default* measures). If *source* is results,
    the given measures are selected (None: all); to select the best runs, the results must include AP.
    """
    if isinstance(source, Results):
        results = source if share in (None, 1) else select_best(source, share)
        return results if measures is None else results.select(measures=measures)
    if measures is None and not default:
        raise InputError("measures: name at least one measure, such as AP")
    results = evaluate(source, default if measures is None else measures)
    return results if share is None else results.select(best_runs(source, share))


def best_runs(campaign: Campaign, share: float) -> tuple[str, ...]:
    """Return the names of the best fraction of the runs by MAP, in the order of the campaign."""
    return select_best(evaluate(campaign, BY), share).runs


def select_best(results: Results, share: float) -> Results:
    """Return the results of the best fraction of the runs by MAP; AP must be among the measures."""
    by = measure(BY)
    if by not in results.measures:
        raise InputError(f"the best runs are chosen by {BY}, which is not among these results; add it to the measures")
    values = results.overall()[:, results.measures.index(by)]
    return results.select([results.runs[i] for i in find_best(results.runs, values, share)])


def find_best(names: Sequence[str], values: Floats, share: float) -> Ints:
    """Return the indices of the best fraction *share* of the runs, ascending; runs without a value are the worst.

    >>> find_best(["c", "b", "a", "d"], np.array([0.1, 0.3, 0.1, 0.0]), 0.5).tolist()
    [1, 2]
    """
    values = np.where(np.isnan(values), -np.inf, values)
    best_first = sorted(range(len(names)), key=lambda i: (-values[i], names[i]))
    return np.array(sorted(best_first[: count_best(len(names), share)]), dtype=np.int64)


def count_best(run_count: int, share: float) -> int:
    """Return the number of runs that a fraction of *run_count* runs selects, rounded up.

    >>> [count_best(run_count, 0.75) for run_count in (95, 74, 37, 27)]
    [72, 56, 28, 21]
    """
    if not 0 < share <= 1:
        raise InputError(f"best: the fraction of runs must be above 0 and at most 1, such as 0.75, got {share:g}")
    # 0.1 x 30 is slightly larger than 3 in floating point; without the tolerance, the result would be 4 runs.
    return max(1, math.ceil(share * run_count - _ROUNDING))


def parse_share(text: str) -> float:
    """Parse a fraction that is written as a percentage or as a number.

    >>> parse_share("75%"), parse_share("0.75")
    (0.75, 0.75)
    """
    share = (parse_number(text.removesuffix("%").strip()) or 0.0) / (100 if text.endswith("%") else 1)
    if not 0 < share <= 1:
        raise InputError(f"--best {text}: write a fraction of the runs, such as 75% or 0.75")
    return share
