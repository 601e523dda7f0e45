"""The order on the runs of a topic as a diagram."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import read, simulate, theory
from assay.theory.hasse import build_diagram, comparable_fractions, compute_levels, find_covers
from oracles import order as oracle

RANKINGS = st.lists(st.lists(st.sampled_from([0, 1, 2]), min_size=4, max_size=4), min_size=2, max_size=9)


def report(rankings: list[list[int]], **options: Any) -> Any:
    """The order of rankings that are written down as grades; every rank has documents of its own."""
    qrels = {"q": {f"d{rank}g{grade}": grade for rank in range(5) for grade in range(3)}}
    runs = {
        f"run{number}": {"q": {f"d{rank}g{grade}": 10.0 - rank for rank, grade in enumerate(ranking)}}
        for number, ranking in enumerate(rankings)
    }
    return theory.order(read(qrels, runs), "AP", **options)


def closed(edges: np.ndarray, many: int) -> np.ndarray:
    """What follows from steps: whether there is a way, by trying all."""
    way = np.zeros((many, many), dtype=bool)
    way[tuple(edges.T)] = True
    for middle, one, other in product(range(many), repeat=3):
        way[one, other] |= way[one, middle] and way[middle, other]
    return way


@settings(max_examples=150)
@given(RANKINGS)
def test_against_the_definition(rankings: list[list[int]]) -> None:
    found = build_diagram(report(rankings), 0, range(len(rankings)))
    many = len(found.level)
    heads = [int(np.flatnonzero(found.node == node)[0]) for node in range(many)]
    assert heads == sorted(heads), "nodes are numbered by their first runs"
    for (i, r), (j, s) in product(enumerate(rankings), repeat=2):
        outcome = oracle.compare(r, s)
        assert (outcome == "equal") == (found.node[i] == found.node[j])
        assert (outcome == "greater") == found.above[found.node[i], found.node[j]]
    assert np.array_equal(closed(found.edges, many), found.above), "the steps give the whole order"
    for left_out in range(len(found.edges)):
        rest = np.delete(found.edges, left_out, axis=0)
        assert not np.array_equal(closed(rest, many), found.above), "and none of them is needless"
    for node in range(many):
        over = np.flatnonzero(found.above[:, node])
        assert found.level[node] == max((found.level[each] + 1 for each in over), default=0)


@given(st.permutations(range(6)), st.lists(st.booleans(), min_size=15, max_size=15))
def test_any_order(names: list[int], chosen: list[bool]) -> None:
    pairs = [(i, j) for i in range(6) for j in range(i + 1, 6)]
    edges = np.array([(names[i], names[j]) for (i, j), kept in zip(pairs, chosen, strict=True) if kept], dtype=np.int64)
    above = closed(edges.reshape(-1, 2), 6)
    steps = find_covers(above)
    assert np.array_equal(closed(np.argwhere(steps), 6), above)
    for one, other in np.argwhere(above):
        between = above[one] & above[:, other]
        assert steps[one, other] == (not between.any())
    level = compute_levels(above)
    assert all(level[one] < level[other] for one, other in np.argwhere(above))


def test_a_chain_and_what_lies_beside_it() -> None:
    rankings = [[2, 1, 0, 0], [1, 2, 0, 0], [1, 1, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0]]
    found = build_diagram(report(rankings), 0, range(5))
    assert found.node.tolist() == [0, 1, 2, 3, 2]
    assert found.level.tolist() == [0, 1, 2, 2]
    assert found.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert found.comparable == pytest.approx(1 - 2 / 10), "(1, 1) twice against (0, 2)"


def test_some_runs_in_their_order() -> None:
    rankings = [[0, 0, 0, 0], [2, 0, 0, 0], [1, 0, 0, 0]]
    found = build_diagram(report(rankings), 0, [2, 0])
    assert found.runs.tolist() == [2, 0]
    assert found.edges.tolist() == [[0, 1]]
    assert build_diagram(report(rankings), 0, []).edges.shape == (0, 2)


def test_runs_that_do_not_count_are_left_out() -> None:
    runs = {"one": {"q": {"a": 1.0}}, "two": {"q": {"b": 1.0}}, "lacks": {"r": {"a": 1.0}}}
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    assert build_diagram(theory.order(read(qrels, runs), "AP"), 0, range(3)).runs.tolist() == [0, 1, 2]
    apart = theory.order(read(qrels, runs, missing="exclude"), "AP")
    assert build_diagram(apart, 0, range(3)).runs.tolist() == [0, 1]
    assert build_diagram(apart, 1, range(3)).runs.tolist() == [2]


def test_shares() -> None:
    made = simulate(systems=7, topics=5, seed=1)
    whole = theory.order(read(made.qrels, made.runs), "AP", depth=10)
    comparable, ordered = comparable_fractions(whole, [0, 2, 3, 6])
    for topic in range(5):
        found = build_diagram(whole, topic, [0, 2, 3, 6])
        assert comparable[topic] == pytest.approx(found.comparable)
        node = found.node
        assert ordered[topic] == sum(found.above[node[i], node[j]] for i in range(4) for j in range(4))
