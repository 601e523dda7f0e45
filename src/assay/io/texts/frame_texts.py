"""Texts in tables: frames of any library, and Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from assay.errors import InputError
from assay.io.dicts import describe_value
from assay.io.texts.fields import Document, Fields, RecordError, TextKind, find_fields


class FrameTexts:
    """Texts in a table with a column for the id; a Parquet file is scanned for each request.

    *name* is the name of the table in messages. The first row with an id counts.
    """

    def __init__(self, name: str, frame: pl.LazyFrame, kind: TextKind) -> None:
        self.name = name
        self.notes: tuple[str, ...] = ()
        self._fields = _find_columns(name, frame.collect_schema().names(), kind)
        self._frame = frame.select(
            pl.col(column).cast(pl.String).alias(role)
            for role, column in self._fields._asdict().items()
            if column is not None
        )

    def count(self) -> int:
        """Return the number of rows with an id."""
        return int(self._frame.select(pl.col("id").count()).collect().item())

    def ids(self) -> Iterator[str]:
        """Yield the ids."""
        yield from self._frame.select("id").collect()["id"].drop_nulls().to_list()

    def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return the texts with these ids; missing ids are omitted."""
        rows = self._frame.filter(pl.col("id").is_in(list(ids))).collect()
        documents: dict[str, Document] = {}
        for row in rows.iter_rows(named=True):
            documents.setdefault(row["id"], Document(row.get("title") or "", row.get("text") or ""))
        return documents


def _find_columns(label: str, names: Sequence[str], kind: TextKind) -> Fields:
    try:
        return find_fields(names, kind)
    except RecordError as error:
        raise InputError(f"{label}: {error}".replace("no field", "no column")) from None


def to_lazy_frame(frame: Any, kind: TextKind) -> pl.LazyFrame:
    """Convert a table of polars, pandas, pyarrow or another library with the Arrow interface."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame.lazy()
    if any(base.__module__.partition(".")[0] == "pandas" for base in type(frame).__mro__):
        # Columns are converted by lists, which needs no pyarrow.
        columns = [name for name in _find_columns(kind, list(map(str, frame.columns)), kind) if name is not None]
        texts = frame[columns].astype(object)
        texts = texts.where(texts.notna(), None)
        data = {name: [None if value is None else str(value) for value in texts[name]] for name in columns}
        return pl.LazyFrame(data, schema=dict.fromkeys(columns, pl.String))
    try:
        table = pl.from_arrow(frame)
    except (TypeError, pl.exceptions.PolarsError):
        raise InputError(f"{kind}: expected a path, a dict or a table, got {describe_value(frame)}") from None
    if isinstance(table, pl.DataFrame):
        return table.lazy()
    raise InputError(f"{kind}: expected a table with columns for the id and the text, got a single column")
