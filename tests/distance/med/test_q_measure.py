"""MED of the Q-measure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.distance._med.interface import MedAlgorithm
from assay.distance._med.q_measure import QMeasureMed, search_label_counts
from assay.distance._med.search import exhaustive
from assay.errors import MeasureError
from assay.measures import measure
from lattice_cases import NASTY, ONE, OTHER, Case, random_case, value_of
from oracles import med as med_oracle
from oracles import q as oracle


def maximize_difference(name, case, **options):
    [low], [high] = QMeasureMed(measure(name), **options).maximize(case.rankings(), ONE, OTHER)
    assert low <= high
    return low, high


def maximize_with_two_grades(m, case, top):
    """Return the largest difference with labels 0 and *top*, by the definition."""

    def value(ranking, counts):
        return oracle.q(ranking, counts, m.cutoff, m.beta, str(m.gains), m.rel, m.max_rel, m.norm)

    return med_oracle.largest_difference(value, case.y, case.z, case.all_judged, [0.0, top])


def test_algorithm_is_hashable():
    family: MedAlgorithm = QMeasureMed(measure("Q"))
    assert hash(family) == hash(QMeasureMed(measure("Q")))


@pytest.mark.parametrize("name", ["Q(gains=binary)@7", "Q(gains=binary, norm=min)@4", "Q(beta=10, gains=binary)@7"])
@pytest.mark.parametrize("kind", ["permutation", "partial", "disjoint"])
def test_binary_relevance_is_exact(name, kind):
    rng = np.random.default_rng(len(name) + len(kind))
    m = measure(name)
    for _ in range(40):
        case = random_case(rng, 7, kind, free=8).top(m.cutoff)
        low, high = maximize_difference(name, case)
        assert low == high == pytest.approx(exhaustive(m, case.rankings(), 0, 1).value, abs=1e-12)
        assert value_of(m, case.rankings(), QMeasureMed(m).find_labels(case.rankings(), 0, 1)) == pytest.approx(
            low, abs=1e-12
        )


@pytest.mark.parametrize("name", ["Q@6", "Q(beta=0.1, norm=min)@3", "Q(beta=5, gains=exp)@6", "Q(beta=0)@6"])
def test_graded_relevance_is_an_interval(name):
    """The lower end is exact for labels 0 and top; no labels exceed the upper end."""
    rng = np.random.default_rng(len(name))
    m = measure(name)
    wide = above = 0
    for _ in range(50):
        case = random_case(rng, 6, grades=(0, 1, 2, 3), free=4)
        case = Case(case.y, case.z, case.judged, {**case.outside, 1.0: 1, 3.0: 1}).top(m.cutoff)
        low, high = maximize_difference(name, case)
        assert low == pytest.approx(maximize_with_two_grades(m, case, 3.0), abs=1e-12)
        best = exhaustive(m, case.rankings(), 0, 1).value
        assert low - 1e-12 <= best <= high + 1e-12
        assert value_of(m, case.rankings(), QMeasureMed(m).find_labels(case.rankings(), 0, 1)) == pytest.approx(
            low, abs=1e-12
        )
        wide += high > low
        above += best > low + 1e-9
    assert (wide > 30 and above) if m.beta else not wide


def test_top_grade_may_not_be_optimal():
    case = Case(["A", "B"], ["B", "A"], {}, {1.0: 0, 3.0: 0})
    low, high = maximize_difference("Q@2", case)
    assert low == pytest.approx(1 / 5)
    assert exhaustive(measure("Q@2"), case.rankings(), 0, 1).value == pytest.approx(1 / 3)
    assert high >= 1 / 3 - 1e-12


def test_documents_in_the_other_ranking_only_may_need_labels():
    """A label at the end of Z raises the ideal, which lowers Z more than Y, so such documents must be labelled too.

    Y has two documents of grade 100 at the top; Z has twenty documents of grade 1, then an unjudged one.
    """
    y, z = [f"y{i}" for i in range(21)], [f"z{i}" for i in range(20)] + ["?"]
    judged = dict.fromkeys(y, 0.0) | {"y0": 100.0, "y1": 100.0} | dict.fromkeys(z[:-1], 1.0)
    case, m = Case(y, z, judged), measure("Q@21")
    without = m.of([100, 100], {100: 2, 1: 20}) - m.of([1] * 20, {100: 2, 1: 20})
    low, high = maximize_difference("Q@21", case)
    assert low == pytest.approx(maximize_with_two_grades(m, case, 100.0), abs=1e-12)
    assert low > 1.5 * without > 0
    assert QMeasureMed(m).find_labels(case.rankings(), 0, 1)[-1] == 100
    assert high >= exhaustive(m, case.rankings(), 0, 1).value
    [reverse], _ = QMeasureMed(m).maximize(case.rankings(), OTHER, ONE)
    assert reverse < 0


@settings(max_examples=150, derandomize=True, deadline=None)
@given(NASTY, st.sampled_from(["", ", rel=0.5", ", rel=2"]), st.integers(1, 4), st.sampled_from(["R", "min"]))
def test_definition_on_edge_cases(case, rel, k, norm):
    case, m = case.top(k), measure(f"Q(norm={norm}{rel})@{k}")
    top = max([0.0, *case.rankings().levels])
    low, high = maximize_difference(str(m), case)
    labels = QMeasureMed(m).find_labels(case.rankings(), 0, 1)
    assert value_of(m, case.rankings(), labels) == pytest.approx(low, abs=1e-12)
    top = max(top, m.rel or min(1.0, top or 1.0))
    assert low == pytest.approx(maximize_with_two_grades(m, case, top), abs=1e-12)
    if len(case.rankings().code) < 6:
        assert exhaustive(m, case.rankings(), 0, 1).value <= high + 1e-12


def test_few_profiles_give_bounds():
    rng = np.random.default_rng(2)
    loose = 0
    for _ in range(20):
        case = random_case(rng, 14, "permutation", free=28)
        exact, upper = maximize_difference("Q(gains=binary)@14", case)
        assert exact == upper
        low, high = maximize_difference("Q(gains=binary)@14", case, max_profiles=1)
        assert low - 1e-12 <= exact <= high + 1e-12
        labels = QMeasureMed(measure("Q(gains=binary)@14"), max_profiles=1).find_labels(case.rankings(), 0, 1)
        assert value_of(measure("Q(gains=binary)@14"), case.rankings(), labels) == pytest.approx(low, abs=1e-12)
        loose += low < high
    assert loose


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40), st.integers(0, 60), st.integers(0, 5))
def test_search_of_label_counts(values, max_calls, slack):
    """Bounds are looser for wider ranges; the result contains the maximum, and equals it after enough calls."""
    ranges = []

    def bounds(first, last):
        ranges.append((first, last))
        return np.array(values[first : last + 1]) + slack * (last - first) / 40

    result = search_label_counts(len(values) - 1, bounds, lambda first, last: first == last, max_calls)
    assert values[result.labels] == result.low <= max(values) <= result.high + 1e-12
    assert len(ranges) <= max_calls + 2
    if max_calls == 60 and slack < 2:
        assert result.low == pytest.approx(max(values), abs=1e-12)
        assert result.low == result.high


def test_labels_without_gain():
    case = Case(["a", "x"], ["x", "b"], {"x": 1.0})
    assert maximize_difference("Q(gains={1:0})@3", case) == (0, 0)
    assert QMeasureMed(measure("Q(gains={1:0})@3")).find_labels(case.rankings(), 0, 1).tolist() == [0, 1, 0]


def test_positive_gain_of_a_negative_grade():
    """Retrieved documents with a negative grade are labelled like unjudged ones; all others keep their gain."""
    case, m = Case(["a", "b"], ["b", "c", "d"], {"a": -1.0, "d": -1.0}, {-1.0: 1}), measure("Q(gains={-1:1,1:1})@3")
    low, high = maximize_difference(str(m), case)
    assert low == high == pytest.approx(exhaustive(m, case.rankings(), 0, 1).value, abs=1e-12)
    assert low == pytest.approx(1 / 2)  # a is one of two relevant documents; the other is in neither list


def test_positive_gain_of_grade_0_is_rejected():
    with pytest.raises(MeasureError, match="omit 0 from the gains"):
        maximize_difference("Q(gains={0:1,1:2})", Case(["a"], ["b"], {"b": 0.0}))


def test_identical_rankings_have_distance_0():
    for case in (Case([1, 2, 3], [1, 2, 3], {2: 1.0}), Case([], []), Case([], [], {}, {1.0: 2})):
        assert maximize_difference("Q(gains=binary)@3", case) == (0, 0)
