"""Letter groups of runs that do not differ significantly."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.significance import groups as module
from assay.significance.groups import assign_letters, find_groups
from oracles.groups import cliques, fewest_groups


def make_matrix(runs: int, pairs: set[tuple[int, int]]) -> np.ndarray:
    different = np.zeros((runs, runs), dtype=bool)
    for a, b in pairs:
        different[a, b] = different[b, a] = True
    return different


@st.composite
def significance_matrices(draw: st.DrawFn, max_runs: int = 12) -> np.ndarray:
    runs = draw(st.integers(1, max_runs))
    pairs = list(combinations(range(runs), 2))
    return make_matrix(runs, draw(st.sets(st.sampled_from(pairs))) if pairs else set())


def find_shared_letters(membership: np.ndarray) -> np.ndarray:
    return (membership.T.astype(int) @ membership.astype(int)) > 0


def test_letters_of_small_examples() -> None:
    assert assign_letters(make_matrix(1, set())) == ["a"]
    assert assign_letters(make_matrix(3, set())) == ["a", "a", "a"]
    assert assign_letters(make_matrix(2, {(0, 1)})) == ["a", "b"]
    assert assign_letters(make_matrix(3, {(0, 2)})) == ["a", "ab", "b"]
    assert assign_letters(make_matrix(4, {(0, 2), (0, 3), (1, 3)})) == ["a", "ab", "bc", "c"]
    assert assign_letters(make_matrix(0, set())) == []


def test_a_letter_may_skip_runs_in_the_order() -> None:
    # The best and the worst run vary much and do not differ significantly; the runs between them differ from both.
    assert assign_letters(make_matrix(4, {(0, 1), (0, 2), (1, 3), (2, 3)})) == ["a", "b", "b", "a"]


def test_the_best_run_has_the_first_letter() -> None:
    assert assign_letters(make_matrix(3, {(0, 2), (1, 2)}), order=[2, 1, 0]) == ["b", "b", "a"]
    assert assign_letters(make_matrix(3, {(0, 1)}), order=[1, 2, 0]) == ["b", "a", "ab"]


def test_letters_are_separated_by_spaces_beyond_z() -> None:
    distant_pairs = {(a, b) for a, b in combinations(range(30), 2) if abs(a - b) > 1}
    letters = assign_letters(make_matrix(30, distant_pairs))
    assert letters[:2] == ["a", "a b"]
    assert letters[-4:] == ["z aa", "aa ab", "ab ac", "ac"]
    assert assign_letters(make_matrix(26, set(combinations(range(26), 2)))) == list("abcdefghijklmnopqrstuvwxyz")
    assert [module._format_letter(number) for number in (51, 52, 701, 702)] == ["az", "ba", "zz", "aaa"]


@pytest.mark.parametrize("runs", [1, 2, 3, 4, 5])
def test_the_number_of_letters_is_minimal_for_few_runs(runs: int) -> None:
    pairs = list(combinations(range(runs), 2))
    for pattern in range(1 << len(pairs)):
        different = make_matrix(runs, {pair for bit, pair in enumerate(pairs) if pattern >> bit & 1})
        membership = find_groups(different)
        assert (find_shared_letters(membership) == ~different).all()
        assert len(membership) == fewest_groups(different.tolist())


@given(significance_matrices(), st.randoms(use_true_random=False))
def test_two_runs_share_a_letter_if_and_only_if_they_do_not_differ(different, random) -> None:
    order = list(range(len(different)))
    random.shuffle(order)
    membership = find_groups(different, order)
    assert (find_shared_letters(membership) == ~different).all()
    assert membership[0, order[0]]
    for group in range(len(membership)):  # No group is redundant.
        assert (find_shared_letters(np.delete(membership, group, axis=0)) != ~different).any()
    letters = assign_letters(different, order)
    for a, b in combinations(range(len(different)), 2):
        assert bool(set(letters[a]) & set(letters[b])) == (not different[a, b])


@given(significance_matrices(8))
def test_groups_are_maximal(different) -> None:
    expected = set(cliques(different.tolist()))
    assert {frozenset(np.flatnonzero(row).tolist()) for row in find_groups(different)} <= expected
    assert {frozenset(np.flatnonzero(row).tolist()) for row in module._insert_and_absorb(different)} == expected


def test_greedy_groups_if_there_are_too_many_maximal_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    # Only the two runs of each of 10 pairs differ, so there are 2^10 maximal groups.
    monkeypatch.setattr(module, "_MAX_GROUPS", 200)
    different = make_matrix(20, {(run, run + 1) for run in range(0, 20, 2)})
    assert module._insert_and_absorb(different) is None
    assert (find_shared_letters(find_groups(different)) == ~different).all()
    monkeypatch.setattr(module, "_MAX_GROUPS", 0)
    assert module._insert_and_absorb(make_matrix(3, {(0, 2)})) is None
    assert assign_letters(make_matrix(3, {(0, 2)})) == ["a", "ab", "b"]
