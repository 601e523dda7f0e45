"""The best path through the lattice: all values of the profile, for any terms that do not increase with the rank."""

import numpy as np
import pytest

from assay.distance._med.lattice import build_profile
from assay.distance._med.lattice_weights import LinearTerms, TermTable, linear_weights, table_weights
from assay.distance._med.pairs import Pair
from lattice_cases import Case, best_by_number, random_case, sums


def precision(rank, relevant):
    return relevant / rank


def random_nonincreasing_terms(rng, size=12):
    """Draw non-negative terms of the rank and the number of relevant documents that do not increase with the rank."""
    table = -np.sort(-rng.random((size, size + 1)) * rng.choice([0.1, 1, 10], (1, size + 1)), axis=0)
    return lambda rank, relevant: table[rank - 1, relevant]


TERMS = {
    "random": random_nonincreasing_terms,
    "DCG": lambda rng: lambda rank, relevant: 1 / np.log2(1 + rank) + 0 * relevant,
    "RR": lambda rng: lambda rank, relevant: (relevant == 1) / rank,
    "ERR": lambda rng: lambda rank, relevant: 0.5**relevant / rank,
    "precision": lambda rng: precision,
}


def build_term_tables(pair, term):
    """Build the terms of both rankings for every number of labels."""
    both = []
    for side in (pair.first, pair.second):
        judged = ~side.free & (side.code == 2)
        relevant = np.cumsum(judged)[:, None] + np.arange(side.free.sum() + 1)
        counted = (side.free | judged)[:, None]
        both.append(TermTable(counted * term(side.rank[:, None], np.minimum(relevant, len(side.rank)))))
    return both


def with_binary_grades(case):
    """Judge one more document of grade 0 and one of grade 1, to make code 2 mean relevant."""
    return Case(case.y, case.z, case.judged, {**case.outside, 0.0: 1, 1.0: 1})


def build_table_profile(case, term, **options):
    pair = Pair.from_rankings(with_binary_grades(case).rankings(), 0, 1)
    return build_profile(pair, table_weights(pair, *build_term_tables(pair, term)), **options)


@pytest.mark.parametrize("kind", ["permutation", "partial", "disjoint"])
@pytest.mark.parametrize("name", TERMS)
def test_profile_is_the_maximum_for_each_number_of_labels(name, kind):
    rng = np.random.default_rng([len(name), len(kind)])
    for _ in range(120):
        case, term = random_case(rng, 6, kind), TERMS[name](rng)
        number, difference = sums(case, term)
        np.testing.assert_allclose(build_table_profile(case, term).best, best_by_number(number, difference), atol=1e-12)


@pytest.mark.parametrize("name", TERMS)
def test_labels_attain_every_value_of_the_profile(name):
    rng = np.random.default_rng(7)
    for _ in range(120):
        case, term = random_case(rng, 6), TERMS[name](rng)
        profile = build_table_profile(case, term, trace=True)
        for labels, best in enumerate(profile.best):
            documents = [case.docs[i] for i in profile.find_documents(labels)]
            assert len(set(documents)) == labels
            judged = {**dict.fromkeys(case.docs, 0.0), **case.judged, **dict.fromkeys(documents, 1.0)}
            assert not set(documents) & set(case.judged)
            _, [difference] = sums(Case(case.y, case.z, judged), term)
            assert difference == pytest.approx(best, abs=1e-12)


def test_increasing_terms_are_not_maximized():
    """Negative control: if terms increase with the rank, dominance fails and the path misses the maximum."""
    rng = np.random.default_rng(3)
    misses = 0
    for _ in range(100):
        table = rng.random((12, 13))
        case = random_case(rng, 6, "permutation")
        number, difference = sums(case, lambda rank, relevant, table=table: table[rank - 1, relevant])
        profile = build_table_profile(case, lambda rank, relevant, table=table: table[rank - 1, relevant]).best
        best = best_by_number(number, difference)
        assert (profile <= best + 1e-12).all()
        misses += not np.allclose(profile, best, atol=1e-12)
    assert misses > 30


def build_linear_terms(pair, term_base, term_slope):
    both = []
    for side in (pair.first, pair.second):
        counted = side.free | (side.code == 2)
        both.append(LinearTerms(counted * term_base[: len(side.rank)], counted * term_slope[: len(side.rank)]))
    return both


def test_linear_terms_equal_their_tables():
    rng = np.random.default_rng(11)
    for _ in range(200):
        pair = Pair.from_rankings(with_binary_grades(random_case(rng, 9)).rankings(), 0, 1)
        base, slope = -np.sort(-rng.random((2, 18)))
        lines = build_linear_terms(pair, base, slope)
        numbers = [np.arange(side.free.sum() + 1) for side in (pair.first, pair.second)]
        term_tables = [
            TermTable(line.base[:, None] + line.slope[:, None] * number)
            for line, number in zip(lines, numbers, strict=True)
        ]
        best = build_profile(pair, linear_weights(pair, *lines)).best
        np.testing.assert_allclose(best, build_profile(pair, table_weights(pair, *term_tables)).best, atol=1e-11)
        max_labels = int(rng.integers(0, len(best)))
        for weights in (linear_weights(pair, *lines, max_labels), table_weights(pair, *term_tables, max_labels)):
            np.testing.assert_allclose(
                build_profile(pair, weights).best[: max_labels + 1], best[: max_labels + 1], atol=1e-11
            )


def test_all_pairs_of_short_permutations():
    """Every permutation of five documents, with no, one or two documents judged relevant."""
    from itertools import combinations, permutations

    for z in permutations(range(5)):
        for relevant in [(), *combinations(range(5), 1), (0, 3)]:
            case = Case(list(range(5)), list(z), dict.fromkeys(relevant, 1.0))
            number, difference = sums(case, precision)
            np.testing.assert_allclose(
                build_table_profile(case, precision).best, best_by_number(number, difference), atol=1e-12
            )


def test_identical_rankings_have_distance_0():
    """The distance is exactly 0, without rounding errors."""
    rng = np.random.default_rng(9)
    for _ in range(50):
        docs = rng.permutation(40).tolist()
        judged = {doc: float(rng.integers(0, 2)) for doc in docs if rng.random() < 0.5}
        pair = Pair.from_rankings(with_binary_grades(Case(docs, docs, judged)).rankings(), 0, 1)
        lines = build_linear_terms(pair, *-np.sort(-rng.random((2, 40))))
        assert not build_profile(pair, linear_weights(pair, *lines)).best.any()
        for draw_terms in (lambda rng: random_nonincreasing_terms(rng, 40), *list(TERMS.values())[1:]):
            assert not build_profile(pair, table_weights(pair, *build_term_tables(pair, draw_terms(rng)))).best.any()


def test_labels_need_a_trace():
    with pytest.raises(RuntimeError, match="without a trace"):
        build_table_profile(Case([1, 2], [2, 1]), precision).find_documents(1)


def test_no_documents():
    assert build_table_profile(Case([], []), precision).best.tolist() == [0]
    assert build_table_profile(Case([], [5]), precision).best.tolist() == [0, -1]
    assert build_table_profile(Case([5], []), precision).best.tolist() == [0, 1]
