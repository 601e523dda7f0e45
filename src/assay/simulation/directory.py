"""Check a directory before a simulated collection is written to it."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError
from assay.io.paths import file_errors, path_text
from assay.simulation.readme import TITLE

NAMES = ("README.md", "qrels.txt", "runs")


def refuse_taken(directory: str | Path, force: bool) -> None:
    """Refuse a directory that is not empty; with *force*, one with files of others where the collection would go."""
    target = Path(path_text(directory))
    with file_errors(directory):
        if not target.exists():
            return
        if not target.is_dir():
            raise InputError(f"{directory}: is a file; name a directory")
        if not force and any(target.iterdir()):
            raise InputError(
                f"{directory}: is not empty; name another directory, or --force to replace the collection in it"
            )
        taken = [name for name in NAMES if (target / name).exists()]
        if taken and not _is_simulated(target / "README.md"):
            raise InputError(
                f"{directory}: holds a {taken[0]} that assay simulate did not write; name another directory"
            )


def _is_simulated(readme: Path) -> bool:
    """Return whether a README was written by assay simulate."""
    if not readme.is_file():
        return False
    with readme.open("rb") as stream:
        return stream.readline().strip() == TITLE.encode()
