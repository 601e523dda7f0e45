"""Checks of a directory before a simulated collection is written to it."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError
from assay.io.paths import file_errors, path_text
from assay.simulation.readme import TITLE

NAMES = ("README.md", "qrels.txt", "runs")


def check_directory(directory: str | Path, force: bool) -> None:
    """Raise ``InputError`` if a collection cannot be written to *directory*.

    Without *force* the directory must be empty. With *force* it may contain an earlier collection and other files, but
    no file of the same name that ``assay simulate`` did not write.
    """
    target = Path(path_text(directory))
    with file_errors(directory):
        if not target.exists():
            return
        if not target.is_dir():
            raise InputError(f"{directory}: is a file; choose a directory")
        if not force and any(target.iterdir()):
            raise InputError(
                f"{directory}: is not empty; choose another directory, or add --force to replace the collection in it"
            )
        existing = [name for name in NAMES if (target / name).exists()]
        if existing and not _is_simulated(target / "README.md"):
            raise InputError(
                f"{directory}: contains {existing[0]}, which assay simulate did not write; choose another directory"
            )


def _is_simulated(readme: Path) -> bool:
    """Return True if ``assay simulate`` wrote this README."""
    if not readme.is_file():
        return False
    with readme.open("rb") as stream:
        return stream.readline().strip() == TITLE.encode()
