"""Precision at a cutoff, at the recall base and at recall levels."""

import numpy as np
import pytest

from assay.measures.precision import IPrec, IPrecAvg, P, Rprec, RprecMult, count_required
from oracles.iprec import iprec, iprec_avg
from oracles.precision import p, rprec
from oracles.sets import rprec_mult
from strategies import (
    check_against_oracle,
    check_against_trec_eval,
    collections,
    example_settings,
    many_examples,
    scored_topics,
)

DEFINITIONS = [
    pytest.param(example_settings(P, "P@1", "P@3", "P(rel=0.5)@4", "P@1000"), p, id="P"),
    pytest.param(example_settings(Rprec, "Rprec(rel=0.5)"), rprec, id="Rprec"),
    pytest.param(
        example_settings(RprecMult, "RprecMult@0.01", "RprecMult@1.4", "RprecMult(rel=0.5)@1.15", "RprecMult@1000000"),
        rprec_mult,
        id="RprecMult",
    ),
    pytest.param(
        example_settings(
            IPrec,
            "IPrec@0",
            "IPrec@1",
            "IPrec@0.33",
            "IPrec(rounding=trec_eval-10)@0.1",
            "IPrec(rounding=trec_eval-9, rel=2)@0.7",
        ),
        iprec,
        id="IPrec",
    ),
    pytest.param(
        example_settings(IPrecAvg, "IPrecAvg(points=11, rounding=trec_eval-10)", "IPrecAvg(points=3, rel=0.5)"),
        iprec_avg,
        id="IPrecAvg",
    ),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(case=scored_topics(low=-2))
def test_p_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(P(cutoff=5, rel=rel), case, "P_5", rel)


def test_p_counts_missing_ranks_as_non_relevant():
    assert P(cutoff=10).of([1, 1]) == 0.2


@many_examples(case=scored_topics(low=-2))
def test_rprec_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(Rprec(rel=rel), case, "Rprec", rel)


@many_examples(case=scored_topics(low=-2))
def test_rprecmult_agrees_with_trec_eval(case):
    for rel in (1, 2):
        for multiple in (0.05, 0.2, 0.6, 1.4, 2):
            check_against_trec_eval(RprecMult(multiple=multiple, rel=rel), case, f"Rprec_mult_{multiple}", rel)


@many_examples(collection=collections())
def test_rprecmult_with_multiple_1_is_r_precision(collection):
    judged = collection.to_judged()
    assert (RprecMult(multiple=1).score(judged) == Rprec().score(judged)).all()


def test_rprecmult_is_0_if_the_cutoff_is_0():
    assert RprecMult(multiple=0.09).of([1], {1: 1}) == 0
    assert RprecMult(multiple=0.11).of([1], {1: 1}) == 1


@many_examples(case=scored_topics(low=-1))
def test_iprec_agrees_with_trec_eval(case):
    for level in ("0.00", "0.10", "0.50", "0.70", "1.00"):
        # pytrec_eval wraps trec_eval 9.
        check_against_trec_eval(IPrec(recall=float(level), rounding="trec_eval-9"), case, f"iprec_at_recall_{level}")


def test_iprec_by_its_trec_eval_name_rounds_as_version_10():
    from assay.measures import measure

    assert measure("iprec_at_recall_0.10") == IPrec(recall=0.1, rounding="trec_eval-10")


@pytest.mark.parametrize("percent", range(0, 101, 5))
def test_iprec_with_exact_rounding_requires_the_smallest_count(percent):
    # The smallest c with c / R >= x, for every R: rounding must not change it by one document.
    for base in range(1, 60):
        recall = percent / 100
        smallest = next(c for c in range(base + 1) if c / base >= recall)
        assert count_required(recall, np.array([base]), "exact")[0] == smallest


def test_iprec_rounding_differs_between_versions_of_trec_eval():
    # x R = 0.2: version 9 requires 1 document, version 10 requires none.
    ranking, counts = [0, 1, 1, 0], {1: 2, 0: 2}
    assert IPrec(recall=0.1).of(ranking, counts) == pytest.approx(2 / 3)
    base = np.array([2, 4])
    assert count_required(0.1, base, "trec_eval-9").tolist() == [1, 1]
    assert count_required(0.1, base, "trec_eval-10").tolist() == [0, 0]
    assert count_required(0.1, base, "exact").tolist() == [1, 1]


@many_examples(case=scored_topics(low=-1))
def test_iprec_avg_agrees_with_trec_eval(case):
    for rel in (1, 2):
        # pytrec_eval wraps trec_eval 9.
        check_against_trec_eval(IPrecAvg(points=11, rel=rel, rounding="trec_eval-9"), case, "11pt_avg", rel)


def test_iprec_avg_is_the_mean_over_the_recall_levels():
    ranking, counts = [0, 1, 0, 1, 0, 0, 1], {1: 4, 0: 4}
    at = {x: IPrec(recall=x / 10).of(ranking, counts) for x in range(11)}
    assert IPrecAvg(points=3).of(ranking, counts) == pytest.approx((at[2] + at[5] + at[8]) / 3)
    assert IPrecAvg(points=11).of(ranking, counts) == pytest.approx(sum(at.values()) / 11)
