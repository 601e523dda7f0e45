"""Text files of judgments by several judges; a column names the judge or the group of preferences.

The layouts are those of trec_eval: ``topic group subgroup document level`` (``-R prefs``), ``topic group document
level`` (``-R qrels_prefs``) and ``topic judge document grade`` (``-R qrels_jg``). As in all TREC text, blank lines and
lines that begin with ``#`` are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.problems import Problems
from assay.io.text import Layout, parse_rows, strip_bom

if TYPE_CHECKING:
    from assay.io.source import Source

_PREFS = ("topic", "group", "subgroup", "doc", "level")
_QRELS_PREFS = ("topic", "group", "doc", "level")
_QRELS_JG = ("topic", "judge", "doc", "grade")
LAYOUTS = {
    "prefs": Layout(_PREFS, "level", _PREFS),
    "qrels_prefs": Layout(_QRELS_PREFS, "level", _QRELS_PREFS),
    "qrels_jg": Layout(_QRELS_JG, "grade", _QRELS_JG),
}


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows of a file in file order: the columns of the layout, where the numeric column is called ``value``.

    *locate* returns the place of a row for messages (``judges.qrels:12``).
    """

    source: str
    frame: pl.DataFrame
    locate: Callable[[int], str]
    digest: str
    notes: tuple[str, ...] = ()


def read(source: Source, layout: str) -> Groups:
    """Read a file in one of the LAYOUTS; a judge or group may judge a document only once."""
    columns = LAYOUTS[layout]
    frame, locate = parse_rows(strip_bom(source.data, source.path), columns, source.path, Problems(source.path))
    if frame.is_empty():
        raise InputError(f"{source.path}: contains no judgments")
    _refuse_duplicates(frame, columns, locate)
    return Groups(source.path, frame, locate, source.digest, source.notes)


def _refuse_duplicates(frame: pl.DataFrame, layout: Layout, locate: Callable[[int], str]) -> None:
    """Refuse documents that one judge or group judged twice.

    trec_eval would count such a document twice, or report an error without its line.
    """
    key_columns = [column for column in layout.columns if column != layout.number]
    first = frame.with_row_index("row").select(pl.col("row").min().over(key_columns)).to_series().to_numpy()
    repeats = np.flatnonzero(first != np.arange(len(frame)))
    if not len(repeats):
        return
    row, first_row = int(repeats[0]), int(first[repeats[0]])
    *judges, topic = (f"{column} {frame[column][row]}" for column in reversed(key_columns) if column != "doc")
    value, first_value = frame["value"][row], frame["value"][first_row]
    values = f"the same {layout.number}" if value == first_value else f"{layout.number} {first_value:g}, here {value:g}"
    message = f"document {frame['doc'][row]} is listed twice for {' of '.join((*judges, topic))}"
    raise InputError(f"{locate(row)}: {message} (first at {locate(first_row)}, {values}); remove one")
