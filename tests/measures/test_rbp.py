"""Rank-biased precision."""

import pytest

from assay.errors import MeasureError
from assay.measures.p import P
from assay.measures.rbp import RBP
from assay.measures.rr import RR
from oracles.rbp import rbp
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(
    RBP,
    "RBP(p=0)",
    "RBP(p=0.999)",
    "RBP(p=0.5)@3",
    "RBP(p=0.8, rel=0.5)",
    "RBP(p=0.8, gains=exp12)@5",
    "RBP(p=0.8, gains=exp-unit)",
    "RBP(p=0.8, gains=unit, max_rel=4)",
    "RBP(p=0.8, gains=unit, rel=2)",
    "RBP(p1=0.5, p2=0.9)@3",
    "RBP(p1=0.5, p2=0.9, rel=2)",
    "RBP(p1=0, p2=1)",
    "RBP(p1=0, p2=1)@3",
    "RBP(p1=0, p2=0)",
    "RBP(p1=1, p2=0)",
    "RBP(p1=1, p2=0.5)",
    "RBP(p1=1, p2=1)",
    "RBP(p1=0.3, p2=1)",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, rbp, collection)


@often(collection=collections())
def test_special_cases(collection):
    judged = collection.judged()
    equal = RBP(p=0.7).score(judged) - RBP(p1=0.7, p2=0.7).score(judged)
    assert abs(equal).max(initial=0) < 1e-12
    assert (RBP(p1=0, p2=1).score(judged) == RR().score(judged)).all()
    assert (RBP(p=0).score(judged) == P(cutoff=1).score(judged)).all()


def test_refusals():
    with pytest.raises(MeasureError) as said:
        RBP()
    assert str(said.value) == "measure 'RBP': RBP needs p (persistence: probability of looking at the next document)"
    for wrong in (
        {"p": 0.5, "p1": 0.5},
        {"p": 0.5, "p2": 0.5},
        {"p": 0.5, "p1": 0.5, "p2": 0.5},
        {"p1": 0.5},
        {"p2": 0.5},
    ):
        with pytest.raises(MeasureError, match="measure 'RBP': write either p, or both p1 and p2"):
            RBP(**wrong)
    with pytest.raises(MeasureError, match="measure 'RBP': p1 and p2 need binary gains"):
        RBP(p1=0.5, p2=0.5, gains="unit")
    with pytest.raises(MeasureError, match="measure 'RBP': gains=exp are not all within 0 and 1"):
        RBP(p=0.5, gains="exp")
