"""Parquet datasets: a directory of files that are one table, as Spark, polars and others write them.

A directory is a dataset if its name ends in ``.parquet``, if it holds the file ``_SUCCESS`` that Spark leaves behind,
or if it holds directories such as ``run=bm25``, whose names give the values of a column.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from assay.errors import InputError
from assay.io.paths import file_errors

ENDINGS = (".parquet", ".pq")
_COLUMN = re.compile(r"([A-Za-z][\w-]*)=(.*)", re.DOTALL)
_NULL = "__HIVE_DEFAULT_PARTITION__"
_HIDDEN = (".", "_")  # what systems leave beside the data


class Member(NamedTuple):
    """One file of a dataset, and the columns that the directories above it name."""

    path: str
    columns: tuple[tuple[str, str | None], ...] = ()


def is_dataset(path: str | Path) -> bool:
    """Whether *path* is a directory whose files are one table."""
    directory = Path(path)
    if not os.path.isdir(directory):
        return False
    with file_errors(path):
        return directory.suffix.lower() in ENDINGS or any(
            child.name == "_SUCCESS" or (_COLUMN.fullmatch(child.name) and child.is_dir())
            for child in directory.iterdir()
        )


def members(path: str | Path) -> list[Member]:
    """The files of a dataset in the order of their paths; *path* itself if it is a file."""
    if not Path(path).is_dir():
        return [Member(str(path))]
    with file_errors(path):
        found = [Member(str(file), columns) for file, columns in _walked(Path(path), ())]
    if not found:
        raise InputError(f"{path}: the dataset holds no Parquet files")
    return found


def _walked(
    directory: Path, above: tuple[tuple[str, str | None], ...]
) -> Iterator[tuple[Path, tuple[tuple[str, str | None], ...]]]:
    for child in sorted(directory.iterdir()):
        if child.name.startswith(_HIDDEN):
            continue
        if child.is_dir():
            yield from _walked(child, (*above, *_named(child)))
        elif child.suffix.lower() in ENDINGS:
            yield child, above
        else:
            raise InputError(f"{child}: is not named .parquet as the other files of a dataset are; take it elsewhere")


def _named(directory: Path) -> list[tuple[str, str | None]]:
    found = _COLUMN.fullmatch(directory.name)
    if found is None:
        return []
    return [(found[1], None if found[2] == _NULL else unquote(found[2]))]


def directory(column: str, value: object) -> str:
    """The name of the directory for rows with *value* in *column*.

    >>> directory("run", "bm25/k1=0.9")
    'run=bm25%2Fk1%3D0.9'
    """
    return f"{column}={_NULL if value in (None, '') else quote(str(value), safe=' (),+@')}"


def size(path: str | Path) -> int:
    """Bytes on disk."""
    with file_errors(path):
        return sum(os.path.getsize(member.path) for member in members(path))


def digest(path: str | Path, told: Callable[[int], None] = lambda _: None) -> str:
    """The SHA-256 of a file; of a dataset that of the paths and hashes of its files. *told* is told of bytes read."""
    if not Path(path).is_dir():
        return _digest(str(path), told)
    lines = [f"{_digest(one.path, told)}  {Path(one.path).relative_to(path).as_posix()}\n" for one in members(path)]
    return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()


def _digest(path: str, told: Callable[[int], None]) -> str:
    hashed = hashlib.sha256()
    with file_errors(path), open(path, "rb") as file:
        while data := file.read(1 << 20):
            hashed.update(data)
            told(len(data))
    return hashed.hexdigest()
