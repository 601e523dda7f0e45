"""Average precision."""

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures._values import values
from assay.measures.ap import AP
from assay.measures.ssp import SSP
from assay.model.judged import Judged
from assay.model.policies import Policies
from oracles.ap import ap
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(
    AP, "AP@3", "AP(norm=min)@3", "AP(norm=k)@3", "AP(norm=k)@100", "AP(rel=0.5)", "AP(rel=2, norm=min)@5"
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, ap, collection)


@often(case=scored(low=-2))
def test_trec_eval(case):
    for rel in (1, 2):
        as_trec_eval(AP(rel=rel), case, "map", rel)
        as_trec_eval(AP(rel=rel, cutoff=5), case, "map_cut_5", rel)


def test_the_divisor_is_all_relevant_documents_retrieved_or_not():
    assert AP().of([1, 0, 1], judged={1: 4, 0: 1}) == pytest.approx((1 + 2 / 3) / 4)
    assert AP(cutoff=2).of([1, 0, 1], judged={1: 4, 0: 1}) == pytest.approx(1 / 4)
    assert AP(cutoff=2, norm="min").of([1, 0, 1], judged={1: 4, 0: 1}) == pytest.approx(1 / 2)


@pytest.mark.parametrize("norm", ["min", "k"])
def test_a_divisor_that_knows_the_cutoff_needs_one(norm):
    with pytest.raises(MeasureError, match=f"measure 'AP': norm={norm} needs a cutoff, such as AP\\(norm={norm}\\)@10"):
        AP(norm=norm)


def test_divided_by_k_it_is_defined_without_relevant_documents_as_ssp_is():
    # A-000-3: only eqs. 8 and 9 divide by the recall base.
    judged = Judged.from_grades([[0, 0]], policies=Policies(undefined="exclude"))
    assert values(AP(cutoff=2, norm="k"), judged).value.tolist() == [0.0]
    assert values(SSP(cutoff=2), judged).value.tolist() == [0.0]
    assert np.isnan(values(AP(cutoff=2, norm="min"), judged).value).all()
