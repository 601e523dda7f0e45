"""The best path through the lattice: the whole profile, for any terms that fall with the rank."""

import numpy as np
import pytest

from assay.distance._med.lattice import build_profile
from assay.distance._med.lattice_weights import LinearTerms, TermTable, linear_weights, table_weights
from assay.distance._med.pairs import Pair
from lattice_cases import Case, best_by_number, random_case, sums


def precision(rank, found):
    return found / rank


def falling(rng, most=12):
    """Any terms of rank and number that are at least 0 and do not grow with the rank."""
    table = -np.sort(-rng.random((most, most + 1)) * rng.choice([0.1, 1, 10], (1, most + 1)), axis=0)
    return lambda rank, found: table[rank - 1, found]


TERMS = {
    "random": falling,
    "DCG": lambda rng: lambda rank, found: 1 / np.log2(1 + rank) + 0 * found,
    "RR": lambda rng: lambda rank, found: (found == 1) / rank,
    "ERR": lambda rng: lambda rank, found: 0.5**found / rank,
    "precision": lambda rng: precision,
}


def tables(pair, term):
    """The terms of both rankings, for every number of labels."""
    both = []
    for side in (pair.first, pair.second):
        judged = ~side.free & (side.code == 2)
        found = np.cumsum(judged)[:, None] + np.arange(side.free.sum() + 1)
        counted = (side.free | judged)[:, None]
        both.append(TermTable(counted * term(side.rank[:, None], np.minimum(found, len(side.rank)))))
    return both


def graded(case):
    """With grades 0 and 1 only, so that code 2 is relevant."""
    return Case(case.y, case.z, case.judged, {**case.outside, 0.0: 1, 1.0: 1})


def table_profile(case, term, **given):
    pair = Pair.from_rankings(graded(case).rankings(), 0, 1)
    return build_profile(pair, table_weights(pair, *tables(pair, term)), **given)


@pytest.mark.parametrize("kind", ["permutation", "partial", "disjoint"])
@pytest.mark.parametrize("name", TERMS)
def test_the_whole_profile_of_any_falling_terms(name, kind):
    rng = np.random.default_rng([len(name), len(kind)])
    for _ in range(120):
        case, term = random_case(rng, 6, kind), TERMS[name](rng)
        number, difference = sums(case, term)
        np.testing.assert_allclose(table_profile(case, term).best, best_by_number(number, difference), atol=1e-12)


@pytest.mark.parametrize("name", TERMS)
def test_labels_reach_every_number_of_the_profile(name):
    rng = np.random.default_rng(7)
    for _ in range(120):
        case, term = random_case(rng, 6), TERMS[name](rng)
        found = table_profile(case, term, trace=True)
        for labels, best in enumerate(found.best):
            documents = [case.docs[i] for i in found.find_documents(labels)]
            assert len(set(documents)) == labels
            judged = {**dict.fromkeys(case.docs, 0.0), **case.judged, **dict.fromkeys(documents, 1.0)}
            assert not set(documents) & set(case.judged)
            _, [difference] = sums(Case(case.y, case.z, judged), term)
            assert difference == pytest.approx(best, abs=1e-12)


def test_terms_that_grow_with_the_rank_are_out_of_reach():
    """The negative control: where dominance does not hold, a path is not enough, and the comparison shows it."""
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(100):
        table = rng.random((12, 13))
        case = random_case(rng, 6, "permutation")
        number, difference = sums(case, lambda rank, found, table=table: table[rank - 1, found])
        found = table_profile(case, lambda rank, found, table=table: table[rank - 1, found]).best
        best = best_by_number(number, difference)
        assert (found <= best + 1e-12).all()
        wrong += not np.allclose(found, best, atol=1e-12)
    assert wrong > 30


def linear(pair, term_base, term_slope):
    both = []
    for side in (pair.first, pair.second):
        counted = side.free | (side.code == 2)
        both.append(LinearTerms(counted * term_base[: len(side.rank)], counted * term_slope[: len(side.rank)]))
    return both


def test_linear_terms_are_tables_too():
    rng = np.random.default_rng(11)
    for _ in range(200):
        pair = Pair.from_rankings(graded(random_case(rng, 9)).rankings(), 0, 1)
        base, slope = -np.sort(-rng.random((2, 18)))
        lines = linear(pair, base, slope)
        numbers = [np.arange(side.free.sum() + 1) for side in (pair.first, pair.second)]
        full = [
            TermTable(one.base[:, None] + one.slope[:, None] * number)
            for one, number in zip(lines, numbers, strict=True)
        ]
        best = build_profile(pair, linear_weights(pair, *lines)).best
        np.testing.assert_allclose(best, build_profile(pair, table_weights(pair, *full)).best, atol=1e-11)
        most = int(rng.integers(0, len(best)))
        for few in (linear_weights(pair, *lines, most), table_weights(pair, *full, most)):
            np.testing.assert_allclose(build_profile(pair, few).best[: most + 1], best[: most + 1], atol=1e-11)


def test_all_pairs_of_short_permutations():
    """Every permutation of five documents, every set of judged relevant ones of which there are at most two."""
    from itertools import combinations, permutations

    for z in permutations(range(5)):
        for relevant in [(), *combinations(range(5), 1), (0, 3)]:
            case = Case(list(range(5)), list(z), dict.fromkeys(relevant, 1.0))
            number, difference = sums(case, precision)
            np.testing.assert_allclose(
                table_profile(case, precision).best, best_by_number(number, difference), atol=1e-12
            )


def test_a_ranking_is_at_no_distance_from_itself():
    """Exactly, not only up to rounding."""
    rng = np.random.default_rng(9)
    for _ in range(50):
        docs = rng.permutation(40).tolist()
        judged = {doc: float(rng.integers(0, 2)) for doc in docs if rng.random() < 0.5}
        pair = Pair.from_rankings(graded(Case(docs, docs, judged)).rankings(), 0, 1)
        lines = linear(pair, *-np.sort(-rng.random((2, 40))))
        assert not build_profile(pair, linear_weights(pair, *lines)).best.any()
        for make in (lambda rng: falling(rng, 40), *list(TERMS.values())[1:]):
            assert not build_profile(pair, table_weights(pair, *tables(pair, make(rng)))).best.any()


def test_labels_need_a_trace():
    with pytest.raises(RuntimeError, match="without a trace"):
        table_profile(Case([1, 2], [2, 1]), precision).find_documents(1)


def test_no_documents():
    assert table_profile(Case([], []), precision).best.tolist() == [0]
    assert table_profile(Case([], [5]), precision).best.tolist() == [0, -1]
    assert table_profile(Case([5], []), precision).best.tolist() == [0, 1]
