"""Files and directories are written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from assay.errors import InputError
from assay.io.paths import file_errors, path_text


def whole(path: str | Path, data: bytes | Iterable[bytes]) -> None:
    """Write *data* to *path* through a temporary file beside it, so that no half-written file is ever seen.

    The file reaches the disk before it gets its name, and a crash of the machine leaves the old file or the new one.
    """
    pieces = [data] if isinstance(data, bytes) else data
    text = path_text(path)
    with file_errors(text, "cannot be written"):
        if _is_device(text):
            with open(text, "ab") as stream:  # what /dev/stdout leads to may hold earlier output
                stream.writelines(pieces)
        else:
            _replace(Path(os.path.realpath(text)), pieces)  # a link stays a link


def _replace(target: Path, pieces: Iterable[bytes]) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(pieces)
            _to_disk(stream)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_directory(target.parent)


def whole_directory(path: str | Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write *files* (their paths in the directory, and their bytes) to a new directory *path*."""
    target = Path(path_text(path))
    if os.path.lexists(target):
        raise InputError(f"{path}: already exists; choose a new directory")
    with (
        file_errors(path, "cannot be written"),
        tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as temporary,
    ):
        made = Path(temporary) / target.name
        made.mkdir()
        for name, data in files:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            with open(made / name, "wb") as stream:
                stream.write(data)
                _to_disk(stream)
        made.rename(target)
        sync_directory(target.parent)


def _to_disk(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def sync_directory(directory: Path) -> None:
    """Bring the names of new files to the disk, where the system can do that."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_device(path: str | Path) -> bool:
    """Whether this is a pipe, a terminal or the like (``/dev/stdout``): those are written to, never replaced."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return str(path).startswith("/dev/") or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
