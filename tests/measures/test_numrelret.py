"""The number of relevant documents retrieved."""

import pytest
from oracles.precision import num_rel_ret
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

from assay.measures.numrelret import NumRelRet


@settings_of(NumRelRet, "NumRelRet(rel=0.5)")
@often(collection=collections())
def test_definition(measure, collection):
    agrees(measure, num_rel_ret, collection)


@pytest.mark.parametrize("rel", [1, 2])
@often(case=scored(low=-1))
def test_trec_eval(rel, case):
    as_trec_eval(NumRelRet(rel=rel), case, "num_rel_ret", rel)


def test_topics_are_added_up():
    assert NumRelRet.aggregate == "sum"
