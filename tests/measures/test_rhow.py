"""The recovery ratio of the full-scale ranking."""

import numpy as np
import pytest

from assay.measures.recoveryratio import RecoveryRatio
from assay.measures.rhow import RhoW
from assay.model.judged import Judged
from effort_cases import definition

test_definition = definition(RhoW, "rho_w")


@pytest.mark.parametrize("given", [{}, {"endpoint": "right"}, {"crossing": "matters"}, {"weights": "exp"}])
def test_it_is_that_of_the_full_scale_ranking(given):
    counts = {3: 2, 2: 2, 1: 3, 0: 20}
    full_scale = [0] * 14 + [1, 1, 1, 2, 2, 3, 3]
    assert RhoW(cutoff=21, **given).of([], counts) == RecoveryRatio(cutoff=21, **given).of(full_scale, counts) > 0


def test_it_depends_on_the_topic_and_the_length_only():
    judged = Judged.from_grades([[], [1, 0], [0, 1, 1]], {1: 2, 0: 2})
    assert len(set(RhoW(cutoff=10).score(judged).tolist())) == 1
    assert not np.array_equal(RhoW(cutoff=10).score(judged), RhoW(cutoff=20).score(judged))
