"""Decompress gzip, bzip2, xz and Zstandard in blocks of bounded size, and refuse files that expand without end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from assay.errors import InputError
from assay.memory import shown, too_large

MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zst": b"\x28\xb5\x2f\xfd"}
EXPANSION = 200
"""Text may be this many times larger than the compressed file; real runs reach 5 to 30, very regular ones 150."""
ALWAYS = 16 << 20
"""Bytes of text that every compressed file may hold, however small it is."""
WORKING_MEMORY = 256 << 20
"""Bytes that a decompressor may use itself; an xz file declares how many it needs."""
_BLOCK = 1 << 20
# A decompressor of Zstandard cannot limit its output. Four bytes may become 128 KiB, so that these become 16 MiB.
_ZSTD_INPUT = 512
_INPUT = 1 << 16


def unpack(raw: bytes, packed: str, name: str, most: int | None = None) -> bytes:
    """Return the at most *most* decompressed bytes of a whole file; *packed* is the ending of its compression."""
    whole = _one_gzip_member(raw, most) if packed == ".gz" else None
    if whole is not None:
        return whole
    blocks: list[bytes] = []
    size = 0
    for block in unpacked([raw], packed, name, len(raw)):
        size += len(block)
        if most is not None and size > most:
            raise too_large(name, most)
        blocks.append(block)
    return b"".join(blocks)


def unpacked(raw: Iterable[bytes], packed: str, name: str, size: int) -> Iterator[bytes]:
    """Decompress a file of *size* bytes, given block by block, into blocks of at most some megabytes."""
    new, foreign = _decompressor(packed)
    try:
        yield from _limited(_members(raw, packed, new), name, size)
    except (foreign, EOFError, OSError) as error:
        reason = str(error).rstrip(".") or type(error).__name__
        if "memory" in reason.lower():
            raise InputError(
                f"{name}: decompressing it takes more than {shown(WORKING_MEMORY)} of memory; decompress it first"
            ) from None
        raise InputError(f"{name}: the {packed[1:]} data is damaged or cut off ({reason})") from None


def _limit(size: int) -> int:
    return max(ALWAYS, EXPANSION * size)


def _limited(blocks: Iterable[bytes], name: str, size: int) -> Iterator[bytes]:
    total = 0
    for block in blocks:
        total += len(block)
        if total > _limit(size):
            raise InputError(
                f"{name}: expands from {shown(size)} to more than {shown(_limit(size))}, the limit of {EXPANSION} "
                f"times its size (at least {shown(ALWAYS)}); decompress it first if it is what you expect"
            )
        yield block


def _one_gzip_member(raw: bytes, most: int | None) -> bytes | None:
    """Decompress the usual gzip file of one member in one call, which is fastest; None for all others."""
    zlib: Any = import_module("isal.isal_zlib")
    member = zlib.decompressobj(wbits=31)
    try:
        text: bytes = member.decompress(raw, min(_limit(len(raw)), most or _limit(len(raw))))
    except zlib.error:
        return None
    return text if member.eof and not member.unused_data else None


def _members(raw: Iterable[bytes], packed: str, new: Callable[[], Any]) -> Iterator[bytes]:
    """Decompress all members; the one-call functions of these packages ignore a damaged second one."""
    member: Any = None
    for block in _slices(raw, _ZSTD_INPUT if packed == ".zst" else _INPUT):
        rest = block
        while rest:
            if member is None:
                # Zeros may pad a gzip file behind its end.
                rest = rest.lstrip(b"\0") if packed == ".gz" else rest
                if not rest:
                    break
                member = new()
            yield from [member.decompress(rest)] if packed == ".zst" else _outputs(member, rest)
            rest, member = (member.unused_data, None) if member.eof else (b"", member)
    if member is not None:
        raise EOFError("it ends too early")


def _slices(raw: Iterable[bytes], size: int) -> Iterator[bytes]:
    for block in raw:
        for begin in range(0, len(block), size):
            yield block[begin : begin + size]


def _outputs(member: Any, data: bytes) -> Iterator[bytes]:
    """Yield what one piece of input becomes, a block at a time."""
    while True:
        block = member.decompress(data, _BLOCK)
        yield block
        data = getattr(member, "unconsumed_tail", b"")
        if member.eof or (not data and len(block) < _BLOCK):
            return


def _decompressor(packed: str) -> tuple[Callable[[], Any], type[Exception]]:
    """Return a function that makes the decompressor of a member, and the class of its errors."""
    if packed == ".gz":
        zlib: Any = import_module("isal.isal_zlib")
        return lambda: zlib.decompressobj(wbits=31), zlib.error
    if packed == ".zst":
        zstandard: Any = import_module("zstandard")
        return zstandard.ZstdDecompressor().decompressobj, zstandard.ZstdError
    if packed == ".xz":
        lzma: Any = import_module("lzma")
        return lambda: lzma.LZMADecompressor(memlimit=WORKING_MEMORY), lzma.LZMAError
    bz2: Any = import_module("bz2")
    return bz2.BZ2Decompressor, OSError
