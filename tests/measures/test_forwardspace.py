"""Forward space."""

from assay.measures.backwardspace import BackwardSpace
from assay.measures.forwardspace import ForwardSpace
from effort_cases import definition

test_definition = definition(ForwardSpace, "s_plus")


def test_it_does_not_depend_on_the_length():
    run, counts = [0, 2, 1, 0, 2], {2: 2, 1: 1, 0: 2}
    assert ForwardSpace().of(run, counts) == ForwardSpace(cutoff=1000).of(run, counts) == 3
    assert ForwardSpace(cutoff=4).of(run, counts) == 0


def test_exchanging_two_documents_moves_both_as_far():
    # One comes as much too late as the other comes too early, if each grade is due at one rank.
    run, counts = [3, 1, 2, 4], {4: 1, 3: 1, 2: 1, 1: 1}
    assert ForwardSpace().of(run, counts) == 3 + 0
    assert BackwardSpace().of(run, counts) == 1 + 2 + 0


def test_weights_and_persistence():
    # Grade 2 was due at rank 1 and comes at rank 4, where nothing is due; grade 1 was due at rank 2, and comes at 3.
    run, counts = [0, 0, 1, 2], {2: 1, 1: 1, 0: 2}
    assert ForwardSpace().of(run, counts) == 3 + 1
    assert ForwardSpace(weights="exp").of(run, counts) == 3 * 3 + 1 * 1
    assert ForwardSpace(persistence=0.5).of(run, counts) == 3 * 1 + 1 * 0.5
    assert ForwardSpace(weights="exp", persistence=0.5).of(run, counts) == 3 * 3 * 1 + 1 * 1 * 0.5
