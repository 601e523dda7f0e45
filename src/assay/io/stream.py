"""Decompressed bytes of a file in blocks, and the SHA-256 of the file on disk."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from assay.errors import InputError
from assay.io import source as sources
from assay.io.compression import decompress_blocks
from assay.io.paths import file_errors
from assay.io.spill import Directory, SpillFile

ByteCallback = Callable[[int], None]
"""A function that is called with a number of bytes read."""
_BLOCK = 1 << 20
_IN_MEMORY = 64 << 20  # bytes of standard input that stay in memory


class StandardInput:
    """Standard input, copied once so that it can be read again."""

    def __init__(self) -> None:
        self._copy: SpillFile | None = None

    def copy(self, directory: Directory = None) -> SpillFile:
        """Return the copy; the first call reads standard input to its end."""
        if self._copy is None:
            buffer = sources.standard_input()
            # Standard input may never end, so the copy must not fill the disk.
            free = shutil.disk_usage(directory or tempfile.gettempdir()).free // 2
            copy = SpillFile(_IN_MEMORY, directory)
            while block := buffer.read(_BLOCK):
                copy.append(block)
                if copy.size > max(free, _IN_MEMORY):
                    raise InputError(
                        f"standard input: takes more than half of the free space of "
                        f"{directory or tempfile.gettempdir()}; name another directory with --temporary, or a file in "
                        "place of -"
                    )
            self._copy = copy
        return self._copy


class ByteStream:
    """A file, or the copy of standard input, that can be read several times.

    Attributes
    ----------
    path
        The name of the file in messages.
    size
        Number of bytes on disk.
    compression
        The suffix of its compression (``.gz``), or None.
    notes
        Notes on the name of the file.
    digest
        The SHA-256 of the bytes on disk; None until all blocks have been read.
    """

    def __init__(self, path: str, *, lenient: bool = False, copy: SpillFile | None = None) -> None:
        self._copy = copy
        self.path = path if copy is None else "standard input"
        self.digest: str | None = None
        if copy is None:
            with file_errors(path):
                self.size = os.stat(path).st_size
        else:
            self.size = copy.size
        start = next(self._read_blocks(16), b"")
        self.compression = sources.check_compression(path, start)
        self.notes = sources.check_suffix(path, self.compression, lenient) if self.compression else ()

    @cached_property
    def head(self) -> bytes:
        """The first block of decompressed bytes that is not empty."""
        return next((block for block in self._decompress(self._read_blocks()) if block), b"")

    def blocks(self, report: ByteCallback | None = None) -> Iterator[bytes]:
        """Yield blocks of decompressed bytes; *report* is called with the number of bytes read from disk."""
        return self._decompress(self._hash_blocks(report))

    def raw(self) -> bytes:
        """Return all bytes as they are on disk."""
        return b"".join(self._read_blocks())

    def _decompress(self, raw: Iterator[bytes]) -> Iterator[bytes]:
        return raw if self.compression is None else decompress_blocks(raw, self.compression, self.path, self.size)

    def _hash_blocks(self, report: ByteCallback | None) -> Iterator[bytes]:
        """Yield the blocks as they are on disk; set ``digest`` after the last block."""
        digest: Any = hashlib.sha256()
        for block in self._read_blocks():
            digest.update(block)
            if report is not None:
                report(len(block))
            yield block
        self.digest = digest.hexdigest()

    def _read_blocks(self, size: int = _BLOCK) -> Iterator[bytes]:
        """Yield the blocks of the file, or of the copy of standard input."""
        if self._copy is not None:
            offset = 0
            while block := self._copy.read(offset, size):
                offset += len(block)
                yield block
            return
        with file_errors(self.path), open(self.path, "rb") as file:
            while block := file.read(size):
                yield block
