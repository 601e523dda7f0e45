"""The Q-measure."""

from functools import partial

import pytest

from assay.errors import MeasureError
from assay.measures.average_precision import AP
from assay.measures.q_measure import Q
from oracles.q import q, q_binary
from strategies import check_against_oracle, collections, example_settings, many_examples

MEASURES = example_settings(
    Q,
    "Q@3",
    "Q(norm=min)@3",
    "Q(beta=0)",
    "Q(beta=0.5, gains=unit)",
    "Q(gains=exp12, max_rel=4)@5",
    "Q(gains=base5, rel=2)",
    "Q(gains={0:0.5,1:3,2:9})",
    "Q(gains=binary, rel=0.5)@4",
)


@many_examples(collection=collections())
def test_definition(collection):
    check_against_oracle(MEASURES, q, collection)


@many_examples(collection=collections())
def test_q_with_binary_gains_equals_the_binary_form(collection):
    for rel in (1, 0.5, 2):
        check_against_oracle([Q(gains="binary", rel=rel)], partial(q_binary, lowest=rel), collection)


def test_q_with_beta_0_is_ap():
    ranking, counts = [1, 0, 2, 0, 1], {0: 2, 1: 3, 2: 1}
    assert Q(beta=0).of(ranking, counts) == pytest.approx(AP().of(ranking, counts))


def test_an_improving_swap_can_lower_q():
    # docs/reference/measures.md: the smallest counterexample for linear gains.
    assert Q().of([0, 0, 1, 2, 0]) < Q().of([0, 0, 0, 2, 1])


def test_invalid_parameters_raise_an_error():
    with pytest.raises(MeasureError, match="measure 'Q': gains=negative can be negative; Q needs gains of at least 0"):
        Q(gains="negative")
    with pytest.raises(MeasureError, match="measure 'Q': norm=min needs a cutoff, such as Q\\(norm=min\\)@10"):
        Q(norm="min")
