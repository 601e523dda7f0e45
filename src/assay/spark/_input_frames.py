"""What a DataFrame of judgments or of runs must hold, by the names that frames on one machine may have, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import InputError, PolicyError
from assay.io import frames
from assay.model.policies import refuse_expected

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.io.checks import Kind

IN_INPUT_ORDER = ("file", "score-file")
"""Tie policies that need to know the order of the lines, which only files have."""
_WORD = {"topic": "topic", "doc": "document"}


def judgments(table: DataFrame) -> DataFrame:
    """Topic, doc and value of judgments."""
    return _selected(table, "qrels", "qrels", rank=False)


def rankings(table: DataFrame, *, rank: bool) -> DataFrame:
    """Run, topic, doc and value (and rank if it is needed) of runs."""
    selected = _selected(table, "run", "runs", rank=rank)
    if rank and "rank" not in selected.columns:
        raise InputError("runs: has no rank column; choose another tie policy")
    return selected


def refuse_ties(ties: str, *, expected: str | None = None) -> None:
    """Refuse orders of tied documents that a cluster cannot know; *expected* says why the mean over all is one."""
    if ties in IN_INPUT_ORDER:
        raise PolicyError(f"ties {ties!r}: a DataFrame has no order of rows; choose trec_eval-10, score-id or rank")
    if expected is not None:
        refuse_expected(ties, expected)


def _selected(table: DataFrame, kind: Kind, label: str, rank: bool) -> DataFrame:
    names = list(table.columns)
    columns = frames.wanted(names, kind, label, rank)
    if kind == "run" and "run" not in columns:
        raise InputError(f"runs: no column for the run; name it one of {', '.join(frames.NAMES['run']['run'])}")
    made = [_column(table, names[column], role, kind, label) for role, column in columns.items()]
    return table.select(*made)


def _column(table: DataFrame, name: str, role: str, kind: Kind, label: str) -> Any:
    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    column, held = F.col(f"`{name}`"), table.schema[name].dataType
    if role in _WORD and not isinstance(held, T.StringType):
        word = _WORD[role]
        raise InputError(
            f"{label}: {word} ids must be text, but column {name!r} is {held.simpleString()}; "
            "read it as text (001 and 1 are two ids)"
        )
    if role == "value":
        if not isinstance(held, T.NumericType):
            word = "grade" if kind == "qrels" else "score"
            raise InputError(
                f"{label}: the {word} must be a number, but column {name!r} is {held.simpleString()}; cast it to double"
            )
        column = column.cast("double")
    return column.cast("string").alias(role) if role == "run" else column.alias(role)
