"""The share of judged documents."""

from oracles.precision import judged_share
from strategies import agrees, collections, often, settings_of

from assay.measures.judged_at import JudgedAt


@settings_of(JudgedAt, "Judged@3", "Judged@1")
@often(collection=collections())
def test_definition(measure, collection):
    agrees(measure, judged_share, collection)


def test_any_grade_is_a_judgment():
    assert JudgedAt().of([0, -2, 3, None]) == 0.75


def test_only_ranks_that_were_filled_count():
    assert JudgedAt(cutoff=10).of([1, None]) == 0.5
