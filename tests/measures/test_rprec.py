"""R-precision."""

import pytest
from oracles.precision import rprec
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

from assay.measures.rprec import Rprec


@settings_of(Rprec, "Rprec(rel=0.5)")
@often(collection=collections())
def test_definition(measure, collection):
    agrees(measure, rprec, collection)


@pytest.mark.parametrize("rel", [1, 2])
@often(case=scored(low=-2))
def test_trec_eval(rel, case):
    as_trec_eval(Rprec(rel=rel), case, "Rprec", rel)
