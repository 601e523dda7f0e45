"""Selection of the pool."""

import numpy as np
import pytest

from assay.simulation.pooling import select_pool
from assay.simulation.ranking import SimulatedRankings

ID_RANK = np.array([3, 1, 5, 0, 4, 2])


def rankings():
    candidate = np.array([[0, 1, 2, 3], [5, 4, 3, 2], [1, 2, 3, 4]])
    units = np.array([[9, 8, 8, 8], [7, 6, 5, 4], [1, 2, 3, 4]])
    return SimulatedRankings(candidate, units, np.array([4, 2, 4]))


def pool_by_definition(depth, systems):
    pool = set()
    for row in systems:
        documents = zip(rankings().candidate[row], rankings().units[row], strict=True)
        retrieved = list(documents)[: rankings().length[row]]
        best = sorted(retrieved, key=lambda one: (-one[1], -ID_RANK[one[0]]))
        pool |= {int(candidate) for candidate, _ in best[:depth]}
    return sorted(pool)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("systems", [[0], [1], [0, 1], [0, 1, 2]])
def test_the_pool_is_the_union_of_the_top_documents(depth, systems):
    assert select_pool(rankings(), np.array(systems), ID_RANK, depth).tolist() == pool_by_definition(depth, systems)


def test_ties_are_broken_by_descending_id():
    assert select_pool(rankings(), np.array([0]), ID_RANK, 2).tolist() == [0, 2]


def test_the_pool_holds_only_retrieved_documents():
    assert select_pool(rankings(), np.array([1]), ID_RANK, 3).tolist() == [4, 5]
