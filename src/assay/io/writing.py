"""Atomic writing: a file or a directory appears complete or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from assay.errors import InputError
from assay.io.paths import file_errors, path_text


def write_file(path: str | Path, data: bytes | Iterable[bytes]) -> None:
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
    _sync_directory(target.parent)


def write_files(directory: str | Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write *files* (their paths within the directory, and their bytes) to a new *directory*."""
    target = Path(path_text(directory))
    if os.path.lexists(target):
        raise InputError(f"{directory}: already exists; choose a new directory")
    if not target.parent.is_dir():
        raise InputError(f"{directory}: cannot be written (there is no directory {target.parent})")
    with stage_directory(directory) as root:
        for name, data in files:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            with open(root / name, "wb") as stream:
                stream.write(data)
                _to_disk(stream)


@contextmanager
def stage_directory(path: str | Path) -> Iterator[Path]:
    """Yield an empty directory to write into, whose contents are moved to *path* at the end, or deleted on an error.

    Directories above *path* are created. If *path* exists, files of the same names are replaced, and others stay.
    """
    target = Path(os.path.realpath(path_text(path)))
    with file_errors(path, "cannot be written"):
        # Inside a directory that exists (it may be a file system of its own), else beside the highest new one.
        new = [each for each in (target, *target.parents) if not each.exists()]
        place = new[-1].parent if new else target
        with tempfile.TemporaryDirectory(dir=place, prefix=".assay-", ignore_cleanup_errors=True) as temporary:
            staged = Path(temporary) / "staged"
            root = staged / target.relative_to(new[-1]) if new else staged
            root.mkdir(parents=True)
            yield root
            if new:
                staged.rename(new[-1])
            else:
                _exchange(staged, target, Path(tempfile.mkdtemp(dir=temporary)))
            _sync_directory(place)


def _exchange(staged: Path, target: Path, attic: Path) -> None:
    """Move the files in *staged* to *target*, and those they replace to *attic*; undo it all if one cannot be moved."""
    with ExitStack() as undo:
        for new in sorted(staged.iterdir()):
            here = target / new.name
            if here.exists():
                os.replace(here, attic / new.name)
                undo.callback(os.replace, attic / new.name, here)
            os.replace(new, here)
            undo.callback(os.replace, here, new)
        undo.pop_all()


def _to_disk(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _sync_directory(directory: Path) -> None:
    """Bring the names of new files to the disk, where the system can do that."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_device(path: str | Path) -> bool:
    """Return whether this is a pipe, a terminal or the like (``/dev/stdout``): those are written to, never replaced."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return str(path).startswith("/dev/") or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
