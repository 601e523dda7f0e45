"""HashIndex agrees with a dictionary, also for clustered keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.hash_index import HashIndex

KEYS = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 40),  # all in the first slot
    st.integers(2**64 - 40, 2**64 - 1),  # all in the last
    st.integers(0, 40).map(lambda number: number << 56),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(KEYS, unique=True, max_size=60), st.lists(KEYS, max_size=60), st.randoms(use_true_random=False))
def test_find_agrees_with_a_dictionary(known: list[int], others: list[int], rng: object) -> None:
    queries = known[::2] + others + known[1::3] * 2
    rng.shuffle(queries)  # type: ignore[attr-defined]
    position_of = {key: number for number, key in enumerate(known)}
    matches, position = HashIndex(np.array(known, dtype=np.uint64)).find(np.array(queries, dtype=np.uint64))
    assert matches.tolist() == [number for number, key in enumerate(queries) if key in position_of]
    assert position.tolist() == [position_of[key] for key in queries if key in position_of]


def test_find_handles_many_keys() -> None:
    rng = np.random.default_rng(7)
    known = rng.integers(0, 2**64, 50_000, dtype=np.uint64)
    queries = np.concatenate([known[::-1], rng.integers(0, 2**64, 50_000, dtype=np.uint64)])
    matches, position = HashIndex(known).find(queries)
    assert np.array_equal(matches, np.arange(50_000))
    assert np.array_equal(position, np.arange(50_000)[::-1])


def test_a_duplicate_key_raises_an_error() -> None:
    with pytest.raises(RuntimeError, match="share a 64-bit key"):
        HashIndex(np.array([3, 5, 3], dtype=np.uint64))
