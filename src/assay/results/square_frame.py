"""Square tables, whose rows and columns have the same names, such as a table of run pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl


def to_square_frame(names: Sequence[str], values: np.ndarray, corner: str = "run") -> pl.DataFrame:
    """Convert a square array to a frame whose rows and columns have the same names; NaN becomes null.

    *corner* is the name of the first column, which contains the row names. If it is also one of the *names*,
    underscores are appended to *corner*.

    >>> to_square_frame(["a", "run"], np.array([[0, 1], [2, 0]])).columns
    ['run_', 'a', 'run']
    """
    columns = {name: pl.Series(column) for name, column in zip(names, values.T, strict=True)}
    if np.issubdtype(values.dtype, np.floating):
        columns = {name: column.fill_nan(None) for name, column in columns.items()}
    while corner in columns:
        corner += "_"
    return pl.DataFrame({corner: pl.Series(names, dtype=pl.String), **columns})
