"""Tidy frames: one row for each cell of an array."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Number
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike


def tidy_frame(axes: Mapping[str, Iterable[Any] | pl.DataFrame], values: Mapping[str, ArrayLike]) -> pl.DataFrame:
    """Return a frame with a row for each cell of arrays; the last axis varies fastest, and NaN becomes null.

    Parameters
    ----------
    axes
        The labels along each axis of the arrays, by column name: numbers, or objects such as measures that are
        converted to text. If the labels are a frame, its columns are used instead of the column name.
    values
        Numbers or arrays, by column name; each is broadcast to the shape of the axes.

    Examples
    --------
    >>> tidy_frame({"run": ["a", "b"], "depth": [10, None]}, {"value": [[1.0, 2.0], [3.0, np.nan]]}).rows()
    [('a', 10, 1.0), ('a', None, 2.0), ('b', 10, 3.0), ('b', None, None)]
    """
    labels = [_to_label_frame(name, axis) for name, axis in axes.items()]
    shape = tuple(map(len, labels))
    index = np.indices(shape).reshape(len(shape), -1)
    columns = [column for frame, rows in zip(labels, index, strict=True) for column in frame[rows].get_columns()]
    columns += [pl.Series(name, np.broadcast_to(array, shape).ravel()) for name, array in values.items()]
    return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def _to_label_frame(name: str, labels: Iterable[Any] | pl.DataFrame) -> pl.DataFrame:
    if isinstance(labels, pl.DataFrame):
        return labels
    items = list(labels)
    if any(isinstance(item, Number) for item in items):
        return pl.DataFrame({name: items})
    return pl.DataFrame({name: [str(item) for item in items]}, schema={name: pl.String})
