"""Hasse diagram of the order of runs on a topic."""

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


def make_report(rankings: list[list[int]], **options: Any) -> Any:
    """Return the order report of rankings given as grades; each rank has its own documents."""
    qrels = {"q": {f"d{rank}g{grade}": grade for rank in range(5) for grade in range(3)}}
    runs = {
        f"run{number}": {"q": {f"d{rank}g{grade}": 10.0 - rank for rank, grade in enumerate(ranking)}}
        for number, ranking in enumerate(rankings)
    }
    return theory.order(read(qrels, runs), "AP", **options)


def transitive_closure(edges: np.ndarray, size: int) -> np.ndarray:
    """Return the transitive closure of the edges (Floyd-Warshall)."""
    reachable = np.zeros((size, size), dtype=bool)
    reachable[tuple(edges.T)] = True
    for middle, source, target in product(range(size), repeat=3):
        reachable[source, target] |= reachable[source, middle] and reachable[middle, target]
    return reachable


@settings(max_examples=150)
@given(RANKINGS)
def test_agrees_with_the_definition(rankings: list[list[int]]) -> None:
    diagram = build_diagram(make_report(rankings), 0, range(len(rankings)))
    num_nodes = len(diagram.level)
    first_runs = [int(np.flatnonzero(diagram.node == node)[0]) for node in range(num_nodes)]
    assert first_runs == sorted(first_runs), "nodes are numbered by their first runs"
    for (i, r), (j, s) in product(enumerate(rankings), repeat=2):
        outcome = oracle.compare(r, s)
        assert (outcome == "equal") == (diagram.node[i] == diagram.node[j])
        assert (outcome == "greater") == diagram.above[diagram.node[i], diagram.node[j]]
    assert np.array_equal(transitive_closure(diagram.edges, num_nodes), diagram.above), (
        "the edges imply the whole order"
    )
    for edge in range(len(diagram.edges)):
        remaining = np.delete(diagram.edges, edge, axis=0)
        assert not np.array_equal(transitive_closure(remaining, num_nodes), diagram.above), "no edge is redundant"
    for node in range(num_nodes):
        above_node = np.flatnonzero(diagram.above[:, node])
        assert diagram.level[node] == max((diagram.level[each] + 1 for each in above_node), default=0)


@given(st.permutations(range(6)), st.lists(st.booleans(), min_size=15, max_size=15))
def test_covers_and_levels_of_any_order(names: list[int], is_chosen: list[bool]) -> None:
    pairs = [(i, j) for i in range(6) for j in range(i + 1, 6)]
    edges = np.array(
        [(names[i], names[j]) for (i, j), chosen in zip(pairs, is_chosen, strict=True) if chosen], dtype=np.int64
    )
    above = transitive_closure(edges.reshape(-1, 2), 6)
    covers = find_covers(above)
    assert np.array_equal(transitive_closure(np.argwhere(covers), 6), above)
    for higher, lower in np.argwhere(above):
        between = above[higher] & above[:, lower]
        assert covers[higher, lower] == (not between.any())
    level = compute_levels(above)
    assert all(level[higher] < level[lower] for higher, lower in np.argwhere(above))


def test_chain_with_a_branch() -> None:
    rankings = [[2, 1, 0, 0], [1, 2, 0, 0], [1, 1, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0]]
    diagram = build_diagram(make_report(rankings), 0, range(5))
    assert diagram.node.tolist() == [0, 1, 2, 3, 2]
    assert diagram.level.tolist() == [0, 1, 2, 2]
    assert diagram.edges.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert diagram.comparable == pytest.approx(1 - 2 / 10), "(1, 1) twice against (0, 2)"


def test_selected_runs_in_the_given_order() -> None:
    rankings = [[0, 0, 0, 0], [2, 0, 0, 0], [1, 0, 0, 0]]
    diagram = build_diagram(make_report(rankings), 0, [2, 0])
    assert diagram.runs.tolist() == [2, 0]
    assert diagram.edges.tolist() == [[0, 1]]
    assert build_diagram(make_report(rankings), 0, []).edges.shape == (0, 2)


def test_runs_without_the_topic_are_excluded() -> None:
    runs = {"one": {"q": {"a": 1.0}}, "two": {"q": {"b": 1.0}}, "lacks": {"r": {"a": 1.0}}}
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    assert build_diagram(theory.order(read(qrels, runs), "AP"), 0, range(3)).runs.tolist() == [0, 1, 2]
    report_without_missing = theory.order(read(qrels, runs, missing="exclude"), "AP")
    assert build_diagram(report_without_missing, 0, range(3)).runs.tolist() == [0, 1]
    assert build_diagram(report_without_missing, 1, range(3)).runs.tolist() == [2]


def test_comparable_fractions() -> None:
    simulation = simulate(systems=7, topics=5, seed=1)
    order = theory.order(read(simulation.qrels, simulation.runs), "AP", depth=10)
    comparable, ordered = comparable_fractions(order, [0, 2, 3, 6])
    for topic in range(5):
        diagram = build_diagram(order, topic, [0, 2, 3, 6])
        assert comparable[topic] == pytest.approx(diagram.comparable)
        node = diagram.node
        assert ordered[topic] == sum(diagram.above[node[i], node[j]] for i in range(4) for j in range(4))
