"""A hash table from 64-bit keys to positions, for millions of look-ups at once."""

from __future__ import annotations

import numpy as np

from assay.io.keys import slots


class HashIndex:
    """Positions of a fixed set of keys.

    The top bits of a key select a slot. A slot holds the position of one key; keys that share a slot with another are
    also kept in a sorted list, which is searched only if the key in the slot does not match. A match may still belong
    to something else with the same hash, so callers compare what they looked up (see ``Qrels.grade_codes``).
    """

    def __init__(self, key: np.ndarray) -> None:
        # Eight slots for each key, as long as the table stays small enough to be filled quickly.
        bits = int(np.clip(np.ceil(np.log2(max(len(key), 1))) + 3, 8, 21))
        self._bits = max(bits, len(key).bit_length())
        self._key = key
        slot = slots(key, self._bits)
        position = np.arange(len(key), dtype=np.int32)
        self._position = np.zeros(1 << self._bits, dtype=np.int32)  # what a free slot leads to does not match either
        self._position[slot] = position
        in_slot = self._position.take(slot)
        lost = np.flatnonzero(in_slot != position)
        self._shared = np.zeros(1 << self._bits, dtype=bool)
        self._shared[slot[lost]] = True
        self._lost = lost[np.argsort(key[lost])]
        self._lost_key = key[self._lost]
        if (self._lost_key[1:] == self._lost_key[:-1]).any() or (key[in_slot[lost]] == key[lost]).any():
            # Two different judgments with one 64-bit hash: about 1 in 10^9 collections of 10^5 judgments.
            raise RuntimeError("two judgments share a 64-bit key")  # pragma: no cover

    def find(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions in *key* of known keys, and for each its position among the fixed keys."""
        if not len(self._key):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        slot = slots(key, self._bits)
        candidate = self._position.take(slot)  # take is several times faster than indexing
        matches = self._key.take(candidate) == key
        others = np.flatnonzero(self._shared.take(slot) & ~matches)
        if len(others):
            wanted = key.take(others)
            second = np.minimum(np.searchsorted(self._lost_key, wanted), len(self._lost_key) - 1)
            candidate[others] = self._lost.take(second)
            matches[others] = self._lost_key.take(second) == wanted
        known = np.flatnonzero(matches)
        return known, candidate.take(known)
