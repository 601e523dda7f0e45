"""Rank-biased overlap."""

from math import log, prod, sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.distance.rank_biased_overlap import rank_biased_overlap
from assay.errors import InputError
from oracles import rbo as oracle

# Values of the implementation published by Corsi and Urbano: ext, min and max of w, then of a, then of b.
PUBLISHED = [
    ("red (blue green) yellow pink", "(blue red) white (yellow black purple) green", 0.95,
     (0.7068257, 0.3429684, 0.9049857, 0.6922853, 0.3310519, 0.8930692, 0.7207131, 0.3509163, 0.9129336)),
    ("13 (1 4 5 6)", "3 14 11 (10 15) 12 (6 9) 4 2", 0.92238320668128,
     (0.117578490431637, 0.0763135264223449, 0.53999366118093, 0.114619469221414, 0.0733545052121218, 0.537945108035391,
      0.11474835409049, 0.0734833900811979, 0.538589532380772)),
    ("13 4 (1 2 5 6)", "11 14 1 (5 6) (3 12) 8", 0.936646766367491,
     (0.419724384588563, 0.222485580291386, 0.718444020803497, 0.400042334962327, 0.19648716951006, 0.69244561002217,
      0.410333982781949, 0.203127599510132, 0.699086040022243)),
    ("(3 6) (2 7) 10", "(3 6 7 10) (1 2)", 0.965413635276732,
     (0.946064537517568, 0.343706790399566, 0.958770957517067, 0.92051534467649, 0.319428239558438, 0.934492406675939,
      0.956844651806714, 0.348953051936765, 0.964017219054266)),
    ("(5 20) (3 8 10 11) 13", "(1 2 3 4 5 6 7 8 9 10 11 12 13)", 0.956020041658117,
     (0.640387430188247, 0.323506576285529, 0.805416533963823, 0.536528176569959, 0.26353157133526, 0.741980233847526,
      0.650587440650316, 0.324674914963379, 0.806877156763621)),
    ("(10 14) (2 3 16) 13 1", "9 20 18 12 (3 5 6 7 8 11 17 19) 4", 0.98496019871247,
     (0.117114851878749, 0.0300071092505963, 0.84393297653816, 0.0921370421050709, 0.0258621660342505,
      0.841111356397296, 0.0964419311721391, 0.026484103685585, 0.842893810595092)),
    ("21 20 (1 16 19) (5 10) 4", "(12 17) (2 3 8 11) (15 18) (6 13) (7 14) 9", 0.930074017489188,
     (0, 0, 0.389142712252727, 0, 0, 0.38977330351866, 0, 0, 0.390116806797613)),
    ("6 5 (2 4 7)", "4 18 2 (1 5 6 7 9 14 15 17) 13 11", 0.984365085297715,
     (0.734068963712944, 0.172811297273872, 0.938656144671167, 0.680057896807246, 0.161475073718017, 0.926540408667145,
      0.747819806375568, 0.169727262584421, 0.937170943665285)),
    ("(1 9 15 17) 13 4 3 2", "(1 17) 15 9 13 4 (2 3) 14", 0.959906916802432,
     (0.966438584453973, 0.512284507728805, 0.966438584453973, 0.939211367148046, 0.485057290422878, 0.939211367148046,
      0.970894528910972, 0.516740452185804, 0.970894528910972)),
]  # fmt: skip
P = st.sampled_from([1e-9, 0.1, 0.5, 0.8, 0.9])
TREATMENTS = ("w", "a", "b")


def parse_groups(text):
    """Parse ``a (b c)`` into groups of tied documents."""
    tie_groups, in_group = [], False
    for word in text.split():
        doc = word.strip("()")
        if in_group:
            tie_groups[-1].append(doc)
        else:
            tie_groups.append([doc])
        in_group = (in_group or word.startswith("(")) and not word.endswith(")")
    return tie_groups


@st.composite
def rankings(draw, max_length=6, ties=True):
    docs = draw(st.lists(st.sampled_from("abcdefghij"), max_size=max_length, unique=True))
    groups = []
    for doc in docs:
        if groups and ties and draw(st.booleans()):
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def compute_rbo(a, b, p, tied):
    return rank_biased_overlap(a, b, p, tied=tied)


@pytest.mark.parametrize(("a", "b", "p", "values"), PUBLISHED)
def test_published_values(a, b, p, values):
    overlaps = [compute_rbo(parse_groups(a), parse_groups(b), p, tied)[:3] for tied in TREATMENTS]
    assert [value for overlap in overlaps for value in overlap] == pytest.approx(values, abs=6e-8)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(rankings(), rankings(), P, st.sampled_from(TREATMENTS))
def test_ext_and_min_match_the_definition(a, b, p, tied):
    overlap = compute_rbo(a, b, p, tied)
    assert overlap.ext == pytest.approx(oracle.extrapolate(a, b, p, tied), abs=1e-12)
    assert overlap.min == pytest.approx(oracle.minimum(a, b, p, tied, 300), abs=1e-12)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(rankings(3), rankings(3), P, st.sampled_from(TREATMENTS))
def test_max_is_attained_by_a_continuation(a, b, p, tied):
    attained, bound = oracle.maximum(a, b, p, tied)
    assert attained == pytest.approx(bound, abs=1e-12)
    assert compute_rbo(a, b, p, tied).max == pytest.approx(attained, abs=1e-12)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(rankings(10, ties=False), rankings(10, ties=False), P)
def test_all_variants_are_equation_32_without_ties(a, b, p):
    overlaps = [compute_rbo(a, b, p, tied) for tied in ("order", *TREATMENTS)]
    assert len(set(overlaps)) == 1
    if a and b:
        expected = oracle.equation_32(oracle.docs(a), oracle.docs(b), p)
        assert overlaps[0].ext == pytest.approx(expected, abs=1e-7 if p < 1e-3 else 1e-12)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(rankings(), rankings(), P)
def test_order_keeps_the_listed_order_of_ties(a, b, p):
    assert compute_rbo(a, b, p, "order") == compute_rbo(oracle.break_ties(a), oracle.break_ties(b), p, "a")


@settings(max_examples=80, derandomize=True, deadline=None)
@given(rankings(5), rankings(5), st.sampled_from([0.5, 0.9]))
def test_a_is_the_mean_over_all_orders(a, b, p):
    assume(prod(oracle.count_orders(ranking) for ranking in (a, b)) <= 720)
    overlaps = [compute_rbo(x, y, p, "order") for x in oracle.orders(a) for y in oracle.orders(b)]
    mean_ext, mean_min, mean_max, _ = (sum(values) / len(overlaps) for values in zip(*overlaps, strict=True))
    overlap = compute_rbo(a, b, p, "a")
    assert overlap.min == pytest.approx(mean_min, abs=1e-12)
    short, long = sorted((a, b), key=lambda ranking: len(oracle.docs(ranking)))
    end, start = len(oracle.docs(short)), 0
    ties_after_end = False
    for group in long:
        ties_after_end |= len(group) > 1 and start + len(group) > end + (start >= end)
        start += len(group)
    if ties_after_end:  # the paper extends S before it breaks the ties of L after the end of S
        assert overlap.ext <= mean_ext + 1e-12
        assert overlap.max <= mean_max + 1e-12
    else:
        assert (overlap.ext, overlap.max) == pytest.approx((mean_ext, mean_max), abs=1e-12)


def test_a_after_the_end_of_the_shorter_ranking_follows_the_paper():
    a, b, p = ["x"], ["x", ["y", "z"]], 0.5
    values = [compute_rbo(a, ["x", *order], p, "order").ext for order in ("yz", "zy")]
    assert values == [1.0, 1.0]
    # At depth 2 the unseen document of the first ranking is y or z, and contributes 1/2 rather than 1.
    assert compute_rbo(a, b, p, "a").ext == pytest.approx(0.5 + 0.25 * (1 + 0.5) / 2 + 0.25)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(rankings(8), rankings(8), st.floats(1e-6, 1 - 1e-6), st.sampled_from(("order", *TREATMENTS)))
def test_bounds_and_symmetry(a, b, p, tied):
    overlap = compute_rbo(a, b, p, tied)
    assert 0 <= overlap.min <= overlap.ext <= overlap.max <= 1
    assert overlap.residual == overlap.max - overlap.min
    assert compute_rbo(b, a, p, tied) == pytest.approx(overlap, abs=1e-15)
    if tied == "a":
        assert overlap.ext <= compute_rbo(a, b, p, "b").ext + 1e-12


@settings(max_examples=100, derandomize=True, deadline=None)
@given(rankings(8, ties=False), rankings(8, ties=False), st.integers(0, 8), st.sampled_from([0.3, 0.8, 0.95]))
def test_longer_rankings_narrow_the_bounds(a, b, depth, p):
    prefix, whole = compute_rbo(a[:depth], b[:depth], p, "order"), compute_rbo(a, b, p, "order")
    assert prefix.min <= whole.min + 1e-12
    assert whole.max <= prefix.max + 1e-12


@pytest.mark.parametrize("n", [1, 2, 3, 50, 3000])
@pytest.mark.parametrize("p", [0.1, 0.9, 0.999])
def test_identical_rankings_agree_fully(n, p):
    docs = list(range(n))
    overlap = compute_rbo(docs, docs, p, "order")
    assert overlap.ext == pytest.approx(1, abs=1e-12)
    assert overlap.max == pytest.approx(1, abs=1e-12)
    tail = -log(1 - p) * (1 - p) / p - sum((1 - p) * p ** (d - 1) / d for d in range(1, n + 1))
    assert overlap.min == pytest.approx(1 - p**n + n * tail, abs=1e-11)


def test_identical_rankings_with_ties():
    ranking = [["a", "b"], "c", ["d", "e", "f"]]
    assert compute_rbo(ranking, ranking, 0.9, "b").ext == pytest.approx(1, abs=1e-15)
    assert compute_rbo(ranking, ranking, 0.9, "w").ext == pytest.approx(1, abs=1e-15)
    assert compute_rbo(ranking, ranking, 0.9, "a").ext < 0.96


@pytest.mark.parametrize("tied", ["order", *TREATMENTS])
def test_disjoint_and_empty_rankings(tied):
    assert compute_rbo([["a", "b"], "c"], ["x", ["y", "z"]], 0.9, tied)[:2] == (0, 0)
    for a, b in (([], "xyz"), ("xyz", []), ([], [])):
        assert compute_rbo(a, b, 0.9, tied) == pytest.approx((0, 0, 1, 1), abs=1e-15)
    # The continuation of an empty ranking has no ties, so it cannot match a ranking with ties completely.
    agreement_at_2 = {"order": 1, "w": 4 / 5, "a": 3 / 4, "b": 1.5 / sqrt(2 * 1.5)}[tied]
    assert compute_rbo([], ["x", ["y", "z"]], 0.9, tied).max == pytest.approx(1 - 0.09 * (1 - agreement_at_2))


def test_hand_computed_examples():
    # Agreement is 0 at depth 1, 1 at depth 2, and extrapolated as 1: 0.2 * 0 + 0.16 * 1 + 0.64 * 1.
    assert compute_rbo("ab", "ba", 0.8, "order").ext == pytest.approx(0.8)
    # The shorter ranking ends at depth 1; its agreement A_1 = 1 is extrapolated.
    assert compute_rbo("a", "abc", 0.8, "order").ext == pytest.approx(1)


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, float("nan"), "0.9", True, None])
def test_persistence_must_be_between_0_and_1(p):
    with pytest.raises(InputError, match=r"p must lie between 0 and 1, such as 0\.9, got "):
        rank_biased_overlap("ab", "ab", p)


def test_invalid_rankings_and_treatments_are_rejected():
    with pytest.raises(InputError, match="duplicate document 'a' in a ranking; list each document once"):
        rank_biased_overlap(["a", ["b", "a"]], "ab")
    with pytest.raises(InputError, match="tied 'c': choose one of order, w, a, b"):
        rank_biased_overlap("ab", "ab", tied="c")
