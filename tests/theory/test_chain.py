"""The chain between comparable runs."""

import json
from itertools import product
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.theory._chain import chain
from oracles import order as oracle

VECTORS = json.loads((Path(__file__).parents[1] / "vectors.json").read_text())["vectors"]


def verified(r, s):
    """Every step goes up, is of the kind that it says, and stays below the goal; the last one arrives."""
    here = tuple(map(float, r))
    for step in chain(r, s):
        assert oracle.is_step(here, step.run) == step.kind
        assert oracle.is_below(step.run, s)
        assert (here[step.rank - 1], step.run[step.rank - 1]) == (step.before, step.after)
        assert (step.other is None) == (step.kind == "replacement")
        here = step.run
    assert list(here) == list(map(float, s))


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS if v["inputs"].get("op") == "chain_fixed_ok"], ids=lambda v: v["id"]
)
def test_vectors(vector):
    verified(vector["inputs"]["r"], vector["inputs"]["s"])
    assert vector["expected"] is True


@pytest.mark.parametrize(
    "vector",
    [v for v in VECTORS if v["inputs"].get("op") in ("chain_paper_ok", "swap_closest_min")],
    ids=lambda v: v["id"],
)
def test_vectors_of_the_printed_construction(vector):
    r, s = vector["inputs"]["r"], vector["inputs"]["s"]
    visited = oracle.printed_chain(r, s)
    if vector["inputs"]["op"] == "swap_closest_min":
        assert visited[1] == vector["computed"]
    else:
        fine = visited[-1] == s and all(oracle.is_below(run, s) for run in visited)
        assert fine is vector["computed"]


@pytest.mark.parametrize(
    ("grades", "length"),
    [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (2, 7), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (4, 3)],
)
def test_every_comparable_pair(grades, length):
    runs = list(product(range(grades), repeat=length))
    # All below a run are found through running counts; going through them by definition is the slow part.
    counts = {
        run: tuple(sum(g >= p for g in run[:k]) for p in range(1, grades) for k in range(1, length + 1)) for run in runs
    }
    comparable = [
        (r, s) for r in runs for s in runs if r != s and all(a <= b for a, b in zip(counts[r], counts[s], strict=True))
    ]
    for r, s in comparable:
        verified(r, s)


def test_the_printed_construction_would_fail_here():
    steps = chain([1, 0, 2], [2, 0, 1])
    assert [(step.kind, step.rank, step.other) for step in steps] == [("swap", 1, 3)]


def test_equal_runs_need_no_step():
    assert chain([1, 0], [1, 0]) == []


@pytest.mark.parametrize(
    ("r", "s", "message"),
    [
        ([1, 0], [0, 1], "the first run is above the second"),
        ([0, 1, 0, 1, 0], [1, 0, 0, 0, 1], "the first run is incomparable with the second"),
        ([1], [1, 0], "documents are incomparable; pad the shorter one"),
    ],
)
def test_refused(r, s, message):
    with pytest.raises(InputError, match=message):
        chain(r, s)
