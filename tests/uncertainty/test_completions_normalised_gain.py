"""Bounds of nDCG and nCG from cumulative sums, compared with branch and bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.measures import measure
from assay.uncertainty.completions import bound_values, normalised_gain
from assay.uncertainty.completions.branch_and_bound import bound_by_branching
from assay.uncertainty.completions.problem import Problem
from completion_cases import POOLS, contains, long_rankings, rankings, reaches

TEXTS = (
    "nDCG",
    "nDCG@10",
    "nDCG@100",
    "nDCG(base=10, gains=base5)",
    "nDCG(gains=exp)@30",
    "nCG",
    "nCG@10",
    "nCG(rel=2)",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("levels", [(0, 1), (0, 1, 2), (-1, 0, 1, 2, 3), (0, 0.5, 900)])
def test_agrees_with_branch_and_bound(text: str, levels: tuple[float, ...]) -> None:
    for outside in (0, 4):
        problem = Problem.from_measure(measure(text), long_rankings(levels, length=30, ungraded=12), outside)
        interval, branched = normalised_gain.bound_normalised_gain(problem), bound_by_branching(problem, work=10**6)
        assert interval.exact.all()
        assert contains(branched, interval.low, interval.high).all()
        assert branched.exact.mean() > 0.7
        assert reaches(interval, branched.low, branched.high)[branched.exact].all()


@pytest.mark.parametrize("text", TEXTS)
def test_bounds_contain_random_completions(text: str) -> None:
    """Some random completions are sorted, because the extremes are attained by sorted ones."""
    rng = np.random.default_rng(3)
    problem = Problem.from_measure(measure(text), long_rankings((0, 1, 2, 3), number=2), 0)
    interval = normalised_gain.bound_normalised_gain(problem)
    for row in range(2):
        classes = rng.integers(0, problem.max_class + 1, (3000, 40))
        classes[:1000] = -np.sort(-classes[:1000], axis=1)
        classes[1000:2000] = np.sort(classes[1000:2000], axis=1)
        classes = np.where(
            rng.random((3000, 1)) < 0.5, classes, classes * (rng.random((3000, 40)) < rng.random((3000, 1)))
        )
        values = problem.score_assignments(row, classes, np.zeros(3000, dtype=np.int64))
        assert interval.low[row] <= values.min() + 1e-12
        assert values.max() <= interval.high[row] + 1e-12


def test_batch_size_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    for pool in ((0, 1, 2), (0, 1), ()):
        problem = Problem.from_measure(measure("nDCG@5"), rankings(pool, POOLS[pool]), 2)
        whole = normalised_gain.bound_normalised_gain(problem)
        with monkeypatch.context() as patch:
            patch.setattr(normalised_gain, "_CELLS", 3)
            interval = normalised_gain.bound_normalised_gain(problem)
        assert interval.low == pytest.approx(whole.low, abs=1e-15)
        assert interval.high == pytest.approx(whole.high, abs=1e-15)


def test_documents_outside_beyond_the_cutoff_do_not_matter() -> None:
    judged = rankings((0, 1, 2), POOLS[0, 1, 2])
    for text in ("nDCG@5", "nCG@3"):
        filled = bound_values(measure(text), judged, outside=5)
        for outside in (6, 10**15, math.inf):
            assert bound_values(measure(text), judged, outside=outside).low.tolist() == filled.low.tolist()
    assert (bound_values(measure("nDCG"), judged, outside=math.inf).low == 0).all()
