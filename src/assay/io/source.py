"""From the paths a user writes to bytes: directories, globs, compression, standard input."""

from __future__ import annotations

import glob
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.errors import InputError, SkippableError, suggestion
from assay.io.compression import MAGIC, unpack
from assay.io.dataset import is_dataset
from assay.io.paths import file_errors, path_text
from assay.memory import largest, too_large

STDIN = "-"
_BLOCK = 1 << 20
_FOREIGN = {b"PK\x03\x04": "a zip archive", b"%PDF-": "a PDF", b"\x7fELF": "a program", b"SQLite format": "a database"}


@dataclass(frozen=True)
class Source:
    """The bytes of one file after decompression, and the hash and size of the file as it is on disk."""

    path: str
    data: bytes
    digest: str
    notes: tuple[str, ...] = ()
    size: int = 0

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.path

    def blocks(self, report: Callable[[int], None] | None = None) -> Iterator[bytes]:
        """Yield the bytes; *report* is called with the number of bytes on disk."""
        if report is not None:
            report(self.size)
        yield self.data

    @property
    def suffix(self) -> str:
        """The ending that tells the format, compression left aside: ``.json`` of ``run.json.gz``."""
        return Path(stem(self.path)).suffix.lower()


def stem(path: str) -> str:
    """The file name without an ending that only tells the compression."""
    name = "stdin" if path == STDIN else Path(path).name
    return name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in MAGIC else name


def expand(paths: str | Path | Iterable[str | Path]) -> list[str]:
    """Files named by *paths*: files, directories (every file in them), globs, ``-`` for standard input.

    A directory that is one Parquet dataset stays as it is.
    """
    if not isinstance(paths, Iterable) or isinstance(paths, str | bytes):
        paths = [path_text(paths)]
    found = [file for path in paths for file in _expand_one(path_text(path))]
    seen: dict[str, str] = {}
    for path in found:
        real = path if path == STDIN else os.path.realpath(path)
        if real in seen:
            raise InputError(f"{path}: named more than once; name each file once")
        seen[real] = path
    return found


def passed_over(runs: object) -> list[str]:
    """Note what the directories among *runs*, one input or several, hold that is not read."""
    notes = []
    for path in runs if isinstance(runs, list | tuple) else [runs]:
        if isinstance(path, str | Path) and str(path) and os.path.isdir(path) and not is_dataset(path):
            with file_errors(path):
                others = sorted(p.name for p in Path(path).iterdir() if not p.is_file() and not p.name.startswith("."))
            if others:
                notes.append(f"{path}: not read because they are not files: {', '.join(others[:5])}")
    return notes


def _expand_one(path: str) -> list[str]:
    with file_errors(path):
        return _listed(path)


def _listed(path: str) -> list[str]:
    if path == STDIN or Path(path).is_file():
        return [path]
    if is_dataset(path):
        return [path]
    if Path(path).is_dir():
        inside = sorted(str(p) for p in Path(path).iterdir() if p.is_file() and not p.name.startswith("."))
        if not inside:
            raise InputError(f"{path}: the directory holds no files")
        return inside
    if glob.has_magic(path):
        matched = sorted(p for p in glob.glob(path, recursive=True) if Path(p).is_file())
        if not matched:
            raise InputError(f"{path}: no file matches this pattern")
        return matched
    return [path]


def read(path: str, lenient: bool = False, raw: bytes | None = None) -> Source:
    """Read and decompress one file, or standard input when *path* is ``-``; *raw* are its bytes if they are known."""
    raw = _raw(path) if raw is None else raw
    packed = packed_of(path, raw)
    notes = misnamed(path, packed, lenient) if packed else ()
    named = "standard input" if path == STDIN else path
    data = unpack(raw, packed, named, largest()) if packed else raw
    return Source(named, data, hashlib.sha256(raw).hexdigest(), notes, len(raw))


def _raw(path: str) -> bytes:
    if path_text(path) == STDIN:
        return _all(standard_input(), "standard input")
    with file_errors(path):
        try:
            refuse_device(os.stat(path), path)
            with open(path, "rb") as file:
                return _all(file, path)
        except FileNotFoundError:
            raise InputError(f"{path}: no such file{_near(path)}") from None
        except IsADirectoryError:
            raise InputError(f"{path}: is a directory; name a file in it") from None


def standard_input() -> IO[bytes]:
    """Return standard input as bytes; a closed one and a device that is no terminal are refused."""
    if sys.stdin is None:
        raise InputError("standard input: is closed")
    buffer = sys.stdin.buffer
    status = None
    with suppress(OSError):  # in a notebook it has no file
        status = None if buffer.isatty() else os.fstat(buffer.fileno())
    if status is not None:
        refuse_device(status, "standard input")
    return buffer


def refuse_device(status: os.stat_result, name: str) -> None:
    """Refuse devices, which may have no end; the null device is empty."""
    if stat.S_ISBLK(status.st_mode) or (stat.S_ISCHR(status.st_mode) and status.st_rdev != os.stat(os.devnull).st_rdev):
        raise InputError(f"{name}: is a device, which may have no end; name a file or a pipe")


def _all(file: IO[bytes], name: str) -> bytes:
    """Read a file or a pipe to its end, but no more than fits into memory."""
    most = largest()
    with suppress(OSError):  # what is no real file has no status
        size = os.fstat(file.fileno()).st_size
        if most is None or 0 < size <= most:
            return file.read()
    blocks: list[bytes] = []
    size = 0
    while block := file.read(_BLOCK):
        size += len(block)
        if most is not None and size > most:
            raise too_large(name, most)
        blocks.append(block)
    return b"".join(blocks)


def _near(path: str) -> str:
    """A file beside it that may have been meant: its name is alike without the endings, which many files share."""
    parent, name = Path(path).parent, Path(path).name
    try:
        names = sorted(p.name for p in parent.iterdir())
    except OSError:
        return ""
    alike = [other for other in names if suggestion(name.partition(".")[0], [other.partition(".")[0]])]
    return suggestion(name, alike) or (f"; did you mean {alike[0]}?" if alike else "")


def packed_as(head: bytes) -> str | None:
    """The ending that goes with how the bytes are compressed, or None."""
    return next((ending for ending, magic in MAGIC.items() if head.startswith(magic)), None)


def is_packed(path: str) -> bool:
    """Return whether a file is compressed or Parquet; False for a file that cannot be opened."""
    try:
        with open(path, "rb") as file:
            head = file.read(8)
    except OSError:
        return False
    return packed_as(head) is not None or head.startswith(b"PAR1")


def packed_of(path: str, raw: bytes) -> str | None:
    """Find the kind of compression from the first bytes; what is neither compressed nor readable here is refused."""
    for magic, what in _FOREIGN.items():
        if raw.startswith(magic):
            raise InputError(f"{path}: is {what}, not text; extract or export it first")
    suffix = Path(path).suffix.lower()
    packed = packed_as(raw)
    if suffix in MAGIC and packed != suffix and raw:
        raise InputError(f"{path}: is named {suffix} but is not {suffix[1:]}-compressed; rename it to {stem(path)}")
    return packed


def misnamed(path: str, packed: str, lenient: bool) -> tuple[str, ...]:
    """Refuse a compressed file whose name does not say so; a lenient reader notes it."""
    if path == STDIN or Path(path).suffix.lower() == packed:
        return ()
    message = f"{path}: is {packed[1:]}-compressed"
    if not lenient:
        raise SkippableError(f"{message}; rename it to {Path(path).name}{packed}")
    return (f"{message} but not named {packed}; read anyway",)
