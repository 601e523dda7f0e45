"""Rows of a DataFrame on the driver, and where in arrays they belong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.spark.session import one_line_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.model.arrays import Ints


def collected(table: DataFrame) -> pl.DataFrame:
    """The rows of a DataFrame, worked out and brought to the driver."""
    with one_line_errors():
        return pl.DataFrame(pl.from_arrow(table.toArrow()))


def numbers(column: pl.Series, names: Iterable[str]) -> Ints:
    """The place of each name of a column among *names*."""
    return column.cast(pl.Enum(list(names))).to_physical().to_numpy().astype(np.int64)
