"""Yet another average precision."""

import math

import numpy as np
import pytest

from assay.measures.ap import AP
from assay.measures.yaap import YAAP
from oracles.yaap import yaap
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(YAAP, "YAAP(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, yaap, collection)


@often(collection=collections())
def test_it_orders_the_rankings_of_a_topic_as_ap_does(collection):
    judged = collection.judged()
    by_ap, by_yaap = AP().score(judged), YAAP().score(judged)
    for topic in np.unique(judged.topic):
        here = judged.topic == topic
        order = np.argsort(by_ap[here], kind="stable")
        assert (np.diff(by_yaap[here][order]) >= -1e-12).all()


def test_the_ends():
    assert YAAP().of([], {1: 3}) == pytest.approx(-math.log(4))
    assert YAAP().of([1, 1, 1], {1: 3}) == pytest.approx(math.log(4))
