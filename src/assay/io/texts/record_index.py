"""Index from the id of a record to its offset in a file, in 8 bytes per record.

A file is scanned in blocks of at most 4 MiB. An entry of the index is an integer of 64 bits: the upper 42 bits are the
hash of the id, and the lower 22 bits are the offset of the record in its block. The entries of each block are sorted,
so a block is searched by bisection, and building the index needs no memory besides the index and one block. Two ids may
have the same hash, so a lookup returns candidates, which the caller verifies.
"""

from __future__ import annotations

import numpy as np

OFFSET_BITS = 22
MAX_OFFSET = 1 << OFFSET_BITS
"""Upper limit of the offset of a record in its block."""
_SHIFT = np.uint64(OFFSET_BITS)
_FACTORS = tuple(np.uint64(factor) for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_TAIL_MASKS = np.array([(1 << (8 * size)) - 1 for size in range(8)] + [(1 << 64) - 1], dtype=np.uint64)


def hash_slices(data: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return a 64-bit hash of each slice ``data[start:end]`` of an array of bytes.

    At least 8 bytes must follow the last slice. The slices are read in words of 8 bytes.
    """
    words = np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
    length = end - start
    keys: np.ndarray = length.astype(np.uint64) * _FACTORS[0]
    for position in range(0, int(length.max(initial=0)), 8):
        rows = np.flatnonzero(length > position)
        mask = _TAIL_MASKS[np.minimum(length[rows] - position, 8)]
        keys[rows] = _mix(keys[rows] ^ (words[start[rows] + position] & mask))
    return keys


def _mix(keys: np.ndarray) -> np.ndarray:
    """Mix the bits of each key, as splitmix64 does."""
    keys = keys + _FACTORS[0]
    keys = (keys ^ (keys >> np.uint64(30))) * _FACTORS[1]
    keys = (keys ^ (keys >> np.uint64(27))) * _FACTORS[2]
    mixed: np.ndarray = keys ^ (keys >> np.uint64(31))
    return mixed


def hash_ids(ids: list[bytes]) -> np.ndarray:
    """Return the hash of each id, as ``hash_slices`` returns it for the bytes of a file."""
    length = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
    end = np.cumsum(length)
    return hash_slices(np.frombuffer(b"".join(ids) + bytes(8), dtype=np.uint8), end - length, end)


class RecordIndex:
    """Sorted entries for each block of a file; see the description of the module."""

    def __init__(self) -> None:
        self._entries: list[np.ndarray] = []
        self._bases: list[int] = []
        self.size = 0

    def add(self, base: int, keys: np.ndarray, offsets: np.ndarray) -> None:
        """Add the records of a block at the position *base*, given the hashes of their ids and their offsets."""
        entries = ((keys >> _SHIFT) << _SHIFT) | offsets.astype(np.uint64)
        entries.sort()
        self._entries.append(entries)
        self._bases.append(base)
        self.size += len(entries)

    def find(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return candidates as pairs of the index of a key and a position in the file, sorted by position."""
        hashes = keys >> _SHIFT
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        rows, positions = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for base, entries in zip(self._bases, self._entries, strict=True):
            block_rows, matches = _match(hashes, entries)
            rows.append(order[block_rows])
            positions.append(base + (matches & np.uint64(MAX_OFFSET - 1)).astype(np.int64))
        row, position = np.concatenate(rows), np.concatenate(positions)
        by_position = np.argsort(position, kind="stable")
        return row[by_position], position[by_position]


def _match(hashes: np.ndarray, entries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of sorted hashes and sorted entries that are equal: indices of the hashes, and the entries."""
    if len(hashes) > len(entries):  # Bisection is faster if the shorter array is looked up in the longer one.
        entry_hashes = entries >> _SHIFT
        first = np.searchsorted(hashes, entry_hashes)
        entry_rows, hash_rows = _expand(first, np.searchsorted(hashes, entry_hashes, side="right"))
        return hash_rows, entries[entry_rows]
    first = np.searchsorted(entries, hashes << _SHIFT)
    last = np.searchsorted(entries, (hashes << _SHIFT) | np.uint64(MAX_OFFSET - 1), side="right")
    hash_rows, entry_rows = _expand(first, last)
    return hash_rows, entries[entry_rows]


def _expand(first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of the index of a range and an index in the range, for ranges from *first* to before *last*."""
    count = last - first
    rows = np.repeat(np.arange(len(first)), count)
    return rows, first[rows] + np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
