"""Choose the reader of a file by its format.

A format is a module of this package that defines ``matches(source)``, ``read_runs(source, lenient, rank)`` and
``read_qrels(source, lenient)``. Modules with these functions are found automatically. The first one that matches reads
the file; TREC text is tried last. A Parquet dataset is read by :mod:`assay.io.parquet`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

from assay.errors import escape_surrogates
from assay.io import parquet_dataset
from assay.io import source as sources
from assay.io.paths import path_text

if TYPE_CHECKING:
    from assay.io.source import Source
    from assay.io.table import RowTable

_FIRST, _LAST = "parquet", "trec"  # the first bytes of a Parquet file are unambiguous; TREC text matches every file
_PARQUET = "assay.io.parquet"


def read_runs(path: str, lenient: bool = False, rank: bool = True) -> list[RowTable]:
    """Read the runs of one file: one run in TREC text, possibly several runs in other formats."""
    if parquet_dataset.is_dataset(path_text(path)):
        return list(import_module(_PARQUET).read_dataset_runs(path, lenient, rank))
    return read_source_runs(sources.read(path, lenient), lenient, rank)


def read_source_runs(source: Source, lenient: bool = False, rank: bool = True) -> list[RowTable]:
    """Read the runs from the bytes of one file."""
    return [_add_source_notes(table, source) for table in find_format(source).read_runs(source, lenient, rank)]


def read_qrels(path: str, lenient: bool = False) -> RowTable:
    """Read the judgments of one file."""
    if parquet_dataset.is_dataset(path_text(path)):
        table: RowTable = import_module(_PARQUET).read_dataset_qrels(path, lenient)
        return table
    source = sources.read(path, lenient)
    return _add_source_notes(find_format(source).read_qrels(source, lenient), source)


def _add_source_notes(table: RowTable, source: Source) -> RowTable:
    return replace(table, notes=(*map(escape_surrogates, source.notes), *table.notes)) if source.notes else table


def is_trec(source: Source) -> bool:
    """Return True for a file in TREC format; *source* may contain only its beginning."""
    return find_format(source).__name__.endswith(".trec")


def find_format(source: Source) -> ModuleType:
    """Return the module that reads a file."""
    return next(module for module in load_formats() if module.matches(source))


@cache
def load_formats() -> tuple[ModuleType, ...]:
    """Return the modules that read files, in the order in which they are tried."""
    package = import_module(str(__package__))
    names = sorted(module.name for module in iter_modules(package.__path__))
    names.sort(key=lambda name: (name == _LAST, name != _FIRST))
    modules = (import_module(f"{package.__name__}.{name}") for name in names)
    return tuple(module for module in modules if hasattr(module, "matches"))
