"""Compatibility with the ideal ranking."""

import random

import pytest

from assay.measures.compatibility import Compat
from oracles.compat import compat
from strategies import check_against_oracle, close, collections, example_settings, many_examples, scored_topics

MEASURES = example_settings(
    Compat, "Compat(p=0)", "Compat(p=1)", "Compat(p=1, normalize=false)", "Compat(p=0.001)", "Compat(normalize=false)"
)


@many_examples(collection=collections())
def test_definition(collection):
    check_against_oracle(MEASURES, compat, collection)


@many_examples(case=scored_topics(low=-2))
def test_compat_agrees_with_ir_measures(case):
    peer = pytest.importorskip("ir_measures.providers.compat_provider")
    # ir_measures breaks ties in the opposite order of ids, so the scores are replaced by untied ones in our order.
    order = sorted(case.run, key=lambda doc: (case.run[doc], doc))
    run = {doc: float(position) for position, doc in enumerate(order, start=1)}
    for p, normalize in ((0.95, True), (0.5, True), (0.8, False)):
        ours = Compat(p=p, normalize=normalize).score(case.collection().to_judged())[0]
        assert close(ours, peer.compatibility(case.qrels, run, p, normalize), 1e-12)


@pytest.mark.parametrize("p", [0, 0.5, 0.95, 1])
@pytest.mark.parametrize("ranking", [[1], [3, 2, 2, 1, 1, 1], [1] * 50, [2, 1] + [0] * 30, [1] * 3 + [None] * 3000])
def test_compat_of_the_ideal_ranking_is_exactly_1(ranking, p):
    assert Compat(p=p).of(ranking) == 1.0


def test_order_within_a_grade_does_not_matter():
    # The run retrieves two of four relevant documents; the closest ideal ranking begins with these two.
    assert Compat(p=0.5).of([1, 1, 0, 0], {1: 4, 0: 2}) == pytest.approx((1 + 1 / 2 + 1 / 6 + 1 / 16) / (15 / 8))


def test_the_ideal_ranking_sorts_by_grade():
    assert Compat(p=0.5, normalize=False).of([1, 2]) == pytest.approx((0 + 1 / 2) / (3 / 2))


def test_compat_of_a_long_ranking():
    rng = random.Random(1)
    ranking = [rng.choice([None, 0, 0, 1, 2, 3]) for _ in range(300)]
    counts = {grade: ranking.count(grade) + 7 for grade in (0, 1, 2, 3)}
    for p in (0.5, 0.99, 1):
        assert Compat(p=p).of(ranking, counts) == pytest.approx(compat(ranking, counts, p), rel=1e-12)
