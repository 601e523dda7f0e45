"""Files and directories are written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from assay.errors import InputError


def whole(path: str | Path, data: bytes | Iterable[bytes]) -> None:
    """Write *data* to *path* through a temporary file beside it, so that no half-written file is ever seen."""
    pieces = [data] if isinstance(data, bytes) else data
    if not str(path):
        raise InputError("an empty file name cannot be written; is a variable unset?")
    if _is_device(path):
        _append(path, pieces)
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(pieces)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def whole_directory(path: str | Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write *files* (their paths in the directory, and their bytes) to a new directory *path*."""
    target = Path(path)
    if target.exists():
        raise InputError(f"{path}: is there already; name a directory that is not")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as temporary:
            made = Path(temporary) / target.name
            made.mkdir()
            for name, data in files:
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_bytes(data)
            made.rename(target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def _append(path: str | Path, pieces: Iterable[bytes]) -> None:
    try:
        with open(path, "ab") as stream:  # what /dev/stdout leads to may hold earlier output
            stream.writelines(pieces)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def _is_device(path: str | Path) -> bool:
    """Whether this is a pipe, a terminal or the like (``/dev/stdout``): those are written to, never replaced."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return str(path).startswith("/dev/") or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
