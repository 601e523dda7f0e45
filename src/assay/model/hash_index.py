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
        self._taken = np.zeros(1 << self._bits, dtype=bool)
        self._taken[slot] = True
        self._position = np.empty(1 << self._bits, dtype=np.int32)  # only slots that are taken are read
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
        slot = slots(key, self._bits)
        asked = np.flatnonzero(self._taken.take(slot))  # take is several times faster than indexing
        slot, wanted = slot.take(asked), key.take(asked)
        candidate = self._position.take(slot)
        matches = self._key.take(candidate) == wanted
        others = np.flatnonzero(~matches)
        others = others[self._shared.take(slot.take(others))]
        if len(others):
            second = np.minimum(np.searchsorted(self._lost_key, wanted.take(others)), len(self._lost_key) - 1)
            candidate[others] = self._lost.take(second)
            matches[others] = self._lost_key.take(second) == wanted.take(others)
        return asked[matches], candidate[matches]
