"""Temporary data: in memory up to a limit, and in a temporary file above the limit.

On POSIX temporary files have no name; elsewhere they are deleted when closed. None remains after an interrupt.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import IO, Any

import numpy as np

from assay.errors import InputError
from assay.io.paths import path_text

Directory = str | Path | None


def check_directory(directory: Directory) -> None:
    """Refuse a directory for temporary files that does not exist."""
    if directory is not None and not os.path.isdir(path_text(directory)):
        raise InputError(f"temporary files: there is no directory {directory}")


@contextmanager
def _report_errors(directory: Directory) -> Iterator[None]:
    """Replace errors of the operating system by an InputError that suggests another directory."""
    try:
        yield
    except OSError as error:
        used = directory or tempfile.gettempdir()
        raise InputError(
            f"{used}: temporary files cannot be written ({error.strerror}); choose another directory with --temporary"
        ) from None


class SpillFile:
    """Blocks of bytes that any thread can read back by offset."""

    def __init__(self, limit: int, directory: Directory = None) -> None:
        # The file stays open as long as this object exists, so it is not opened in a ``with`` statement.
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(limit, dir=None if directory is None else str(directory))  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._directory = directory
        self._lock = Lock()
        self.size = 0

    def append(self, data: bytes) -> int:
        """Append a block and return its offset."""
        with self._lock, _report_errors(self._directory):
            offset = self.size
            self._file.seek(offset)
            self._file.write(data)
            self.size += len(data)
            return offset

    def read(self, offset: int, size: int) -> bytes:
        """Read at most *size* bytes from an offset."""
        with self._lock:
            self._file.seek(offset)
            return self._file.read(size)


class SpillArray:
    """An array that grows at its end and moves to a memory-mapped file when it exceeds *limit* bytes."""

    def __init__(self, dtype: np.dtype[Any], limit: float, directory: Directory = None) -> None:
        self._dtype = dtype
        self._limit = limit
        self._directory = directory
        self._pending: list[np.ndarray] = []
        self._file: IO[bytes] | None = None
        self.size = 0

    def append(self, values: np.ndarray) -> int:
        """Append values and return the index of the first."""
        offset = self.size
        self.size += len(values)
        self._pending.append(values)
        if self._file is not None or self.size * self._dtype.itemsize > self._limit:
            self._spill()
        return offset

    def _spill(self) -> None:
        """Write the values in memory to the end of the temporary file."""
        with _report_errors(self._directory):
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._directory)  # noqa: SIM115
                weakref.finalize(self, self._file.close)
            for values in self._pending:
                self._file.write(np.ascontiguousarray(values, dtype=self._dtype).data)
        self._pending.clear()

    def array(self) -> np.ndarray:
        """Return the whole array; do not append afterwards."""
        if self._file is None:
            return (
                self._pending[0]
                if len(self._pending) == 1
                else np.concatenate([np.empty(0, self._dtype), *self._pending])
            )
        with _report_errors(self._directory):
            self._file.flush()
            return np.memmap(self._file, dtype=self._dtype, mode="r", shape=(self.size,))
