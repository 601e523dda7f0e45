"""Where the curve ends."""

import math

import pytest

from assay.measures.crpn import CRPN
from effort_cases import definition

test_definition = definition(CRPN, "crp_n")
COUNTS = {3: 3, 2: 3, 1: 4, 0: 4}


def test_what_the_paper_says_of_its_range_is_wrong():
    # A-003-7: above 1 for a curve that ends below the axis, negative near N = 2 R, and not a number there.
    assert CRPN(cutoff=20).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], COUNTS) == pytest.approx(4 / 3)
    assert CRPN(cutoff=6).of([1, 1, 0, 0, 0, 2], {2: 1, 1: 2, 0: 3}) == -0.5
    assert math.isnan(CRPN(cutoff=4).of([1, 0, 0, 1], {1: 2, 0: 2}))
    assert math.isnan(CRPN(cutoff=4).of([], {1: 2, 0: 2}))


def test_clipped():
    assert CRPN(cutoff=20, clipped=True).of([3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3], COUNTS) == 1
    assert CRPN(cutoff=6, clipped=True).of([1, 1, 0, 0, 0, 2], {2: 1, 1: 2, 0: 3}) == 0
    assert math.isnan(CRPN(cutoff=4, clipped=True).of([1, 0, 0, 1], {1: 2, 0: 2}))


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 0.7, 1e-12])
def test_rounding_does_not_make_a_number_of_it(weight):
    assert math.isnan(CRPN(cutoff=6, weights={1: weight}).of([1, 0, 0, 1], {1: 3, 0: 2}))
    assert CRPN(cutoff=7, weights={1: weight}).of([1, 0, 0, 1], {1: 3, 0: 2}) == pytest.approx(
        CRPN(cutoff=7).of([1, 0, 0, 1], {1: 3, 0: 2})
    )
