"""The bytes of a file in blocks, decompressed, with the hash of the file as it is on disk."""

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
from assay.io.compression import unpacked
from assay.io.paths import file_errors
from assay.io.spill import Directory, SpillFile

Report = Callable[[int], None]
_BLOCK = 1 << 20
_IN_MEMORY = 64 << 20  # bytes of standard input that stay in memory


class StandardInput:
    """Standard input, copied once so that it can be read again."""

    def __init__(self) -> None:
        self._copy: SpillFile | None = None

    def copy(self, directory: Directory = None) -> SpillFile:
        """Read standard input to its end on the first call."""
        if self._copy is None:
            buffer = sources.standard_input()
            # Standard input may have no end.
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
    name
        The name that messages use.
    size
        Bytes on disk.
    packed
        The ending that goes with its compression (``.gz``), or None.
    notes
        Remarks on the name of the file.
    digest
        The SHA-256 of the bytes on disk, once all blocks have been read.
    """

    def __init__(self, path: str, *, lenient: bool = False, copy: SpillFile | None = None) -> None:
        self._path = path
        self._copy = copy
        self.name = path if copy is None else "standard input"
        self.digest: str | None = None
        if copy is None:
            with file_errors(path):
                self.size = os.stat(path).st_size
        else:
            self.size = copy.size
        start = next(self._raw(16), b"")
        self.packed = sources.packed_of(path, start)
        self.notes = sources.misnamed(path, self.packed, lenient) if self.packed else ()

    @cached_property
    def head(self) -> bytes:
        """The first decompressed bytes."""
        return next((block for block in self._unpack(self._raw()) if block), b"")

    def blocks(self, report: Report | None = None) -> Iterator[bytes]:
        """Yield blocks of decompressed bytes; *report* is called with the number of bytes read from disk."""
        return self._unpack(self._hashed(report))

    def raw(self) -> bytes:
        """Return all bytes as they are on disk."""
        return b"".join(self._raw())

    def _unpack(self, raw: Iterator[bytes]) -> Iterator[bytes]:
        return raw if self.packed is None else unpacked(raw, self.packed, self.name, self.size)

    def _hashed(self, report: Report | None) -> Iterator[bytes]:
        digest: Any = hashlib.sha256()
        for block in self._raw():
            digest.update(block)
            if report is not None:
                report(len(block))
            yield block
        self.digest = digest.hexdigest()

    def _raw(self, size: int = _BLOCK) -> Iterator[bytes]:
        if self._copy is not None:
            offset = 0
            while block := self._copy.read(offset, size):
                offset += len(block)
                yield block
            return
        with file_errors(self._path), open(self._path, "rb") as file:
            while block := file.read(size):
                yield block
