"""Interpolated precision."""

import numpy as np
import pytest

from assay.measures._interpolated import needed
from assay.measures.iprec import IPrec
from oracles.iprec import iprec
from strategies import agrees, as_trec_eval, collections, often, scored, settings_of

MEASURES = settings_of(
    IPrec,
    "IPrec@0",
    "IPrec@1",
    "IPrec@0.33",
    "IPrec(rounding=trec_eval-10)@0.1",
    "IPrec(rounding=trec_eval-9, rel=2)@0.7",
)


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, iprec, collection)


@often(case=scored(low=-1))
def test_trec_eval(case):
    for level in ("0.00", "0.10", "0.50", "0.70", "1.00"):
        # pytrec_eval holds trec_eval 9.
        as_trec_eval(IPrec(recall=float(level), rounding="trec_eval-9"), case, f"iprec_at_recall_{level}")


def test_the_name_of_trec_eval_rounds_as_its_current_version_does():
    from assay.measures import measure

    assert measure("iprec_at_recall_0.10") == IPrec(recall=0.1, rounding="trec_eval-10")


@pytest.mark.parametrize("percent", range(0, 101, 5))
def test_exact_levels_are_reached_exactly(percent):
    # The least c with c / R >= x, for every R: no rounding error may ask for one document more or less.
    for base in range(1, 60):
        recall = percent / 100
        least = next(c for c in range(base + 1) if c / base >= recall)
        assert needed(recall, np.array([base]), "exact")[0] == least


def test_the_versions_of_trec_eval_differ():
    # x R = 0.2: version 9 asks for 1 document, version 10 for none.
    ranking, counts = [0, 1, 1, 0], {1: 2, 0: 2}
    assert IPrec(recall=0.1).of(ranking, counts) == pytest.approx(2 / 3)
    base = np.array([2, 4])
    assert needed(0.1, base, "trec_eval-9").tolist() == [1, 1]
    assert needed(0.1, base, "trec_eval-10").tolist() == [0, 0]
    assert needed(0.1, base, "exact").tolist() == [1, 1]
