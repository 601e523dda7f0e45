"""MED of AP in its three forms, of SSP and of SP."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.distance._med.average_precision import AveragePrecisionMed
from assay.distance._med.interface import MedAlgorithm
from assay.measures import measure
from lattice_cases import NASTY, ONE, OTHER, VECTORS, Case, from_vector, hidden_block, random_case, sums, value_of
from oracles import ap as oracle
from oracles import med as med_oracle

EXAMPLE = Case(list("ABCDEFGHJK"), list("ADBECGFJLH"), {"A": 1.0, "E": 0.0})
NAMES = {"AP8": "AP@{k}", "AP9": "AP(norm=min)@{k}", "SSP": "SSP@{k}"}
NORMS = {"R": "AP@{k}", "min": "AP(norm=min)@{k}", "k": "SSP@{k}"}


def precision(rank, relevant):
    return relevant / rank


def maximize_difference(name, case):
    [low], [high] = AveragePrecisionMed(measure(name)).maximize(case.rankings(), ONE, OTHER)
    assert low == high
    return low


def compute_med(name, case):
    return max(maximize_difference(name, case), maximize_difference(name, case.swapped()))


def test_algorithm_is_hashable():
    family: MedAlgorithm = AveragePrecisionMed(measure("AP"))
    assert hash(family) == hash(AveragePrecisionMed(measure("AP")))


@pytest.mark.parametrize("kind", ["permutation", "partial", "disjoint"])
def test_maximum_over_all_labelings_in_both_directions(kind):
    """Values (some negative) and labels of many small instances, for every divisor."""
    rng = np.random.default_rng(len(kind))
    situations = set()
    for _ in range(200):
        case = random_case(rng, 8 if kind != "disjoint" else 5, kind)
        k = max(1, len(case.y), len(case.z))
        number, difference = sums(case, precision)
        judged_relevant = list(case.all_judged.values()).count(1.0)
        for name in NORMS.values():
            m = measure(name.format(k=k))
            values = m.normalise(difference, judged_relevant + number)
            for sign, directed in ((1, case), (-1, case.swapped())):
                value = maximize_difference(str(m), directed)
                assert value == pytest.approx((sign * values).max(), abs=1e-13)
                labels = AveragePrecisionMed(m).find_labels(directed.rankings(), 0, 1)
                assert value_of(m, directed.rankings(), labels) == pytest.approx(value, abs=1e-13)
                situations.add((judged_relevant > 0, value < 0, bool(case.judged), len(case.y) == len(case.z)))
    assert len(situations) > 8 if kind == "partial" else len(situations) > 3


@settings(max_examples=250, derandomize=True, deadline=None)
@given(NASTY, st.sampled_from([0.5, 1, 2]), st.sampled_from(["R", "min", "k", "SP", "SSP"]), st.integers(1, 5))
def test_definition_on_edge_cases(case, rel, form, k):
    case = case.top(k)
    norm = f", norm={form}" if form in NORMS else ""
    name = f"AP(rel={rel}{norm})@{k}" if form in NORMS else f"{form}(rel={rel})@{k}"

    def value(ranking, counts):
        if form in NORMS:
            return oracle.ap(ranking, counts, k, rel, form)
        return {"SP": oracle.sp, "SSP": oracle.ssp}[form](ranking, counts, k, rel)

    best = med_oracle.largest_difference(
        value, case.y, case.z, case.all_judged, [0.0, max(rel, *case.rankings().levels, 1)]
    )
    assert maximize_difference(name, case) == pytest.approx(best, abs=1e-12)
    labels = AveragePrecisionMed(measure(name)).find_labels(case.rankings(), 0, 1)
    assert value_of(measure(name), case.rankings(), labels) == pytest.approx(best, abs=1e-12)


def test_no_cutoff_means_full_length():
    rng = np.random.default_rng(5)
    for _ in range(50):
        case = random_case(rng, 7)
        k = max(1, len(case.y), len(case.z))
        assert maximize_difference("AP", case) == maximize_difference(f"AP@{k}", case)
        assert maximize_difference("SP", case) == maximize_difference(f"SP@{k}", case)


def test_norm_min_is_the_maximum_of_both_norms():
    """MED with min(k, R) = max(MED with R, MED with k): for D > 0, D / min(k, R) = max(D / k, D / R)."""
    rng = np.random.default_rng(6)
    for _ in range(100):
        case = random_case(rng, 12, "partial", free=24)
        distances = {norm: compute_med(name.format(k=12), case) for norm, name in NORMS.items()}
        assert distances["min"] == pytest.approx(max(distances["R"], distances["k"]), abs=1e-14)


@pytest.mark.parametrize(("name", "labelled"), [("AP@10", "BCK"), ("SSP@10", "BCFGHJK")])
def test_labels_of_table_3(name, labelled):
    labels = AveragePrecisionMed(measure(name)).find_labels(EXAMPLE.rankings(), 0, 1)
    assert {doc for doc, grade in zip(EXAMPLE.docs, labels, strict=True) if grade} == {"A", *labelled}
    assert compute_med(name, EXAMPLE) == maximize_difference(name, EXAMPLE)


MED_VECTORS = [v for v in VECTORS if v["inputs"].get("op") == "med" and v["inputs"]["metric"] in NAMES]


@pytest.mark.parametrize("vector", MED_VECTORS, ids=lambda vector: vector["id"])
def test_vectors_of_the_paper(vector):
    inputs = vector["inputs"]
    distance = compute_med(NAMES[inputs["metric"]].format(k=inputs["k"]), from_vector(inputs))
    assert distance == pytest.approx(vector["expected"], abs=vector["tolerance"])
    assert distance == pytest.approx(vector["computed"], abs=1e-12)


def test_vectors_cover_all_measures():
    assert {v["inputs"]["metric"] for v in MED_VECTORS} == set(NAMES)
    assert len(MED_VECTORS) >= 6


STRICT = [v for v in VECTORS if v["inputs"].get("op") == "med_is_strict" and v["inputs"]["metric"] in NAMES]


@pytest.mark.parametrize("vector", STRICT, ids=lambda vector: vector["id"])
def test_maximum_is_attained_by_one_labeling(vector):
    case, k = from_vector(vector["inputs"]), vector["inputs"]["k"]
    number, difference = sums(case, precision)
    values = np.abs(measure(NAMES[vector["inputs"]["metric"]].format(k=k)).normalise(difference, 1 + number))
    assert bool(np.sort(values)[-2] < values.max() - 1e-9) is vector["expected"]


@pytest.mark.parametrize(
    ("k", "u", "v", "m", "outside", "name", "value"),
    [
        (50, 7, 14, 1, 0, "SSP@50", 0.0584),
        (100, 8, 32, 3, 0, "SSP@100", 0.1216),
        (200, 12, 72, 5, 0, "SSP@200", 0.1706),
        (200, 12, 72, 5, 40, "AP@200", 0.1972),
        (1000, 15, 315, 20, 0, "SSP@1000", 0.2633),
        (1000, 15, 315, 20, 200, "AP@1000", 0.2916),
    ],
)
def test_family_where_greedy_labels_are_suboptimal(k, u, v, m, outside, name, value):
    """Compare with the value in the paper, and with the closed form for labelling the whole block."""
    case = hidden_block(k, u, v, m, outside)
    assert compute_med(name, case) == pytest.approx(value, abs=5e-5)
    block = np.arange(1, k - v + 1)
    numerator = (block / (u + block) - (m + block) / (v + block)).sum() - m
    divisor = k if name.startswith("SSP") else m + outside + len(block)
    assert numerator / divisor <= maximize_difference(name, case) + 1e-12
    assert maximize_difference(name, case) - numerator / divisor < 0.05


def test_identical_rankings_have_distance_0():
    for case in (Case([1, 2, 3], [1, 2, 3], {2: 1.0}), Case([1, 2], [1, 2]), Case([], []), Case([], [], {}, {1.0: 2})):
        assert maximize_difference("AP@3", case) == 0
        assert maximize_difference("AP(norm=min)@3", case) == 0


def test_maximum_may_be_negative():
    case = Case(["a", "b"], ["c", "b"], {"a": 0.0, "c": 1.0})
    assert maximize_difference("AP@2", case) == pytest.approx((0.5 - 2) / 2)
    assert maximize_difference("SP@2", case) == pytest.approx(-1)
    assert AveragePrecisionMed(measure("AP@2")).find_labels(case.rankings(), 0, 1).tolist() == [0, 1, 1]


def test_value_is_0_without_relevant_documents():
    assert maximize_difference("AP@2", Case(["a"], ["b"], {"a": 0.0, "b": 0.0})) == 0
    assert maximize_difference("AP@2", Case(["a"], ["b"], {"a": 0.0})) == 0
    assert maximize_difference("AP@2", Case(["a"], ["b"], {"b": 0.0})) == 1


def test_negative_grade_counts_as_unjudged():
    assert maximize_difference("AP@2", Case(["a"], ["b"], {"a": -1.0, "b": 0.0})) == 1


def test_labels_have_the_top_grade():
    case = Case(["a", "x"], ["b", "x"], {"b": 0.0, "x": 3.0}, {5.0: 1})
    assert AveragePrecisionMed(measure("AP(rel=2)@2")).find_labels(case.rankings(), 0, 1).tolist() == [5, 3, 0]
    assert AveragePrecisionMed(measure("AP(rel=7)@2")).find_labels(case.rankings(), 0, 1).tolist() == [7, 3, 0]


def test_a_pair_does_not_depend_on_other_runs():
    rng = np.random.default_rng(8)
    family = AveragePrecisionMed(measure("AP@6"))
    for _ in range(20):
        case = random_case(rng, 6, "partial")
        three = Case(case.y, [*case.z, "p", "q"], {**case.judged, "q": 1.0}).rankings()
        rankings = type(three)(
            three.topic,
            np.stack([three.rank[0], np.where(three.rank[1] > len(case.z), 0, three.rank[1]), three.rank[1]]),
            np.array([*three.length, three.length[1]]) - [0, 2, 0],
            three.code,
            three.levels,
            three.counts,
            three.position,
        )
        together = family.maximize(rankings, np.array([0, 1, 2]), np.array([1, 0, 2]))
        alone = Case(case.y, case.z, case.judged, {1.0: 1})
        assert together.low.tolist() == [
            maximize_difference("AP@6", alone),
            maximize_difference("AP@6", alone.swapped()),
            0,
        ]
        assert not family.find_labels(rankings, 0, 1)[three.code == 0][-1:].any()
    assert family.maximize(rankings, np.zeros(0, dtype=int), np.zeros(0, dtype=int)).low.shape == (0,)
