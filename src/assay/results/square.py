"""A table of runs against runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl


def square(names: Sequence[str], values: np.ndarray, corner: str = "run") -> pl.DataFrame:
    """Rows and columns named alike; NaN is null. *corner* names the first column, and changes if a run has that name.

    >>> square(["a", "run"], np.array([[0, 1], [2, 0]])).columns
    ['run_', 'a', 'run']
    """
    columns = {name: pl.Series(column) for name, column in zip(names, values.T, strict=True)}
    if np.issubdtype(values.dtype, np.floating):
        columns = {name: column.fill_nan(None) for name, column in columns.items()}
    while corner in columns:
        corner += "_"
    return pl.DataFrame({corner: pl.Series(names, dtype=pl.String), **columns})
