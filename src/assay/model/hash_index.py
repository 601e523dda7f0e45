"""A hash table from 64-bit keys to positions, for millions of look-ups in one call."""

from __future__ import annotations

import numpy as np

from assay.io.document_hash import compute_slots


class HashIndex:
    """Positions of a fixed set of keys.

    The top bits of a key select a slot. A slot holds the position of one key. If several keys share a slot, the others
    are in a sorted overflow list. This list is searched only if the key in the slot does not match. Keys are hashes,
    so a match may belong to another document: callers compare the documents themselves (see ``Qrels.grade_codes``).
    """

    def __init__(self, key: np.ndarray) -> None:
        # Eight slots for each key, unless the table would take long to fill.
        bits = int(np.clip(np.ceil(np.log2(max(len(key), 1))) + 3, 8, 21))
        self._bits = max(bits, len(key).bit_length())
        self._key = key
        slot = compute_slots(key, self._bits)
        position = np.arange(len(key), dtype=np.int32)
        # A free slot points to key 0, which does not match a key of another slot.
        self._position = np.zeros(1 << self._bits, dtype=np.int32)
        self._position[slot] = position
        in_slot = self._position.take(slot)
        overflow = np.flatnonzero(in_slot != position)
        self._shared = np.zeros(1 << self._bits, dtype=bool)
        self._shared[slot[overflow]] = True
        self._overflow = overflow[np.argsort(key[overflow])]
        self._overflow_key = key[self._overflow]
        if (self._overflow_key[1:] == self._overflow_key[:-1]).any() or (key[in_slot[overflow]] == key[overflow]).any():
            # Two different judgments with one 64-bit hash: about 1 in 10^9 collections of 10^5 judgments.
            raise RuntimeError("two judgments share a 64-bit key")  # pragma: no cover

    def find(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of known keys in *key*, and the position of each among the fixed keys."""
        if not len(self._key):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        slot = compute_slots(key, self._bits)
        candidate = self._position.take(slot)  # take is several times faster than indexing
        matches = self._key.take(candidate) == key
        unmatched = np.flatnonzero(self._shared.take(slot) & ~matches)
        if len(unmatched):
            unmatched_key = key.take(unmatched)
            second = np.minimum(np.searchsorted(self._overflow_key, unmatched_key), len(self._overflow_key) - 1)
            candidate[unmatched] = self._overflow.take(second)
            matches[unmatched] = self._overflow_key.take(second) == unmatched_key
        known = np.flatnonzero(matches)
        return known, candidate.take(known)
