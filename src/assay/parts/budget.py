"""How much memory an evaluation may take, and what follows for the sizes of its parts."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from assay.errors import InputError
from assay.io import dataset
from assay.io.numbers import number
from assay.io.problems import shown as written_as
from assay.io.source import STDIN, expand, packed_as
from assay.memory import installed, shown

ALL = "all"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_PROGRAM = 160 << 20  # what Python and the libraries take before anything is read
_LEAST = 48 << 20
_GROWTH = 11  # bytes at work for each byte of a piece of text: columns, keys, codes
_LARGEST, _SMALLEST = 4 << 20, 1 << 20
_PARTITION = 16 << 20  # bytes of text that are sorted together; more takes longer for each line
_SHARE_IN_MEMORY = 6  # runs that take less than this share of memory on disk are not evaluated in parts unasked
_PACKED = 5  # how much larger compressed text is once it is read


class Budget(NamedTuple):
    """Sizes in bytes: of a piece of text, of all that a partition may hold; and how many threads are at work.

    *memory* is what was allowed, *left* what pieces may take of it.
    """

    memory: int
    left: int
    piece: int
    threads: int

    @property
    def rows(self) -> int:
        """How many rows of a table are read together."""
        return max(self.piece // 40, 1)

    def holds(self, size: int) -> bool:
        """Whether a file with text of *size* bytes can be read as a whole."""
        return size * _GROWTH <= self.left

    def partitions(self, size: int) -> int:
        """Into how many partitions text of *size* bytes is put, so that one fits for each thread."""
        most = min(self.left // (2 * _GROWTH * self.threads), _PARTITION)
        return min(max(-(-size // max(most, 1)), 8), 512)


def as_bytes(memory: str | int | float) -> int:
    """A number of bytes from ``"1.5G"``, ``"800M"`` or a number.

    >>> as_bytes("1.5G"), as_bytes(2**20)
    (1610612736, 1048576)
    """
    written = _WRITTEN.fullmatch(memory.strip() if isinstance(memory, str) else written_as(memory))
    size = None if written is None else number(written[1])
    if written is None or size is None or isinstance(memory, bool):
        raise InputError(f"memory {written_as(memory)}: write a number of bytes such as 1.5G or 800M, or all")
    return int(size * _UNITS[written[2].upper()])


def budget(memory: int, taken: int) -> Budget:
    """What is left for pieces when judgments and values take *taken* bytes; too little is an error."""
    left = memory - _PROGRAM - taken
    if left < _LEAST:
        needed = -(-(_PROGRAM + taken + _LEAST) // (1 << 20))
        held = f"{-(-taken // (1 << 20))}M of them for the judgments and the values"
        raise InputError(f"memory {shown(memory)}: too little for this evaluation; give at least {needed}M ({held})")
    # One more piece than threads is being read; an odd piece may need twice as much.
    threads = min((os.cpu_count() or 1) + 1, max(left // (_SMALLEST * _GROWTH * 4), 1))
    piece = min(max(left // (_GROWTH * (threads + 1)), _SMALLEST), _LARGEST)
    return Budget(memory, left, piece, threads)


def unasked(paths: list[str]) -> int | None:
    """Return the default limit: None for runs that fit easily into memory, half of the machine for larger ones."""
    machine = installed()
    if machine is None:
        return None
    limit = machine // _SHARE_IN_MEMORY
    try:
        files = expand(paths)
    except InputError:
        return None  # reported when the runs are read, after problems of the judgments
    # Few campaigns are large even if every file is compressed, so that files are rarely opened to find out.
    on_disk = sum(os.path.getsize(path) if os.path.isfile(path) else limit for path in files if path != STDIN)
    return machine // 2 if on_disk * _PACKED >= limit and sum(map(text_size, files)) >= limit else None


def text_size(path: str) -> int:
    """About how many bytes of text a file or Parquet dataset holds; 0 for what is neither."""
    if path != STDIN and dataset.is_dataset(path):
        return dataset.size(path) * _PACKED
    if path == STDIN or not os.path.isfile(path):
        return 0
    size = os.path.getsize(path)
    try:
        with open(path, "rb") as file:
            head = file.read(8)
    except OSError:
        return 0
    return size * (_PACKED if packed_as(head) or head.startswith(b"PAR1") else 1)
