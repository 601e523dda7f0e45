"""Atomic writing: a file or directory appears either complete or not at all."""

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
    """Write *data* to a temporary file in the same directory, and then rename it to *path*.

    The data reaches the disk before the file is renamed, so a crash of the machine leaves the old or the new file, but
    never an incomplete one.
    """
    blocks = [data] if isinstance(data, bytes) else data
    text = path_text(path)
    with file_errors(text, "cannot be written"):
        if _is_device(text):
            with open(text, "ab") as stream:  # /dev/stdout may be a file with earlier output, which must stay
                stream.writelines(blocks)
        else:
            _replace_file(Path(os.path.realpath(text)), blocks)  # the target of a link is replaced, not the link


def append_file(path: str | Path, text: str) -> None:
    """Append text to a file that other programs read, such as the summary of a workflow."""
    with file_errors(path_text(path), "cannot be written"), open(path, "a", encoding="utf-8") as stream:
        stream.write(text)


def _replace_file(target: Path, blocks: Iterable[bytes]) -> None:
    """Write *blocks* to a temporary file and rename it to *target*; after an error, delete it."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(blocks)
            _flush_to_disk(stream)
        # mkstemp creates a private file; give it the permissions of an ordinary one. The umask can only be read by
        # setting it.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_directory(target.parent)


def write_files(directory: str | Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write *files*, pairs of a path within the directory and its bytes, to a new *directory*."""
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
                _flush_to_disk(stream)


@contextmanager
def stage_directory(path: str | Path) -> Iterator[Path]:
    """Yield an empty directory to write into; its contents are moved to *path* at the end, or deleted on an error.

    Parent directories of *path* are created. If *path* exists, files with the same names are replaced; others remain.
    """
    target = Path(os.path.realpath(path_text(path)))
    with file_errors(path, "cannot be written"):
        # Stage on the same file system, since a rename across file systems is not atomic: inside the target if it
        # exists (it may be a mount point), otherwise next to the topmost directory that must be created.
        missing = [directory for directory in (target, *target.parents) if not directory.exists()]
        parent = missing[-1].parent if missing else target
        with tempfile.TemporaryDirectory(dir=parent, prefix=".assay-", ignore_cleanup_errors=True) as temporary:
            staged = Path(temporary) / "staged"
            root = staged / target.relative_to(missing[-1]) if missing else staged
            root.mkdir(parents=True)
            yield root
            if missing:
                staged.rename(missing[-1])
            else:
                _move_files(staged, target, Path(tempfile.mkdtemp(dir=temporary)))
            sync_directory(parent)


def _move_files(staged: Path, target: Path, backup: Path) -> None:
    """Move the files in *staged* to *target*, and the files they replace to *backup*; undo everything on an error."""
    with ExitStack() as undo:
        for new in sorted(staged.iterdir()):
            path = target / new.name
            if path.exists():
                os.replace(path, backup / new.name)
                undo.callback(os.replace, backup / new.name, path)
            os.replace(new, path)
            undo.callback(os.replace, path, new)
        undo.pop_all()


def _flush_to_disk(stream: BinaryIO) -> None:
    stream.flush()
    sync_handle(stream.fileno())


def sync_handle(handle: int) -> None:
    """Wait until the data written to an open file are on the disk."""
    os.fsync(handle)


def sync_directory(directory: Path) -> None:
    """Write the names of new files to disk, on systems that can open a directory."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_device(path: str | Path) -> bool:
    """Return True for a pipe, a terminal or a path such as ``/dev/stdout``, which cannot be replaced by a file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return str(path).startswith("/dev/") or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
