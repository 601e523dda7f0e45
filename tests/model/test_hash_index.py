"""Looking keys up agrees with a dictionary, also where keys crowd together."""

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
    asked = known[::2] + others + known[1::3] * 2
    rng.shuffle(asked)  # type: ignore[attr-defined]
    place = {key: number for number, key in enumerate(known)}
    found, position = HashIndex(np.array(known, dtype=np.uint64)).find(np.array(asked, dtype=np.uint64))
    assert found.tolist() == [number for number, key in enumerate(asked) if key in place]
    assert position.tolist() == [place[key] for key in asked if key in place]


def test_many_keys() -> None:
    rng = np.random.default_rng(7)
    known = rng.integers(0, 2**64, 50_000, dtype=np.uint64)
    asked = np.concatenate([known[::-1], rng.integers(0, 2**64, 50_000, dtype=np.uint64)])
    found, position = HashIndex(known).find(asked)
    assert np.array_equal(found, np.arange(50_000))
    assert np.array_equal(position, np.arange(50_000)[::-1])


def test_the_same_key_twice_is_a_collision() -> None:
    with pytest.raises(RuntimeError, match="share a 64-bit key"):
        HashIndex(np.array([3, 5, 3], dtype=np.uint64))
