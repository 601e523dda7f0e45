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


def precision(rank, found):
    return found / rank


def largest(name, case):
    [low], [high] = AveragePrecisionMed(measure(name)).maximize(case.rankings(), ONE, OTHER)
    assert low == high
    return low


def med(name, case):
    return max(largest(name, case), largest(name, case.swapped()))


def test_the_interface():
    family: MedAlgorithm = AveragePrecisionMed(measure("AP"))
    assert hash(family) == hash(AveragePrecisionMed(measure("AP")))


@pytest.mark.parametrize("kind", ["permutation", "partial", "disjoint"])
def test_every_divisor_in_both_directions(kind):
    """Values, also negative ones, and labels, against all labels of many small instances."""
    rng = np.random.default_rng(len(kind))
    seen = set()
    for _ in range(200):
        case = random_case(rng, 8 if kind != "disjoint" else 5, kind)
        k = max(1, len(case.y), len(case.z))
        number, difference = sums(case, precision)
        known = list(case.all_judged.values()).count(1.0)
        for name in NORMS.values():
            m = measure(name.format(k=k))
            values = m.normalise(difference, known + number)
            for sign, turned in ((1, case), (-1, case.swapped())):
                found = largest(str(m), turned)
                assert found == pytest.approx((sign * values).max(), abs=1e-13)
                labels = AveragePrecisionMed(m).find_labels(turned.rankings(), 0, 1)
                assert value_of(m, turned.rankings(), labels) == pytest.approx(found, abs=1e-13)
                seen.add((known > 0, found < 0, bool(case.judged), len(case.y) == len(case.z)))
    assert len(seen) > 8 if kind == "partial" else len(seen) > 3


@settings(max_examples=250, derandomize=True, deadline=None)
@given(NASTY, st.sampled_from([0.5, 1, 2]), st.sampled_from(["R", "min", "k", "SP", "SSP"]), st.integers(1, 5))
def test_the_definition_on_nasty_cases(case, rel, form, k):
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
    assert largest(name, case) == pytest.approx(best, abs=1e-12)
    labels = AveragePrecisionMed(measure(name)).find_labels(case.rankings(), 0, 1)
    assert value_of(measure(name), case.rankings(), labels) == pytest.approx(best, abs=1e-12)


def test_without_a_cutoff():
    rng = np.random.default_rng(5)
    for _ in range(50):
        case = random_case(rng, 7)
        k = max(1, len(case.y), len(case.z))
        assert largest("AP", case) == largest(f"AP@{k}", case)
        assert largest("SP", case) == largest(f"SP@{k}", case)


def test_the_smaller_of_k_and_r_is_the_larger_of_both():
    """MED with min(k, R) = max(MED with R, MED with k): for D > 0, D / min(k, R) = max(D / k, D / R)."""
    rng = np.random.default_rng(6)
    for _ in range(100):
        case = random_case(rng, 12, "partial", free=24)
        forms = {norm: med(name.format(k=12), case) for norm, name in NORMS.items()}
        assert forms["min"] == pytest.approx(max(forms["R"], forms["k"]), abs=1e-14)


@pytest.mark.parametrize(("name", "labelled"), [("AP@10", "BCK"), ("SSP@10", "BCFGHJK")])
def test_labels_of_table_3(name, labelled):
    labels = AveragePrecisionMed(measure(name)).find_labels(EXAMPLE.rankings(), 0, 1)
    assert {doc for doc, grade in zip(EXAMPLE.docs, labels, strict=True) if grade} == {"A", *labelled}
    assert med(name, EXAMPLE) == largest(name, EXAMPLE)


OURS = [v for v in VECTORS if v["inputs"].get("op") == "med" and v["inputs"]["metric"] in NAMES]


@pytest.mark.parametrize("vector", OURS, ids=lambda vector: vector["id"])
def test_vectors(vector):
    inputs = vector["inputs"]
    found = med(NAMES[inputs["metric"]].format(k=inputs["k"]), from_vector(inputs))
    assert found == pytest.approx(vector["expected"], abs=vector["tolerance"])
    assert found == pytest.approx(vector["computed"], abs=1e-12)


def test_there_are_vectors():
    assert {v["inputs"]["metric"] for v in OURS} == set(NAMES)
    assert len(OURS) >= 6


STRICT = [v for v in VECTORS if v["inputs"].get("op") == "med_is_strict" and v["inputs"]["metric"] in NAMES]


@pytest.mark.parametrize("vector", STRICT, ids=lambda vector: vector["id"])
def test_only_one_labelling_reaches_the_value(vector):
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
def test_the_family_on_which_greedy_labels_fail(k, u, v, m, outside, name, value):
    """Two independent ways: the printed value, and the block of all labels written down."""
    case = hidden_block(k, u, v, m, outside)
    assert med(name, case) == pytest.approx(value, abs=5e-5)
    block = np.arange(1, k - v + 1)
    whole = (block / (u + block) - (m + block) / (v + block)).sum() - m
    below = k if name.startswith("SSP") else m + outside + len(block)
    assert whole / below <= largest(name, case) + 1e-12
    assert largest(name, case) - whole / below < 0.05


def test_the_same_ranking_twice():
    for case in (Case([1, 2, 3], [1, 2, 3], {2: 1.0}), Case([1, 2], [1, 2]), Case([], []), Case([], [], {}, {1.0: 2})):
        assert largest("AP@3", case) == 0
        assert largest("AP(norm=min)@3", case) == 0


def test_a_difference_that_no_label_makes_positive():
    case = Case(["a", "b"], ["c", "b"], {"a": 0.0, "c": 1.0})
    assert largest("AP@2", case) == pytest.approx((0.5 - 2) / 2)
    assert largest("SP@2", case) == pytest.approx(-1)
    assert AveragePrecisionMed(measure("AP@2")).find_labels(case.rankings(), 0, 1).tolist() == [0, 1, 1]


def test_no_relevant_documents_is_worth_nothing():
    assert largest("AP@2", Case(["a"], ["b"], {"a": 0.0, "b": 0.0})) == 0
    assert largest("AP@2", Case(["a"], ["b"], {"a": 0.0})) == 0
    assert largest("AP@2", Case(["a"], ["b"], {"b": 0.0})) == 1


def test_a_negative_grade_is_no_grade():
    assert largest("AP@2", Case(["a"], ["b"], {"a": -1.0, "b": 0.0})) == 1


def test_labels_have_the_top_grade():
    case = Case(["a", "x"], ["b", "x"], {"b": 0.0, "x": 3.0}, {5.0: 1})
    assert AveragePrecisionMed(measure("AP(rel=2)@2")).find_labels(case.rankings(), 0, 1).tolist() == [5, 3, 0]
    assert AveragePrecisionMed(measure("AP(rel=7)@2")).find_labels(case.rankings(), 0, 1).tolist() == [7, 3, 0]


def test_many_pairs_and_documents_of_other_runs():
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
        found = family.maximize(rankings, np.array([0, 1, 2]), np.array([1, 0, 2]))
        alone = Case(case.y, case.z, case.judged, {1.0: 1})
        assert found.low.tolist() == [largest("AP@6", alone), largest("AP@6", alone.swapped()), 0]
        assert not family.find_labels(rankings, 0, 1)[three.code == 0][-1:].any()
    assert family.maximize(rankings, np.zeros(0, dtype=int), np.zeros(0, dtype=int)).low.shape == (0,)
