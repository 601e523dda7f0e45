"""Letters for runs that cannot be told apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.significance import groups as module
from assay.significance.groups import assign_letters, find_groups
from oracles.groups import cliques, fewest_groups


def matrix(runs: int, pairs: set[tuple[int, int]]) -> np.ndarray:
    found = np.zeros((runs, runs), dtype=bool)
    for a, b in pairs:
        found[a, b] = found[b, a] = True
    return found


@st.composite
def significances(draw: st.DrawFn, most: int = 12) -> np.ndarray:
    runs = draw(st.integers(1, most))
    pairs = list(combinations(range(runs), 2))
    return matrix(runs, draw(st.sets(st.sampled_from(pairs))) if pairs else set())


def share(found: np.ndarray) -> np.ndarray:
    return (found.T.astype(int) @ found.astype(int)) > 0


def test_by_hand() -> None:
    assert assign_letters(matrix(1, set())) == ["a"]
    assert assign_letters(matrix(3, set())) == ["a", "a", "a"]
    assert assign_letters(matrix(2, {(0, 1)})) == ["a", "b"]
    assert assign_letters(matrix(3, {(0, 2)})) == ["a", "ab", "b"]
    assert assign_letters(matrix(4, {(0, 2), (0, 3), (1, 3)})) == ["a", "ab", "bc", "c"]
    assert assign_letters(matrix(0, set())) == []


def test_piepho_needs_letters_that_are_not_neighbours() -> None:
    # The best and the worst run vary much and cannot be told apart, those between them can be told from both.
    assert assign_letters(matrix(4, {(0, 1), (0, 2), (1, 3), (2, 3)})) == ["a", "b", "b", "a"]


def test_the_best_run_has_the_first_letter() -> None:
    assert assign_letters(matrix(3, {(0, 2), (1, 2)}), order=[2, 1, 0]) == ["b", "b", "a"]
    assert assign_letters(matrix(3, {(0, 1)}), order=[1, 2, 0]) == ["b", "a", "ab"]


def test_many_groups_have_letters_that_stand_apart() -> None:
    everything = {(a, b) for a, b in combinations(range(30), 2) if abs(a - b) > 1}
    found = assign_letters(matrix(30, everything))
    assert found[:2] == ["a", "a b"]
    assert found[-4:] == ["z aa", "aa ab", "ab ac", "ac"]
    assert assign_letters(matrix(26, set(combinations(range(26), 2)))) == list("abcdefghijklmnopqrstuvwxyz")
    assert [module._format_letter(number) for number in (51, 52, 701, 702)] == ["az", "ba", "zz", "aaa"]


@pytest.mark.parametrize("runs", [1, 2, 3, 4, 5])
def test_every_pattern_of_few_runs_has_the_fewest_letters(runs: int) -> None:
    pairs = list(combinations(range(runs), 2))
    for number in range(1 << len(pairs)):
        different = matrix(runs, {pair for place, pair in enumerate(pairs) if number >> place & 1})
        found = find_groups(different)
        assert (share(found) == ~different).all()
        assert len(found) == fewest_groups(different.tolist())


@given(significances(), st.randoms(use_true_random=False))
def test_two_runs_share_a_letter_if_and_only_if_they_do_not_differ(different, random) -> None:
    order = list(range(len(different)))
    random.shuffle(order)
    found = find_groups(different, order)
    assert (share(found) == ~different).all()
    assert found[0, order[0]]
    for number in range(len(found)):  # none can be left away
        assert (share(np.delete(found, number, axis=0)) != ~different).any()
    texts = assign_letters(different, order)
    for a, b in combinations(range(len(different)), 2):
        assert bool(set(texts[a]) & set(texts[b])) == (not different[a, b])


@given(significances(8))
def test_groups_cannot_be_enlarged(different) -> None:
    known = set(cliques(different.tolist()))
    assert {frozenset(np.flatnonzero(row).tolist()) for row in find_groups(different)} <= known
    assert {frozenset(np.flatnonzero(row).tolist()) for row in module._insert_and_absorb(different)} == known


def test_where_all_groups_are_too_many_they_are_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    # In each of 10 pairs the two differ, and nothing else does: 2^10 groups cannot be enlarged.
    monkeypatch.setattr(module, "_MAX_GROUPS", 200)
    different = matrix(20, {(run, run + 1) for run in range(0, 20, 2)})
    assert module._insert_and_absorb(different) is None
    assert (share(find_groups(different)) == ~different).all()
    monkeypatch.setattr(module, "_MAX_GROUPS", 0)
    assert module._insert_and_absorb(matrix(3, {(0, 2)})) is None
    assert assign_letters(matrix(3, {(0, 2)})) == ["a", "ab", "b"]
