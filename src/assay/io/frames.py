"""Tables: polars, pandas, pyarrow, and any library with the Arrow PyCapsule interface."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import qrels_formats
from assay.io.checks import VALUE, check_rows, select_rows
from assay.io.columns import FACETS, ID_WORD, ColumnMap, ColumnNames
from assay.io.dicts import describe_value, to_number_column, to_text_column
from assay.io.problems import Problems, format_value
from assay.io.query_records import QueryRecordError, parse_record

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.table import RowTable

_PANDAS_IDS = "OUSTiu"  # values of ``dtype.kind`` of object, string, categorical and integer columns


def read_qrels(frame: Any, lenient: bool = False, columns: ColumnMap | None = None, layout: str = "qrels") -> RowTable:
    """Read judgments from a table with topic, document and grade, and with the facet of *layout*."""
    names = ColumnNames("qrels", chosen=columns or {}, facet=qrels_formats.FACET_OF.get(layout))
    rows = _select_columns(frame, names, "qrels")
    return check_judgments(rows, locate_rows("qrels"), Problems("qrels", lenient), layout)


def check_judgments(
    rows: pl.DataFrame, locate: Callable[[int], str], problems: Problems, layout: str, digest: str | None = None
) -> RowTable:
    """Return checked rows of a table of judgments with their facets; an error if the facet of *layout* is missing."""
    qrels_formats.require_facet(rows.columns, rows.columns, layout, problems.source)
    rows, locate, notes = qrels_formats.convert_facets(rows, locate, problems)
    return check_rows(rows, "qrels", locate, problems, digest=digest, notes=notes)


def read_run(frame: Any, name: str | None = None, lenient: bool = False, columns: ColumnMap | None = None) -> RowTable:
    """Read a run from a table with topic, document and score; the run is named *name*, or by a column of the table."""
    label = "frame" if name is None else f"run {name!r}"
    rows = _select_columns(frame, ColumnNames("run", chosen=columns or {}), label)
    runs = rows["run"].unique(maintain_order=True).to_list() if "run" in rows.columns else []
    if len(runs) > 1:
        examples = ", ".join(format_value(run) for run in runs[:3])
        raise InputError(
            f"{label}: holds {len(runs)} runs ({examples}{', …' * (len(runs) > 3)}); pass one run at a time"
        )
    source = name or (runs[0] if runs else None) or "run"
    rows = rows.drop("run", strict=False)
    return check_rows(rows, "run", locate_rows(f"run {source!r}"), Problems(source, lenient), tag=source)


def read_runs(frame: Any, name: str, lenient: bool = False, columns: ColumnMap | None = None) -> list[RowTable]:
    """Read the runs of a table: those that a column names, or else a single run called *name*."""
    label = f"run {name!r}"
    rows = _select_columns(frame, ColumnNames("run", chosen=columns or {}), label)
    if "run" in rows.columns:
        return [
            replace(table, source=str(table.tag))
            for table in split_runs(rows, locate_rows(label), Problems(name, lenient))
        ]
    return [check_rows(rows, "run", locate_rows(label), Problems(name, lenient), tag=name)]


def locate_rows(label: str) -> Callable[[int], str]:
    """Return a function that maps a row number (from 0) to its place in messages (where rows are numbered from 1)."""
    return lambda row: f"{label}, row {row + 1}"


def convert_rows(frame: pl.DataFrame, names: ColumnNames, label: str) -> pl.DataFrame:
    """Return the columns topic, doc, value (and rank, run) of a frame."""
    columns = {role: frame.to_series(column) for role, column in names.find_roles(frame.columns).items()}
    converted = [_convert_ids(columns[role], role, label) for role in ID_WORD if role in columns]
    if "value" in columns:
        converted.append(_convert_values(columns["value"], names.kind, label))
    if "rank" in columns:
        converted.append(columns["rank"].alias("rank"))
    if "run" in columns:
        converted.append(columns["run"].cast(pl.String).alias("run"))
    converted += [_convert_facet(columns[name], name, label) for name in FACETS if name in columns]
    return pl.DataFrame(converted)


def _convert_facet(column: pl.Series, name: str, label: str) -> pl.Series:
    """Return a facet as text, or as numbers if it is a probability; its values are checked later."""
    if name == "groups" and isinstance(column.dtype, pl.List):
        return column.cast(pl.List(pl.String)).list.join("|").alias(name)
    if name == "probability" and column.dtype.is_numeric():
        return column.cast(pl.Float64).alias(name)
    return _convert_ids(column, name, label)


def _convert_ids(column: pl.Series, role: str, label: str) -> pl.Series:
    if column.dtype.is_integer() or column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return column.cast(pl.String).alias(role)
    raise _not_text_error(label, role, column.name, column.dtype)


def _not_text_error(label: str, role: str, name: str, dtype: object) -> InputError:
    problem = f"{ID_WORD.get(role, role)} ids must be text or integers, but column {name!r} is {dtype}"
    return InputError(f"{label}: {problem}; read it as text, so that ids such as 001 keep their zeros")


def _convert_values(column: pl.Series, kind: Kind, label: str) -> pl.Series:
    if column.dtype.is_numeric() or column.dtype == pl.Null:
        return column.cast(pl.Float64).alias("value")
    raise _not_numeric_error(label, column.name, column.dtype, kind)


def _not_numeric_error(label: str, name: str, dtype: object, kind: Kind) -> InputError:
    message = f"the {VALUE[kind]} must be a number, but column {name!r} is {dtype}; cast it to a float"
    return InputError(f"{label}: {message}")


def split_runs(
    frame: pl.DataFrame, locate: Callable[[int], str], problems: Problems, digest: str | None = None
) -> list[RowTable]:
    """Return one table for each run that the column ``run`` names; a single table if there is no such column."""
    if "run" not in frame.columns:
        return [check_rows(frame, "run", locate, problems, digest=digest)]
    has_name = frame["run"].is_not_null().to_numpy()
    if not has_name.all():
        bad = np.flatnonzero(~has_name)
        problems.report(locate(int(bad[0])), "the name of the run is missing", "skipped rows without a run", len(bad))
    frame, locate = select_rows(frame, locate, has_name)
    groups = frame.with_row_index("row").partition_by("run", maintain_order=True)
    if not groups:
        return [check_rows(frame.drop("run"), "run", locate, problems, digest=digest)]
    return [_check_run(group, locate, problems, digest) for group in groups]


def _check_run(rows: pl.DataFrame, locate: Callable[[int], str], problems: Problems, digest: str | None) -> RowTable:
    """Check the rows of one run; the column ``row`` has their numbers in the source."""
    row_numbers = rows["row"].to_numpy()
    table = check_rows(
        rows.drop("row", "run"),
        "run",
        lambda row: locate(int(row_numbers[row])),
        Problems(problems.source, problems.lenient),
        tag=str(rows["run"][0]),
        digest=digest,
        notes=problems.notes(),
    )
    return replace(table, problems=(*problems.kinds, *table.problems)) if problems.kinds else table


def _select_columns(frame: Any, columns: ColumnNames, label: str) -> pl.DataFrame:
    """Return topic, doc, value (and rank, run) of a table of any library; other columns are not converted."""
    if not isinstance(frame, pl.LazyFrame | pl.DataFrame) and not _is_pandas(frame):
        frame = _from_arrow(frame, label)
    if _lacks_documents(frame, columns):
        expanded = expand_lists(to_polars(frame, label), columns, label)
        if expanded is not None:
            return expanded
    if isinstance(frame, pl.LazyFrame):
        names = frame.collect_schema().names()
        frame = frame.select([names[column] for column in columns.find(names, label).values()]).collect()
    elif not isinstance(frame, pl.DataFrame):
        frame = _from_pandas(frame, columns, label)
    columns.find(frame.columns, label)  # raises an error if a column is missing
    return convert_rows(frame, columns, label)


def _lacks_documents(frame: Any, names: ColumnNames) -> bool:
    """Return True for a frame without a column of documents; it may have lists of documents instead."""
    present = frame.collect_schema().names() if isinstance(frame, pl.LazyFrame) else getattr(frame, "columns", ())
    return len(present) > 0 and "doc" not in names.find_roles([str(name) for name in present])


def to_polars(table: Any, label: str) -> pl.DataFrame:
    """Return all columns of a table of any library."""
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, pl.DataFrame):
        return table
    if not _is_pandas(table):
        return _from_arrow(table, label)
    if not hasattr(table, "columns"):
        raise InputError(f"{label}: expected a table with columns, got a pandas {type(table).__name__}")
    try:
        return pl.DataFrame([_convert_any(table.iloc[:, column]) for column in range(len(table.columns))])
    except (pl.exceptions.PolarsError, TypeError) as error:
        raise InputError(f"{label}: cannot be converted to a table ({' '.join(str(error).split())})") from None


def _is_pandas(table: object) -> bool:
    return any(base.__module__.partition(".")[0] == "pandas" for base in type(table).__mro__)


def _convert_any(series: Any) -> pl.Series:
    """Convert a column of a pandas frame; this needs no pyarrow."""
    if series.dtype.kind in "iufb" and not series.hasnans:
        return pl.Series(str(series.name), series.to_numpy())
    return pl.Series(str(series.name), _list_objects(series))


def expand_lists(frame: pl.DataFrame, names: ColumnNames, label: str) -> pl.DataFrame | None:
    """Return the rows of a frame with a row for each query and a list of documents; None for other frames."""
    if not names.describe_missing(frame.columns) or not any(
        isinstance(dtype, pl.List | pl.Array | pl.Struct) for dtype in frame.dtypes
    ):
        return None
    parts: dict[str, list[Any]] = {"topic": [], "doc": [], "value": [], "rank": []}
    for row, item in enumerate(frame.iter_rows(named=True)):
        try:
            record = parse_record(list(item.items()), names)
        except QueryRecordError as error:
            raise InputError(f"{locate_rows(label)(row)}: {error}") from None
        if record is None:
            return None
        if record.is_unsorted:
            raise InputError(f"{locate_rows(label)(row)}: the scores contradict the order of the documents; sort them")
        size = len(record.documents)
        parts["topic"] += [record.topic] * size
        parts["doc"] += record.documents
        parts["value"] += record.values
        parts["rank"] += range(1, size + 1)
    columns = [to_text_column(parts[role], ID_WORD[role], lambda _: label) for role in ID_WORD]
    value, _ = to_number_column(parts["value"], names.kind, lambda _: label, Problems(label))
    expanded = pl.DataFrame([columns[0].alias("topic"), columns[1].alias("doc"), pl.Series("value", value)])
    has_rank = names.kind == "run" and names.rank
    return expanded.with_columns(rank=pl.Series(parts["rank"], dtype=pl.Int64)) if has_rank else expanded


def _from_arrow(table: Any, label: str) -> pl.DataFrame:
    """Convert a table with the Arrow interface to a polars frame; refuse other objects."""
    if not hasattr(table, "__arrow_c_stream__") and not hasattr(table, "__arrow_c_array__"):
        message = "expected a table of polars, pandas, pyarrow or another library with the Arrow interface"
        raise InputError(f"{label}: {message}, got {describe_value(table)}")
    try:
        frame = pl.from_arrow(table)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{label}: cannot be converted to a table ({' '.join(str(error).split())})") from None
    if isinstance(frame, pl.DataFrame):
        return frame
    if frame.dtype != pl.Struct:
        raise InputError(f"{label}: expected a table with columns, got a single column")
    return frame.struct.unnest()  # polars converts tables of unknown libraries to a column of structs


def _from_pandas(frame: Any, columns: ColumnNames, label: str) -> pl.DataFrame:
    """Convert a pandas frame column by column; this needs no pyarrow, and errors can name the row of a bad value."""
    if not hasattr(frame, "columns"):
        raise InputError(f"{label}: expected a table with columns, got a pandas {type(frame).__name__}")
    names = [str(name) for name in frame.columns]
    roles = columns.find(names, label)
    return pl.DataFrame(
        [
            _convert_pandas(frame.iloc[:, column], role, columns.kind, label).alias(names[column])
            for role, column in roles.items()
        ]
    )


def _convert_pandas(series: Any, role: str, kind: Kind, label: str) -> pl.Series:
    """Convert a column of a pandas frame to the type that its role requires."""
    if role == "probability" and series.dtype.kind == "f":
        return pl.Series(series.to_numpy(dtype="float64", na_value=np.nan))
    if role in ID_WORD or role in FACETS:
        if series.dtype.kind not in _PANDAS_IDS:
            raise _not_text_error(label, role, series.name, series.dtype)
        return to_text_column(_list_objects(series), ID_WORD.get(role, role), locate_rows(label))
    if role == "value" or series.dtype.kind == "f":
        return _convert_pandas_values(series, kind, label)
    return pl.Series([None if value is None else str(value) for value in _list_objects(series)], dtype=pl.String)


def _convert_pandas_values(series: Any, kind: Kind, label: str) -> pl.Series:
    if series.dtype.kind in "iuf":
        return pl.Series(series.to_numpy(dtype="float64", na_value=np.nan))
    if series.dtype.kind != "O":
        raise _not_numeric_error(label, series.name, series.dtype, kind)
    values = [np.nan if value is None else value for value in _list_objects(series)]
    return pl.Series(to_number_column(values, kind, locate_rows(label), Problems(label))[0])


def _list_objects(series: Any) -> list[Any]:
    """Return the values of a column of any pandas type as Python objects; missing values become None."""
    missing = series.isna().tolist()
    values: list[Any] = series.tolist()
    if not any(missing):
        return values
    return [None if is_missing else value for value, is_missing in zip(values, missing, strict=True)]
