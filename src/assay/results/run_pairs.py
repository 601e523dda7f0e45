"""Pairs of runs, for analyses that compare every pair of runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.arrays import Ints


def require_two_runs(runs: Sequence[str], detail: str = "") -> None:
    """Raise an error if there are fewer than two runs; *detail* is appended to the message."""
    if len(runs) < 2:
        raise InputError(f"runs: need at least two runs, got {len(runs)}{detail}")


def pair_runs(runs: Sequence[str]) -> Ints:
    """Return the run indices of every pair of runs, an array of pairs x 2.

    >>> pair_runs(["a", "b", "c"]).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    require_two_runs(runs)
    return np.array(list(combinations(range(len(runs)), 2)), dtype=np.int64)


def name_pairs(runs: Sequence[str], pairs: Ints, columns: Sequence[str] = ("run", "other")) -> pl.DataFrame:
    """Return the names of the two runs of each pair, in two columns; *pairs* contains indices of *runs*.

    >>> name_pairs(["a", "b", "c"], np.array([[0, 2]])).rows()
    [('a', 'c')]
    """
    names = pl.Series(runs, dtype=pl.String)
    return pl.DataFrame({column: names.gather(index) for column, index in zip(columns, pairs.T, strict=True)})
