"""One 64-bit key for each (topic, document): what joins and duplicate checks work on.

Hashing once and comparing integers is several times faster than joining on two strings. Keys are
compared within one process only; wherever two keys meet, the strings decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

_MIX = np.uint64(0x9E3779B97F4A7C15)


def keys(topic: pl.Series, doc: pl.Series) -> np.ndarray:
    """The key of each row, as unsigned 64-bit integers."""
    key: np.ndarray = topic.hash().to_numpy() * _MIX
    key ^= doc.hash().to_numpy()
    return key


def repeated(key: np.ndarray) -> bool:
    """Whether any key comes twice."""
    import polars as pl

    return pl.Series(key).n_unique() < len(key)
