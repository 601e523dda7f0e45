"""Backward space."""

from assay.measures.backwardspace import BackwardSpace
from effort_cases import definition

test_definition = definition(BackwardSpace, "s_minus")


def test_it_is_a_magnitude():
    # A-000-11: the paper adds up negative numbers.
    assert BackwardSpace().of([0, 0, 1], {1: 2, 0: 2}) == 2 + 1


def test_what_is_not_retrieved_counts_like_what_is_not_relevant():
    counts = {2: 1, 1: 3, 0: 9}
    assert BackwardSpace().of([], counts) == BackwardSpace().of([0] * 9, counts) == 4 * 5 / 2
    assert BackwardSpace().of([2], counts) == BackwardSpace().of([2, None, -0.5], {**counts, -0.5: 1}) == 3 * 4 / 2


def test_weights_and_persistence():
    # At rank 1 grade 2 is due, at rank 2 grade 1; what is not relevant is due from rank 3 on.
    run, counts = [0, 0, 1, 2], {2: 1, 1: 1, 0: 2}
    assert BackwardSpace().of(run, counts) == 2 + 1
    assert BackwardSpace(weights="exp").of(run, counts) == 2 * 3 + 1 * 1
    assert BackwardSpace(persistence=0.5).of(run, counts) == 2 * 1 + 1 * 0.5
    assert BackwardSpace(weights="exp", persistence=0.5).of(run, counts) == 2 * 3 * 1 + 1 * 1 * 0.5
    # Grade 1 where grade 2 is due.
    assert BackwardSpace(weights="exp").of([1], counts) == 1 * (3 - 1) + 1 * 1
