"""The bytes of a file one block after the other, decompressed, with the hash of the file as it is on disk."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from assay.errors import InputError
from assay.io import source as sources
from assay.io.compression import unpacked
from assay.parts.partitions import unwritable

_BLOCK = 1 << 20


@dataclass
class Stream:
    """A file on disk that goes by *name*; *packed* is the ending of its compression, if any."""

    file: str
    name: str
    packed: str | None
    notes: tuple[str, ...] = ()
    told: Callable[[int], None] = lambda _: None
    digest: str | None = field(default=None, init=False)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return os.path.getsize(self.file)

    def blocks(self) -> Iterator[bytes]:
        """Blocks of decompressed bytes; the digest is known at the end."""
        raw = self._raw()
        return raw if self.packed is None else unpacked(raw, self.packed, self.name, self.size)

    def _raw(self) -> Iterator[bytes]:
        hashed = hashlib.sha256()
        try:
            with open(self.file, "rb") as file:
                while data := file.read(_BLOCK):
                    hashed.update(data)
                    self.told(len(data))
                    yield data
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read ({error.strerror})") from None
        self.digest = hashed.hexdigest()

    def head(self) -> bytes:
        """The first decompressed bytes."""
        quiet = Stream(self.file, self.name, self.packed)
        return next((block for block in quiet.blocks() if block), b"")


def opened(path: str, lenient: bool, spool: Callable[[str], Path]) -> Stream | None:
    """A file or standard input as a stream; None for what only the reader of whole files can tell about.

    Standard input is copied to the file that *spool* names, because it may be needed twice.
    """
    if path == sources.STDIN:
        return _standard_input(spool)
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            head = file.read(16)
    except OSError:
        return None
    packed = sources.packed_of(path, head)
    notes = sources.misnamed(path, packed, lenient) if packed else ()
    return Stream(path, path, packed, notes)


def _standard_input(spool: Callable[[str], Path]) -> Stream | None:
    buffer: Any = sources.standard_input()
    if not hasattr(buffer, "peek") or _is_other(buffer.peek()):
        return None
    copy = spool("stdin")
    try:
        _copy(buffer, copy)
    except OSError as error:
        raise unwritable(copy.parent, error) from None
    with copy.open("rb") as file:
        packed = sources.packed_of("-", file.read(16))
    return Stream(str(copy), "standard input", packed)


def _copy(buffer: IO[bytes], target: Path) -> None:
    """Copy standard input to disk; it may take half of the free space there, because it may have no end."""
    room = shutil.disk_usage(target.parent).free // 2
    with target.open("wb") as file:
        while block := buffer.read(_BLOCK):
            room -= file.write(block)
            if room < 0:
                raise InputError(
                    f"standard input: takes more than half of the free space of {target.parent}; name another "
                    "directory with --temporary, or a file in place of -"
                )


def _is_other(head: bytes) -> bool:
    """Whether plain text on standard input is of a format that is read as a whole."""
    from assay.io import files

    return sources.packed_as(head) is None and not files.is_trec("-", head)
