"""Memory that reading may use, and the sizes that follow from it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from assay.errors import InputError
from assay.io.chunks import ChunkSize
from assay.io.numbers import number
from assay.io.problems import shown as written_as
from assay.io.spill import Directory, check_directory
from assay.memory import installed, shown
from assay.model.qrels import Qrels

ALL = "all"
"""The value of ``memory`` that means no limit."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_PROGRAM = 160 << 20  # what Python and the libraries take before anything is read
_LEAST = 48 << 20
_GROWTH = 11  # bytes in use for each byte of a chunk of text: columns, keys, codes
_ROW = 1000  # bytes in use for each row of a table, at most
_LARGEST, _SMALLEST = 8 << 20, 1 << 20  # of chunks; larger ones are hardly faster
_PARTITION = 16 << 20  # bytes of text that are sorted together; more takes longer for each line
# A few threads more than cores: reading, decompressing and parsing release the interpreter lock, and while one thread
# waits to get it back another can go on.
_EXTRA_THREADS = 3


@dataclass(frozen=True, eq=False)
class Budget:
    """Memory in bytes, and what follows for reading.

    Attributes
    ----------
    memory
        The limit; None if there is none.
    left
        What remains for chunks and grade codes.
    chunk
        The size of chunks.
    threads
        How many chunks are in work at once.
    temporary
        The directory for temporary files.
    """

    memory: int | None = None
    left: float = float("inf")
    chunk: int = _LARGEST
    threads: int = (os.cpu_count() or 1) + _EXTRA_THREADS
    temporary: Directory = None

    @property
    def chunk_size(self) -> ChunkSize:
        """The size of chunks and its limit."""
        # A table may hold many runs, each of which is joined by itself: larger chunks are better.
        rows = max(min(self.chunk // 10, self.left / (_ROW * self.threads)), 1)
        return ChunkSize(self.chunk, int(rows), self.left / 4, self._more_for)

    def _more_for(self, size: int) -> str:
        taken = 0 if self.memory is None else self.memory - int(self.left)
        return f"give more than {-(-(4 * size + taken) // (1 << 20))}M"

    @property
    def in_memory(self) -> float:
        """Bytes of grade codes, or of rows to be sorted, that stay in memory; more goes to temporary files."""
        return self.left / 4

    def holds(self, size: int) -> bool:
        """Return whether text of *size* bytes can be read as a whole."""
        return size * _GROWTH <= self.left

    def partitions(self, size: int) -> int:
        """Number of partitions of text of *size* bytes, so that one for each thread fits into memory."""
        most = min(self.left // (2 * _GROWTH * self.threads), _PARTITION)
        return int(min(max(-(-size // max(most, 1)), 8), 512))


def parse_memory(memory: str | int | float | None) -> int | None:
    """Return a number of bytes from ``"1.5G"``, ``"800M"`` or a number; None for ``"all"``, which is no limit.

    >>> parse_memory("1.5G"), parse_memory(2**20), parse_memory("all")
    (1610612736, 1048576, None)
    """
    if memory is None or memory == ALL:
        return None
    written = _WRITTEN.fullmatch(memory.strip() if isinstance(memory, str) else written_as(memory))
    size = None if written is None else number(written[1])
    if written is None or size is None or isinstance(memory, bool):
        raise InputError(f"memory {written_as(memory)}: write a number of bytes such as 1.5G or 800M, or all")
    return int(size * _UNITS[written[2].upper()])


def default_budget(temporary: Directory = None) -> Budget:
    """Return the budget where the user gave no limit: grade codes may take an eighth of the machine."""
    check_directory(temporary)
    machine = installed()
    return Budget(temporary=temporary) if machine is None else Budget(machine // 2, machine // 2, temporary=temporary)


def limited_budget(memory: int, qrels: Qrels | None, runs: int, measures: int, temporary: Directory = None) -> Budget:
    """Return the budget within a limit, of which judgments and values take a part; too little is an error."""
    check_directory(temporary)
    taken = 0 if qrels is None else _size_of_judgments(qrels) + len(qrels.topics) * runs * (8 * measures + 8)
    left = memory - _PROGRAM - taken
    if left < _LEAST:
        needed = -(-(_PROGRAM + taken + _LEAST) // (1 << 20))
        held = f"{-(-taken // (1 << 20))}M of them for the judgments and the values"
        raise InputError(f"memory {shown(memory)}: too little for this evaluation; give at least {needed}M ({held})")
    # One more chunk than threads is being read; an odd chunk may need twice as much.
    threads = min((os.cpu_count() or 1) + 1, max(left // (_SMALLEST * _GROWTH * 4), 1))
    chunk = min(max(left // (_GROWTH * (threads + 1)), _SMALLEST), _LARGEST)
    return Budget(memory, left, chunk, threads, temporary)


def _size_of_judgments(qrels: Qrels) -> int:
    per_topic = 200 + 8 * qrels.counts.shape[1]
    rows = int(qrels.frame().estimated_size()) * 5 // 4 + 24 * len(qrels)
    return rows + int(per_topic) * len(qrels.topics)
