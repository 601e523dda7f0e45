"""A directory is written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assay.errors import InputError
from assay.io.paths import path_text
from assay.io.writing import sync_directory
from assay.simulation.readme import TITLE

NAMES = ("README.md", "qrels.txt", "runs")


def refuse_taken(directory: str | Path, force: bool) -> None:
    """Refuse a directory that is not empty; with *force*, one with files of others where the collection would go."""
    target = Path(path_text(directory))
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(f"{directory}: is a file; name a directory")
    try:
        empty = not any(target.iterdir())
    except OSError as error:
        raise InputError(f"{directory}: cannot be read ({error.strerror or error})") from None
    if not force and not empty:
        raise InputError(
            f"{directory}: is not empty; name another directory, or --force to replace the collection in it"
        )
    taken = [name for name in NAMES if (target / name).exists()]
    if taken and not _ours(target / "README.md"):
        raise InputError(f"{directory}: holds a {taken[0]} that assay simulate did not write; name another directory")


def _ours(readme: Path) -> bool:
    """Whether a simulated collection is in the directory of this README."""
    if not readme.is_file():
        return False
    with readme.open("rb") as stream:
        return stream.readline().strip() == TITLE.encode()


@contextmanager
def whole_directory(directory: str | Path, force: bool = False) -> Iterator[Path]:
    """Give a directory to write into, whose files are in *directory* at the end, or gone when anything goes wrong."""
    try:
        refuse_taken(directory, force)
        target = Path(os.path.realpath(directory))
        # Inside a directory that is there (it may be a file system of its own), else beside the highest new one.
        made = [path for path in (target, *target.parents) if not path.exists()]
        temporary = (made[-1].parent if made else target) / f".simulate-{secrets.token_hex(4)}"
        root = temporary / target.relative_to(made[-1]) if made else temporary / "new"
        try:
            root.mkdir(parents=True)
            yield root
            if made:
                temporary.rename(made[-1])
            else:
                _exchange(root, target, temporary)
            sync_directory(made[-1].parent if made else target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{directory}: cannot be written ({error.strerror or error})") from None


def _exchange(root: Path, target: Path, attic: Path) -> None:
    """Move what is in *root* to *target*, and what it replaces to *attic*; put all back when one cannot be moved."""
    with ExitStack() as undo:
        for new in sorted(root.iterdir()):
            here = target / new.name
            if here.exists():
                os.replace(here, attic / new.name)
                undo.callback(os.replace, attic / new.name, here)
            os.replace(new, here)
            undo.callback(os.replace, here, new)
        undo.pop_all()
