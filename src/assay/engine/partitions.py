"""Rows put into partitions by topic, for a source in which a topic occurs in several places."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import polars as pl

from assay.engine.chunk import ReadChunk, describe_rows, parse_carefully
from assay.io.chunks import Chunk, TableChunk
from assay.io.spill import SpillFile

_NUMBER = "line"


class Partitions:
    """Rows by topic: all rows of a topic are in one partition, in the order in which they were added."""

    def __init__(self, number: int, spill: SpillFile) -> None:
        self._spill = spill
        # For each partition the offset and size of its blocks, and how many lines precede those that they number.
        self._blocks: list[list[tuple[int, int, int]]] = [[] for _ in range(number)]

    def __len__(self) -> int:
        return len(self._blocks)

    def pack_fast(self, chunk: Chunk) -> tuple[ReadChunk, list[bytes]] | None:
        """Return the rows of a chunk as bytes for each partition; None if they need a careful look."""
        frame = chunk.parse_fast()
        if frame is None:
            return None
        numbers = chunk.line_numbers(frame)
        read, frame = describe_rows(chunk, frame)
        return read, self._pack(frame, numbers)

    def pack_carefully(self, chunk: Chunk, lenient: bool, before: int) -> tuple[ReadChunk, list[bytes]]:
        """Return the rows of a chunk as bytes, and its problems; *before* lines of the source precede it."""
        parsed, problems = parse_carefully(chunk, lenient, before)
        read, frame = describe_rows(chunk, parsed.frame, problems)
        return read, self._pack(frame, parsed.numbers - before)

    def _pack(self, frame: pl.DataFrame, numbers: np.ndarray) -> list[bytes]:
        # By the text of the topic, so that a topic is always in the same partition.
        owner = (frame["topic"].fill_null("").hash(seed=1) % len(self)).to_numpy().astype(np.int64)
        order = np.argsort(owner, kind="stable")
        border = np.searchsorted(owner[order], np.arange(len(self) + 1))
        frame = frame.with_columns(pl.Series(_NUMBER, numbers, dtype=pl.Int64))[order]
        return [_to_bytes(frame[begin:end]) for begin, end in pairwise(border.tolist())]

    def add(self, packed: list[bytes], before: int) -> None:
        """Add the bytes of a chunk, in the order of the source; *before* lines precede the chunk."""
        for blocks, data in zip(self._blocks, packed, strict=True):
            if data:
                blocks.append((self._spill.append(data), len(data), before))

    def load(self, number: int, origin: Chunk) -> TableChunk | None:
        """Return the rows of a partition, if there are any; *origin* is any chunk of the source."""
        frames, lines = [], []
        for offset, size, before in self._blocks[number]:
            frame = pl.read_ipc_stream(io.BytesIO(self._spill.read(offset, size)))
            lines.append(before + frame.drop_in_place(_NUMBER).to_numpy())
            frames.append(frame)
        if not frames:
            return None
        return TableChunk(pl.concat(frames, rechunk=True), origin.source, origin.place, np.concatenate(lines))


def _to_bytes(frame: pl.DataFrame) -> bytes:
    if frame.is_empty():
        return b""
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer, compression="lz4")
    return buffer.getvalue()
