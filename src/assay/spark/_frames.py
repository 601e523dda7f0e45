"""DataFrames of judgments and runs: select and check their columns and rows, and exchange tables with Spark.

Columns have the names of :mod:`assay.io.columns`. Checks are as strict as for files; messages name the run, topic and
document instead of the line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError, PolicyError
from assay.io.checks import VALUE
from assay.io.columns import NAMES, ColumnNames
from assay.io.document_hash import has_duplicates
from assay.model.policies import reject_expected_ties
from assay.spark._session import one_line_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from assay.io.checks import Kind
    from assay.model.arrays import Ints

IN_INPUT_ORDER = ("file", "score-file")
"""Tie policies that depend on the order of lines, which only files have."""
_WORD = {"topic": "topic", "doc": "document"}
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, as in Fibonacci hashing


def refuse_ties(ties: str, *, expected: str | None = None) -> None:
    """Refuse tie policies that depend on the order of lines.

    If *expected* states why an analysis needs a single order, the policy ``expected`` is refused as well.
    """
    if ties in IN_INPUT_ORDER:
        raise PolicyError(f"ties {ties!r}: a DataFrame has no order of rows; choose trec_eval-10, score-id or rank")
    if expected is not None:
        reject_expected_ties(ties, expected)


# Columns ------------------------------------------------------------------------------------------------------------


def select_judgments(table: DataFrame) -> DataFrame:
    """Return the columns topic, doc and value of judgments."""
    return _select_columns(table, "qrels", "qrels", rank=False)


def select_runs(table: DataFrame, *, rank: bool) -> DataFrame:
    """Return the columns run, topic, doc and value of runs, and rank if it is requested."""
    selected = _select_columns(table, "run", "runs", rank=rank)
    if rank and "rank" not in selected.columns:
        raise InputError("runs: has no rank column; choose another tie policy")
    return selected


def _select_columns(table: DataFrame, kind: Kind, label: str, rank: bool) -> DataFrame:
    names = list(table.columns)
    columns = ColumnNames(kind, rank).find(names, label)
    if kind == "run" and "run" not in columns:
        raise InputError(f"runs: no column for the run; name it one of {', '.join(NAMES['run']['run'])}")
    return table.select(*(_convert_column(table, names[column], role, kind, label) for role, column in columns.items()))


def _convert_column(table: DataFrame, name: str, role: str, kind: Kind, label: str) -> Any:
    """Return an expression for a column, named by its role; raise an error if its type is wrong."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    column, data_type = F.col(f"`{name}`"), table.schema[name].dataType
    if role in _WORD and not isinstance(data_type, T.StringType | T.IntegralType):
        raise InputError(
            f"{label}: {_WORD[role]} ids must be text or integers, but column {name!r} is "
            f"{data_type.simpleString()}; read it as text"
        )
    if role == "value" and not isinstance(data_type, T.NumericType):
        message = f"the {VALUE[kind]} must be a number, but column {name!r} is {data_type.simpleString()}"
        raise InputError(f"{label}: {message}; cast it to double")
    casts = {"value": "double", "run": "string", "topic": "string", "doc": "string"}
    return (column.cast(casts[role]) if role in casts else column).alias(role)


# Rows ---------------------------------------------------------------------------------------------------------------


def check_judgments(rows: pl.DataFrame) -> None:
    """Refuse judgments (topic, doc, value) with missing ids, grades that are not finite, or repeated documents."""
    _check_ids(rows, lambda row: "qrels")
    _check_finite(rows, "grade", lambda row: f"qrels, topic {rows['topic'][row]}, document {rows['doc'][row]}")
    duplicates = _find_duplicates(rows, "topic", "doc")
    if len(duplicates):
        low, high = sorted(duplicates["value"][:2])
        grades = "the same grade" if low == high else f"grades {low:g} and {high:g}"
        topic, doc = duplicates["topic"][0], duplicates["doc"][0]
        raise InputError(f"qrels: document {doc} of topic {topic} is judged twice ({grades})")


def check_results(rows: pl.DataFrame, run: np.ndarray, key: np.ndarray) -> None:
    """Refuse rows of runs (run, topic, doc, value) with missing ids, non-finite scores, or repeated documents.

    *run* has the index of the run of each row, ascending. *key* has the hash of topic and document.
    """
    _check_ids(rows, lambda row: f"run {rows['run'][row]!r}")
    _check_finite(rows, "score", lambda row: describe_place(rows["run"][row], rows, row))
    # The index of the run is mixed into the keys, so that a document has different keys in different runs.
    if has_duplicates(key ^ (run.astype(np.uint64) * _MIX)):
        duplicates = _find_duplicates(rows, "run", "topic", "doc")
        if len(duplicates):
            name, topic, doc = duplicates.select("run", "topic", "doc").row(0)
            raise InputError(f"run {name!r}: document {doc} was retrieved twice for topic {topic}")
    if "rank" in rows.columns:
        # Without an order of lines, it is unknown which of two rows with the same rank comes first.
        duplicates = _find_duplicates(rows, "run", "topic", "rank")
        if len(duplicates):
            name, topic, rank = duplicates.select("run", "topic", "rank").row(0)
            raise InputError(
                f"run {name!r}: rank {rank} occurs twice for topic {topic}, and Spark does not preserve the order of "
                "lines; choose another tie policy"
            )


def describe_place(name: str, rows: pl.DataFrame, row: int) -> str:
    """Return the place of a row of a run for messages."""
    return f"run {name!r}, topic {rows['topic'][row]}, document {rows['doc'][row]}"


def _check_ids(rows: pl.DataFrame, locate: Callable[[int], str]) -> None:
    for column, word in _WORD.items():
        is_missing = rows[column].is_null() | (rows[column] == "")
        if is_missing.any():
            row = int(is_missing.arg_max() or 0)
            topic = f" of topic {rows['topic'][row]}" if column == "doc" else ""
            raise InputError(f"{locate(row)}: the {word} id{topic} is missing")


def _check_finite(rows: pl.DataFrame, word: str, locate: Callable[[int], str]) -> None:
    bad = ~rows["value"].is_finite().fill_null(False)
    if bad.any():
        row = int(bad.arg_max() or 0)
        value = rows["value"][row]
        text = "missing" if value is None else f"{value}"
        raise InputError(f"{locate(row)}: the {word} must be a finite number, found {text}")


def _find_duplicates(rows: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the rows whose values in *columns* are not unique, sorted by these columns."""
    return rows.filter(rows.select(columns).is_duplicated()).sort(columns, maintain_order=True)


# Exchange of tables with Spark --------------------------------------------------------------------------------------


def collect(table: DataFrame) -> pl.DataFrame:
    """Compute a DataFrame and return its rows on the driver."""
    with one_line_errors():
        return pl.DataFrame(pl.from_arrow(table.toArrow()))


def index_names(column: pl.Series, names: Iterable[str]) -> Ints:
    """Return the index in *names* of each name of a column."""
    return column.cast(pl.Enum(list(names))).to_physical().to_numpy().astype(np.int64)


def to_arrow(frame: pl.DataFrame) -> pa.Table:
    """Return a frame as an Arrow table for Spark, with NaN replaced by null."""
    return to_plain_arrow(frame.with_columns(pl.col(pl.Float64).fill_nan(None)))


def to_plain_arrow(frame: pl.DataFrame) -> pa.Table:
    """Return a frame as an Arrow table for Spark, which supports only the Arrow type ``string`` for text."""
    import pyarrow as pa

    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    fields = (f.with_type(pa.string()) if pa.types.is_large_string(f.type) else f for f in table.schema)
    return table.cast(pa.schema(fields))
