"""Awkward collections for evaluation in chunks, and the comparison with evaluation in one piece."""

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


def shrink_chunks(monkeypatch: pytest.MonkeyPatch, size: int = 200) -> None:
    """Shrink chunks to a few lines and blocks to a few documents where memory is limited; the rest is spilled."""
    monkeypatch.setattr(budgets, "_MAX_CHUNK", size)
    monkeypatch.setattr(budgets, "_MIN_CHUNK", size)
    monkeypatch.setattr(budgets.Budget, "spill_limit", property(lambda budget: 1e9 if budget.chunk > size else 40))
    monkeypatch.setattr("assay.io.stream._BLOCK", 50)
    monkeypatch.setattr("assay.io.compression._INPUT", 7)
    monkeypatch.setattr("assay.io.compression._ZSTD_INPUT", 7)


def random_judgments_and_run(
    seed: int, topics: int = 12, documents: int = 30
) -> tuple[dict[str, dict[str, float]], Rows]:
    """Return judgments and the rows of a run, with ties, unjudged documents, missing topics and negative grades."""
    rng = np.random.default_rng(seed)
    names = [f"t{number}" for number in rng.permutation(topics + 4)]
    grades = rng.choice([-1.0, 0, 0, 1, 2, 4], size=(len(names), documents))
    qrels = {
        topic: {f"d{doc}": float(grade) for doc, grade in enumerate(row) if rng.random() < 0.6} or {"none": 0.0}
        for topic, row in zip(names[:topics], grades, strict=False)
    }
    rows = []
    for topic in rng.permutation(names[2:]).tolist():
        retrieved = rng.permutation(documents + 5)[: rng.integers(1, documents)]
        rows += [(topic, f"d{doc}", float(rng.integers(0, 6)) / 2) for doc in retrieved.tolist()]
    return qrels, rows


def order_rows(rows: Rows, order: str, seed: int) -> Rows:
    """Return the rows by topic (``sorted``), with the first row at the end (``returns``), or shuffled."""
    if order == "sorted":
        return rows
    if order == "returns":
        return [*rows[1:], rows[0]]
    return [rows[position] for position in np.random.default_rng(seed).permutation(len(rows)).tolist()]


def to_trec_text(rows: Rows, tag: str = "sys") -> str:
    """Format rows as TREC text; the column of ranks is an unrelated permutation, which readers must ignore."""
    return "".join(f"{t} Q0 {d} {i * 7 % 1009} {s} {tag}\n" for i, (t, d, s) in enumerate(rows))


def write_text(path: Path, content: str) -> str:
    """Write text, compressed according to the suffix; a ``.gz`` file gets two members."""
    data = content.encode()
    if path.suffix == ".gz":
        half = len(data) // 2
        data = gzip.compress(data[:half]) + gzip.compress(data[half:])
    elif path.suffix == ".zst":
        data = zstandard.compress(data)
    path.write_bytes(data)
    return str(path)


def write_parquet(path: Path, rows: Rows, runs: list[str] | None = None, group: int = 50) -> str:
    """Write a Parquet file with small row groups; *runs* names the run of each row."""
    frame = pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row")
    frame = frame.with_columns(rank=pl.int_range(pl.len()).cast(pl.Int64) * 7 % 1009)
    if runs is not None:
        frame = frame.with_columns(pl.Series("run", runs))
    frame.write_parquet(path, row_group_size=group)
    return str(path)


def evaluate_or_message(*inputs: Any, **settings: Any) -> assay.Results | str:
    """Return the results, or the message of the error."""
    try:
        return assay.evaluate(*inputs, **settings)
    except AssayError as error:
        return str(error)


def check_chunked_evaluation(qrels: Any, runs: Any, measures: Any, **settings: Any) -> assay.Results | str:
    """Check that evaluation in chunks gives bit-identical results, and return these results."""
    whole = evaluate_or_message(qrels, runs, measures, memory="all", **settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.engine.campaign.BLOCK", (17, 5))
        chunked = evaluate_or_message(qrels, runs, measures, memory="2G", **settings)
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
