"""A hash table from 64-bit keys to positions, for millions of look-ups at once."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.io.keys import slots


class HashIndex:
    """Where each of many keys stands among a fixed set of keys.

    A key's top bits name a slot. Most slots are empty or hold one key, so that one comparison settles the matter; only
    other keys of slots that several share need a binary search. A key that is found may still belong to something
    else with the same hash, so callers compare what they found (see ``Qrels.grade_codes``).
    """

    def __init__(self, key: np.ndarray) -> None:
        self._order = pl.Series(key).arg_sort().to_numpy()
        self._key = key[self._order]
        if (self._key[1:] == self._key[:-1]).any():
            # Two different judgments with one 64-bit hash: about 1 in 10^9 collections of 10^5 judgments.
            raise RuntimeError("two judgments share a 64-bit key")  # pragma: no cover
        # Eight slots for each key, as long as the table stays small enough to be filled quickly.
        bits = int(np.clip(np.ceil(np.log2(max(len(key), 1))) + 3, 8, 21))
        bits = max(bits, len(key).bit_length())
        self._bits = bits
        slot = slots(self._key, bits)
        first = np.flatnonzero(np.diff(slot, prepend=-1))
        self._first = np.zeros(1 << bits, dtype=np.int32)
        self._first[slot[first]] = first
        self._taken = np.zeros(1 << bits, dtype=bool)
        self._taken[slot] = True
        self._shared = np.zeros(1 << bits, dtype=bool)
        self._shared[slot[first[np.diff(first, append=len(slot)) > 1]]] = True

    def find(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The positions in *key* that are known, and for each the position among the fixed keys."""
        slot = slots(key, self._bits)
        asked = np.flatnonzero(self._taken.take(slot))  # take is several times faster than indexing
        slot, wanted = slot.take(asked), key.take(asked)
        candidate = self._first.take(slot)
        found = self._key.take(candidate) == wanted
        others = np.flatnonzero(~found)
        others = others[self._shared.take(slot.take(others))]
        if len(others):
            second = np.minimum(np.searchsorted(self._key, wanted.take(others)), len(self._key) - 1)
            candidate[others] = second
            found[others] = self._key.take(second) == wanted.take(others)
        return asked[found], self._order.take(candidate[found])
