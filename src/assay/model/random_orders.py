"""Random orders of tied documents that depend on the seed, the topic and the rank only.

A generator that runs through all rankings would make the value of a run depend on the other runs. Here each number is a
hash of what it belongs to (the finalizer of SplitMix64), so that runs can be evaluated alone, together or in chunks.

References
----------
Steele, Lea & Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from assay.model.arrays import Floats, Ints

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


def topic_streams(topics: Iterable[str]) -> np.ndarray:
    """Return a 64-bit number for each topic, from its id."""
    digests = [blake2b(topic.encode(errors="surrogatepass"), digest_size=8).digest() for topic in topics]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def draw(seed: int, sample: int, stream: np.ndarray, rank: Ints) -> Floats:
    """Return numbers from 0 to 1 for the documents of one sample: *stream* is that of the topic of each."""
    start = np.uint64((seed * 0xD1342543DE82EF95 + sample * _GOLDEN) & _MASK)
    mixed = _mix(_mix(stream ^ _mix(np.array([start]))) + rank.astype(np.uint64) * np.uint64(_GOLDEN))
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mix(number: np.ndarray) -> np.ndarray:
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(number ^ (number >> np.uint64(31)))
