"""From the paths a user writes to bytes: directories, globs, compression, standard input."""

from __future__ import annotations

import glob
import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError, suggestion

STDIN = "-"
_MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zst": b"\x28\xb5\x2f\xfd"}
_FOREIGN = {b"PK\x03\x04": "a zip archive", b"%PDF": "a PDF", b"\x7fELF": "a program", b"SQLite": "a database"}


@dataclass(frozen=True)
class Source:
    """The bytes of one file after decompression, and the hash of the file as it is on disk."""

    path: str
    data: bytes
    digest: str

    @property
    def suffix(self) -> str:
        """The ending that tells the format, compression left aside: ``.json`` of ``run.json.gz``."""
        return Path(stem(self.path)).suffix.lower()


def stem(path: str) -> str:
    """The file name without an ending that only tells the compression."""
    name = "stdin" if path == STDIN else Path(path).name
    return name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in _MAGIC else name


def expand(paths: str | Path | Iterable[str | Path]) -> list[str]:
    """Files named by *paths*: files, directories (every file in them), globs, ``-`` for standard input."""
    listed = [paths] if isinstance(paths, str | Path) else list(paths)
    found = [file for path in listed for file in _expand_one(str(path))]
    twice = sorted({path for path in found if found.count(path) > 1}) if len(set(found)) < len(found) else []
    if twice:
        raise InputError(f"{twice[0]}: named more than once; name each file once")
    return found


def _expand_one(path: str) -> list[str]:
    if path == STDIN or Path(path).is_file():
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


def read(path: str, lenient: bool = False) -> Source:
    """Read and decompress one file, or standard input when *path* is ``-``."""
    raw = _raw(path)
    digest = hashlib.sha256(raw).hexdigest()
    return Source(path, _decompressed(path, raw, lenient), digest)


def _raw(path: str) -> bytes:
    if path == STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{_near(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory; name a file in it") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def _near(path: str) -> str:
    parent = Path(path).parent
    names = [p.name for p in parent.iterdir()] if parent.is_dir() else []
    return suggestion(Path(path).name, names)


def _decompressed(path: str, raw: bytes, lenient: bool) -> bytes:
    for magic, what in _FOREIGN.items():
        if raw.startswith(magic):
            raise InputError(f"{path}: is {what}, not text; extract or export it first")
    suffix = Path(path).suffix.lower()
    packed = next((ending for ending, magic in _MAGIC.items() if raw.startswith(magic)), None)
    if suffix in _MAGIC and packed != suffix and raw:
        raise InputError(f"{path}: is named {suffix} but is not {suffix[1:]}-compressed; rename it")
    if packed is None:
        return raw
    if suffix != packed and path != STDIN and not lenient:
        raise InputError(
            f"{path}: is {packed[1:]}-compressed; name it {Path(path).name}{packed} (--lenient reads it anyway)"
        )
    return _unpack(path, raw, packed)


def _unpack(path: str, raw: bytes, packed: str) -> bytes:
    import bz2
    import gzip
    import lzma
    import zlib

    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress, ".zst": _unzstd}
    try:
        return unpack[packed](raw)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        reason = str(error).rstrip(".") or type(error).__name__
        raise InputError(f"{path}: the {packed[1:]} data is damaged or cut off ({reason})") from None


def _unzstd(raw: bytes) -> bytes:
    import io

    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(raw), read_across_frames=True) as stream:
            return stream.read()
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
