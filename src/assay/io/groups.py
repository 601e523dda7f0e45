"""Text of judgments by several people: who judged stands in a column of its own.

The layouts are those of trec_eval: ``topic group subgroup document level`` (``-R prefs``), ``topic group document
level`` (``-R qrels_prefs``) and ``topic judge document grade`` (``-R qrels_jg``). As in all TREC text, blank lines and
lines that begin with ``#`` are passed over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError
from assay.io.problems import Problems
from assay.io.text import Layout, rows, without_bom

if TYPE_CHECKING:
    import polars as pl

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
    """The rows of a file in its order: the columns of the layout, with the number called ``value``.

    *where* tells the place of a row for messages (``judges.qrels:12``).
    """

    source: str
    frame: pl.DataFrame
    where: Callable[[int], str]
    digest: str
    notes: tuple[str, ...] = ()


def read(source: Source, layout: str) -> Groups:
    """Read a file in one of the LAYOUTS; nobody may say the same of a document twice."""
    columns = LAYOUTS[layout]
    frame, where = rows(without_bom(source.data, source.path), columns, source.path, Problems(source.path))
    if frame.is_empty():
        raise InputError(f"{source.path}: no judgments in it")
    _refuse_duplicates(frame, columns, where)
    return Groups(source.path, frame, where, source.digest, source.notes)


def _refuse_duplicates(frame: pl.DataFrame, layout: Layout, where: Callable[[int], str]) -> None:
    """Refuse a document that stands twice in one list; trec_eval would count it twice, or refuse it without a line."""
    import polars as pl

    by = [column for column in layout.columns if column != layout.number]
    first = frame.with_row_index("row").select(pl.col("row").min().over(by)).to_series().to_numpy()
    again = np.flatnonzero(first != np.arange(len(frame)))
    if not len(again):
        return
    row, before = int(again[0]), int(first[again[0]])
    *owner, topic = (f"{column} {frame[column][row]}" for column in reversed(by) if column != "doc")
    found, earlier = frame["value"][row], frame["value"][before]
    said = f"the same {layout.number}" if found == earlier else f"{layout.number} {earlier:g}, here {found:g}"
    message = f"document {frame['doc'][row]} stands twice for {' of '.join((*owner, topic))}"
    raise InputError(f"{where(row)}: {message} (first at {where(before)}, {said}); remove one")
