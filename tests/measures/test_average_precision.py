"""Average precision and related measures: sums of the precisions at the relevant documents."""

import math

import numpy as np
import pytest

from assay.errors import MeasureError
from assay.measures._values import compute_values
from assay.measures.average_precision import AP, SP, SSP, YAAP, APStar, infAP
from assay.model.judged import Judged
from assay.model.policies import Policies
from oracles.ap import ap, ap_star, sp, ssp
from oracles.infap import infap
from oracles.yaap import yaap
from strategies import (
    check_against_oracle,
    check_against_trec_eval,
    collections,
    example_settings,
    many_examples,
    scored_topics,
)

DEFINITIONS = [
    pytest.param(
        example_settings(
            AP, "AP@3", "AP(norm=min)@3", "AP(norm=k)@3", "AP(norm=k)@100", "AP(rel=0.5)", "AP(rel=2, norm=min)@5"
        ),
        ap,
        id="AP",
    ),
    pytest.param(example_settings(APStar, "AP*(rel=0.5)"), ap_star, id="APStar"),
    pytest.param(example_settings(SP, "SP@3", "SP(rel=0.5)"), sp, id="SP"),
    pytest.param(example_settings(SSP, "SSP@1", "SSP@3", "SSP(rel=0.5)@5"), ssp, id="SSP"),
    pytest.param(example_settings(YAAP, "YAAP(rel=0.5)"), yaap, id="YAAP"),
    pytest.param(example_settings(infAP, "infAP(rel=0.5)"), infap, id="infAP"),
]


@pytest.mark.parametrize(("measures", "definition"), DEFINITIONS)
@many_examples(collection=collections())
def test_definition(measures, definition, collection):
    check_against_oracle(measures, definition, collection)


@many_examples(case=scored_topics(low=-2))
def test_ap_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(AP(rel=rel), case, "map", rel)
        check_against_trec_eval(AP(rel=rel, cutoff=5), case, "map_cut_5", rel)


def test_ap_divides_by_all_relevant_documents():
    assert AP().of([1, 0, 1], judged={1: 4, 0: 1}) == pytest.approx((1 + 2 / 3) / 4)
    assert AP(cutoff=2).of([1, 0, 1], judged={1: 4, 0: 1}) == pytest.approx(1 / 4)
    assert AP(cutoff=2, norm="min").of([1, 0, 1], judged={1: 4, 0: 1}) == pytest.approx(1 / 2)


@pytest.mark.parametrize("norm", ["min", "k"])
def test_ap_with_norm_min_or_k_needs_a_cutoff(norm):
    with pytest.raises(MeasureError, match=f"measure 'AP': norm={norm} needs a cutoff, such as AP\\(norm={norm}\\)@10"):
        AP(norm=norm)


def test_ap_with_norm_k_is_defined_without_relevant_documents():
    # docs/papers/twist.md: only eqs. 8 and 9 divide by the recall base.
    judged = Judged.from_grades([[0, 0]], policies=Policies(undefined="exclude"))
    assert compute_values(AP(cutoff=2, norm="k"), judged).value.tolist() == [0.0]
    assert compute_values(SSP(cutoff=2), judged).value.tolist() == [0.0]
    assert np.isnan(compute_values(AP(cutoff=2, norm="min"), judged).value).all()


def test_ap_star_ignores_relevant_documents_not_retrieved():
    assert APStar().of([1, 0], judged={1: 9, 0: 1}) == 1.0


def test_ap_star_can_fall_with_another_relevant_document():
    assert APStar().of([1, 0, 0, 1]) < APStar().of([1, 0, 0, 0])


def test_ap_star_without_relevant_documents_retrieved_is_0():
    assert APStar().of([0, 0], judged={0: 2, 1: 3}) == 0.0


def test_sp_is_not_bounded_by_1():
    assert SP().of([1, 1, 1]) == 3.0


@many_examples(collection=collections())
def test_ssp_is_ap_with_norm_k(collection):
    judged = collection.to_judged()
    assert (SSP(cutoff=4).score(judged) == AP(cutoff=4, norm="k").score(judged)).all()


@many_examples(collection=collections())
def test_yaap_orders_the_rankings_of_a_topic_as_ap_does(collection):
    judged = collection.to_judged()
    by_ap, by_yaap = AP().score(judged), YAAP().score(judged)
    for topic in np.unique(judged.topic):
        of_topic = judged.topic == topic
        order = np.argsort(by_ap[of_topic], kind="stable")
        assert (np.diff(by_yaap[of_topic][order]) >= -1e-12).all()


def test_yaap_of_the_best_and_the_worst_ranking():
    assert YAAP().of([], {1: 3}) == pytest.approx(-math.log(4))
    assert YAAP().of([1, 1, 1], {1: 3}) == pytest.approx(math.log(4))


@many_examples(case=scored_topics(low=-2))
def test_infap_agrees_with_trec_eval(case):
    for rel in (1, 2):
        check_against_trec_eval(infAP(rel=rel), case, "infAP", rel)


def test_infap_of_a_fully_judged_pool_is_ap():
    ranking, counts = [1, 0, 1, 0, 0, 1], {1: 4, 0: 5}
    assert infAP().of(ranking, counts) == pytest.approx(AP().of(ranking, counts), abs=1e-4)


def test_infap_counts_a_pooled_unjudged_document_as_half_relevant_without_other_evidence():
    # Above the relevant document are a pooled but unjudged document and one that was not pooled.
    assert infAP().of([-1, None, 1], {1: 1, -1: 1}) == pytest.approx(1 / 3 + 1 / 3 * 0.5)
