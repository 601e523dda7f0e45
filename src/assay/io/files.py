"""Which reader a file goes to: each format module says whether a file is its own.

A format is one module of this folder with ``matches(source)``, ``runs(source, lenient, rank)`` and
``qrels(source, lenient)``, found by having them; the first that matches reads the file, and TREC text comes last. A
directory that is one table goes to :mod:`assay.io.dataset`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

from assay.errors import encodable
from assay.io import dataset
from assay.io import source as sources
from assay.io.paths import path_text

if TYPE_CHECKING:
    from assay.io.source import Source
    from assay.io.table import RowTable

_FIRST, _LAST = "parquet", "trec"  # what its first bytes alone tell, whatever the name; what takes any text
_PARQUET = "assay.io.parquet"


def runs(path: str, lenient: bool = False, rank: bool = True) -> list[RowTable]:
    """The runs in one file: one in TREC text, perhaps several in Parquet or JSON Lines."""
    if dataset.is_dataset(path_text(path)):
        return list(import_module(_PARQUET).dataset_runs(path, lenient, rank))
    return runs_of(sources.read(path, lenient), lenient, rank)


def runs_of(source: Source, lenient: bool = False, rank: bool = True) -> list[RowTable]:
    """The runs in the bytes of one file."""
    return [_noted(table, source) for table in format_of(source).runs(source, lenient, rank)]


def qrels(path: str, lenient: bool = False) -> RowTable:
    """The judgments in one file."""
    if dataset.is_dataset(path_text(path)):
        table: RowTable = import_module(_PARQUET).dataset_qrels(path, lenient)
        return table
    source = sources.read(path, lenient)
    return _noted(format_of(source).qrels(source, lenient), source)


def _noted(table: RowTable, source: Source) -> RowTable:
    return replace(table, notes=(*map(encodable, source.notes), *table.notes)) if source.notes else table


def is_trec(source: Source) -> bool:
    """Return whether a file goes to the reader of TREC text; *source* may hold only its beginning."""
    return format_of(source).__name__.endswith(".trec")


def format_of(source: Source) -> ModuleType:
    """The module that reads a file."""
    return next(module for module in formats() if module.matches(source))


@cache
def formats() -> tuple[ModuleType, ...]:
    """The modules that read files, in the order in which they are asked."""
    package = import_module(str(__package__))
    names = sorted(module.name for module in iter_modules(package.__path__))
    names.sort(key=lambda name: (name == _LAST, name != _FIRST))
    modules = (import_module(f"{package.__name__}.{name}") for name in names)
    return tuple(module for module in modules if hasattr(module, "matches"))
