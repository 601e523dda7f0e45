"""Choose the reader of a file by its format.

A format is a module of this package that defines ``matches(source)`` and ``read_rows(source, names, problems)``.
Modules with these functions are found automatically. The first one that matches reads the file; TREC text is tried last
and has its own reading functions. A Parquet dataset is read by :mod:`assay.io.parquet`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

from assay.errors import escape_surrogates
from assay.io import frames, parquet, parquet_dataset, qrels_formats, trec
from assay.io import source as sources
from assay.io.columns import ColumnNames
from assay.io.paths import path_text
from assay.io.problems import Problems

if TYPE_CHECKING:
    from assay.io.columns import ColumnMap
    from assay.io.source import Source
    from assay.io.table import RowTable

_FIRST, _LAST = "parquet", "trec"  # the first bytes of a Parquet file are unambiguous; TREC text matches every file


def read_runs(path: str, lenient: bool = False, rank: bool = True, columns: ColumnMap | None = None) -> list[RowTable]:
    """Read the runs of one file: one run in TREC text, possibly several runs in other formats."""
    if not parquet_dataset.is_dataset(path_text(path)):
        return read_source_runs(sources.read(path, lenient), lenient, rank, columns)
    frame, locate = parquet.read_dataset_rows(path, ColumnNames("run", rank, columns or {}))
    return frames.split_runs(frame, locate, Problems(path, lenient), parquet_dataset.compute_digest(path))


def read_source_runs(
    source: Source, lenient: bool = False, rank: bool = True, columns: ColumnMap | None = None
) -> list[RowTable]:
    """Read the runs from the bytes of one file; ranks are read only if *rank* is True."""
    module = find_format(source)
    if module is trec:
        tables = trec.read_runs(source, lenient, rank)
    else:
        problems = Problems(source.path, lenient)
        frame, locate = module.read_rows(source, ColumnNames("run", rank, columns or {}), problems)
        tables = frames.split_runs(frame, locate, problems, source.digest)
    return [_add_source_notes(table, source) for table in tables]


def read_qrels(path: str, lenient: bool = False, columns: ColumnMap | None = None, layout: str = "qrels") -> RowTable:
    """Read the judgments of one file; *layout* is one of ``qrels_formats.FORMATS``."""
    if not parquet_dataset.is_dataset(path_text(path)):
        return read_source_qrels(sources.read(path, lenient), lenient, columns, layout)
    frame, locate = parquet.read_dataset_rows(
        path, ColumnNames("qrels", chosen=columns or {}, facet=qrels_formats.FACET_OF.get(layout))
    )
    problems, digest = Problems(path, lenient), parquet_dataset.compute_digest(path)
    return frames.check_judgments(frame, locate, problems, layout, digest)


def read_source_qrels(
    source: Source, lenient: bool = False, columns: ColumnMap | None = None, layout: str = "qrels"
) -> RowTable:
    """Read the judgments from the bytes of one file."""
    module = find_format(source)
    if module is trec:
        is_plain = layout == "qrels"
        table = trec.read_qrels(source, lenient) if is_plain else qrels_formats.read(source, layout, lenient)
    else:
        problems = Problems(source.path, lenient)
        frame, locate = module.read_rows(
            source, ColumnNames("qrels", chosen=columns or {}, facet=qrels_formats.FACET_OF.get(layout)), problems
        )
        table = frames.check_judgments(frame, locate, problems, layout, source.digest)
    return _add_source_notes(table, source)


def _add_source_notes(table: RowTable, source: Source) -> RowTable:
    return replace(table, notes=(*map(escape_surrogates, source.notes), *table.notes)) if source.notes else table


def is_trec(source: Source) -> bool:
    """Return True for a file in TREC format; *source* may contain only its beginning."""
    return find_format(source) is trec


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
