"""The space ratio."""

import pytest

from assay.measures.spaceratio import SpaceRatio
from effort_cases import definition

test_definition = definition(SpaceRatio, "sigma")


@pytest.mark.parametrize("run", [[], [0, 0, 0], [0] * 7 + [1, 2], [0, 0, 2, 1]])
def test_it_is_0_if_either_is(run):
    # A-000-12: of the full-scale ranking both are.
    assert SpaceRatio(cutoff=9).of(run, {2: 1, 1: 1, 0: 7}) == 0


def test_it_is_not_negative_if_either_is():
    counts = {1: 3, 0: 4}
    assert SpaceRatio(cutoff=4, length="asis").of([0, 0, 0, 0], counts) == 0
    assert SpaceRatio(cutoff=4, length="asis").of([0, 0, 0, 1], counts) == 0
