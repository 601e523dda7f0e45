"""The loss at R."""

from assay.measures.lossatr import LossAtR
from effort_cases import definition

test_definition = definition(LossAtR, "loss")


def test_it_is_the_height_at_r_not_the_lowest():
    b, counts = [3, 3, 1, 0, 2, 1, 0, 0, 2, 1, 2, 0, 3, 1], {3: 3, 2: 3, 1: 4, 0: 4}
    assert LossAtR(cutoff=20).of(b, counts) == -16


def test_nothing_found_loses_most():
    assert LossAtR(cutoff=20).of([], {2: 3, 1: 4}) == -7 * 8 / 2


def test_with_more_than_two_grades_there_can_be_something_to_win():
    # A-003-8.
    assert LossAtR(cutoff=20).of([1, 1, 2, 1], {2: 1, 1: 3}) == 1
