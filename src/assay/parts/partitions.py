"""Rows on disk, put into partitions by topic, for files in which a topic stands in several places."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.parts.chunk import Chunk, Deferred

if TYPE_CHECKING:
    from types import TracebackType

_LENGTH = 8


class Partitions:
    """Files in a directory: all rows of a topic are in the same one, in the order in which they were added."""

    def __init__(self, directory: Path, number: int) -> None:
        self._paths = [directory / f"{place}.rows" for place in range(number)]
        self._files: list[IO[bytes]] = []
        self._open = ExitStack()
        self.size = 0

    def __len__(self) -> int:
        return len(self._paths)

    def __enter__(self) -> Partitions:
        try:
            self._files = [self._open.enter_context(path.open("wb", buffering=0)) for path in self._paths]
        except OSError as error:
            self._open.close()
            raise unwritable(self._paths[0].parent, error) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def packed(self, chunk: Chunk) -> list[bytes]:
        """The rows of a chunk as the bytes for each partition; may be called from several threads."""
        frame = chunk.frame.with_columns(pl.Series("at", chunk.numbers()))
        # By the strings, not by the order of the file: a topic goes to one partition wherever it stands.
        owner = (frame["topic"].fill_null("").hash(seed=1) % len(self)).to_numpy().astype(np.int64)
        order = np.argsort(owner, kind="stable")
        border = np.searchsorted(owner[order], np.arange(len(self) + 1))
        frame = frame[order]
        return [_bytes(frame[begin:end]) for begin, end in pairwise(border.tolist())]

    def add(self, packed: list[bytes]) -> None:
        """Write what ``packed`` gave; in the order of the file."""
        try:
            for file, data in zip(self._files, packed, strict=True):
                if data:
                    file.write(len(data).to_bytes(_LENGTH, "big") + data)
                    self.size += _LENGTH + len(data)
        except OSError as error:
            raise unwritable(self._paths[0].parent, error) from None

    def load(self, number: int, name: str, place: Callable[[int], str], complete: bool) -> Chunk | None:
        """The rows of a partition; None if it has none. They are no longer on disk then."""
        path = self._paths[number]
        data = memoryview(path.read_bytes())
        path.unlink()
        frames = []
        begin = 0
        while begin < len(data):
            end = begin + _LENGTH + int.from_bytes(data[begin : begin + _LENGTH], "big")
            frames.append(pl.read_ipc_stream(io.BytesIO(data[begin + _LENGTH : end])))
            begin = end
        if not frames:
            return None
        rows = pl.concat(frames, rechunk=True)
        at = rows.drop_in_place("at").to_numpy()
        return Chunk(rows, lambda: at, place, Deferred(name), complete=complete)


def _bytes(frame: pl.DataFrame) -> bytes:
    if frame.is_empty():
        return b""
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer, compression="lz4")
    return buffer.getvalue()


def unwritable(directory: Path, error: OSError) -> InputError:
    """That there is no room for temporary files, or no permission."""
    return InputError(f"{directory}: temporary files cannot be written ({error.strerror}); name another directory")
