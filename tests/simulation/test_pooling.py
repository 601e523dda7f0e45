import numpy as np
import pytest

from assay.simulation.pooling import select_pool
from assay.simulation.ranking import SimulatedRankings

PLACE = np.array([3, 1, 5, 0, 4, 2])


def rankings():
    candidate = np.array([[0, 1, 2, 3], [5, 4, 3, 2], [1, 2, 3, 4]])
    units = np.array([[9, 8, 8, 8], [7, 6, 5, 4], [1, 2, 3, 4]])
    return SimulatedRankings(candidate, units, np.array([4, 2, 4]))


def slowly(depth, systems):
    found = set()
    for row in systems:
        documents = zip(rankings().candidate[row], rankings().units[row], strict=True)
        listed = list(documents)[: rankings().length[row]]
        best = sorted(listed, key=lambda one: (-one[1], -PLACE[one[0]]))
        found |= {int(candidate) for candidate, _ in best[:depth]}
    return sorted(found)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("systems", [[0], [1], [0, 1], [0, 1, 2]])
def test_the_pool_is_the_union_of_the_tops(depth, systems):
    assert select_pool(rankings(), np.array(systems), PLACE, depth).tolist() == slowly(depth, systems)


def test_tied_documents_are_taken_by_id_in_descending_order():
    assert select_pool(rankings(), np.array([0]), PLACE, 2).tolist() == [0, 2]


def test_what_was_not_retrieved_is_not_judged():
    assert select_pool(rankings(), np.array([1]), PLACE, 3).tolist() == [4, 5]
