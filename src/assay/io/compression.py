"""Decompress gzip, bzip2, xz and Zstandard in blocks of bounded size, and refuse decompression bombs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from assay.errors import InputError
from assay.memory import format_size, too_large_error

MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zst": b"\x28\xb5\x2f\xfd"}
MAX_EXPANSION = 200
"""Maximum ratio of text to compressed file; real runs reach 5 to 30, and very regular runs reach 150."""
MIN_LIMIT = 16 << 20
"""Bytes of text that any compressed file may expand to, even if this exceeds ``MAX_EXPANSION`` times its size."""
WORKING_MEMORY = 256 << 20
"""Maximum working memory of a decompressor, in bytes; an xz file declares how much it needs."""
_BLOCK = 1 << 20
# A Zstandard decompressor cannot limit its output. Four bytes may expand to 128 KiB, hence 512 bytes to 16 MiB.
_ZSTD_INPUT = 512
_INPUT = 1 << 16


def decompress(raw: bytes, compression: str, name: str, limit: int | None = None) -> bytes:
    """Return the decompressed bytes of a whole file; raise an error if there are more than *limit*.

    *compression* is the suffix that belongs to the format, such as ``.gz``; *name* is used in messages.
    """
    text = _decompress_single_member(raw, limit) if compression == ".gz" else None
    if text is not None:
        return text
    blocks: list[bytes] = []
    size = 0
    for block in decompress_blocks([raw], compression, name, len(raw)):
        size += len(block)
        if limit is not None and size > limit:
            raise too_large_error(name, limit)
        blocks.append(block)
    return b"".join(blocks)


def decompress_blocks(raw: Iterable[bytes], compression: str, name: str, size: int) -> Iterator[bytes]:
    """Decompress the blocks of a file of *size* bytes; yield blocks of at most 16 MiB."""
    create, library_error = _find_decompressor(compression)
    try:
        yield from _limit_expansion(_decompress_members(raw, compression, create), name, size)
    except (library_error, EOFError, OSError) as error:
        reason = str(error).rstrip(".") or type(error).__name__
        if "memory" in reason.lower():
            raise InputError(
                f"{name}: decompressing it takes more than {format_size(WORKING_MEMORY)} of memory; decompress it first"
            ) from None
        raise InputError(f"{name}: the {compression[1:]} data is damaged or cut off ({reason})") from None


def _max_text_size(size: int) -> int:
    """Return the maximum number of bytes that a compressed file of *size* bytes may expand to."""
    return max(MIN_LIMIT, MAX_EXPANSION * size)


def _limit_expansion(blocks: Iterable[bytes], name: str, size: int) -> Iterator[bytes]:
    """Yield blocks until they exceed the limit for a compressed file of *size* bytes, then raise an error."""
    total = 0
    for block in blocks:
        total += len(block)
        if total > _max_text_size(size):
            raise InputError(
                f"{name}: expands from {format_size(size)} to more than {format_size(_max_text_size(size))}, the limit "
                f"of {MAX_EXPANSION} times its size (at least {format_size(MIN_LIMIT)}); decompress it first if you "
                "trust it"
            )
        yield block


def _decompress_single_member(raw: bytes, limit: int | None) -> bytes | None:
    """Decompress a gzip file of one member, the usual case, in one fast call; return None for other files."""
    zlib: Any = import_module("isal.isal_zlib")
    member = zlib.decompressobj(wbits=31)
    try:
        max_size = _max_text_size(len(raw))
        text: bytes = member.decompress(raw, min(max_size, limit or max_size))
    except zlib.error:
        return None
    return text if member.eof and not member.unused_data else None


def _decompress_members(raw: Iterable[bytes], compression: str, create: Callable[[], Any]) -> Iterator[bytes]:
    """Decompress all members of a file; functions that decompress in one call ignore a damaged second member."""
    member: Any = None
    for block in _split_blocks(raw, _ZSTD_INPUT if compression == ".zst" else _INPUT):
        rest = block
        while rest:
            if member is None:
                # Zeros may pad a gzip file after its last member.
                rest = rest.lstrip(b"\0") if compression == ".gz" else rest
                if not rest:
                    break
                member = create()
            yield from [member.decompress(rest)] if compression == ".zst" else _decompress_input(member, rest)
            rest, member = (member.unused_data, None) if member.eof else (b"", member)
    if member is not None:
        raise EOFError("it ends too early")


def _split_blocks(raw: Iterable[bytes], size: int) -> Iterator[bytes]:
    for block in raw:
        for begin in range(0, len(block), size):
            yield block[begin : begin + size]


def _decompress_input(member: Any, data: bytes) -> Iterator[bytes]:
    """Yield the decompressed bytes of one block of input, in blocks of bounded size."""
    while True:
        block = member.decompress(data, _BLOCK)
        yield block
        data = getattr(member, "unconsumed_tail", b"")
        if member.eof or (not data and len(block) < _BLOCK):
            return


def _find_decompressor(compression: str) -> tuple[Callable[[], Any], type[Exception]]:
    """Return a function that creates a decompressor for one member, and the class of its errors."""
    if compression == ".gz":
        zlib: Any = import_module("isal.isal_zlib")
        return lambda: zlib.decompressobj(wbits=31), zlib.error
    if compression == ".zst":
        zstandard: Any = import_module("zstandard")
        return zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError
    if compression == ".xz":
        lzma: Any = import_module("lzma")
        return lambda: lzma.LZMADecompressor(memlimit=WORKING_MEMORY), lzma.LZMAError
    bz2: Any = import_module("bz2")
    return bz2.BZ2Decompressor, OSError
