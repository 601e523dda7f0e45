"""The recovery ratio."""

import math

import pytest

from assay.measures.recoveryratio import RecoveryRatio
from effort_cases import definition

test_definition = definition(RecoveryRatio, "rho")


def rho(run, counts, cutoff, **given):
    return RecoveryRatio(cutoff=cutoff, **given).of(run, counts)


def test_left_and_right_end():
    # Back on the axis at rank 10: the last rank before is 9.
    a, counts = [3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}
    assert rho(a, counts, 15) == pytest.approx(7 / 9)
    assert rho(a, counts, 15, endpoint="right") == pytest.approx(7 / 10)


def test_the_three_readings_of_a_crossing():
    # A-000-8. A curve that starts on the axis, and never comes back; one that comes back to it, and stays.
    never, back = [1, 0, 0, 1], [2, 1, 2, 1]
    for crossing, of_never, of_back in (("strict", 0, 1), ("literal", 1, 1), ("matters", 0, 0)):
        assert rho(never, {1: 3, 0: 2}, 9, crossing=crossing) == of_never, crossing
        assert rho(back, {2: 2, 1: 2}, 12, crossing=crossing) == of_back, crossing


@pytest.mark.parametrize("crossing", ["strict", "literal", "matters"])
def test_ideal_and_worst(crossing):
    assert rho([2, 1, 1, 0], {2: 1, 1: 2, 0: 1}, 9, crossing=crossing) == 1
    assert rho([0, 0, 0], {2: 1, 1: 2, 0: 3}, 9, crossing=crossing) == 0
    assert rho([], {2: 1, 1: 2, 0: 3}, 9, crossing=crossing) == 0


def test_recovery_by_rank_r_is_complete():
    # Spec: with the left end, to recover at R + 1 gives 1 as well.
    assert rho([1, 0, 1], {1: 2, 0: 1}, 9) == 1
    assert rho([1, 0, 1], {1: 2, 0: 1}, 9, endpoint="right") == pytest.approx(2 / 3)
    assert not math.isnan(rho([], {0: 1}, 9))


def test_rounding_does_not_decide_who_recovers():
    # Weighed by thirds, and by tenths: the curve is on the axis at the end, but its terms do not add up to 0 exactly.
    counts = {3: 1, 2: 1, 1: 1, 0: 9}
    assert rho([2, 3, 1], counts, 12, weights={1: 1 / 3, 2: 2 / 3, 3: 1}) == 1
    for weight in (0.1, 0.3, 0.7, 1e-12, 1e9):
        assert rho([0, 1, 1, 1], {1: 3, 0: 9}, 6, weights={1: weight}) == rho([0, 1, 1, 1], {1: 3, 0: 9}, 6)
        assert rho([1, 1, 0, 0, 1], {1: 3, 0: 9}, 6, weights={1: weight}) == rho([1, 1, 0, 0, 1], {1: 3, 0: 9}, 6)
