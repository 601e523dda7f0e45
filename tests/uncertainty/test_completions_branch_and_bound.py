"""Branch and bound over completions, compared with enumeration and with special algorithms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.measures import Measure, measure
from assay.measures._base import CATALOGUE
from assay.model.arrays import Floats
from assay.model.judged import Judged
from assay.uncertainty.completions import bound_values, branch_and_bound
from assay.uncertainty.completions.branch_and_bound import bound_by_branching
from assay.uncertainty.completions.problem import Interval, Problem
from completion_cases import CLOSE, POOLS, contains, every_completion, grades_of, long_rankings, rankings, reaches
from oracles.completions import Topic, extremes

MEASURES = (
    *("R@5", "R(capped=true)@3", "F", "F(beta=2)@4", "IPrec@0.5", "IPrecAvg(points=11)", "BinG", "infAP", "Shaw@4"),
    *("SetAP", "SetRelP", "nERR", "nERR@3", "MeanNDCG@5", "Q", "Q(norm=min)@4", "Q(gains=binary)", "nDCG", "AP"),
)


def bound_by_count(problem: Problem, outside: int) -> tuple[np.ndarray, np.ndarray]:
    """Return extremes over the number of relevant documents, placed at the top or at the bottom."""
    low, high = [], []
    for row in range(len(problem.judged)):
        numbers = np.arange(problem.num_ungraded[row] + 1)[:, None]
        rows = np.full(len(numbers), row)
        high.append(problem.score(problem.build_completion(rows, numbers)).max())
        low.append(problem.score(problem.build_completion(rows, numbers, outside=outside, best_first=False)).min())
    return np.array(low), np.array(high)


@pytest.mark.parametrize(
    "text", [*MEASURES, "AP@20", "AP(norm=min)@30", "R@20", "nDCG@10", "nCG@20", "Q(beta=5, gains=binary)"]
)
def test_long_rankings_with_one_grade_are_exact(text: str) -> None:
    for outside in (0, 3):
        problem = Problem.from_measure(measure(text), long_rankings((0, 1)), outside)
        assert problem.num_ungraded.tolist() == [40] * 4
        interval = bound_by_branching(problem)
        assert interval.exact.all()
        assert reaches(interval, *bound_by_count(problem, outside)).all()


@pytest.mark.parametrize("text", ["AP", "AP@20", "AP(norm=min)@30"])
def test_branching_agrees_with_the_sums_of_average_precision(text: str) -> None:
    for outside in (0, 3):
        judged = long_rankings((0, 1), seed=5)
        interval = bound_values(measure(text), judged, outside=outside)
        assert reaches(interval, *bound_by_branching(Problem.from_measure(measure(text), judged, outside))[:2]).all()
        assert interval.exact.all()


@pytest.mark.parametrize("text", MEASURES)
def test_limited_work_gives_valid_inexact_bounds(text: str) -> None:
    tested_measure = measure(text)
    inexact = 0
    for pool in ((0, 1), (0, 1, 2), (-1, 0, 1)):
        problem = Problem.from_measure(tested_measure, rankings(pool, POOLS[pool]), 0)
        low, high = every_completion(pool, POOLS[pool], grades_of(tested_measure, pool), 0).extremes(tested_measure)
        for work in (0, 30, 300):
            interval = bound_by_branching(problem, work=work)
            assert contains(interval, low, high).all()
            assert reaches(interval, low, high)[interval.exact].all()
            inexact += int((~interval.exact).sum())
    assert inexact > 0 or text in ("SetRelP", "R@5", "R(capped=true)@3")


@pytest.mark.parametrize("text", ["MeanNDCG@30", "nERR@30", "Q(gains=binary)", "BinG"])
def test_more_work_never_widens_the_interval(text: str) -> None:
    problem = Problem.from_measure(measure(text), long_rankings((0, 1, 2), ungraded=25), 0)
    exact = bound_by_branching(problem)
    width = math.inf
    for work in (0, 1000, 30_000):
        interval = bound_by_branching(problem, work=work)
        assert contains(interval, exact.low, exact.high).all()
        assert (interval.high - interval.low).sum() <= width + CLOSE
        width = (interval.high - interval.low).sum()


def test_q_with_several_grades_has_outer_bounds() -> None:
    """The interval is an outer bound, but close to the true one."""
    tested_measure, pool = measure("Q"), (0, 1, 2)
    low, high = every_completion(pool, POOLS[pool], grades_of(tested_measure, pool), 0).extremes(tested_measure)
    interval = bound_by_branching(Problem.from_measure(tested_measure, rankings(pool, POOLS[pool]), 0))
    assert contains(interval, low, high).all()
    uncertain = high - low > CLOSE
    assert uncertain.any()
    assert not interval.exact[uncertain].all()
    assert (interval.high - interval.low)[uncertain].mean() < 2 * (high - low)[uncertain].mean()
    certain = bound_values(tested_measure, Judged.from_grades([[2, 0, 1]], {0: 1, 1: 2, 2: 1}))
    assert certain.exact[0]
    assert certain.low[0] == certain.high[0] == tested_measure.of([2, 0, 1], {0: 1, 1: 2, 2: 1})


@pytest.mark.parametrize(
    ("ranking", "counts"),
    [
        ((None, 2, None, None), {2: 2}),
        ((None, None, 2, 2, None, None), {2: 3}),
        ((None, 2, 0, None), {0: 1, 1: 1, 2: 1}),
    ],
)
@pytest.mark.parametrize("text", ["Q(gains={1:1,2:50})", "Q(gains={1:49,2:50})", "Q(beta=10, gains=exp)", "Q(beta=0)"])
def test_a_relevant_document_above_a_better_one_may_lower_q(text, ranking, counts) -> None:
    """The lower bound therefore counts judged documents with the lowest grade, too."""
    tested_measure, topic = measure(text), Topic(ranking, {0: 0, 1: 0, 2: 0, **counts})
    for outside in (0, 1):
        low, high = extremes(tested_measure, topic, (0, 1, 2), outside)
        interval = bound_values(tested_measure, Judged.from_grades([ranking], topic.counts), outside=outside)
        assert interval.low[0] <= low + CLOSE
        assert high <= interval.high[0] + CLOSE


def test_batch_size_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("nERR@3", "Q", "infAP"):
        for pool in ((0, 1, 2), ()):
            problem = Problem.from_measure(measure(text), rankings(pool, POOLS[pool]), 1)
            whole = bound_by_branching(problem)
            for cells in (1, 100):
                with monkeypatch.context() as patch:
                    patch.setattr(branch_and_bound, "_CELLS", cells)
                    interval = bound_by_branching(problem)
                assert is_same(interval, whole)


def is_same(first: Interval, second: Interval) -> bool:
    return all(a.tolist() == b.tolist() for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("gain", [0.0005, 0.3, 1])
def test_nerr_with_any_number_of_documents_outside(gain: float) -> None:
    """ERR of infinitely many documents of gain x is -x ln(x) / (1 - x); for small x the sum is too long."""
    interval = bound_values(
        measure(f"nERR(gains={{1:{gain}}})"), Judged.from_grades([[1, None, 0]], {0: 1, 1: 1}), outside=math.inf
    )
    limit = 1 if gain == 1 else -gain * math.log(gain) / (1 - gain)
    assert interval.exact[0] == (gain > 0.01)
    assert interval.low[0] == (pytest.approx(gain / limit, abs=1e-12) if interval.exact[0] else 0)


def test_recall_levels_close_to_zero() -> None:
    judged = Judged.from_grades([[0, 1, None]], {0: 1, 1: 1})
    for level, low in ((0, 0.5), (1e-9, 0.0), (0.3, 0.0)):
        interval = bound_values(measure(f"IPrec@{level}"), judged, outside=math.inf)
        assert [each[0] for each in interval] == [low, pytest.approx(2 / 3), True]
    assert bound_values(measure("IPrec@1e-300"), judged, outside=math.inf).low[0] == 0.5


# User-defined measures ---------------------------------------------------------------------------------------


@pytest.fixture
def user_defined():
    """Return recall at even ranks, which satisfies replacement but not swap, and plain recall."""

    class EvenRecall(Measure):
        """Relevant documents at even ranks over R."""

        name = "EvenRecall"
        uses_recall_base = True
        replacement = True
        dilutes = True

        def score(self, judged: Judged) -> Floats:
            rows = judged.rows(judged.relevance(1))
            even = rows.rank % 2 == 0
            relevant = judged.total(rows.ranking[even], rows.gain[even])
            return relevant / np.maximum(judged.recall_base(1), 1)

    class Recall(EvenRecall):
        """Recall that declares both axioms, but no limit for documents outside the ranking."""

        name = "OwnRecall"
        swap = True

        def score(self, judged: Judged) -> Floats:
            return measure("R").score(judged)

    yield EvenRecall(), Recall()
    del CATALOGUE["evenrecall"], CATALOGUE["ownrecall"]


def test_bounds_rely_on_declared_axioms_of_user_defined_measures(user_defined: tuple[Measure, Measure]) -> None:
    pool = (0, 1)
    for tested_measure in user_defined:
        low, high = every_completion(pool, POOLS[pool], (0, 1), 0).extremes(tested_measure)
        interval = bound_values(tested_measure, rankings(pool, POOLS[pool]))
        assert interval.exact.all()
        assert reaches(interval, low, high).all()
        any_number = bound_values(tested_measure, rankings(pool, POOLS[pool]), outside=math.inf)
        assert not any_number.exact.any()
        assert contains(any_number, low * 0, high).all()
