"""A hash table from 64-bit keys to positions, for millions of look-ups at once."""

from __future__ import annotations

import numpy as np
import polars as pl


class Lookup:
    """Where each of many keys stands among a fixed set of keys.

    One gather answers most look-ups: a key's top bits name a slot that holds the one key there. Only
    slots that several keys share need a binary search. A key that is found may still belong to something
    else with the same hash, so callers compare what they found (see ``Qrels.grade_codes``).
    """

    def __init__(self, key: np.ndarray) -> None:
        self._order = pl.Series(key).arg_sort().to_numpy()
        self._key = key[self._order]
        if (self._key[1:] == self._key[:-1]).any():
            # Two different judgments with one 64-bit hash: about 1 in 10^9 collections of 10^5 judgments.
            raise RuntimeError("two judgments share a 64-bit key")  # pragma: no cover
        bits = int(np.clip(np.ceil(np.log2(max(len(key), 1))) + 2, 8, 26))
        self._shift = np.uint64(64 - bits)
        slot = self._key >> self._shift
        first = np.flatnonzero(np.diff(slot, prepend=slot[:1] + np.uint64(1)))
        self._first = np.full(1 << bits, -1, dtype=np.int32)
        self._first[slot[first]] = first
        self._shared = np.zeros(1 << bits, dtype=bool)
        self._shared[slot[first[np.diff(first, append=len(slot)) > 1]]] = True

    def find(self, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The positions in *key* that are known, and for each the position among the fixed keys."""
        slot = key >> self._shift
        candidate = self._first[slot]
        asked = np.flatnonzero(candidate >= 0)
        slot, candidate, wanted = slot[asked], candidate[asked], key[asked]
        shared = self._shared[slot]
        candidate[shared] = np.searchsorted(self._key, wanted[shared])
        np.minimum(candidate, len(self._key) - 1, out=candidate)
        found = self._key[candidate] == wanted
        return asked[found], self._order[candidate[found]]
