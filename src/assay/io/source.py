"""Read the bytes of the paths that a user gives: directories, globs, compressed files, standard input."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.errors import InputError, SkippableError, suggestion
from assay.io.compression import MAGIC, decompress
from assay.io.lookalikes import describe_directory, refuse_other_directory
from assay.io.parquet_dataset import is_dataset
from assay.io.paths import IRDS, file_errors, path_text
from assay.memory import max_whole_read, too_large_error

STDIN = "-"
_BLOCK = 1 << 20
_LARGE = 1 << 23  # bytes; smaller files are parsed so quickly that a thread would not help
_FOREIGN = {b"PK\x03\x04": "a zip archive", b"%PDF-": "a PDF", b"\x7fELF": "a program", b"SQLite format": "a database"}


_RUN_ENDINGS = re.compile(
    r"run|txt|text|trec|res|results?|ranking|rank|ret|top|out|dat|tab|csv|tsv|json|jsonl|ndjson|parquet|pq",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Source:
    """Decompressed bytes of one file, and the SHA-256 and the *size* of the file on disk.

    *path* is the name of the file in messages.
    """

    path: str
    data: bytes
    sha256: str | Future[str]
    notes: tuple[str, ...] = ()
    size: int = 0

    @property
    def digest(self) -> str:
        """The SHA-256 of the file on disk; the digest of a large file is computed while the file is parsed."""
        return self.sha256 if isinstance(self.sha256, str) else self.sha256.result()

    def blocks(self, report: Callable[[int], None] | None = None) -> Iterator[bytes]:
        """Yield the decompressed bytes; *report* is called with the number of bytes on disk."""
        if report is not None:
            report(self.size)
        yield self.data

    @property
    def suffix(self) -> str:
        """The suffix of the format, without the suffix of the compression: ``.json`` for ``run.json.gz``."""
        return Path(stem(self.path)).suffix.lower()


def stem(path: str) -> str:
    """Return the file name without the suffix of its compression: ``a.run`` for ``runs/a.run.gz``."""
    name = "stdin" if path == STDIN else Path(path).name
    return name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in MAGIC else name


def run_name(path: str) -> str:
    """Return the name of a run that is named after its file, without endings such as ``.run`` and ``.txt.gz``.

    Endings that are not those of a format are part of the name: in ``input.ok8alx``, for example.

    >>> run_name("runs/bm25.run.gz"), run_name("runs/input.ok8alx")
    ('bm25', 'input.ok8alx')
    """
    return _strip_ending(stem(path))


def _strip_ending(name: str) -> str:
    base, dot, ending = name.rpartition(".")
    return base if base and dot and _RUN_ENDINGS.fullmatch(ending) else name


def split_name(path: str) -> tuple[str | None, str]:
    """Split ``NAME=FILE`` into the name of the run and the file; the name is None if there is none.

    A path that exists is not split, although its name contains ``=``.
    """
    name, sign, file = path.partition("=")
    if not sign or path_exists(path):
        return None, path
    if not name or not file:
        raise InputError(f"{path}: no such file; to name a run, write NAME=FILE")
    if not path_exists(file) and file != STDIN and not file.startswith(IRDS):
        raise InputError(f"{path}: no such file, and {file} does not exist either{_suggest_file(file)}")
    return name, file


def path_exists(path: str) -> bool:
    """Return True for an existing file or directory, and for a pattern that matches a file."""
    with suppress(ValueError):  # a NUL byte in the path
        return os.path.exists(path) or (glob.has_magic(path) and next(glob.iglob(path), None) is not None)
    return False


def expand_named(paths: str | Path | Iterable[str | Path]) -> list[tuple[str | None, str]]:
    """Return the files that *paths* name, each with the name of its run (None if the user gave none).

    ``NAME=FILE`` names the run of one file.
    """
    items = [paths] if isinstance(paths, str | bytes) or not isinstance(paths, Iterable) else list(paths)
    split = [split_name(item) if isinstance(item, str) else (None, item) for item in items]
    named: list[tuple[str | None, str]] = []
    for name, path in split:
        files = expand(path)
        if name is not None and len(files) != 1:
            raise InputError(f"{name}={path}: names {len(files)} files; write NAME=FILE for each, or omit the name")
        named += [(name, file) for file in files]
    _refuse_repetition(file for _, file in named)
    return named


def expand(paths: str | Path | Iterable[str | Path]) -> list[str]:
    """Return the files that *paths* name: files, directories (every file in them), globs, ``-`` for standard input.

    A directory that is a Parquet dataset is returned as one path.
    """
    if not isinstance(paths, Iterable) or isinstance(paths, str | bytes):
        paths = [path_text(paths)]
    files = [file for path in paths for file in _expand_path(path_text(path))]
    _refuse_repetition(files)
    return files


def _refuse_repetition(files: Iterable[str]) -> None:
    """Raise an error if a file is named more than once."""
    real_paths: set[str] = set()
    for file in files:
        real_path = file if file == STDIN else os.path.realpath(file)
        if real_path in real_paths:
            raise InputError(f"{file}: named more than once; name each file once")
        real_paths.add(real_path)


def note_ignored_entries(runs: object) -> list[str]:
    """Return notes on entries of the directories among *runs* that are not read, such as subdirectories."""
    notes = []
    paths = runs if isinstance(runs, list | tuple) else [runs]
    for path in (split_name(path)[1] if isinstance(path, str) else path for path in paths):
        if isinstance(path, str | Path) and str(path) and os.path.isdir(path) and not is_dataset(path):
            with file_errors(path):
                ignored = sorted(p.name for p in Path(path).iterdir() if not p.is_file() and not p.name.startswith("."))
            if ignored:
                notes.append(f"{path}: ignored entries that are not files: {', '.join(ignored[:5])}")
    return notes


def _expand_path(path: str) -> list[str]:
    """Return the files that one path names; a path that does not exist is returned unchanged."""
    with file_errors(path):
        if path == STDIN or Path(path).is_file() or is_dataset(path):
            return [path]
        if Path(path).is_dir():
            files = sorted(str(p) for p in Path(path).iterdir() if p.is_file() and not p.name.startswith("."))
            if not files:
                raise InputError(f"{path}: the directory holds no files")
            refuse_other_directory(path, files)
            return files
        if glob.has_magic(path):
            files = sorted(p for p in glob.glob(path, recursive=True) if Path(p).is_file())
            if not files:
                raise InputError(f"{path}: no file matches this pattern")
            return files
        return [path]


def read(path: str, lenient: bool = False, raw: bytes | None = None) -> Source:
    """Read and decompress one file, or standard input if *path* is ``-``.

    *raw* are the bytes of the file if they have already been read.
    """
    raw = _read_bytes(path) if raw is None else raw
    compression = check_compression(path, raw)
    notes = check_suffix(path, compression, lenient) if compression else ()
    name = "standard input" if path == STDIN else path
    data = decompress(raw, compression, name, max_whole_read()) if compression else raw
    return Source(name, data, _compute_digest(raw), notes, len(raw))


def _compute_digest(raw: bytes) -> str | Future[str]:
    """Return the SHA-256 of bytes; for many bytes, return a future, which another thread computes."""
    if len(raw) < _LARGE:
        return hashlib.sha256(raw).hexdigest()
    executor = ThreadPoolExecutor(1)
    digest = executor.submit(lambda: hashlib.sha256(raw).hexdigest())
    executor.shutdown(wait=False)
    return digest


def _read_bytes(path: str) -> bytes:
    """Read all bytes of a file or of standard input; suggest a similar name for a missing file."""
    if path_text(path) == STDIN:
        return _read_all(standard_input(), "standard input")
    with file_errors(path):
        try:
            refuse_device(os.stat(path), path)
            with open(path, "rb") as file:
                return _read_all(file, path)
        except FileNotFoundError:
            raise InputError(f"{path}: no such file{_suggest_file(path)}") from None
        except IsADirectoryError:
            raise InputError(f"{path}: {describe_directory(path)}") from None


def standard_input() -> IO[bytes]:
    """Return standard input as a binary stream; refuse it if it is closed, or a device other than a terminal."""
    if sys.stdin is None:
        raise InputError("standard input: is closed")
    buffer = sys.stdin.buffer
    status = None
    with suppress(OSError):  # standard input of a notebook has no file descriptor
        status = None if buffer.isatty() else os.fstat(buffer.fileno())
    if status is not None:
        refuse_device(status, "standard input")
    return buffer


def refuse_device(status: os.stat_result, name: str) -> None:
    """Refuse devices, which may never end, except for the null device, which is empty."""
    if stat.S_ISBLK(status.st_mode) or (stat.S_ISCHR(status.st_mode) and status.st_rdev != os.stat(os.devnull).st_rdev):
        raise InputError(f"{name}: is a device, which may have no end; name a file or a pipe")


def _read_all(file: IO[bytes], name: str) -> bytes:
    """Read a file or pipe to its end; raise an error if it does not fit into memory."""
    limit = max_whole_read()
    with suppress(OSError):  # a stream that is not a real file has no status
        size = os.fstat(file.fileno()).st_size
        if limit is None or 0 < size <= limit:
            return file.read()
    # The size of a pipe is unknown: stop as soon as it exceeds the limit.
    blocks: list[bytes] = []
    size = 0
    while block := file.read(_BLOCK):
        size += len(block)
        if limit is not None and size > limit:
            raise too_large_error(name, limit)
        blocks.append(block)
    return b"".join(blocks)


def _suggest_file(path: str) -> str:
    """Return the end of a message that suggests a file with a similar name in the same directory.

    Names are compared without their suffixes, which many files share.
    """
    parent, name = Path(path).parent, Path(path).name
    try:
        names = sorted(p.name for p in parent.iterdir())
    except OSError:
        return ""
    similar = [other for other in names if suggestion(name.partition(".")[0], [other.partition(".")[0]])]
    return suggestion(name, similar) or (f"; did you mean {similar[0]}?" if similar else "")


def detect_compression(head: bytes) -> str | None:
    """Return the suffix of the compression that the first bytes of a file indicate; None if it is not compressed."""
    return next((suffix for suffix, magic in MAGIC.items() if head.startswith(magic)), None)


def is_compressed(path: str) -> bool:
    """Return True if a file is compressed; Parquet counts as compressed. False if it cannot be opened."""
    try:
        with open(path, "rb") as file:
            head = file.read(8)
    except OSError:
        return False
    return detect_compression(head) is not None or head.startswith(b"PAR1")


def check_compression(path: str, raw: bytes) -> str | None:
    """Return the suffix of the compression of a file, None if there is none; refuse archives and other binary files."""
    for magic, word in _FOREIGN.items():
        if raw.startswith(magic):
            raise InputError(f"{path}: is {word}, not text; extract or export it first")
    suffix = Path(path).suffix.lower()
    compression = detect_compression(raw)
    if suffix in MAGIC and compression != suffix and raw:
        raise InputError(f"{path}: is named {suffix} but is not {suffix[1:]}-compressed; rename it to {stem(path)}")
    return compression


def check_suffix(path: str, compression: str, lenient: bool) -> tuple[str, ...]:
    """Refuse a compressed file whose name lacks the suffix; a lenient reader returns a note instead."""
    if path == STDIN or Path(path).suffix.lower() == compression:
        return ()
    message = f"{path}: is {compression[1:]}-compressed"
    if not lenient:
        raise SkippableError(f"{message}; rename it to {Path(path).name}{compression}")
    return (f"{message} but not named {compression}; read anyway",)
