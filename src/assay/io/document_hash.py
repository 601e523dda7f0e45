"""64-bit hash keys of (topic, document) pairs for joins and duplicate checks.

Hashing once and comparing integers is several times faster than joining on two strings. Keys are compared within one
process only. Rows with equal keys are candidates for a match; they match if their strings are equal.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

_MANY = 1 << 16  # keys; the hash table of more keys would exceed the processor cache
_BLOCK = 1 << 14  # keys that are checked together if there are many
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, as in Fibonacci hashing


def hash_documents(topic: pl.Series, doc: pl.Series) -> np.ndarray:
    """Return the key of each row as an unsigned 64-bit integer."""
    key: np.ndarray = topic.hash().to_numpy() * _MIX
    key ^= doc.hash().to_numpy()
    return key


def compute_slots(key: np.ndarray, bits: int) -> np.ndarray:
    """Return the top *bits* of each key as indices into a hash table.

    The indices are signed, because numpy before 2.1 refuses unsigned indices. The view does not copy.
    """
    return (key >> np.uint64(64 - bits)).view(np.int64)


def find_segments(topic: pl.Series) -> pl.DataFrame:
    """Return the topic (``value``) and the number of rows (``len``) of each group of consecutive rows of one topic."""
    return topic.rle().struct.unnest()


def has_duplicates(key: np.ndarray, segments: pl.DataFrame | None = None) -> bool:
    """Return True if any key occurs more than once; *segments* (see ``find_segments``) speed up the check of many keys.

    The top bits of a key select a slot of a hash table, and the index of the key is written into it. A key can be a
    duplicate only if its slot afterwards holds the index of another key, so few keys must be sorted. This runs in
    numpy, which does not compete with the polars threads that parse other chunks.

    A table for many keys would exceed the cache. If the rows of each topic are consecutive, equal keys are in the same
    segment, and a small table is used for some topics at a time. Otherwise polars counts the distinct keys.
    """
    if len(key) > _MANY:
        import polars as pl

        boundaries = None if segments is None else _find_boundaries(segments)
        if boundaries is None:
            return pl.Series(key).n_unique() < len(key)
        return any(_has_duplicates(key[begin:end]) for begin, end in pairwise(boundaries.tolist()))
    return _has_duplicates(key)


def _has_duplicates(key: np.ndarray) -> bool:
    """Return True if any key occurs more than once; see ``has_duplicates`` for the algorithm."""
    bits = len(key).bit_length() + 3
    slot = compute_slots(key, bits)
    number = np.arange(len(key), dtype=np.int32)
    table = np.empty(1 << bits, dtype=np.int32)  # uninitialized: only slots that were written are read
    table[slot] = number
    overwritten = slot[table.take(slot) != number]
    if not len(overwritten):
        return False
    # Several keys share these slots. Sorting the keys in them separates true duplicates from collisions.
    is_shared = np.zeros(1 << bits, dtype=bool)
    is_shared[overwritten] = True
    candidates = np.sort(key[is_shared.take(slot)])
    return bool((candidates[1:] == candidates[:-1]).any())


def _find_boundaries(segments: pl.DataFrame) -> np.ndarray | None:
    """Return rows at which topics begin, about ``_BLOCK`` rows apart; None if the rows of a topic are scattered."""
    topics = segments["value"]
    if not (topics[1:] > topics[:-1]).all() and topics.n_unique() < len(topics):
        return None
    ends = np.cumsum(segments["len"].to_numpy().astype(np.int64))
    targets = np.arange(_BLOCK, ends[-1], _BLOCK)
    return np.unique(np.concatenate([[0], ends[np.searchsorted(ends, targets)], ends[-1:]]))
