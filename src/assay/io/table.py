"""The result of every reader: a flat table of rows, its source, and notes on skipped rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.document_hash import find_segments
from assay.io.problems import ProblemKind
from assay.io.source import run_name


@dataclass(frozen=True, eq=False)
class RowTable:
    """Rows ``topic, doc, value`` (and ``rank`` on request) in the order of the source.

    *value* is the grade of qrels or the score of a run, as a double. *key* is the 64-bit hash of (topic, doc).
    *locate* returns the place of a row, given its number from 0, as messages show it (``bm25.run:12``). *problems* are
    the problems of skipped rows.
    """

    source: str
    frame: pl.DataFrame
    key: np.ndarray
    locate: Callable[[int], str]
    tag: str | None = None
    digest: str | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[ProblemKind, ...] = ()

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def name(self) -> str:
        """The name of a run: its tag, or the name of the file if there is no tag."""
        return self.tag or run_name(self.source)

    @property
    def topic(self) -> pl.Series:
        """The topic of each row."""
        return self.frame["topic"]

    @cached_property
    def segments(self) -> pl.DataFrame:
        """The topic (``value``) and the number of rows (``len``) of each group of consecutive rows of one topic."""
        return find_segments(self.topic)

    @property
    def doc(self) -> pl.Series:
        """The document of each row."""
        return self.frame["doc"]

    @property
    def score(self) -> np.ndarray:
        """The retrieval score of each row."""
        return self.frame["value"].to_numpy()

    @property
    def rank(self) -> np.ndarray:
        """The rank column, for ``ties="rank"``."""
        if "rank" not in self.frame.columns:
            raise InputError(f"{self.source}: has no rank column; choose another tie policy")
        column = self.frame["rank"]
        ranks = column.cast(pl.Int64, strict=False)
        # The cast truncates floats: 1.5 becomes 1 and is found by comparing both columns.
        bad = ranks.is_null() | ((ranks != column).fill_null(True) if column.dtype.is_float() else False)
        if bad.any():
            row = int(bad.arg_max() or 0)
            raise InputError(f"{self.locate(row)}: the rank must be a whole number, found {column[row]!r}")
        return ranks.to_numpy()
