"""The turn-around."""

import pytest

from assay.measures.turnaround import TurnAround
from effort_cases import definition

test_definition = definition(TurnAround, "turn")


@pytest.mark.parametrize(
    ("run", "rank"),
    [
        ([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], 9),
        ([3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1], 8),
        ([3, 3, 3, 2, 2, 2, 1, 1, 1, 1], 1),
        ([], 10),
        ([0] * 12 + [1], 10),
    ],
)
def test_the_first_rank_where_the_curve_is_lowest(run, rank):
    # The runs of the CRP paper; A-003-5: for the ideal ranking it is 1.
    assert TurnAround(cutoff=20).of(run, {3: 3, 2: 3, 1: 4, 0: 12}) == rank


def test_a_curve_does_not_fall_where_documents_weigh_nothing():
    # Grade 1 weighs as little as what is not relevant: nothing is lost behind rank 1.
    assert TurnAround(cutoff=20, weights={1: 0, 2: 1}).of([0, 0], {2: 1, 1: 2, 0: 9}) == 1
    assert TurnAround(cutoff=20, weights={1: 0, 2: 1}).of([1, 0, 2], {2: 1, 1: 2, 0: 9}) == 1
    assert TurnAround(cutoff=20, weights={1: 0}).of([0, 0], {1: 2, 0: 9}) == 1


def test_rounding_does_not_decide_where():
    # 0.1 + 0.2 + ... down to rank 3, then documents in their places.
    run, counts = [0, 0, 0, 1, 1, 1], {1: 6, 0: 6}
    for weight in (0.1, 0.7, 1e-9, 1e9):
        assert TurnAround(weights={1: weight}).of(run, counts) == TurnAround().of(run, counts) == 3
