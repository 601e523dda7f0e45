"""nDCG and nCG of completions by their own sums, against branch and bound."""

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
def test_as_branch_and_bound_finds(text: str, levels: tuple[float, ...]) -> None:
    for outside in (0, 4):
        problem = Problem.from_measure(measure(text), long_rankings(levels, length=30, ungraded=12), outside)
        found, other = normalised_gain.bound_normalised_gain(problem), bound_by_branching(problem, work=10**6)
        assert found.exact.all()
        assert contains(other, found.low, found.high).all()
        assert other.exact.mean() > 0.7
        assert reaches(found, other.low, other.high)[other.exact].all()


@pytest.mark.parametrize("text", TEXTS)
def test_no_drawn_completion_lies_outside(text: str) -> None:
    """Of long rankings with many grades; some are drawn sorted, as those are that matter."""
    rng = np.random.default_rng(3)
    problem = Problem.from_measure(measure(text), long_rankings((0, 1, 2, 3), number=2), 0)
    found = normalised_gain.bound_normalised_gain(problem)
    for row in range(2):
        drawn = rng.integers(0, problem.max_class + 1, (3000, 40))
        drawn[:1000] = -np.sort(-drawn[:1000], axis=1)
        drawn[1000:2000] = np.sort(drawn[1000:2000], axis=1)
        drawn = np.where(rng.random((3000, 1)) < 0.5, drawn, drawn * (rng.random((3000, 40)) < rng.random((3000, 1))))
        value = problem.score_assignments(row, drawn, np.zeros(3000, dtype=np.int64))
        assert found.low[row] <= value.min() + 1e-12
        assert value.max() <= found.high[row] + 1e-12


def test_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for pool in ((0, 1, 2), (0, 1), ()):
        problem = Problem.from_measure(measure("nDCG@5"), rankings(pool, POOLS[pool]), 2)
        whole = normalised_gain.bound_normalised_gain(problem)
        with monkeypatch.context() as patched:
            patched.setattr(normalised_gain, "_CELLS", 3)
            found = normalised_gain.bound_normalised_gain(problem)
        assert found.low == pytest.approx(whole.low, abs=1e-15)
        assert found.high == pytest.approx(whole.high, abs=1e-15)


def test_documents_outside_fill_the_ideal_ranking_down_to_the_cutoff() -> None:
    judged = rankings((0, 1, 2), POOLS[0, 1, 2])
    for text in ("nDCG@5", "nCG@3"):
        filled = bound_values(measure(text), judged, outside=5)
        for outside in (6, 10**15, math.inf):
            assert bound_values(measure(text), judged, outside=outside).low.tolist() == filled.low.tolist()
    assert (bound_values(measure("nDCG"), judged, outside=math.inf).low == 0).all()
