"""Hostile collections for evaluation in chunks, and the comparison with evaluation as a whole."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard

import assay
from assay.engine import budget as budgets
from assay.errors import AssayError

Rows = list[tuple[str, str, float]]


def tiny(monkeypatch: pytest.MonkeyPatch, size: int = 200) -> None:
    """Make chunks a few lines long where memory is limited, and blocks a few documents; the rest goes to disk."""
    monkeypatch.setattr(budgets, "_MAX_CHUNK", size)
    monkeypatch.setattr(budgets, "_MIN_CHUNK", size)
    monkeypatch.setattr(budgets.Budget, "in_memory", property(lambda budget: 1e9 if budget.chunk > size else 40))
    monkeypatch.setattr("assay.io.stream._BLOCK", 50)
    monkeypatch.setattr("assay.io.compression._INPUT", 7)
    monkeypatch.setattr("assay.io.compression._ZSTD_INPUT", 7)


def collection(seed: int, topics: int = 12, documents: int = 30) -> tuple[dict[str, dict[str, float]], Rows]:
    """Judgments and the rows of a run: ties, unjudged documents, topics that either lacks, grades below 0."""
    rng = np.random.default_rng(seed)
    names = [f"t{number}" for number in rng.permutation(topics + 4)]
    grades = rng.choice([-1.0, 0, 0, 1, 2, 4], size=(len(names), documents))
    qrels = {
        topic: {f"d{doc}": float(grade) for doc, grade in enumerate(row) if rng.random() < 0.6} or {"none": 0.0}
        for topic, row in zip(names[:topics], grades, strict=False)
    }
    rows = []
    for topic in rng.permutation(names[2:]).tolist():
        found = rng.permutation(documents + 5)[: rng.integers(1, documents)]
        rows += [(topic, f"d{doc}", float(rng.integers(0, 6)) / 2) for doc in found.tolist()]
    return qrels, rows


def ordered(rows: Rows, how: str, seed: int) -> Rows:
    """The rows by topic, in any order, or with one line of the first topic at the end."""
    if how == "sorted":
        return rows
    if how == "returns":
        return [*rows[1:], rows[0]]
    return [rows[place] for place in np.random.default_rng(seed).permutation(len(rows)).tolist()]


def lines(rows: Rows, tag: str = "sys") -> str:
    """Rows as TREC text, the ranks being another permutation of their own."""
    return "".join(f"{t} Q0 {d} {i * 7 % 1009} {s} {tag}\n" for i, (t, d, s) in enumerate(rows))


def written(path: Path, content: str) -> str:
    """Write text, compressed as the name says."""
    data = content.encode()
    if path.suffix == ".gz":
        half = len(data) // 2
        data = gzip.compress(data[:half]) + gzip.compress(data[half:])
    elif path.suffix == ".zst":
        data = zstandard.compress(data)
    path.write_bytes(data)
    return str(path)


def table(path: Path, rows: Rows, runs: list[str] | None = None, group: int = 50) -> str:
    """Write a Parquet file with small row groups; *runs* names the run of each row."""
    frame = pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row")
    frame = frame.with_columns(rank=pl.int_range(pl.len()).cast(pl.Int64) * 7 % 1009)
    if runs is not None:
        frame = frame.with_columns(pl.Series("run", runs))
    frame.write_parquet(path, row_group_size=group)
    return str(path)


def outcome(*given: Any, **settings: Any) -> assay.Results | str:
    """The results, or the message."""
    try:
        return assay.evaluate(*given, **settings)
    except AssayError as error:
        return str(error)


def same(qrels: Any, runs: Any, measures: Any, **settings: Any) -> assay.Results | str:
    """Evaluate as a whole and in chunks: everything is the same to the last bit; return the results in chunks."""
    whole = outcome(qrels, runs, measures, memory="all", **settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.engine.campaign.BLOCK", (17, 5))
        chunked = outcome(qrels, runs, measures, memory="2G", **settings)
    if isinstance(whole, str) or isinstance(chunked, str):
        assert whole == chunked
        return chunked
    assert whole.runs == chunked.runs
    assert whole.topics == chunked.topics
    for number, measure in enumerate(whole.measures):
        assert whole.values[number].tobytes() == chunked.values[number].tobytes(), measure
        assert whole.errors[number].tobytes() == chunked.errors[number].tobytes(), measure
    assert whole.provenance == chunked.provenance
    assert whole.notes == chunked.notes
    return chunked
