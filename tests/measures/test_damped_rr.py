"""Damped reciprocal rank."""

from assay.measures.damped_rr import DampedRR
from assay.measures.rr import RR
from oracles.rr import damped_rr
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(DampedRR, "DampedRR(k=0)", "DampedRR(k=0.5)@3", "DampedRR(k=60)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, damped_rr, collection)


def test_without_damping_it_is_rr():
    for ranking in ([1], [0, 1], [0, 0, None, 1], [0]):
        assert DampedRR(k=0).of(ranking) == RR().of(ranking)
