"""One 64-bit key for each (topic, document): what joins and duplicate checks work on.

Hashing once and comparing integers is several times faster than joining on two strings. Keys are
compared within one process only; wherever two keys meet, the strings decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

_MANY = 1 << 16
_MIX = np.uint64(0x9E3779B97F4A7C15)


def keys(topic: pl.Series, doc: pl.Series) -> np.ndarray:
    """The key of each row, as unsigned 64-bit integers."""
    key: np.ndarray = topic.hash().to_numpy() * _MIX
    key ^= doc.hash().to_numpy()
    return key


def slots(key: np.ndarray, bits: int) -> np.ndarray:
    """Return the top *bits* of each key as places of a table.

    They are signed: numpy before 2.1 refuses unsigned integers as places. The view costs nothing.
    """
    return (key >> np.uint64(64 - bits)).view(np.int64)


def repeated(key: np.ndarray) -> bool:
    """Whether any key comes twice.

    Each key leaves its number in a slot named by its top bits. Only keys that find another number there can have
    come twice; so few need sorting, and nothing waits for the threads that parse. Many keys would need a table larger
    than the cache, and polars counts them faster.
    """
    if len(key) > _MANY:
        import polars as pl

        return pl.Series(key).n_unique() < len(key)
    bits = len(key).bit_length() + 3
    slot = slots(key, bits)
    number = np.arange(len(key), dtype=np.int32)
    table = np.empty(1 << bits, dtype=np.int32)  # only slots that are written are read
    table[slot] = number
    lost = slot[table.take(slot) != number]
    if not len(lost):
        return False
    shared = np.zeros(1 << bits, dtype=bool)
    shared[lost] = True
    rest = np.sort(key[shared.take(slot)])
    return bool((rest[1:] == rest[:-1]).any())
