"""The share of judged documents."""

from assay.measures.judged_at import JudgedAt
from oracles.precision import judged_share
from strategies import agrees, collections, often, settings_of

MEASURES = settings_of(JudgedAt, "Judged@3", "Judged@1")


@often(collection=collections())
def test_definition(collection):
    agrees(MEASURES, judged_share, collection)


def test_any_grade_is_a_judgment():
    assert JudgedAt().of([0, -2, 3, None]) == 0.75


def test_only_ranks_that_were_filled_count():
    assert JudgedAt(cutoff=10).of([1, None]) == 0.5
