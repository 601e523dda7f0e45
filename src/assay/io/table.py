"""The result of every reader: one flat table of rows, its source, and notes on what was skipped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.io.keys import segments
from assay.io.source import stem

if TYPE_CHECKING:
    import numpy as np
    import polars as pl


@dataclass(frozen=True, eq=False)
class RowTable:
    """Rows ``topic, doc, value`` (and ``rank`` where asked for) in the order of the source.

    *value* is the grade of qrels or the score of a run, as a double. *key* is the 64-bit hash of (topic, doc).
    *where* returns the place of a row for messages (``bm25.run:12``).
    """

    source: str
    frame: pl.DataFrame
    key: np.ndarray
    where: Callable[[int], str]
    tag: str | None = None
    digest: str | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def name(self) -> str:
        """The name of a run: its tag, or else the name of the file."""
        return self.tag or stem(self.source)

    @property
    def topic(self) -> pl.Series:
        """The topic of each row."""
        return self.frame["topic"]

    @cached_property
    def segments(self) -> pl.DataFrame:
        """The topic (``value``) and the number of rows (``len``) of each sequence of rows of one topic."""
        return segments(self.topic)

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
        import polars as pl

        if "rank" not in self.frame.columns:
            raise InputError(f"{self.source}: has no rank column; choose another tie policy")
        given = self.frame["rank"]
        ranks = given.cast(pl.Int64, strict=False)
        bad = ranks.is_null() | ((ranks != given).fill_null(True) if given.dtype.is_float() else False)
        if bad.any():
            row = int(bad.arg_max() or 0)
            raise InputError(f"{self.where(row)}: the rank must be a whole number, found {given[row]!r}")
        return ranks.to_numpy()
