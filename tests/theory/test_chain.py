"""The chain between comparable runs."""

import json
from itertools import product
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.theory._chain import chain
from oracles import order as oracle

VECTORS = json.loads((Path(__file__).parents[1] / "vectors.json").read_text())["vectors"]


def check_chain(r, s):
    """Check that each step is of its kind and stays below the target *s*, and that the last step reaches it."""
    current = tuple(map(float, r))
    for step in chain(r, s):
        assert oracle.is_step(current, step.run) == step.kind
        assert oracle.is_below(step.run, s)
        assert (current[step.rank - 1], step.run[step.rank - 1]) == (step.before, step.after)
        assert (step.other is None) == (step.kind == "replacement")
        current = step.run
    assert list(current) == list(map(float, s))


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS if v["inputs"].get("op") == "chain_fixed_ok"], ids=lambda v: v["id"]
)
def test_chains_of_the_vectors(vector):
    check_chain(vector["inputs"]["r"], vector["inputs"]["s"])
    assert vector["expected"] is True


@pytest.mark.parametrize(
    "vector",
    [v for v in VECTORS if v["inputs"].get("op") in ("chain_paper_ok", "swap_closest_min")],
    ids=lambda v: v["id"],
)
def test_printed_construction_agrees_with_the_vectors(vector):
    r, s = vector["inputs"]["r"], vector["inputs"]["s"]
    visited = oracle.printed_chain(r, s)
    if vector["inputs"]["op"] == "swap_closest_min":
        assert visited[1] == vector["computed"]
    else:
        is_valid = visited[-1] == s and all(oracle.is_below(run, s) for run in visited)
        assert is_valid is vector["computed"]


@pytest.mark.parametrize(
    ("grades", "length"),
    [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (4, 3)],
)
def test_chains_of_comparable_pairs(grades, length):
    runs = list(product(range(grades), repeat=length))
    # Cumulative counts find all comparable pairs quickly; checking each chain by definition is the slow part.
    counts = {
        run: tuple(sum(g >= p for g in run[:k]) for p in range(1, grades) for k in range(1, length + 1)) for run in runs
    }
    comparable = [
        (r, s) for r in runs for s in runs if r != s and all(a <= b for a, b in zip(counts[r], counts[s], strict=True))
    ]
    # Of the thousands of pairs of the longest rankings, every seventh is checked.
    for r, s in comparable[:: 7 if len(comparable) > 2500 else 1]:
        check_chain(r, s)


def test_chain_where_the_printed_construction_fails():
    steps = chain([1, 0, 2], [2, 0, 1])
    assert [(step.kind, step.rank, step.other) for step in steps] == [("swap", 1, 3)]


def test_equal_runs_need_no_step():
    assert chain([1, 0], [1, 0]) == []


@pytest.mark.parametrize(
    ("r", "s", "message"),
    [
        ([1, 0], [0, 1], "the first ranking is above the second ranking"),
        ([0, 1, 0, 1, 0], [1, 0, 0, 0, 1], "the first ranking is incomparable with the second ranking"),
        ([1], [1, 0], "documents; pad the shorter ranking"),
    ],
)
def test_runs_without_a_chain_raise(r, s, message):
    with pytest.raises(InputError, match=message):
        chain(r, s)
