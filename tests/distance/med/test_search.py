"""MED by search: exhaustive, greedy, tabu."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.distance._med import rank_table, search
from assay.distance._med.average_precision import AveragePrecisionMed
from assay.distance._med.search import exhaustive, greedy, tabu
from assay.errors import InputError, MeasureError
from assay.measures import measure
from assay.measures._possible_grades import possible_grades
from lattice_cases import NASTY, ONE, OTHER, VECTORS, Case, from_vector, hidden_block, random_case, value_of
from oracles import ap, med, q


def maximize_both_directions(method, name, case, **options):
    """Return the larger value of both directions."""
    return max(method(measure(name), directed.rankings(), 0, 1, **options).value for directed in (case, case.swapped()))


def compute_exact(name, case):
    return AveragePrecisionMed(measure(name)).maximize(case.rankings(), ONE, OTHER).low[0]


@settings(max_examples=80, derandomize=True, deadline=None)
@given(NASTY, st.integers(1, 5), st.sampled_from(["AP@{k}", "AP(rel=2, norm=min)@{k}", "Q@{k}"]))
def test_exhaustive_search_matches_the_definition(case, k, name):
    case, m = case.top(k), measure(name.format(k=k))
    free = med.unjudged_documents(case.y, case.z, case.judged)
    grades = possible_grades(m, case.rankings().levels).tolist()
    if len(grades) ** len(free) > 700:
        return

    def value(ranking, counts):
        if m.name == "Q":
            return q.q(ranking, counts, k)
        return ap.ap(ranking, counts, k, m.rel, m.norm)

    result = exhaustive(m, case.rankings(), 0, 1)
    assert result.value == pytest.approx(
        med.largest_difference(value, case.y, case.z, case.all_judged, grades), abs=1e-12
    )
    assert value_of(m, case.rankings(), result.labels) == pytest.approx(result.value, abs=1e-12)


def test_exhaustive_search_in_small_blocks(monkeypatch):
    case = random_case(np.random.default_rng(1), 7, "permutation")
    whole = exhaustive(measure("AP@7"), case.rankings(), 0, 1)
    monkeypatch.setattr(rank_table, "_BLOCK_CELLS", 100)
    in_blocks = exhaustive(measure("AP@7"), case.rankings(), 0, 1)
    assert whole.value == in_blocks.value
    assert whole.labels.tolist() == in_blocks.labels.tolist()


def test_too_many_labelings_are_rejected():
    case = Case(list(range(21)), [])
    with pytest.raises(InputError, match="2 grades for 21 unjudged documents are more than 1048576 labelings; use the"):
        exhaustive(measure("AP@30"), case.rankings(), 0, 1)


GREEDY = [v for v in VECTORS if v["inputs"].get("op") == "med_greedy_ap"]


@pytest.mark.parametrize("vector", GREEDY, ids=lambda vector: vector["id"])
def test_vectors_of_greedy_labels(vector):
    inputs = vector["inputs"]
    name = f"AP(norm={inputs.get('norm', 'R')})@{inputs['k']}"
    value = maximize_both_directions(
        greedy, name, from_vector(inputs), stop_early=not inputs.get("continue_past_nonpositive", False)
    )
    assert value == pytest.approx(vector["expected"], abs=vector["tolerance"])


def test_number_of_vectors():
    assert len(GREEDY) >= 9


@pytest.mark.parametrize("stop", [True, False])
@pytest.mark.parametrize("norm", ["R", "min", "k"])
def test_greedy_labels_match_the_definition(norm, stop):
    """Compare with exact fractions wherever the greedy choice is unique."""
    rng = np.random.default_rng(len(norm))
    compared = 0
    for _ in range(150):
        case = random_case(rng, 6, "partial")
        relevant, nonrelevant = ({d for d, g in case.judged.items() if g == grade} for grade in (1, 0))
        outside = case.outside.get(1.0, 0)
        value, is_ambiguous = med.greedy(case.y, case.z, relevant, nonrelevant, outside, norm, 6, stop)
        m = measure(f"AP(norm={norm})@6")
        result = greedy(m, case.rankings(), 0, 1, stop_early=stop)
        assert value_of(m, case.rankings(), result.labels) == pytest.approx(result.value, abs=1e-12)
        assert result.value <= compute_exact(str(m), case) + 1e-12
        if not is_ambiguous:
            assert result.value == pytest.approx(float(value), abs=1e-12)
            compared += 1
    assert compared > 40


@pytest.mark.parametrize("name", ["AP@6", "AP(norm=min)@6", "SSP@6", "SP@6"])
def test_tabu_search_is_exact_on_small_cases(name):
    """Never above the exact value; here always equal to it, which is not guaranteed."""
    rng = np.random.default_rng(len(name))
    for _ in range(15):
        case = random_case(rng, 6, free=9)
        result = tabu(measure(name), case.rankings(), 0, 1)
        assert result.value == pytest.approx(compute_exact(name, case), abs=1e-12)
        assert value_of(measure(name), case.rankings(), result.labels) == pytest.approx(result.value, abs=1e-12)


def test_tabu_search_leaves_a_local_maximum(monkeypatch):
    """Hill climbing from no labels and from all labels ends at 0.8626."""
    monkeypatch.setattr(search, "RANDOM_STARTS", 0)
    case = Case([9, 4, 8, 10, 0, 12, 5], [1, 7, 11, 3, 4, 9, 0])
    assert tabu(measure("AP@12"), case.rankings(), 0, 1).value == pytest.approx(compute_exact("AP@12", case), abs=1e-12)


def test_tabu_search_is_reproducible():
    case = random_case(np.random.default_rng(4), 12, "permutation", free=20)
    first, second = (tabu(measure("AP@12"), case.rankings(), 0, 1, rng=seed) for seed in (5, np.random.default_rng(5)))
    assert first.value == second.value
    assert first.labels.tolist() == second.labels.tolist()


@pytest.mark.parametrize(
    ("k", "u", "v", "m", "outside", "name", "value", "greedy_value"),
    [
        (50, 7, 14, 1, 0, "SSP@50", 0.0584, 0.0212),
        (100, 8, 32, 3, 0, "SSP@100", 0.1216, 0.0315),
        (200, 12, 72, 5, 0, "SSP@200", 0.1706, 0.0258),
        (200, 12, 72, 5, 40, "AP@200", 0.1972, 0.1111),
    ],
)
def test_greedy_labels_are_suboptimal_if_the_top_is_judged(k, u, v, m, outside, name, value, greedy_value):
    case = hidden_block(k, u, v, m, outside)
    assert maximize_both_directions(greedy, name, case) == pytest.approx(greedy_value, abs=5e-5)
    assert maximize_both_directions(tabu, name, case) == pytest.approx(value, abs=5e-5)
    assert maximize_both_directions(greedy, name, case, stop_early=False) == pytest.approx(value, abs=5e-5)


def test_no_unjudged_documents():
    case = Case(["a"], ["b"], {"a": 1.0, "b": 0.0})
    for method in (exhaustive, greedy, tabu):
        result = method(measure("AP@2"), case.rankings(), 0, 1)
        assert result.value == 1
        assert result.labels.tolist() == [1, 0]


@pytest.mark.parametrize("method", [greedy, tabu])
def test_other_measures_are_rejected(method):
    with pytest.raises(MeasureError, match="is for AP, SSP and SP; use the exact method"):
        method(measure("nDCG@10"), Case(["a"], ["b"]).rankings(), 0, 1)


# The conjecture of the guide: greedy labels are optimal if no document is judged relevant ---------------------------


def shared_documents(k):
    """Yield for each rank in Y the rank in Z of the same document, or None: all ways to share documents."""
    for matched in product([None, *range(k)], repeat=k):
        ranks = [rank for rank in matched if rank is not None]
        if len(set(ranks)) == len(ranks):
            yield matched


def list_free_documents(k):
    """Yield the free documents of all cases, as pairs of their ranks in Y and Z; other documents are non-relevant."""
    for matched in shared_documents(k):
        shared = [(y, z) for y, z in enumerate(matched) if z is not None]
        single = [(y, None) for y, z in enumerate(matched) if z is None]
        single += [(None, z) for z in range(k) if z not in matched]
        for is_free in product([False, True], repeat=len(single)):
            yield shared + [document for document, free in zip(single, is_free, strict=True) if free]


@pytest.mark.parametrize(("k", "cases"), [(1, 5), (2, 34), (3, 286)])
def test_greedy_is_optimal_for_each_number_of_labels_without_relevant_documents(k, cases):
    number = 0
    for free in list_free_documents(k):
        number += 1

        def difference(labelled, free=free):
            y, z = ({free[i][side] for i in labelled} for side in (0, 1))
            return med.sum_of_precisions(range(k), y) - med.sum_of_precisions(range(k), z)

        labelled = ()
        for count in range(1, len(free) + 1):
            labelled = max(((*labelled, i) for i in range(len(free)) if i not in labelled), key=difference)
            assert difference(labelled) == max(map(difference, combinations(range(len(free)), count)))
    assert number == cases
