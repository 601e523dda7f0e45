"""Small results and vectors for the tests of slices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from assay.measures import measures
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.results import Results

_ALL = json.loads((Path(__file__).parent / "vectors-judging.json").read_text(encoding="utf-8"))
VECTORS = {vector["id"]: vector for vector in _ALL if vector["op"].startswith("slices.")}


def vectors(op: str) -> list[str]:
    """Return the ids of the vectors of one operation."""
    return [name for name, vector in VECTORS.items() if vector["op"] == f"slices.{op}"]


def make_results(values: Any, names: str | tuple[str, ...] = "AP", topics: Any = None) -> Results:
    """Return results with values of shape measures x runs x topics, or runs x topics."""
    grid = np.asarray(values, dtype=np.float64)
    grid = grid if grid.ndim == 3 else grid[None]
    ids = tuple(f"t{number:03}" for number in range(grid.shape[2])) if topics is None else tuple(topics)
    runs = tuple("abcdefghij"[: grid.shape[1]])
    return Results(runs, ids, measures(names), grid, np.zeros(grid.shape), Provenance((), Policies()))


def results_of_slices(slices: dict[str, dict[str, list[float]]]) -> tuple[Results, dict[str, dict[str, str]]]:
    """Return the results of the runs a and b, and a topics table, from values by slice and run."""
    table, values = {}, {"a": [], "b": []}  # type: ignore[var-annotated]
    for name, runs in slices.items():
        for a, b in zip(runs["a"], runs["b"], strict=True):
            table[f"t{len(table):03}"] = {"s": name}
            values["a"].append(a)
            values["b"].append(b)
    return make_results(list(values.values())), table
