"""Parquet datasets: directories of files that form one table, as Spark, polars and other tools write them.

A directory is a dataset if its name ends in ``.parquet``, or if it contains the file ``_SUCCESS`` that Spark writes. It
is also a dataset if it contains directories such as ``run=bm25``, whose names give the values of a column.
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
_HIDDEN = (".", "_")  # first characters of files that are not data, such as _SUCCESS and .crc files


class DatasetFile(NamedTuple):
    """A file of a dataset, and the columns that are encoded in the names of its directories."""

    path: str
    columns: tuple[tuple[str, str | None], ...] = ()


def is_dataset(path: str | Path) -> bool:
    """Return True if *path* is a directory whose files form one table."""
    directory = Path(path)
    if not os.path.isdir(directory):
        return False
    with file_errors(path):
        return directory.suffix.lower() in ENDINGS or any(
            child.name == "_SUCCESS" or (_COLUMN.fullmatch(child.name) and child.is_dir())
            for child in directory.iterdir()
        )


def list_files(path: str | Path) -> list[DatasetFile]:
    """Return the files of a dataset in the order of their paths; *path* itself if it is a file."""
    if not Path(path).is_dir():
        return [DatasetFile(str(path))]
    with file_errors(path):
        files = list(_walk(Path(path), ()))
    if not files:
        raise InputError(f"{path}: the dataset holds no Parquet files")
    return files


def _walk(directory: Path, columns: tuple[tuple[str, str | None], ...]) -> Iterator[DatasetFile]:
    """Yield the files below *directory*, whose path encodes *columns*."""
    for child in sorted(directory.iterdir()):
        if child.name.startswith(_HIDDEN):
            continue
        if child.is_dir():
            yield from _walk(child, (*columns, *_parse_column(child)))
        elif child.suffix.lower() in ENDINGS:
            yield DatasetFile(str(child), columns)
        else:
            raise InputError(f"{child}: not a .parquet file, unlike the other files of the dataset; move it elsewhere")


def _parse_column(directory: Path) -> list[tuple[str, str | None]]:
    """Return the column and the value in the name of a directory; an empty list if it names none."""
    match = _COLUMN.fullmatch(directory.name)
    if match is None:
        return []
    return [(match[1], None if match[2] == _NULL else unquote(match[2]))]


def directory_name(column: str, value: object) -> str:
    """Return the name of the directory for rows with *value* in *column*.

    >>> directory_name("run", "bm25/k1=0.9")
    'run=bm25%2Fk1%3D0.9'
    """
    return f"{column}={_NULL if value in (None, '') else quote(str(value), safe=' (),+@')}"


def dataset_size(path: str | Path) -> int:
    """Return the number of bytes on disk."""
    with file_errors(path):
        return sum(os.path.getsize(file.path) for file in list_files(path))


def compute_digest(path: str | Path, report: Callable[[int], None] = lambda _: None) -> str:
    """Return the SHA-256 of a file, or of the relative paths and SHA-256 digests of the files of a dataset.

    *report* is called with the number of bytes read.
    """
    if not Path(path).is_dir():
        return _hash_file(str(path), report)
    lines = [
        f"{_hash_file(file.path, report)}  {Path(file.path).relative_to(path).as_posix()}\n"
        for file in list_files(path)
    ]
    return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()


def _hash_file(path: str, report: Callable[[int], None]) -> str:
    sha256 = hashlib.sha256()
    with file_errors(path), open(path, "rb") as file:
        while data := file.read(1 << 20):
            sha256.update(data)
            report(len(data))
    return sha256.hexdigest()
