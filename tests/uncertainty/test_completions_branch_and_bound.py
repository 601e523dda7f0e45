"""Branch and bound over completions: against enumeration, against ways of their own, and when it has to give up."""

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

BRANCHED = (
    *("R@5", "R(capped=true)@3", "F", "F(beta=2)@4", "IPrec@0.5", "IPrecAvg(points=11)", "BinG", "infAP", "Shaw@4"),
    *("SetAP", "SetRelP", "nERR", "nERR@3", "MeanNDCG@5", "Q", "Q(norm=min)@4", "Q(gains=binary)", "nDCG", "AP"),
)


def by_number(problem: Problem, outside: int) -> tuple[np.ndarray, np.ndarray]:
    """Every number of relevant documents, the topmost or the lowest ones, one ranking after the other."""
    low, high = [], []
    for row in range(len(problem.judged)):
        numbers = np.arange(problem.num_ungraded[row] + 1)[:, None]
        every = np.full(len(numbers), row)
        high.append(problem.score(problem.build_completion(every, numbers)).max())
        low.append(problem.score(problem.build_completion(every, numbers, outside=outside, best_first=False)).min())
    return np.array(low), np.array(high)


@pytest.mark.parametrize(
    "text", [*BRANCHED, "AP@20", "AP(norm=min)@30", "R@20", "nDCG@10", "nCG@20", "Q(beta=5, gains=binary)"]
)
def test_long_rankings_with_one_grade(text: str) -> None:
    for outside in (0, 3):
        problem = Problem.from_measure(measure(text), long_rankings((0, 1)), outside)
        assert problem.num_ungraded.tolist() == [40] * 4
        found = bound_by_branching(problem)
        assert found.exact.all()
        assert reaches(found, *by_number(problem, outside)).all()


@pytest.mark.parametrize("text", ["AP", "AP@20", "AP(norm=min)@30"])
def test_average_precision_by_its_own_sums(text: str) -> None:
    for outside in (0, 3):
        judged = long_rankings((0, 1), seed=5)
        found = bound_values(measure(text), judged, outside=outside)
        assert reaches(found, *bound_by_branching(Problem.from_measure(measure(text), judged, outside))[:2]).all()
        assert found.exact.all()


@pytest.mark.parametrize("text", BRANCHED)
def test_who_has_to_give_up_says_so_and_is_still_right(text: str) -> None:
    of = measure(text)
    gave_up = 0
    for pool in ((0, 1), (0, 1, 2), (-1, 0, 1)):
        problem = Problem.from_measure(of, rankings(pool, POOLS[pool]), 0)
        low, high = every_completion(pool, POOLS[pool], grades_of(of, pool), 0).extremes(of)
        for work in (0, 30, 300):
            found = bound_by_branching(problem, work=work)
            assert contains(found, low, high).all()
            assert reaches(found, low, high)[found.exact].all()
            gave_up += int((~found.exact).sum())
    assert gave_up > 0 or text in ("SetRelP", "R@5", "R(capped=true)@3")


@pytest.mark.parametrize("text", ["MeanNDCG@30", "nERR@30", "Q(gains=binary)", "BinG"])
def test_more_work_never_widens(text: str) -> None:
    problem = Problem.from_measure(measure(text), long_rankings((0, 1, 2), ungraded=25), 0)
    best = bound_by_branching(problem)
    width = math.inf
    for work in (0, 1000, 30_000):
        found = bound_by_branching(problem, work=work)
        assert contains(found, best.low, best.high).all()
        assert (found.high - found.low).sum() <= width + CLOSE
        width = (found.high - found.low).sum()


def test_between_several_grades_q_is_relaxed() -> None:
    """The interval is an outer one, but not far from the truth."""
    of, pool = measure("Q"), (0, 1, 2)
    low, high = every_completion(pool, POOLS[pool], grades_of(of, pool), 0).extremes(of)
    found = bound_by_branching(Problem.from_measure(of, rankings(pool, POOLS[pool]), 0))
    assert contains(found, low, high).all()
    open_ = high - low > CLOSE
    assert open_.any()
    assert not found.exact[open_].all()
    assert (found.high - found.low)[open_].mean() < 2 * (high - low)[open_].mean()
    settled = bound_values(of, Judged.from_grades([[2, 0, 1]], {0: 1, 1: 2, 2: 1}))
    assert settled.exact[0]
    assert settled.low[0] == settled.high[0] == of.of([2, 0, 1], {0: 1, 1: 2, 2: 1})


@pytest.mark.parametrize(
    ("ranking", "counts"),
    [
        ((None, 2, None, None), {2: 2}),
        ((None, None, 2, 2, None, None), {2: 3}),
        ((None, 2, 0, None), {0: 1, 1: 1, 2: 1}),
    ],
)
@pytest.mark.parametrize("text", ["Q(gains={1:1,2:50})", "Q(gains={1:49,2:50})", "Q(beta=10, gains=exp)", "Q(beta=0)"])
def test_a_relevant_document_before_a_better_one_can_cost_q_more_than_it_brings(text, ranking, counts) -> None:
    """So of the lower bound the judged documents, too, count with the lowest grade."""
    of, topic = measure(text), Topic(ranking, {0: 0, 1: 0, 2: 0, **counts})
    for outside in (0, 1):
        low, high = extremes(of, topic, (0, 1, 2), outside)
        found = bound_values(of, Judged.from_grades([ranking], topic.counts), outside=outside)
        assert found.low[0] <= low + CLOSE
        assert high <= found.high[0] + CLOSE


def test_rankings_are_looked_at_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("nERR@3", "Q", "infAP"):
        for pool in ((0, 1, 2), ()):
            problem = Problem.from_measure(measure(text), rankings(pool, POOLS[pool]), 1)
            whole = bound_by_branching(problem)
            for cells in (1, 100):
                with monkeypatch.context() as patched:
                    patched.setattr(branch_and_bound, "_CELLS", cells)
                    found = bound_by_branching(problem)
                assert same(found, whole)


def same(one: Interval, other: Interval) -> bool:
    return all(a.tolist() == b.tolist() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("gain", [0.0005, 0.3, 1])
def test_the_ideal_ranking_of_nerr_ends_when_all_are_satisfied(gain: float) -> None:
    """ERR of ever more documents of gain x is -x ln(x) / (1 - x), unless so many are too many."""
    found = bound_values(
        measure(f"nERR(gains={{1:{gain}}})"), Judged.from_grades([[1, None, 0]], {0: 1, 1: 1}), outside=math.inf
    )
    limit = 1 if gain == 1 else -gain * math.log(gain) / (1 - gain)
    assert found.exact[0] == (gain > 0.01)
    assert found.low[0] == (pytest.approx(gain / limit, abs=1e-12) if found.exact[0] else 0)


def test_recall_levels_that_are_hardly_above_0() -> None:
    judged = Judged.from_grades([[0, 1, None]], {0: 1, 1: 1})
    for level, low in ((0, 0.5), (1e-9, 0.0), (0.3, 0.0)):
        found = bound_values(measure(f"IPrec@{level}"), judged, outside=math.inf)
        assert [each[0] for each in found] == [low, pytest.approx(2 / 3), True]
    assert bound_values(measure("IPrec@1e-300"), judged, outside=math.inf).low[0] == 0.5


# Measures of one's own ---------------------------------------------------------------------------------------


@pytest.fixture
def own():
    """Recall at even ranks, which obeys the replacement axiom but not that of swaps; and recall itself."""

    class EvenRecall(Measure):
        """Relevant documents at even ranks over R."""

        name = "EvenRecall"
        uses_recall_base = True
        replacement = True
        dilutes = True

        def score(self, judged: Judged) -> Floats:
            rows = judged.rows(judged.relevance(1))
            even = rows.rank % 2 == 0
            found = judged.total(rows.ranking[even], rows.gain[even])
            return found / np.maximum(judged.recall_base(1), 1)

    class Recall(EvenRecall):
        """One that says that it obeys both, but not what becomes of it."""

        name = "OwnRecall"
        swap = True

        def score(self, judged: Judged) -> Floats:
            return measure("R").score(judged)

    yield EvenRecall(), Recall()
    del CATALOGUE["evenrecall"], CATALOGUE["ownrecall"]


def test_own_measures_are_taken_at_their_word(own: tuple[Measure, Measure]) -> None:
    pool = (0, 1)
    for of in own:
        low, high = every_completion(pool, POOLS[pool], (0, 1), 0).extremes(of)
        found = bound_values(of, rankings(pool, POOLS[pool]))
        assert found.exact.all()
        assert reaches(found, low, high).all()
        any_number = bound_values(of, rankings(pool, POOLS[pool]), outside=math.inf)
        assert not any_number.exact.any()
        assert contains(any_number, low * 0, high).all()
