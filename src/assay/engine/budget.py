"""The memory budget of reading, and the chunk sizes, threads and partitions derived from it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from assay.errors import InputError
from assay.io.chunks import ChunkSize
from assay.io.numbers import parse_number
from assay.io.problems import format_value
from assay.io.spill import Directory, check_directory
from assay.memory import available_memory, format_size
from assay.model.qrels import Qrels

ALL = "all"
"""The value of ``memory`` that means no limit."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE_PATTERN = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_BASE_MEMORY = 160 << 20  # bytes that Python and the libraries take before anything is read
_MIN_AVAILABLE = 48 << 20  # bytes that chunks and grade codes need at least
_MEMORY_PER_BYTE = 11  # bytes in use for each byte of a chunk of text: columns, hashes, codes
_MEMORY_PER_ROW = 1000  # bytes in use for each row of a table, at most
_MAX_CHUNK, _MIN_CHUNK = 8 << 20, 1 << 20  # bytes of text; larger chunks are hardly faster
_MAX_PARTITION = 16 << 20  # bytes of text in one partition; in larger partitions, each line takes longer to sort
# A few more threads than cores: reading, decompressing and parsing release the interpreter lock. While one thread waits
# to reacquire the lock, another thread can continue.
_EXTRA_THREADS = 3


@dataclass(frozen=True, eq=False)
class Budget:
    """Memory for reading, in bytes, and the limits derived from it.

    Attributes
    ----------
    memory
        The limit that the user set; None for no limit.
    available
        The part of *memory* that is available for chunks and grade codes.
    chunk
        The size of a chunk of text, in bytes.
    threads
        Number of chunks processed at the same time.
    temporary_directory
        The directory for temporary files; None for that of the system.
    """

    memory: int | None = None
    available: float = float("inf")
    chunk: int = _MAX_CHUNK
    threads: int = (os.cpu_count() or 1) + _EXTRA_THREADS
    temporary_directory: Directory = None

    @property
    def chunk_size(self) -> ChunkSize:
        """The size of chunks of text and tables, and the limit on one topic."""
        # A table may contain many runs, which are joined separately, so chunks should have many rows.
        rows = max(min(self.chunk // 10, self.available / (_MEMORY_PER_ROW * self.threads)), 1)
        return ChunkSize(self.chunk, int(rows), self.available / 4, self._suggest_memory)

    def _suggest_memory(self, size: int) -> str:
        """Return the advice for a topic of *size* bytes that exceeds the limit: how much memory to allow."""
        taken = 0 if self.memory is None else self.memory - int(self.available)
        return f"allow more than {-(-(4 * size + taken) // (1 << 20))}M"

    @property
    def spill_limit(self) -> float:
        """Maximum bytes of grade codes, or of rows to partition, in memory; the rest is stored in temporary files."""
        return self.available / 4

    def fits(self, size: int) -> bool:
        """Return whether text of *size* bytes fits into memory if it is read as a whole."""
        return size * _MEMORY_PER_BYTE <= self.available

    def partition_count(self, size: int) -> int:
        """Return the number of partitions for text of *size* bytes, such that one per thread fits into memory."""
        partition_size = min(self.available / (2 * _MEMORY_PER_BYTE * self.threads), _MAX_PARTITION)
        return int(min(max(-(-size // max(partition_size, 1)), 8), 512))


def parse_memory(memory: str | int | float | None) -> int | None:
    """Return a number of bytes from ``"1.5G"``, ``"800M"`` or a number; None (no limit) for ``"all"``.

    >>> parse_memory("1.5G"), parse_memory(2**20), parse_memory("all")
    (1610612736, 1048576, None)
    """
    if memory is None or memory == ALL:
        return None
    match = _SIZE_PATTERN.fullmatch(memory.strip() if isinstance(memory, str) else format_value(memory))
    size = None if match is None else parse_number(match[1])
    if match is None or size is None or isinstance(memory, bool):
        raise InputError(f"memory {format_value(memory)}: write a number of bytes such as 1.5G or 800M, or all")
    return int(size * _UNITS[match[2].upper()])


def default_budget(directory: Directory = None) -> Budget:
    """Return the budget if the user sets no limit: half of the machine's memory."""
    check_directory(directory)
    memory = available_memory()
    if memory is None:
        return Budget(temporary_directory=directory)
    return Budget(memory // 2, memory // 2, temporary_directory=directory)


def limited_budget(memory: int, qrels: Qrels | None, runs: int, measures: int, directory: Directory = None) -> Budget:
    """Return the budget for a limit of *memory* bytes, for a number of runs and measures.

    The memory of judgments and values is subtracted first; it is an error if too little remains.
    """
    check_directory(directory)
    taken = 0 if qrels is None else _estimate_judgment_size(qrels) + len(qrels.topics) * runs * (8 * measures + 8)
    available = memory - _BASE_MEMORY - taken
    if available < _MIN_AVAILABLE:
        needed = -(-(_BASE_MEMORY + taken + _MIN_AVAILABLE) // (1 << 20))
        included = f"including {-(-taken // (1 << 20))}M for the judgments and the values"
        raise InputError(
            f"memory {format_size(memory)}: too little for this evaluation; give at least {needed}M ({included})"
        )
    # While all threads are busy, one more chunk is being read. An unusual chunk may need twice as much memory.
    threads = min((os.cpu_count() or 1) + 1, max(available // (_MIN_CHUNK * _MEMORY_PER_BYTE * 4), 1))
    chunk = min(max(available // (_MEMORY_PER_BYTE * (threads + 1)), _MIN_CHUNK), _MAX_CHUNK)
    return Budget(memory, available, chunk, threads, directory)


def _estimate_judgment_size(qrels: Qrels) -> int:
    """Estimate the bytes of memory that judgments take, with their hashes and index."""
    per_topic = 200 + 8 * qrels.counts.shape[1]
    rows = int(qrels.frame().estimated_size()) * 5 // 4 + 24 * len(qrels)
    return rows + int(per_topic) * len(qrels.topics)
