"""Select and check the columns of DataFrames of judgments and runs, by the names of :mod:`assay.io.frames`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import InputError, PolicyError
from assay.io import frames
from assay.io.checks import VALUE
from assay.model.policies import reject_expected_ties

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.io.checks import Kind

IN_INPUT_ORDER = ("file", "score-file")
"""Tie policies that depend on the order of lines, which only files have."""
_WORD = {"topic": "topic", "doc": "document"}


def select_judgments(table: DataFrame) -> DataFrame:
    """Return the columns topic, doc and value of judgments."""
    return _select_columns(table, "qrels", "qrels", rank=False)


def select_runs(table: DataFrame, *, rank: bool) -> DataFrame:
    """Return the columns run, topic, doc and value of runs, and rank if it is requested."""
    selected = _select_columns(table, "run", "runs", rank=rank)
    if rank and "rank" not in selected.columns:
        raise InputError("runs: has no rank column; choose another tie policy")
    return selected


def refuse_ties(ties: str, *, expected: str | None = None) -> None:
    """Refuse tie policies that depend on the order of lines.

    With *expected*, the reason why an analysis needs a single order, the policy ``expected`` is refused as well.
    """
    if ties in IN_INPUT_ORDER:
        raise PolicyError(f"ties {ties!r}: a DataFrame has no order of rows; choose trec_eval-10, score-id or rank")
    if expected is not None:
        reject_expected_ties(ties, expected)


def _select_columns(table: DataFrame, kind: Kind, label: str, rank: bool) -> DataFrame:
    names = list(table.columns)
    columns = frames.find_columns(names, kind, label, rank)
    if kind == "run" and "run" not in columns:
        raise InputError(f"runs: no column for the run; name it one of {', '.join(frames.NAMES['run']['run'])}")
    return table.select(*(_convert_column(table, names[column], role, kind, label) for role, column in columns.items()))


def _convert_column(table: DataFrame, name: str, role: str, kind: Kind, label: str) -> Any:
    """Return an expression for a column, named by its role; raise an error if its type is wrong."""
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    column, data_type = F.col(f"`{name}`"), table.schema[name].dataType
    if role in _WORD and not isinstance(data_type, T.StringType):
        word = _WORD[role]
        raise InputError(
            f"{label}: {word} ids must be text, but column {name!r} is {data_type.simpleString()}; "
            "read it as text (001 and 1 are two ids)"
        )
    if role == "value":
        if not isinstance(data_type, T.NumericType):
            message = f"the {VALUE[kind]} must be a number, but column {name!r} is {data_type.simpleString()}"
            raise InputError(f"{label}: {message}; cast it to double")
        column = column.cast("double")
    return column.cast("string").alias(role) if role == "run" else column.alias(role)
