"""The directory of a study: its tables, and a record of the completed steps."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import InputError
from assay.io.paths import file_errors
from assay.io.writing import write_file

MANIFEST = "study.json"
Files = Mapping[str, pl.DataFrame | bytes]
"""Files of a step: tables by name, and the content of other files by file name."""


class Record:
    """Completed steps of a study: the files that each step has written, with their SHA-256.

    A skipped step has no files and a reason.
    """

    def __init__(
        self, folder: Path, identity: dict[str, Any], done: dict[str, dict[str, str]], skipped: dict[str, str]
    ) -> None:
        self.folder = folder
        self.identity = identity
        self.done = done
        self.skipped = skipped

    @classmethod
    def resume(cls, folder: Path, identity: dict[str, Any], fresh: bool) -> Record:
        """Return the record of a directory, which must belong to the same study; *fresh* starts the study again."""
        path = folder / MANIFEST
        if not path.exists():
            with file_errors(folder):
                has_files = any(folder.iterdir())
            if has_files:
                raise InputError(f"{folder}: holds other files; name an empty or new folder for the study")
            return cls(folder, identity, {}, {}).save()
        known, done, skipped = _read_record(path)
        if fresh:
            for name in [name for files in done.values() for name in files]:
                (folder / name).unlink(missing_ok=True)
            return cls(folder, identity, {}, {}).save()
        # A round trip through JSON makes both sides comparable: tuples become lists, keys become text.
        difference = _describe_difference(known, json.loads(json.dumps(identity)))
        if difference is not None:
            raise InputError(f"{folder}: holds a study with other {difference}; name another folder, or add --fresh")
        return cls(folder, identity, done, skipped)

    def save(self) -> Record:
        """Write the record; it is written before the first step, so that the directory is recognized as a study."""
        content = {"study": self.identity, "done": self.done, "skipped": self.skipped}
        text = json.dumps(content, indent=1, ensure_ascii=False)
        write_file(self.folder / MANIFEST, (text + "\n").encode())
        return self

    def holds(self, step: str) -> bool:
        """Return True if a step is completed and its files are unchanged."""
        files = self.done.get(step)
        return files is not None and all(_hash_file(self.folder / name) == digest for name, digest in files.items())

    def write(self, step: str, contents: Files) -> None:
        """Write the files of a step, and then record it as completed."""
        files = {}
        for name, data in _encode(contents):
            for leftover in self.folder.glob(f".{name}.*"):  # temporary files of a process that was killed
                leftover.unlink(missing_ok=True)
            write_file(self.folder / name, data)
            files[name] = hashlib.sha256(data).hexdigest()
        self.done[step] = files
        self.skipped.pop(step, None)
        self.save()

    def skip(self, step: str, reason: str) -> None:
        """Record a step without files, and the reason."""
        self.done[step], self.skipped[step] = {}, reason
        self.save()

    def remove(self, steps: list[str]) -> None:
        """Remove the files of some steps, and forget the steps."""
        known = [step for step in steps if step in self.done]
        for name in [name for step in known for name in self.done[step]]:
            (self.folder / name).unlink(missing_ok=True)
        if known:
            self.done = {step: files for step, files in self.done.items() if step not in known}
            self.save()


def read_table(folder: Path, name: str) -> pl.DataFrame:
    """Read a table of a study."""
    return pl.read_parquet(folder / f"{name}.parquet")


def count_rows(folder: Path, name: str) -> int:
    """Return the number of rows of a table of a study without reading it."""
    return int(pl.scan_parquet(folder / f"{name}.parquet").select(pl.len()).collect().item())


def _read_record(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, str]], dict[str, str]]:
    with file_errors(path):
        data = path.read_bytes()
    try:
        known = json.loads(data)
        done = {step: dict(files) for step, files in known["done"].items()}
        return dict(known["study"]), done, dict(known.get("skipped", {}))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path}: is not the record of a study; name another folder") from None


def _describe_difference(known: dict[str, Any], now: dict[str, Any]) -> str | None:
    """Return a description of the difference between two studies; None if they are the same."""
    before, after = known.get("settings", {}), now["settings"]
    changed = [name for name in after | before if before.get(name) != after.get(name)]
    if changed:
        return f"settings ({', '.join(changed)})"
    others = [name for name in now if known.get(name) != now[name]]
    return None if not others else {"inputs": "inputs", "assay": "version of assay"}.get(others[0], others[0])


def _hash_file(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _encode(contents: Files) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file; tables are written as Parquet."""
    for name, content in contents.items():
        if isinstance(content, bytes):
            yield name, content
            continue
        stream = io.BytesIO()
        content.write_parquet(stream)
        yield f"{name}.parquet", stream.getvalue()
