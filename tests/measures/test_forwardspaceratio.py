"""The forward space ratio."""

import pytest

from assay.measures.forwardspaceratio import ForwardSpaceRatio
from effort_cases import definition

test_definition = definition(ForwardSpaceRatio, "sigma_plus")


@pytest.mark.parametrize(("length", "value"), [(15, 0.471), (21, 0.710), (30, 0.827), (1000, 0.996)])
def test_it_depends_on_the_length(length, value):
    # A-000-1: run b of the worked example.
    b = [3, 0, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0]
    got = ForwardSpaceRatio(cutoff=length).of(b, {3: 2, 2: 2, 1: 3, 0: 8})
    assert got == pytest.approx(value, abs=5e-4)


def test_the_worst_ranking_covers_no_forward_space():
    assert ForwardSpaceRatio(cutoff=9).of([0, 0, 0], {1: 2, 0: 3}) == 1
    assert ForwardSpaceRatio(cutoff=9).of([0] * 7 + [1, 1], {1: 2, 0: 7}) == 0


def test_without_any_space_to_cover():
    # A-000-12: N = R and one grade; the ideal ranking is all there is.
    assert ForwardSpaceRatio(cutoff=2, length="asis").of([1, 1], {1: 2}) == 1
    assert ForwardSpaceRatio(cutoff=2, length="asis").of([1, 0], {1: 2, 0: 1}) == 1
