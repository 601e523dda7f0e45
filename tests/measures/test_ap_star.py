"""AP over the relevant documents found."""

from assay.measures.ap_star import APStar
from oracles.ap import ap_star
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(APStar, "AP*(rel=0.5)")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, ap_star, collection)


def test_what_was_not_found_does_not_matter():
    assert APStar().of([1, 0], judged={1: 9, 0: 1}) == 1.0


def test_a_further_relevant_document_can_lower_it():
    assert APStar().of([1, 0, 0, 1]) < APStar().of([1, 0, 0, 0])


def test_nothing_found_is_0():
    assert APStar().of([0, 0], judged={0: 2, 1: 3}) == 0.0
