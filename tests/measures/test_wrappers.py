"""Measures that wrap another measure: geometric means and condensed rankings."""

import math
from itertools import count

import numpy as np
import pytest

from assay import evaluate
from assay.errors import MeasureError
from assay.measures import catalogue, measure
from assay.measures._values import compute_values
from assay.measures.average_precision import AP
from assay.measures.counts import NumRet
from assay.measures.dcg import CG, DCG
from assay.measures.preferences import Bpref
from assay.measures.wrappers import GM, Condensed
from assay.model.judged import Judged
from oracles.ap import ap, sp
from oracles.bpref import bpref
from oracles.dcg import dcg, ndcg
from oracles.precision import judged_share, p
from strategies import (
    check_against_oracle,
    close,
    collections,
    example_settings,
    many_examples,
    parameters,
    scored_topics,
    trec_eval,
)

GM_MEASURES = example_settings(GM, "GM(bpref(rel=2))", "GM(SP@3)", "GM(nDCG(gains=exp12)@3)")
GM_INNER = {"AP": ap, "bpref": bpref, "nDCG": ndcg, "SP": sp}


@many_examples(collection=collections())
def test_gm_keeps_the_values_of_the_measure_by_topic(collection):
    def inner(ranking, judged, of_measure):
        return GM_INNER[of_measure.name](ranking, judged, **parameters(of_measure, collection.top))

    check_against_oracle(GM_MEASURES, inner, collection)


@many_examples(case=scored_topics())
def test_gm_agrees_with_trec_eval(case):
    # trec_eval reports ln(max(value, 0.00001)) for each topic.
    for inner, name in ((AP(), "gm_map"), (Bpref(), "gm_bpref")):
        value = float(GM(of_measure=inner).score(case.collection().to_judged())[0])
        assert close(math.log(max(value, 1e-5)), trec_eval(case, name), 1e-12)


@pytest.mark.parametrize("inner", [CG(), NumRet(), GM(of_measure=AP())], ids=str)
def test_gm_of_an_unsuitable_measure_raises_an_error(inner):
    with pytest.raises(MeasureError, match="has no geometric mean; use a measure that is never negative"):
        GM(of_measure=inner)


def test_gm_aggregates_by_the_geometric_mean():
    assert GM.aggregate == "geometric"


CONDENSED_MEASURES = example_settings(
    Condensed, "Condensed(P@3)", "Condensed(DCG@2)", "Condensed(bpref)", "Condensed(Judged@4)", "Condensed(AP(rel=0.5))"
)
CONDENSED_INNER = {"AP": ap, "nDCG": ndcg, "P": p, "DCG": dcg, "bpref": bpref, "Judged": judged_share}
CONDENSED_TOPICS = count(1)


@many_examples(collection=collections())
def test_condensed_removes_unjudged_documents_and_negative_grades(collection):
    def inner(ranking, judged, of_measure):
        condensed_ranking = [grade for grade in ranking if grade is not None and grade >= 0]
        return CONDENSED_INNER[of_measure.name](condensed_ranking, judged, **parameters(of_measure, collection.top))

    check_against_oracle(CONDENSED_MEASURES, inner, collection)


@many_examples(case=scored_topics(low=-2))
def test_condensed_agrees_with_the_option_j_of_trec_eval(case):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    for name in ("map", "ndcg_cut_3", "P_5", "recip_rank"):
        topic = f"condensed{next(CONDENSED_TOPICS)}"
        evaluator = pytrec_eval.RelevanceEvaluator({topic: case.qrels}, {name}, 1, judged_docs_only_flag=1)
        (theirs,) = evaluator.evaluate({topic: case.run})[topic].values()
        ours = Condensed(of_measure=measure(name)).score(case.collection().to_judged())[0]
        assert close(ours, theirs, 1e-12)


@many_examples(max_examples=50, collection=collections())
def test_condensed_equals_the_policy_condensed(collection):
    judged = collection.to_judged()
    for text in ("AP", "nDCG@3", "RBP(p=0.8)", "IPrec@0.5", "NumRet", "GM(AP)"):
        alone = compute_values(Condensed(of_measure=measure(text)), judged)
        everywhere = compute_values(measure(text), judged.condense())
        assert np.array_equal(alone.value, everywhere.value)
        assert np.array_equal(alone.undefined, everywhere.undefined)


def test_condensed_has_closed_forms_if_the_measure_has():
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    run = {"q": {"x": 1.0, "a": 1.0, "b": 1.0, "c": 0.5}}
    exact, sampled = evaluate(qrels, run, ["Condensed(AP)", "Condensed(ERR)"], ties="expected").values[:, 0, 0]
    everywhere = evaluate(qrels, run, ["AP", "ERR"], ties="expected", unjudged="condensed")
    assert exact == everywhere.values[0, 0, 0] == pytest.approx((1 + 2 / 3 + 1 / 2 + 2 / 3) / 4)
    assert abs(sampled - everywhere.values[1, 0, 0]) < 6 * everywhere.errors[1, 0, 0]


def test_condensed_affects_only_its_measure():
    results = evaluate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, ["RR", "RR(judged_only=True)"])
    assert results.overall().tolist() == [[0.5, 1.0]]


def test_condensed_has_the_properties_of_its_measure():
    for cls in catalogue().values():
        inner = measure(cls.examples[0])
        outer = Condensed(of_measure=inner)
        assert outer.aggregate == inner.aggregate
        assert outer.bounds == inner.bounds
        assert outer.uses_recall_base == inner.uses_recall_base
    run = {topic: {"a": 1.0, "x": 0.5} for topic in "qr"}
    assert evaluate({"q": {"a": 1}, "r": {"a": 1}}, run, "Condensed(NumRet)").overall().tolist() == [[2.0]]
    assert GM(of_measure=Condensed(of_measure=AP())).aggregate == "geometric"
    assert Condensed(of_measure=GM(of_measure=AP())).aggregate == "geometric"
    assert Condensed(of_measure=DCG()) != Condensed(of_measure=NumRet())
    assert Condensed.aggregate == "mean"


def test_condensed_is_undefined_where_its_measure_is():
    results = evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, ["Condensed(AP)", "Condensed(P@1)"], undefined="exclude")
    assert np.isnan(results.values[0, 0, 0])
    assert results.values[1, 0, 0] == 0


def test_condensed_has_the_tie_key_of_its_measure():
    judged = Judged.from_grades([[None, 2, -1, 0, 1]])
    assert np.array_equal(measure("Condensed(nDCG)").tie_key(judged), measure("nDCG").tie_key(judged))
    assert measure("Condensed(infAP)").tie_key(judged) is None


def test_condensed_samples_have_the_length_of_the_longest_ranking() -> None:
    """With expected ties only some rankings are sampled, but all have the length of the longest ranking."""
    qrels = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {f"d{i}": i % 2 for i in range(30)}}
    run = {"q1": {"a": 2.0, "b": 2.0, "u": 1.0, "c": 0.5}, "q2": {f"d{i}": 100.0 - i for i in range(30)}}
    value = evaluate(qrels, {"r": run}, "Condensed(Twist)", ties="expected", samples=1000).values[0, 0, 0]
    orders = [measure("Twist@30").of(order, {1: 2, 0: 1}) for order in ([1, 0, 1], [0, 1, 1])]
    assert value == pytest.approx(np.mean(orders), abs=0.05 * np.ptp(orders))
