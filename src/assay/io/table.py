"""What every reader returns: one flat table of rows, where it came from, and what was passed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl


@dataclass(frozen=True, eq=False)
class RowTable:
    """Rows ``topic, doc, value`` (and ``rank`` where asked for) in the order of the source.

    *value* is the grade of qrels or the score of a run, as a double. *key* is the 64-bit hash of
    (topic, doc). *where* tells the place of a row for messages (``bm25.run:12``).
    """

    source: str
    frame: pl.DataFrame
    key: np.ndarray
    where: Callable[[int], str]
    tag: str | None = None
    digest: str | None = None
    notes: tuple[str, ...] = ()
