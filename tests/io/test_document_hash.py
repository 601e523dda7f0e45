from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay.io.document_hash import find_segments, has_duplicates, hash_documents


def test_equal_pairs_have_equal_keys_and_others_do_not() -> None:
    topic = pl.Series([f"q{i}" for i in range(200) for _ in range(200)])
    doc = pl.Series([f"d{j}" for _ in range(200) for j in range(200)])
    key = hash_documents(topic, doc)
    assert key.dtype == np.uint64
    assert len(np.unique(key)) == 40_000
    assert np.array_equal(key[::-1], hash_documents(topic.reverse(), doc.reverse()))


def test_topic_and_document_are_told_apart() -> None:
    there, back = hash_documents(pl.Series(["a", "b"]), pl.Series(["b", "a"]))
    assert there != back
    same = hash_documents(pl.Series(["a"]), pl.Series(["a"]))
    assert same[0] != 0


def test_nothing_has_no_keys() -> None:
    none = hash_documents(pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.String))
    assert none.dtype == np.uint64
    assert len(none) == 0
    assert not has_duplicates(none)


@pytest.mark.parametrize("size", [1, 2, 5, 1000, 70_000, 600_000])
def test_repeated(size: int) -> None:
    key = np.random.default_rng(size).integers(0, 2**64, size, dtype=np.uint64)
    assert not has_duplicates(key)
    for place in {0, size // 2, size - 1}:
        assert has_duplicates(np.append(key, key[place]))


def test_repeated_where_all_share_their_top_bits() -> None:
    key = np.arange(1000, dtype=np.uint64)
    assert not has_duplicates(key)
    assert has_duplicates(np.append(key, np.uint64(500)))


@pytest.mark.parametrize("order", ["sorted", "reversed", "again"])
def test_repeated_in_many_topics(order: str) -> None:
    topic = pl.Series(np.repeat([f"q{i:03}" for i in range(200)], 400).tolist())
    topic = {"sorted": topic, "reversed": topic.reverse(), "again": pl.concat([topic[200:], topic[:200]])}[order]
    key = hash_documents(topic, pl.Series([f"d{i}" for i in range(len(topic))]))
    assert not has_duplicates(key, find_segments(topic))
    for place in (0, 40_000, len(key) - 2):
        twice = key.copy()
        twice[place + 1] = key[place]
        assert has_duplicates(twice, find_segments(topic))
    if order == "again":  # equal keys far apart
        far = key.copy()
        far[-1] = key[0]
        assert has_duplicates(far, find_segments(topic))
