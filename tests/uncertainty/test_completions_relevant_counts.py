"""Binary measures whose completions are counted: long rankings, against every number of relevant documents."""

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


def extremes(problem: Problem, outside: range) -> tuple[np.ndarray, np.ndarray]:
    """Of every number of relevant documents, topmost and lowest, with every number outside."""
    low, high = [], []
    for row in range(len(problem.judged)):
        numbers = np.arange(problem.num_ungraded[row] + 1)[:, None]
        every = np.full(len(numbers), row)
        values = [
            problem.score(problem.build_completion(every, numbers, outside=more, best_first=best_first))
            for more in outside
            for best_first in (True, False)
        ]
        low.append(np.min(values))
        high.append(np.max(values))
    return np.array(low), np.array(high)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("length", "ungraded"), [(60, 40), (50, 10), (30, 30)])
def test_long_rankings(text: str, length: int, ungraded: int) -> None:
    judged = long_rankings((0, 1), number=3, length=length, ungraded=ungraded)
    for outside in (0, 4):
        found = bound_values(measure(text), judged, outside=outside)
        wanted = extremes(Problem.from_measure(measure(text), judged, outside), range(outside + 1))
        assert contains(found, *wanted).all()
        if outside == 0 or not text.startswith("bpref"):
            assert found.exact.all()
            assert reaches(found, *wanted).all()


@pytest.mark.parametrize("text", ["Rprec", "RprecMult@0.5", "RprecMult@3", "RprecMult@0.01"])
def test_far_more_documents_outside_than_the_ranking_has(text: str) -> None:
    judged = long_rankings((0, 1), number=2, length=12, ungraded=8)
    for outside in (11, 40, 300):
        wanted = extremes(Problem.from_measure(measure(text), judged, outside), range(outside + 1))
        assert reaches(bound_values(measure(text), judged, outside=outside), *wanted).all()
    assert (bound_values(measure(text), judged, outside=math.inf).low == 0).all()


@pytest.mark.parametrize("text", TEXTS)
def test_in_parts(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for pool in ((0, 1), (-1, 0, 1), ()):
        whole = bound_values(measure(text), rankings(pool, POOLS[pool]), outside=1)
        with monkeypatch.context() as patched:
            patched.setattr(relevant_counts, "_CELLS", 1)
            found = bound_values(measure(text), rankings(pool, POOLS[pool]), outside=1)
        assert found.low == pytest.approx(whole.low, abs=1e-12)
        assert found.high == pytest.approx(whole.high, abs=1e-12)


def test_bpref_with_documents_outside_lies_within_what_is_said() -> None:
    """Those that are not relevant count as well: more of them are judged."""
    of, pool = measure("bpref(rel=2)"), (0, 1, 2)
    found = bound_values(of, rankings(pool, POOLS[pool]), outside=math.inf)
    assert (found.low == 0).all()
    assert not found.exact.any()
    assert (found.high <= 1).all()
