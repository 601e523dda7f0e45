"""Tables: polars, pandas, pyarrow, and whatever else speaks the Arrow PyCapsule interface.

Columns are found by name. Case, ``-``, ``_`` and blanks in names do not count, and where a table has several names
of one kind the first of the list below is taken (PyTerrier has ``docno``, the id, beside ``docid``, a number of its
own, and ``query``, the words, beside ``qid``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.checks import VALUE, check_rows, only
from assay.io.dicts import described, numbers, texts
from assay.io.problems import Problems, shown

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.table import RowTable

_IDS = {
    "topic": ("topic", "query-id", "qid", "topic-id", "query"),
    "doc": ("doc", "docno", "doc-id", "document", "document-id", "corpus-id", "pid"),
}
_SCORE = ("score", "sim", "similarity")
NAMES: dict[Kind, dict[str, tuple[str, ...]]] = {
    "run": {**_IDS, "value": _SCORE, "rank": ("rank",), "run": ("run", "tag", "system", "run-id", "name")},
    "qrels": {**_IDS, "value": ("grade", "relevance", "rel", "label", "score")},
}
_NEEDED = ("topic", "doc", "value")
_WORD = {"topic": "topic", "doc": "document"}
_PANDAS_TEXT = "OUST"  # the kinds of object, string and categorical columns


def qrels(frame: Any, lenient: bool = False) -> RowTable:
    """Take judgments from a table with topic, document and grade."""
    picked = _picked(frame, "qrels", "qrels")
    return check_rows(picked, "qrels", places("qrels"), Problems("qrels", lenient))


def run(frame: Any, name: str | None = None, lenient: bool = False) -> RowTable:
    """Take a run from a table with topic, document and score; without *name* a column of the table may name it."""
    label = "frame" if name is None else f"run {name!r}"
    picked = _picked(frame, "run", label)
    named = picked["run"].unique(maintain_order=True).to_list() if "run" in picked.columns else []
    if len(named) > 1:
        examples = ", ".join(shown(one) for one in named[:3])
        raise InputError(f"{label}: holds {len(named)} runs ({examples}{', …' * (len(named) > 3)}); give one at a time")
    source = name or (named[0] if named else None) or "run"
    rows = picked.drop("run", strict=False)
    return check_rows(rows, "run", places(f"run {source!r}"), Problems(source, lenient), tag=source)


def runs(frame: Any, name: str, lenient: bool = False) -> list[RowTable]:
    """Take the runs of a table: those that a column of the table names, or one of all the rows, named *name*."""
    label = f"run {name!r}"
    picked = _picked(frame, "run", label)
    if "run" in picked.columns:
        return [
            replace(table, source=str(table.tag)) for table in split(picked, places(label), Problems(name, lenient))
        ]
    return [check_rows(picked, "run", places(label), Problems(name, lenient), tag=name)]


def places(label: str) -> Callable[[int], str]:
    """Name the rows of a table, from 1."""
    return lambda row: f"{label}, row {row + 1}"


def roles(names: Sequence[str], kind: Kind) -> dict[str, int]:
    """Find which column is the topic, the document, the value, the rank and the run; those that are there."""
    plain = [_plain(name) for name in names]
    found = {}
    for role, accepted in NAMES[kind].items():
        match = next((name for name in map(_plain, accepted) if name in plain), None)
        if match is not None:
            found[role] = plain.index(match)
    return found


def lacks(names: Sequence[str], kind: Kind) -> str:
    """Say which column is missing or comes twice and what to do about it, or nothing when all is there."""
    found = roles(names, kind)
    plain = [_plain(name) for name in names]
    for role in _NEEDED:
        word = _WORD.get(role, VALUE[kind])
        if role not in found:
            accepted = ", ".join(NAMES[kind][role])
            return f"no column for the {word} among {_listed(names)}; name it one of {accepted}"
        same = [name for name, short in zip(names, plain, strict=True) if short == plain[found[role]]]
        if len(same) > 1:
            return f"columns {same[0]!r} and {same[1]!r} both name the {word}; keep one"
    return ""


def _plain(name: str) -> str:
    return name.lower().translate(str.maketrans("", "", "-_ "))


def _listed(names: Sequence[str]) -> str:
    shortened = [shown(name, 30) for name in names[:12]] + ["…"] * (len(names) > 12)
    return ", ".join(shortened) if names else "none"


def wanted(names: Sequence[str], kind: Kind, label: str, rank: bool = True) -> dict[str, int]:
    """Find the columns that a reader needs; one that is missing is an error."""
    problem = lacks(names, kind)
    if problem:
        raise InputError(f"{label}: {problem}")
    return {role: column for role, column in roles(names, kind).items() if rank or role != "rank"}


def rows(frame: pl.DataFrame, kind: Kind, label: str) -> pl.DataFrame:
    """Make the columns topic, doc, value (and rank, run) from a frame whose columns are those of NAMES[kind]."""
    names = frame.columns
    made = [_ids(frame.to_series(column), role, label) for role, column in _found(names, kind, _IDS)]
    made += [_values(frame.to_series(column), kind, label) for _, column in _found(names, kind, ("value",))]
    made += [frame.to_series(column).alias("rank") for _, column in _found(names, kind, ("rank",))]
    made += [_run_names(frame.to_series(column)) for _, column in _found(names, kind, ("run",))]
    return pl.DataFrame(made)


def _found(names: Sequence[str], kind: Kind, among: Iterable[str]) -> list[tuple[str, int]]:
    return [(role, column) for role, column in roles(names, kind).items() if role in among]


def _ids(column: pl.Series, role: str, label: str) -> pl.Series:
    if column.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return column.cast(pl.String).alias(role)
    raise InputError(_not_text(label, role, column.name, column.dtype))


def _not_text(label: str, role: str, name: str, dtype: object) -> str:
    word = _WORD[role]
    return f"{label}: {word} ids must be text, but column {name!r} is {dtype}; read it as text (001 and 1 are two ids)"


def _values(column: pl.Series, kind: Kind, label: str) -> pl.Series:
    if column.dtype.is_numeric() or column.dtype == pl.Null:
        return column.cast(pl.Float64).alias("value")
    raise InputError(_not_numbers(label, column.name, column.dtype, kind))


def _not_numbers(label: str, name: str, dtype: object, kind: Kind) -> str:
    return f"{label}: the {VALUE[kind]} must be a number, but column {name!r} is {dtype}; cast it to a float"


def _run_names(column: pl.Series) -> pl.Series:
    """Name runs by text; unlike an id the name is matched with nothing, so a number may become one."""
    return column.cast(pl.String).alias("run")


def split(
    frame: pl.DataFrame, where: Callable[[int], str], problems: Problems, digest: str | None = None
) -> list[RowTable]:
    """Make one table for each run that the column ``run`` names, or one of all when there is no such column."""
    if "run" not in frame.columns:
        return [check_rows(frame, "run", where, problems, digest=digest)]
    named = frame["run"].is_not_null().to_numpy()
    if not named.all():
        bad = np.flatnonzero(~named)
        problems.meet(where(int(bad[0])), "the name of the run is missing", "rows without a run skipped", len(bad))
    frame, where = only(frame, where, named)
    parts = frame.with_row_index("row").partition_by("run", maintain_order=True)
    if not parts:
        return [check_rows(frame.drop("run"), "run", where, problems, digest=digest)]
    return [_part(part, where, problems, digest) for part in parts]


def _part(part: pl.DataFrame, where: Callable[[int], str], problems: Problems, digest: str | None) -> RowTable:
    row_of = part["row"].to_numpy()
    return check_rows(
        part.drop("row", "run"),
        "run",
        lambda row: where(int(row_of[row])),
        Problems(problems.source, problems.lenient),
        tag=str(part["run"][0]),
        digest=digest,
        notes=problems.notes(),
    )


def _picked(frame: Any, kind: Kind, label: str) -> pl.DataFrame:
    """Make topic, doc, value (and rank, run) from a table of any library, converting no more columns than needed."""
    if isinstance(frame, pl.LazyFrame):
        names = frame.collect_schema().names()
        frame = frame.select([names[column] for column in wanted(names, kind, label).values()]).collect()
    elif any(base.__module__.partition(".")[0] == "pandas" for base in type(frame).__mro__):
        frame = _from_pandas(frame, kind, label)
    elif not isinstance(frame, pl.DataFrame):
        frame = _from_arrow(frame, label)
    wanted(frame.columns, kind, label)
    return rows(frame, kind, label)


def _from_arrow(table: Any, label: str) -> pl.DataFrame:
    if not hasattr(table, "__arrow_c_stream__") and not hasattr(table, "__arrow_c_array__"):
        message = "expected a table of polars, pandas, pyarrow or another with the Arrow interface"
        raise InputError(f"{label}: {message}, got {described(table)}")
    try:
        frame = pl.from_arrow(table)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{label}: cannot be taken over as a table ({' '.join(str(error).split())})") from None
    if isinstance(frame, pl.DataFrame):
        return frame
    if frame.dtype != pl.Struct:
        raise InputError(f"{label}: expected a table with columns, got a single column")
    return frame.struct.unnest()  # what a table of a library that polars does not know arrives as


def _from_pandas(frame: Any, kind: Kind, label: str) -> pl.DataFrame:
    """Convert column by column, which needs no pyarrow and can name the row of an odd value."""
    if not hasattr(frame, "columns"):
        raise InputError(f"{label}: expected a table with columns, got a pandas {type(frame).__name__}")
    names = [str(name) for name in frame.columns]
    columns = wanted(names, kind, label)
    return pl.DataFrame(
        [_pandas(frame.iloc[:, column], role, kind, label).alias(names[column]) for role, column in columns.items()]
    )


def _pandas(series: Any, role: str, kind: Kind, label: str) -> pl.Series:
    if role in _WORD:
        if series.dtype.kind not in _PANDAS_TEXT:
            raise InputError(_not_text(label, role, series.name, series.dtype))
        return texts(_objects(series), _WORD[role], places(label))
    if role == "value" or series.dtype.kind == "f":
        return _pandas_values(series, kind, label)
    return pl.Series([None if value is None else str(value) for value in _objects(series)], dtype=pl.String)


def _pandas_values(series: Any, kind: Kind, label: str) -> pl.Series:
    if series.dtype.kind in "iuf":
        return pl.Series(series.to_numpy(dtype="float64", na_value=np.nan))
    if series.dtype.kind != "O":
        raise InputError(_not_numbers(label, series.name, series.dtype, kind))
    values = [np.nan if value is None else value for value in _objects(series)]
    return pl.Series(numbers(values, kind, places(label), Problems(label))[0])


def _objects(series: Any) -> list[Any]:
    """Give the values of a column of any pandas type as Python objects, None where one is missing."""
    missing = series.isna().tolist()
    values: list[Any] = series.tolist()
    return [None if gap else value for value, gap in zip(values, missing, strict=True)] if any(missing) else values
