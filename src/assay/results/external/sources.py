"""Sources of values: files of several formats, tables and dicts, as users pass them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import InputError, check_choice
from assay.io import parquet, parquet_dataset
from assay.io import source as sources
from assay.io.columns import find_roles
from assay.io.delimited import find_header
from assay.io.frames import locate_rows
from assay.io.parquet_dataset import is_dataset
from assay.io.source import STDIN, Source
from assay.io.tabular import Tabular, read_table
from assay.results.external.cells import Cells
from assay.results.external.json_document import parse_json
from assay.results.external.mteb import META, is_mteb, read_mteb
from assay.results.external.nested import read_dict
from assay.results.external.tables import ALIASES, ASSAY_COLUMNS, read_tabular
from assay.results.external.text import read_text

FORMATS = ("trec_eval", "ir_measures", "tidy", "pytrec_eval", "ranx", "mteb")
_HEADERLESS = ("trec_eval", "ir_measures")
_NESTED = ("pytrec_eval", "ranx")
_METRIC_FIELDS = ("query_id", "measure", "value")  # of the tuples that ir_measures.iter_calc yields


@dataclass(frozen=True)
class ReadOptions:
    """Options of reading one source; see ``read_results``."""

    format: str | None = None
    split: str | None = None
    unit: str = "topic"
    keep_all: bool = False
    lenient: bool = False
    measures: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if self.format is not None:
            check_choice(f"format {self.format!r}", self.format, FORMATS)
        check_choice(f"unit {self.unit!r}", self.unit, ("topic", "task"))


def read_sources(source: Any, run: str | None, options: ReadOptions) -> list[Cells]:
    """Read the values of one source or of several; *run* is the name of the only run."""
    cells = [item for part in _list_sources(source, run) for item in part(options)]
    if run is not None:
        runs = pl.concat([one.frame["run"] for one in cells]).unique()
        if len(runs) > 1 or len(cells) > 1:
            number = f"{len(runs)} runs" if len(runs) > 1 else f"{len(cells)} sources"
            raise InputError(f"run {run!r}: the values are those of {number}; name a single run, or omit it")
    return cells


_Reader = Callable[[ReadOptions], Iterable[Cells]]


def _list_sources(source: Any, run: str | None) -> Iterator[_Reader]:
    """Yield a function for each source that reads it."""
    if isinstance(source, str | Path):
        yield lambda options: (_read_file(path, run, options) for path in _expand(source, options))
    elif isinstance(source, Mapping) and any(
        isinstance(item, str | Path) or _is_frame(item) for item in source.values()
    ):
        for name, item in source.items():
            yield partial(_read_one, item, str(name))
    elif isinstance(source, Mapping):
        yield lambda options: [_read_dict(source, run, options)]
    elif _is_frame(source):
        yield lambda options: [_read_frame(source, run, options)]
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        items = list(source)
        if items and all(getattr(item, "_fields", ()) == _METRIC_FIELDS for item in items):
            columns = dict(zip(_METRIC_FIELDS, zip(*items, strict=True), strict=True))
            frame = pl.DataFrame({**columns, "measure": list(map(str, columns["measure"]))}, strict=False)
            yield lambda options: [_read_frame(frame, run, options)]
            return
        for item in items:
            yield from _list_sources(item, run)
    else:
        raise InputError(
            f"source: expected files, tables or dicts of values, got {type(source).__name__}; see assay.Results.read"
        )


def _read_one(item: Any, run: str, options: ReadOptions) -> list[Cells]:
    """Read the source of one run."""
    if isinstance(item, str | Path):
        return [_read_file(item, run, options)]
    return [_read_frame(item, run, options) if _is_frame(item) else _read_dict(item, run, options)]


def _is_frame(item: object) -> bool:
    """Return True for a table of polars, pandas or another library."""
    if isinstance(item, pl.DataFrame | pl.LazyFrame):
        return True
    is_pandas = any(base.__module__.partition(".")[0] == "pandas" for base in type(item).__mro__)
    return is_pandas or hasattr(item, "__arrow_c_stream__") or hasattr(item, "__arrow_c_array__")


def _expand(path: str | Path, options: ReadOptions) -> list[str]:
    """Return the files of a path; directories of MTEB are nested: model, revision, task."""
    folder = Path(path)
    if str(path) != STDIN and folder.is_dir() and not is_dataset(path):
        has_files = any(item.is_file() and not item.name.startswith(".") for item in folder.iterdir())
        if options.format == "mteb" or not has_files or (folder / META).is_file():
            files = sorted(str(file) for file in folder.rglob("*.json") if file.name != META)
            if not files:
                raise InputError(f"{path}: the directory contains no files of values")
            return files
    return sources.expand(path)


def _read_frame(frame: Any, run: str | None, options: ReadOptions) -> Cells:
    if options.format not in (None, "tidy", "ir_measures"):
        raise InputError(f"format {options.format!r}: a table has columns with names; omit format")
    label = "table" if run is None else f"table of {run!r}"
    return _rename_run(read_tabular(read_table(frame, label=label), run or "run", keep_all=options.keep_all), run)


def _read_dict(values: Any, run: str | None, options: ReadOptions) -> Cells:
    if not isinstance(values, Mapping):
        raise InputError(f"run {run!r}: expected a file, a table or a dict of values, got {type(values).__name__}")
    if options.format not in (None, *_NESTED):
        raise InputError(f"format {options.format!r}: a dict is read as pytrec_eval or ranx")
    return _rename_run(read_dict(values, run or "run", "dict", options.format), run)


def _rename_run(cells: Cells, run: str | None) -> Cells:
    """Return the cells of a run with another name; several runs keep their names."""
    if run is None or cells.frame["run"].n_unique() != 1:
        return cells
    summaries = cells.summaries if cells.summaries is None else cells.summaries.with_columns(pl.lit(run).alias("run"))
    return replace(cells, frame=cells.frame.with_columns(pl.lit(run).alias("run")), summaries=summaries)


def _read_file(path: str | Path, run: str | None, options: ReadOptions) -> Cells:
    """Read a file; its content decides on the format, unless the options name it."""
    name = str(path)
    if is_dataset(name):
        table = _read_dataset(name)
        return _rename_run(read_tabular(table, run or Path(name).stem, keep_all=options.keep_all), run)
    source = sources.read(name, options.lenient)
    return _rename_run(_read_content(source, run, options), run)


def _read_dataset(path: str) -> Tabular:
    """Read the files of a Parquet dataset as one table; names of directories give the values of a column."""
    frames = []
    for file in parquet_dataset.list_files(path):
        columns = [pl.lit(value, pl.String).alias(name) for name, value in file.columns]
        frames.append(read_table(file.path).frame.with_columns(columns))
    if any(frame.columns != frames[0].columns for frame in frames):
        raise InputError(f"{path}: the files of the dataset have different columns")
    table = pl.concat(frames, how="vertical_relaxed")
    ordered = ASSAY_COLUMNS if set(table.columns) == set(ASSAY_COLUMNS) else table.columns
    return Tabular(table.select(ordered), locate_rows(path), path, parquet_dataset.compute_digest(path))


def _read_content(source: Source, named: str | None, options: ReadOptions) -> Cells:
    """Read the bytes of a file; *named* is the name that the user gave to its run."""
    run = named or Path(sources.stem(source.path)).stem
    if not source.data.strip():
        raise InputError(f"{source.path}: the file is empty")
    start = source.data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    is_parquet = parquet.matches(source)
    if start == b"{" and not is_parquet and not _is_lines(source.data):
        return _read_document(source, named, run, options)
    if is_parquet or start in (b"{", b"[") or (options.format not in _HEADERLESS and _has_header(source)):
        return _read_table_file(source, run, options)
    if options.format in (*_NESTED, "mteb"):
        raise InputError(f"{source.path}: is not JSON, so it is not of format {options.format}")
    if options.format == "tidy":
        return _read_table_file(source, run, options)
    return read_text(source, run, options.format)


def _has_header(source: Source) -> bool:
    """Return True if the first line names the columns; a headerless file has three columns separated by tabs."""
    header = find_header(source.data)
    return header.delimiter != "\t" or "topic" in find_roles(header.names, ALIASES)


def _is_lines(data: bytes) -> bool:
    """Return True for JSON Lines: the first line is a complete object, and others follow or nothing does."""
    first = data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")
    return first[0].rstrip().endswith(b"}") and first[2].lstrip()[:1] == b"{"


def _read_table_file(source: Source, run: str, options: ReadOptions) -> Cells:
    if options.format not in (None, "tidy", "ir_measures"):
        raise InputError(f"{source.path}: is a table with names of columns; omit format {options.format!r}")
    table = read_table(source, lenient=options.lenient)
    return read_tabular(table, run, origin=options.format, keep_all=options.keep_all)


def _read_document(source: Source, named: str | None, run: str, options: ReadOptions) -> Cells:
    """Read a JSON document: a result of MTEB, the output of assay, a record, or nested dicts."""
    document, path, digest = parse_json(source), source.path, source.digest
    if is_mteb(document):
        return read_mteb(
            document,
            path,
            digest,
            run=named,
            split=options.split,
            unit=options.unit,
            measures=options.measures,
        )
    if "schema" in document and "rows" in document:
        rows = document["rows"]
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
            raise InputError(f"{path}: expected a list of rows, as assay eval --per-topic --format json writes it")
        frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
        table = Tabular(frame, locate_rows(path), path, digest, source.notes)
        return read_tabular(table, run, keep_all=options.keep_all)
    if not any(isinstance(value, Mapping | list) for value in document.values()):
        return _read_table_file(source, run, options)
    return read_dict(document, run, path, options.format, digest)
