from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay.io.document_hash import find_segments, has_duplicates, hash_documents


def test_hash_identifies_topic_and_document() -> None:
    topic = pl.Series([f"q{i}" for i in range(200) for _ in range(200)])
    doc = pl.Series([f"d{j}" for _ in range(200) for j in range(200)])
    key = hash_documents(topic, doc)
    assert key.dtype == np.uint64
    assert len(np.unique(key)) == 40_000
    assert np.array_equal(key[::-1], hash_documents(topic.reverse(), doc.reverse()))


def test_hash_distinguishes_topic_from_document() -> None:
    key, swapped = hash_documents(pl.Series(["a", "b"]), pl.Series(["b", "a"]))
    assert key != swapped
    same = hash_documents(pl.Series(["a"]), pl.Series(["a"]))
    assert same[0] != 0


def test_empty_series() -> None:
    key = hash_documents(pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.String))
    assert key.dtype == np.uint64
    assert len(key) == 0
    assert not has_duplicates(key)


@pytest.mark.parametrize("size", [1, 2, 5, 1000, 70_000, 600_000])
def test_duplicates_are_detected(size: int) -> None:
    key = np.random.default_rng(size).integers(0, 2**64, size, dtype=np.uint64)
    assert not has_duplicates(key)
    for position in {0, size // 2, size - 1}:
        assert has_duplicates(np.append(key, key[position]))


def test_duplicates_among_keys_with_equal_top_bits() -> None:
    key = np.arange(1000, dtype=np.uint64)
    assert not has_duplicates(key)
    assert has_duplicates(np.append(key, np.uint64(500)))


@pytest.mark.parametrize("order", ["sorted", "reversed", "split"])
def test_duplicates_in_segments_of_topics(order: str) -> None:
    topic = pl.Series(np.repeat([f"q{i:03}" for i in range(200)], 400).tolist())
    topic = {"sorted": topic, "reversed": topic.reverse(), "split": pl.concat([topic[200:], topic[:200]])}[order]
    key = hash_documents(topic, pl.Series([f"d{i}" for i in range(len(topic))]))
    assert not has_duplicates(key, find_segments(topic))
    for position in (0, 40_000, len(key) - 2):
        adjacent = key.copy()
        adjacent[position + 1] = key[position]
        assert has_duplicates(adjacent, find_segments(topic))
    if order == "split":  # one topic has two segments, so equal keys can be far apart
        distant = key.copy()
        distant[-1] = key[0]
        assert has_duplicates(distant, find_segments(topic))
