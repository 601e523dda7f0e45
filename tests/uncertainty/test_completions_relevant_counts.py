"""Binary measures bounded by the number of relevant documents, compared with all such numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.measures import measure
from assay.uncertainty.completions import bound_values, relevant_counts
from assay.uncertainty.completions.problem import Problem
from completion_cases import POOLS, contains, long_rankings, rankings, reaches

SUMS = ("AP", "AP@20", "AP(norm=min)@30", "AP(norm=k)@30", "AP*", "YAAP", "bpref", "bpref(k=10)")
TEXTS = (*SUMS, "Accuracy", "Accuracy@25", "Rprec", "RprecMult@0.5", "RprecMult@2", "RprecMult@0.03")


def enumerate_extremes(problem: Problem, outside: range) -> tuple[np.ndarray, np.ndarray]:
    """Return extremes over all numbers of relevant documents, at the top or bottom, and all numbers outside."""
    low, high = [], []
    for row in range(len(problem.judged)):
        numbers = np.arange(problem.num_ungraded[row] + 1)[:, None]
        rows = np.full(len(numbers), row)
        values = [
            problem.score(problem.build_completion(rows, numbers, outside=extra, best_first=best_first))
            for extra in outside
            for best_first in (True, False)
        ]
        low.append(np.min(values))
        high.append(np.max(values))
    return np.array(low), np.array(high)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("length", "ungraded"), [(60, 40), (50, 10), (30, 30)])
def test_long_rankings_agree_with_enumeration(text: str, length: int, ungraded: int) -> None:
    judged = long_rankings((0, 1), number=3, length=length, ungraded=ungraded)
    for outside in (0, 4):
        interval = bound_values(measure(text), judged, outside=outside)
        expected = enumerate_extremes(Problem.from_measure(measure(text), judged, outside), range(outside + 1))
        assert contains(interval, *expected).all()
        if outside == 0 or not text.startswith("bpref"):
            assert interval.exact.all()
            assert reaches(interval, *expected).all()


@pytest.mark.parametrize("text", ["Rprec", "RprecMult@0.5", "RprecMult@3", "RprecMult@0.01"])
def test_more_documents_outside_than_in_the_ranking(text: str) -> None:
    judged = long_rankings((0, 1), number=2, length=12, ungraded=8)
    for outside in (11, 40, 300):
        expected = enumerate_extremes(Problem.from_measure(measure(text), judged, outside), range(outside + 1))
        assert reaches(bound_values(measure(text), judged, outside=outside), *expected).all()
    assert (bound_values(measure(text), judged, outside=math.inf).low == 0).all()


@pytest.mark.parametrize("text", TEXTS)
def test_block_size_does_not_matter(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for pool in ((0, 1), (-1, 0, 1), ()):
        whole = bound_values(measure(text), rankings(pool, POOLS[pool]), outside=1)
        with monkeypatch.context() as patch:
            patch.setattr(relevant_counts, "_CELLS", 1)
            interval = bound_values(measure(text), rankings(pool, POOLS[pool]), outside=1)
        assert interval.low == pytest.approx(whole.low, abs=1e-12)
        assert interval.high == pytest.approx(whole.high, abs=1e-12)


def test_bpref_with_documents_outside_has_outer_bounds() -> None:
    """Bounds of bpref are outer because judged non-relevant documents outside the ranking count as well."""
    tested_measure, pool = measure("bpref(rel=2)"), (0, 1, 2)
    interval = bound_values(tested_measure, rankings(pool, POOLS[pool]), outside=math.inf)
    assert (interval.low == 0).all()
    assert not interval.exact.any()
    assert (interval.high <= 1).all()
