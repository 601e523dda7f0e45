"""Partitions of rows by topic, for a source whose topics are not contiguous."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import polars as pl

from assay.engine.chunk import ChunkFacts, describe_rows, parse_carefully
from assay.io.chunks import Chunk, TableChunk
from assay.io.spill import SpillFile

_LINE = "line"


class Partitions:
    """Rows partitioned by topic: all rows of a topic are in one partition, in the order of the source."""

    def __init__(self, count: int, spill: SpillFile) -> None:
        self._spill = spill
        # For each partition, the offset and size of its blocks, and the number of lines before the chunk of each block.
        # The last number is needed because stored line numbers count from the beginning of the chunk.
        self._blocks: list[list[tuple[int, int, int]]] = [[] for _ in range(count)]

    def __len__(self) -> int:
        return len(self._blocks)

    def pack_fast(self, chunk: Chunk) -> tuple[ChunkFacts, list[bytes]] | None:
        """Return the rows of a chunk as bytes for each partition; None if anything is unusual."""
        frame = chunk.parse_fast()
        if frame is None:
            return None
        numbers = chunk.line_numbers(frame)
        facts, frame = describe_rows(chunk, frame)
        return facts, self._pack(frame, numbers)

    def pack_carefully(self, chunk: Chunk, lenient: bool, preceding_lines: int) -> tuple[ChunkFacts, list[bytes]]:
        """Return the rows of a chunk as bytes for each partition, and collect its problems.

        *preceding_lines* counts the lines before the chunk.
        """
        parsed, problems = parse_carefully(chunk, lenient, preceding_lines)
        facts, frame = describe_rows(chunk, parsed.frame, problems)
        return facts, self._pack(frame, parsed.numbers - preceding_lines)

    def _pack(self, frame: pl.DataFrame, numbers: np.ndarray) -> list[bytes]:
        """Return the rows of each partition as bytes."""
        # The partition is a hash of the topic, so a topic has the same partition in every chunk.
        partition = (frame["topic"].fill_null("").hash(seed=1) % len(self)).to_numpy().astype(np.int64)
        order = np.argsort(partition, kind="stable")
        border = np.searchsorted(partition[order], np.arange(len(self) + 1))
        frame = frame.with_columns(pl.Series(_LINE, numbers, dtype=pl.Int64))[order]
        return [_to_bytes(frame[begin:end]) for begin, end in pairwise(border.tolist())]

    def add(self, packed: list[bytes], preceding_lines: int) -> None:
        """Add the packed rows of the next chunk of the source; *preceding_lines* counts the lines before the chunk."""
        for blocks, data in zip(self._blocks, packed, strict=True):
            if data:
                blocks.append((self._spill.append(data), len(data), preceding_lines))

    def load(self, number: int, origin: Chunk) -> TableChunk | None:
        """Return the rows of a partition, or None if it is empty; *origin* is any chunk of the source."""
        frames, lines = [], []
        for offset, size, preceding_lines in self._blocks[number]:
            frame = pl.read_ipc_stream(io.BytesIO(self._spill.read(offset, size)))
            lines.append(preceding_lines + frame.drop_in_place(_LINE).to_numpy())
            frames.append(frame)
        if not frames:
            return None
        return TableChunk(pl.concat(frames, rechunk=True), origin.source, origin.place, np.concatenate(lines))


def _to_bytes(frame: pl.DataFrame) -> bytes:
    """Serialize a frame; an empty frame has no bytes."""
    if frame.is_empty():
        return b""
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer, compression="lz4")
    return buffer.getvalue()
