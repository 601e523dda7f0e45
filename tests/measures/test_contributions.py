"""Contributions of documents to the value of a measure."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from assay.errors import MeasureError, PolicyError
from assay.measures import measure
from assay.measures._contributions import compute_contributions
from assay.measures._threshold import relevant_levels
from assay.model.judged import Judged
from assay.model.policies import Policies
from oracles.contributions import growth_by_rank, shapley
from strategies import examples, many_examples

VECTORS = json.loads((Path(__file__).parent.parent / "vectors-judging.json").read_text(encoding="utf-8"))
RANKINGS = st.lists(st.sampled_from([None, 0, 0, 1, 2, 3]), max_size=8)
EXAMPLE = [int(sign == "$") for sign in "$$---$----$-----$---"]  # Moffat & Zobel 2008, section 3.1


def differences(vector, credit="shapley"):
    """Return the contribution of each relevant document of a vector to the difference between its two rankings."""
    inputs = vector["inputs"]
    grades = inputs["grades"]
    judged = Judged.from_grades([[grades.get(doc) for doc in inputs[run]] for run in "ab"], Counter(grades.values()))
    values = {doc: 0.0 for doc, grade in grades.items() if grade > 0}
    found = compute_contributions(measure(inputs["measure"]), judged, credit=credit)
    for ranking, rank, value in zip(found.ranking, found.rank, found.value, strict=True):
        values[inputs["ab"[ranking]][rank - 1]] += value if ranking else -value
    return values


@pytest.mark.parametrize("vector", [pytest.param(v, id=v["id"]) for v in VECTORS if v["op"] == "moved.documents"])
def test_vectors(vector):
    assert differences(vector) == pytest.approx(vector["expected"]["contributions"], abs=1e-12)
    for credit in ("shapley", "rank"):
        assert sum(differences(vector, credit).values()) == pytest.approx(vector["expected"]["difference"], abs=1e-12)


def test_table_1_of_the_rbp_paper():
    value = compute_contributions(measure("AP"), Judged.from_grades([EXAMPLE]), credit="rank").value
    assert np.round(value, 4).tolist() == [0.3633, 0.1633, 0.0633, 0.0299, 0.0118]


def test_table_2_of_the_rbp_paper():
    for p, total in ((0.5, 0.7661), (0.8, 0.4526), (0.95, 0.1881)):
        found = compute_contributions(measure(f"RBP(p={p})"), Judged.from_grades([EXAMPLE]))
        assert found.rank.tolist() == [1, 2, 6, 11, 17]
        assert found.value == pytest.approx([(1 - p) * p ** (rank - 1) for rank in found.rank])
        assert round(found.value.sum(), 4) == total


def has_contributions(one):
    """Return whether a ranking without relevant documents has the value 0, with and without unjudged documents."""
    judged = Judged.from_grades([[0, None, 0], [None], []], {3: 2, 2: 2, 1: 2, 0: 3})
    return not one.score(judged).any()


EXPLAINED = [example for example in examples() if has_contributions(example.values[0])]
CLOSED = [example for example in EXPLAINED if example.values[0].contribution_strategy != "sampled"]


def worth_of(one, ranking, counts):
    """Return the value of a ranking as a function of the positions of the relevant documents that keep their grades."""
    judged = Judged.from_grades([ranking], {0: 0, **counts})
    relevant = np.append(False, relevant_levels(one, judged.levels))
    zero = judged.levels.tolist().index(0) + 1
    players = np.flatnonzero(relevant[judged.code]).tolist()

    def worth(coalition):
        codes = [zero if i in players and i not in coalition else code for i, code in enumerate(judged.code)]
        return float(one.score(replace(judged, code=np.array(codes, dtype=np.int32)))[0])

    return players, worth


@pytest.mark.parametrize("example", CLOSED)
@many_examples(max_examples=15, ranking=RANKINGS, missed=st.lists(st.sampled_from([1, 2, 3]), max_size=3))
def test_closed_forms_are_shapley_values(example, ranking, missed):
    counts = Counter([3, *missed, *(grade for grade in ranking if grade is not None)])
    players, worth = worth_of(example, ranking, counts)
    found = compute_contributions(example, Judged.from_grades([ranking], counts))
    assert (found.rank - 1).tolist() == players
    expected = shapley(players, worth)
    assert found.value == pytest.approx([expected[player] for player in players], abs=1e-12)
    by_rank = compute_contributions(example, Judged.from_grades([ranking], counts), credit="rank").value
    expected = growth_by_rank(players, worth)
    assert by_rank == pytest.approx([expected[player] for player in players], abs=1e-12)


@pytest.mark.parametrize("example", [example for example in EXPLAINED if example not in CLOSED])
def test_sampled_contributions_add_up_to_the_value(example):
    ranking, counts = [0, 2, None, 1, 3, 0, 1], {3: 2, 2: 1, 1: 3, 0: 4}
    judged = Judged.from_grades([ranking], counts)
    for credit in ("shapley", "rank"):
        found = compute_contributions(example, judged, credit=credit)
        value = example.score(judged)[0]
        assert found.value.sum() == pytest.approx(value, abs=1e-9 * max(1, abs(value)))
    players, worth = worth_of(example, ranking, counts)
    expected = shapley(players, worth)
    found = compute_contributions(example, judged)
    assert (np.abs(found.value - [expected[player] for player in players]) <= 5 * found.error + 1e-9).all()


@pytest.mark.parametrize("text", ["Judged@5", "BalancePoint", "RBPresidual(p=0.8)", "DCG(gains=negative)"])
def test_measures_that_count_other_documents_are_refused(text):
    with pytest.raises(MeasureError, match="without relevant documents has a value other than 0"):
        compute_contributions(measure(text), Judged.from_grades([[0, None, 1]]))


def test_invalid_arguments():
    judged = Judged.from_grades([[1]])
    with pytest.raises(MeasureError, match="credit 'shaply': choose one of shapley, rank; did you mean shapley"):
        compute_contributions(measure("AP"), judged, credit="shaply")
    with pytest.raises(PolicyError, match="expected"):
        compute_contributions(measure("AP"), Judged.from_grades([[1]], policies=Policies(ties="expected")))


def test_grades_without_zero():
    """The grade of a document outside the coalition need not be a grade of the qrels."""
    judged = Judged.from_grades([[2, None, 1, 2]], {2: 3, 1: 1})
    found = compute_contributions(measure("AP*(rel=2)"), judged)
    assert found.value.sum() == pytest.approx(measure("AP*(rel=2)").score(judged)[0])
