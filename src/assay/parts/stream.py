"""The bytes of a file one block after the other, decompressed, with the hash of the file as it is on disk."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.io import source as sources
from assay.parts.partitions import unwritable

_PLAIN = 1 << 20
_PACKED = 1 << 16  # small, because a block may become a thousand times larger


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
        raw = self._raw(_PLAIN if self.packed is None else _PACKED)
        if self.packed is None:
            yield from raw
            return
        try:
            yield from _unpacked(raw, self.packed)
        except (OSError, EOFError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            reason = str(error).rstrip(".") or type(error).__name__
            raise InputError(f"{self.name}: the {self.packed[1:]} data is damaged or cut off ({reason})") from None

    def _raw(self, block: int) -> Iterator[bytes]:
        hashed = hashlib.sha256()
        try:
            with open(self.file, "rb") as file:
                while data := file.read(block):
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
    buffer: Any = getattr(sys.stdin, "buffer", None)
    if not hasattr(buffer, "peek") or _is_other(buffer.peek()):
        return None
    copy = spool("stdin")
    try:
        with copy.open("wb") as file:
            shutil.copyfileobj(buffer, file, _PLAIN)
    except OSError as error:
        raise unwritable(copy.parent, error) from None
    with copy.open("rb") as file:
        packed = sources.packed_of("-", file.read(16))
    return Stream(str(copy), "standard input", packed)


def _is_other(head: bytes) -> bool:
    """Whether plain text on standard input is of a format that is read as a whole."""
    from assay.io import files

    return sources.packed_as(head) is None and not files.is_trec("-", head)


def _unpacked(raw: Iterator[bytes], packed: str) -> Iterator[bytes]:
    make, early = _decompressor(packed)
    member: Any = None
    for block in raw:
        rest = block
        while rest:
            if member is None:
                # Zeros may fill up a gzip file behind its end.
                rest = rest.lstrip(b"\0") if packed == ".gz" else rest
                if not rest:
                    break
                member = make()
            yield member.decompress(rest)
            rest, member = (member.unused_data, None) if member.eof else (b"", member)
    if member is not None:
        raise EOFError(early)


def _decompressor(packed: str) -> tuple[Callable[[], Any], str]:
    """What makes a decompressor of one member, its errors being ValueErrors; and what it says of a cut off one."""
    if packed == ".gz":
        zlib: Any = import_module("isal.isal_zlib")
        early = "Compressed file ended before the end-of-stream marker was reached"
        return lambda: _Guarded(zlib.decompressobj(wbits=31), zlib.error), early
    if packed == ".zst":
        zstandard: Any = import_module("zstandard")
        unpack = zstandard.ZstdDecompressor().decompressobj
        return lambda: _Guarded(unpack(), zstandard.ZstdError), "it ends too early"
    if packed == ".xz":
        lzma: Any = import_module("lzma")
        return lambda: _Guarded(lzma.LZMADecompressor(), lzma.LZMAError), "it ends too early"
    bz2: Any = import_module("bz2")
    return bz2.BZ2Decompressor, "it ends too early"


class _Guarded:
    """A decompressor whose own kind of error becomes a ValueError."""

    def __init__(self, inner: Any, error: type[Exception]) -> None:
        self._inner = inner
        self._error = error

    def decompress(self, data: bytes) -> bytes:
        try:
            found: bytes = self._inner.decompress(data)
        except self._error as error:
            raise ValueError(str(error)) from None
        return found

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        found: bytes = self._inner.unused_data
        return found
