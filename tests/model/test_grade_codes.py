"""Grade codes."""

import numpy as np

from assay.model.grade_codes import mask_ungraded


def test_unjudged_documents_and_negative_grades_are_ungraded():
    assert mask_ungraded(np.array([0, 3, 1, 2]), np.array([-2.0, -1.0, 0.0])).tolist() == [True, False, True, True]
    assert mask_ungraded(np.array([0, 1, 2]), np.array([0.0, 1.0])).tolist() == [True, False, False]
    assert mask_ungraded(np.zeros(0, dtype=int), np.zeros(0)).tolist() == []
