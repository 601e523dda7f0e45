"""Geometric means over topics."""

import math

import pytest

from assay.errors import MeasureError
from assay.measures.ap import AP
from assay.measures.bpref import Bpref
from assay.measures.cg import CG
from assay.measures.gm import GM
from assay.measures.numret import NumRet
from oracles.ap import ap, sp
from oracles.bpref import bpref
from oracles.dcg import ndcg
from strategies import agrees, close, collections, often, parameters, scored, settings_of, trec_eval

MEASURES = settings_of(GM, "GM(bpref(rel=2))", "GM(SP@3)", "GM(nDCG(gains=exp12)@3)")
INNER = {"AP": ap, "bpref": bpref, "nDCG": ndcg, "SP": sp}


@often(collection=collections())
def test_the_values_of_topics_are_those_of_the_measure(collection):
    def inner(ranking, judged, of_measure):
        return INNER[of_measure.name](ranking, judged, **parameters(of_measure, collection.top))

    agrees(MEASURES, inner, collection)


@often(case=scored())
def test_trec_eval(case):
    # trec_eval gives the logarithm, not below that of 0.00001, for each topic.
    for inner, name in ((AP(), "gm_map"), (Bpref(), "gm_bpref")):
        value = float(GM(of_measure=inner).score(case.collection().judged())[0])
        assert close(math.log(max(value, 1e-5)), trec_eval(case, name), 1e-12)


@pytest.mark.parametrize("inner", [CG(), NumRet(), GM(of_measure=AP())], ids=str)
def test_what_has_no_geometric_mean_is_refused(inner):
    with pytest.raises(MeasureError, match="has no geometric mean; use a measure that is never negative"):
        GM(of_measure=inner)


def test_topics_are_put_together_by_the_geometric_mean():
    assert GM.aggregate == "geometric"
