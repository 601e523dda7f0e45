"""Random orders of tied documents that depend only on the seed, the sample, the topic and the rank.

With one sequential generator for all rankings, the value of a run would depend on the other runs. Here each random
number is a hash of seed, sample, topic and rank (the finalizer of SplitMix64). So a run has the same values if it is
evaluated alone, with other runs or in chunks.

References
----------
Steele, Lea & Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from assay.model.arrays import Floats, Ints

_GOLDEN = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio: the increment of SplitMix64
_MASK = (1 << 64) - 1


def topic_streams(topics: Iterable[str]) -> np.ndarray:
    """Return the random stream of each topic: a 64-bit hash of its id."""
    digests = [blake2b(topic.encode(errors="surrogatepass"), digest_size=8).digest() for topic in topics]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def draw(seed: int, sample: int, stream: np.ndarray, rank: Ints) -> Floats:
    """Return a random number in [0, 1) for each document; *stream* is the random stream of its topic."""
    start = np.uint64((seed * 0xD1342543DE82EF95 + sample * _GOLDEN) & _MASK)
    bits = _mix(_mix(stream ^ _mix(np.array([start]))) + rank.astype(np.uint64) * np.uint64(_GOLDEN))
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53  # the top 53 bits, the precision of a double


def _mix(number: np.ndarray) -> np.ndarray:
    """Apply the finalizer of SplitMix64."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(number ^ (number >> np.uint64(31)))
