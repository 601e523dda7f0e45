"""Collect a DataFrame to the driver, and find the indices of its rows in arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.spark._session import one_line_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.model.arrays import Ints


def collect(table: DataFrame) -> pl.DataFrame:
    """Compute a DataFrame and return its rows on the driver."""
    with one_line_errors():
        return pl.DataFrame(pl.from_arrow(table.toArrow()))


def index_names(column: pl.Series, names: Iterable[str]) -> Ints:
    """Return the index in *names* of each name of a column."""
    return column.cast(pl.Enum(list(names))).to_physical().to_numpy().astype(np.int64)
