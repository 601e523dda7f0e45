"""One 64-bit key for each (topic, document): what joins and duplicate checks work on.

Hashing once and comparing integers is several times faster than joining on two strings. Keys are
compared within one process only; wherever two keys meet, the strings decide.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

_MANY = 1 << 16
_PIECE = 1 << 14
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


def segments(topic: pl.Series) -> pl.DataFrame:
    """Return the topic (``value``) and the number of rows (``len``) of each sequence of rows of one topic."""
    return topic.rle().struct.unnest()


def repeated(key: np.ndarray, rows: pl.DataFrame | None = None) -> bool:
    """Return whether any key occurs twice; *rows* are the ``segments`` of the keys, which help with many keys.

    Each key leaves its number in a slot selected by its top bits. Only keys that find another number there can occur
    twice; so few need sorting, and nothing waits for the threads that parse. For many keys the table would exceed the
    cache. If each topic is in one place, equal keys are near each other and a small table is used for some topics at a
    time; otherwise polars counts the keys.
    """
    if len(key) > _MANY:
        import polars as pl

        borders = None if rows is None else _borders(rows)
        if borders is None:
            return pl.Series(key).n_unique() < len(key)
        return any(_repeated(key[begin:end]) for begin, end in pairwise(borders.tolist()))
    return _repeated(key)


def _repeated(key: np.ndarray) -> bool:
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


def _borders(rows: pl.DataFrame) -> np.ndarray | None:
    """Return borders between topics, some way apart; None if a topic is in several places."""
    topics = rows["value"]
    if not (topics[1:] > topics[:-1]).all() and topics.n_unique() < len(topics):
        return None
    ends = np.cumsum(rows["len"].to_numpy().astype(np.int64))
    wanted = np.arange(_PIECE, ends[-1], _PIECE)
    return np.unique(np.concatenate([[0], ends[np.searchsorted(ends, wanted)], ends[-1:]]))
