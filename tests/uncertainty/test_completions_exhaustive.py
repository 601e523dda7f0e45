"""Measures of which less is known: all completions, or the outermost values."""

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
def test_the_outermost_values_hold_all_others(text: str) -> None:
    of = measure(text)
    solve = bound_bpm if of.bounds_strategy == "bejeweled" else bound_exhaustively
    for pool in ((0, 1), (0, 1, 2), (-1, 0, 1), (0, 0.5, 2)):
        problem = Problem.from_measure(of, rankings(pool, POOLS[pool]), 0)
        low, high = every_completion(pool, POOLS[pool], grades_of(of, pool), 0).extremes(of)
        found = solve(problem, work=0)
        assert not found.exact.any()
        some = ~np.isnan(low)
        assert contains(type(found)(*(each[some] for each in found)), low[some], high[some]).all()
        assert reaches(solve(problem), low, high).all()


def test_bpm_is_bounded_by_what_a_user_can_have_when_stopping() -> None:
    """Of rankings that are too long for all completions: drawn ones lie inside, which is not all from 0 to 1."""
    rng = np.random.default_rng(0)
    for text in ("BPM(T=1)@10", "BPM(T=3)@30", "BPM(T=5, max_rel=4)@100", "BPM(T=3)@1000000"):
        problem = Problem.from_measure(measure(text), long_rankings((0, 1, 2)), 0)
        found = bound_bpm(problem)
        assert not found.exact.any()
        assert (found.high - found.low < 0.95).any()
        for row in range(len(problem.judged)):
            drawn = rng.integers(0, problem.max_class + 1, (2000, 40)) * (
                rng.random((2000, 40)) < rng.random((2000, 1))
            )
            value = problem.score_assignments(row, drawn, np.zeros(2000, dtype=np.int64))
            assert found.low[row] <= value.min()
            assert value.max() <= found.high[row]


def test_bpm_does_not_know_documents_outside() -> None:
    judged = rankings((0, 1, 2), POOLS[0, 1, 2])
    one, other = (bound_values(measure("BPM(T=1)@10"), judged, outside=outside) for outside in (0, math.inf))
    assert [each.tolist() for each in one] == [each.tolist() for each in other]


def test_many_documents_and_many_grades_are_not_gone_through() -> None:
    """The number of completions is larger than any floating-point number."""
    for text in ("Twist", "Compat", "G", "RnDCG"):
        for levels in ((0, 1, 2), tuple(range(400))):
            judged = long_rankings(levels, number=1, length=1100, ungraded=1100)
            found = bound_values(measure(text), judged)
            assert [each[0] for each in found] == [0, 1, False]


def test_two_documents_with_many_grades() -> None:
    topic = Topic((None, 5, None), {grade / 4: 1 for grade in range(41)})
    found = bound_values(measure("Compat"), Judged.from_grades([topic.ranking], topic.counts))
    assert (found.low[0], found.high[0]) == pytest.approx(extremes(measure("Compat"), topic, topic.counts))
    assert found.exact[0]


@pytest.mark.parametrize(("documents", "classes"), [(0, 0), (0, 3), (3, 0), (4, 1), (3, 2), (2, 5)])
def test_vectors(documents: int, classes: int) -> None:
    found = list(map(tuple, _list_profiles(documents, classes).tolist()))
    wanted = {
        numbers for numbers in np.ndindex(*(documents + 1,) * classes) if all(a >= b for a, b in pairwise(numbers))
    }
    assert len(found) == len(wanted) == math.comb(documents + classes, classes)
    assert set(found) == wanted


@pytest.fixture
def function(tmp_path: Path) -> Iterator[Measure]:
    file = tmp_path / "tenfold.py"
    file.write_text(
        "def tenfold(grades, counts):\n"
        "    return 10 * grades.count(1) - counts.get(1, 0) if grades[:1] != (1,) else -50\n"
    )
    (cls,) = load_measures(file)
    yield cls()
    del CATALOGUE[cls.name.lower()]


def test_nothing_is_known_of_a_plain_function(function: Measure) -> None:
    judged = rankings((0, 1), POOLS[0, 1])
    for outside in (0, 2):
        low, high = every_completion((0, 1), POOLS[0, 1], (0, 1), outside).extremes(function)
        found = bound_values(function, judged, outside=outside)
        assert found.exact.all()
        assert reaches(found, low, high).all()
    for found in (bound_values(function, judged, outside=math.inf), bound_values(function, long_rankings((0, 1)))):
        assert not found.exact.any()
        assert np.isinf(found.low).all()
        assert np.isinf(found.high).all()
