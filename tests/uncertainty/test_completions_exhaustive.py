"""Measures without a special strategy: all completions are enumerated, or outer bounds are given."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from assay.measures import Measure, measure
from assay.measures._base import CATALOGUE
from assay.measures._user_defined import load_measures
from assay.model.judged import Judged
from assay.uncertainty.completions import bound_values
from assay.uncertainty.completions.exhaustive import _list_profiles, bound_bpm, bound_exhaustively
from assay.uncertainty.completions.problem import Problem
from completion_cases import POOLS, contains, every_completion, grades_of, long_rankings, rankings, reaches
from oracles.completions import Topic, extremes

SEARCHED = (
    *("Twist", "Twist(crossing=literal)", "Twist(weights=exp)", "CRPN", "CRPmin", "RhoW", "SpaceRatio", "TurnAround"),
    *("RecoveryRatio", "BackwardSpace", "LossAtR", "BalancePoint", "BalanceRatio", "ForwardSpace", "Compat(p=0.9)"),
    *("BPM(T=1)@10", "BPM(T=2)@4", "BPM(T=0.3)@3", "BPM(T=1, max_rel=4)@100", "G", "RnDCG", "nDCGrel"),
)


@pytest.mark.parametrize("text", SEARCHED)
def test_outer_bounds_contain_all_completions(text: str) -> None:
    tested_measure = measure(text)
    solve = bound_bpm if tested_measure.bounds_strategy == "bejeweled" else bound_exhaustively
    for pool in ((0, 1), (0, 1, 2), (-1, 0, 1), (0, 0.5, 2)):
        problem = Problem.from_measure(tested_measure, rankings(pool, POOLS[pool]), 0)
        low, high = every_completion(pool, POOLS[pool], grades_of(tested_measure, pool), 0).extremes(tested_measure)
        interval = solve(problem, work=0)
        assert not interval.exact.any()
        defined = ~np.isnan(low)
        assert contains(type(interval)(*(each[defined] for each in interval)), low[defined], high[defined]).all()
        assert reaches(solve(problem), low, high).all()


def test_bpm_of_long_rankings_has_nontrivial_outer_bounds() -> None:
    """Rankings are too long for enumeration; random completions lie inside bounds that are narrower than [0, 1]."""
    rng = np.random.default_rng(0)
    for text in ("BPM(T=1)@10", "BPM(T=3)@30", "BPM(T=5, max_rel=4)@100", "BPM(T=3)@1000000"):
        problem = Problem.from_measure(measure(text), long_rankings((0, 1, 2)), 0)
        interval = bound_bpm(problem)
        assert not interval.exact.any()
        assert (interval.high - interval.low < 0.95).any()
        for row in range(len(problem.judged)):
            classes = rng.integers(0, problem.max_class + 1, (2000, 40)) * (
                rng.random((2000, 40)) < rng.random((2000, 1))
            )
            values = problem.score_assignments(row, classes, np.zeros(2000, dtype=np.int64))
            assert interval.low[row] <= values.min()
            assert values.max() <= interval.high[row]


def test_bpm_ignores_documents_outside_the_ranking() -> None:
    judged = rankings((0, 1, 2), POOLS[0, 1, 2])
    no_documents, any_documents = (
        bound_values(measure("BPM(T=1)@10"), judged, outside=outside) for outside in (0, math.inf)
    )
    assert [each.tolist() for each in no_documents] == [each.tolist() for each in any_documents]


def test_too_many_completions_give_trivial_bounds() -> None:
    """The number of completions exceeds the largest floating-point number."""
    for text in ("Twist", "Compat", "G", "RnDCG"):
        for levels in ((0, 1, 2), tuple(range(400))):
            judged = long_rankings(levels, number=1, length=1100, ungraded=1100)
            interval = bound_values(measure(text), judged)
            assert [each[0] for each in interval] == [0, 1, False]


def test_few_documents_with_many_grades_are_exact() -> None:
    topic = Topic((None, 5, None), {grade / 4: 1 for grade in range(41)})
    interval = bound_values(measure("Compat"), Judged.from_grades([topic.ranking], topic.counts))
    assert (interval.low[0], interval.high[0]) == pytest.approx(extremes(measure("Compat"), topic, topic.counts))
    assert interval.exact[0]


@pytest.mark.parametrize(("documents", "classes"), [(0, 0), (0, 3), (3, 0), (4, 1), (3, 2), (2, 5)])
def test_profiles_are_all_decreasing_vectors(documents: int, classes: int) -> None:
    profiles = list(map(tuple, _list_profiles(documents, classes).tolist()))
    expected = {
        profile for profile in np.ndindex(*(documents + 1,) * classes) if all(a >= b for a, b in pairwise(profile))
    }
    assert len(profiles) == len(expected) == math.comb(documents + classes, classes)
    assert set(profiles) == expected


@pytest.fixture
def plain_function(tmp_path: Path) -> Iterator[Measure]:
    file = tmp_path / "tenfold.py"
    file.write_text(
        "def tenfold(grades, counts):\n"
        "    return 10 * grades.count(1) - counts.get(1, 0) if grades[:1] != (1,) else -50\n"
    )
    (cls,) = load_measures(file)
    yield cls()
    del CATALOGUE[cls.name.lower()]


def test_bounds_of_a_plain_function(plain_function: Measure) -> None:
    judged = rankings((0, 1), POOLS[0, 1])
    for outside in (0, 2):
        low, high = every_completion((0, 1), POOLS[0, 1], (0, 1), outside).extremes(plain_function)
        interval = bound_values(plain_function, judged, outside=outside)
        assert interval.exact.all()
        assert reaches(interval, low, high).all()
    for interval in (
        bound_values(plain_function, judged, outside=math.inf),
        bound_values(plain_function, long_rankings((0, 1))),
    ):
        assert not interval.exact.any()
        assert np.isinf(interval.low).all()
        assert np.isinf(interval.high).all()
