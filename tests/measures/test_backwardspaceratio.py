"""The backward space ratio."""

import pytest

from assay.measures.backwardspaceratio import BackwardSpaceRatio
from effort_cases import definition

test_definition = definition(BackwardSpaceRatio, "sigma_minus")


@pytest.mark.parametrize("run", [[0, 1, 0], [0, 0, 1], [0, 0, 0], []])
def test_rankings_without_relevant_documents_at_the_top_have_0(run):
    # A-000-13: not only the worst and the full-scale ranking.
    assert BackwardSpaceRatio(cutoff=3).of(run, {1: 1, 0: 3}) == 0


def test_fewer_than_2_r_ranks():
    # A-000-1: the reversed ideal ranking has relevant documents at the top; one without covers more space.
    counts = {1: 3, 0: 4}
    assert BackwardSpaceRatio(cutoff=4, length="asis").of([0, 0, 0, 0], counts) < 0
    assert BackwardSpaceRatio(cutoff=4, length="extend").of([0, 0, 0, 0], counts) == 0


def test_without_any_space_to_cover():
    # A-000-12.
    assert BackwardSpaceRatio(cutoff=2, length="asis").of([1, 1], {1: 2}) == 1
    assert BackwardSpaceRatio(cutoff=2, length="asis").of([1, 0], {1: 2, 0: 1}) == 0
