"""Shaw's combination of precision and recall."""

from assay.measures.shaw import Shaw
from oracles.precision import shaw
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(Shaw, "Shaw@1", "Shaw@3", "Shaw(rel=0.5)@5")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, shaw, collection)


def test_it_is_the_overlap_of_two_sets():
    # 2 documents are both retrieved and relevant, 2 only retrieved, 1 only relevant.
    assert Shaw(cutoff=4).of([1, 1, 0, None], {1: 3, 0: 1}) == 2 / 5
