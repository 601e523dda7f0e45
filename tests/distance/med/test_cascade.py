"""MED of ERR."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.distance._med.cascade import CascadeMed
from assay.distance._med.interface import MedAlgorithm
from assay.distance._med.search import exhaustive
from assay.errors import MeasureError
from assay.measures import measure
from assay.measures._possible_grades import possible_grades
from lattice_cases import NASTY, ONE, OTHER, Case, random_case, value_of
from oracles import err as oracle
from oracles import med as med_oracle


def maximize_difference(name, case):
    [low], [high] = CascadeMed(measure(name)).maximize(case.rankings(), ONE, OTHER)
    assert low == high
    return low


def test_algorithm_is_hashable():
    family: MedAlgorithm = CascadeMed(measure("ERR"))
    assert hash(family) == hash(CascadeMed(measure("ERR")))


@pytest.mark.parametrize("gains", ["exp12", "unit", "binary", "{1:0.2,2:0.9}", "{1:0.9,2:0.3}"])
def test_maximum_over_all_labelings_of_graded_scales(gains):
    """The maximum over all grades is attained with the grades 0 and top only."""
    rng = np.random.default_rng(len(gains))
    m = measure(f"ERR(gains={gains})@6")
    negative = 0
    for _ in range(120):
        case = random_case(rng, 6, grades=(0, 1, 2), free=6)
        best = exhaustive(m, case.rankings(), 0, 1).value
        assert maximize_difference(str(m), case) == pytest.approx(best, abs=1e-13)
        assert value_of(m, case.rankings(), CascadeMed(m).find_labels(case.rankings(), 0, 1)) == pytest.approx(
            best, abs=1e-13
        )
        negative += best < 0
    assert negative


@settings(max_examples=150, derandomize=True, deadline=None)
@given(NASTY, st.sampled_from([None, 0.5, 2]), st.integers(1, 5))
def test_definition_on_edge_cases(case, rel, k):
    case = case.top(k)
    m = measure(f"ERR(max_rel=1e6{'' if rel is None else f', rel={rel}'})@{k}")
    grades = possible_grades(m, case.rankings().levels)[[0, -1]].tolist()

    def value(ranking, counts):
        return oracle.err(ranking, counts, k, rel=rel, max_rel=1e6)

    best = med_oracle.largest_difference(value, case.y, case.z, case.all_judged, grades)
    assert maximize_difference(str(m), case) == pytest.approx(best, abs=1e-12)
    assert value_of(m, case.rankings(), CascadeMed(m).find_labels(case.rankings(), 0, 1)) == pytest.approx(
        best, abs=1e-12
    )


def test_user_stops_with_certainty():
    assert maximize_difference("ERR(gains=binary)@3", Case(["a", "b"], ["b", "a"])) == 0.5
    assert maximize_difference("ERR(gains=binary)@3", Case(["a", "b"], ["b", "a"], {"b": 1.0})) == pytest.approx(0)


def test_positive_gain_of_grade_0_is_rejected():
    with pytest.raises(MeasureError, match=r"grade 0 has gain 0\.1, but MED needs a grade without gain"):
        maximize_difference("ERR(gains={0:0.1,1:0.5})@3", Case(["a"], ["b"], {"b": 0.0}))


def test_labels_without_gain():
    case = Case(["a", "x"], ["x", "b"], {"x": 1.0})
    assert maximize_difference("ERR(gains={1:0})@3", case) == 0
    assert CascadeMed(measure("ERR(gains={1:0})@3")).find_labels(case.rankings(), 0, 1).tolist() == [0, 1, 0]
