r"""Tab-separated text with a header, as BEIR has it: ``query-id\tcorpus-id\tscore``.

The header names the columns as :mod:`assay.io.frames` knows them. Only tabs separate, so that ids may hold blanks;
nothing is a quotation mark or a comment. Blank lines are passed over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import frames
from assay.io.checks import VALUE, check_rows
from assay.io.problems import Problems
from assay.io.text import BOM, is_number, without_bom
from assay.io.text import columns as columns_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.io.checks import Kind
    from assay.io.source import Source
    from assay.io.table import RowTable

_LONGEST_HEADER = 65_536


def matches(source: Source) -> bool:
    """Know the format by a first line that names topic, document and a value."""
    names = _names(source.data.removeprefix(BOM))
    return len(names) > 2 and not (frames.lacks(names, "run") and frames.lacks(names, "qrels"))


def runs(source: Source, lenient: bool = False, rank: bool = True) -> list[RowTable]:
    """Read the runs of the file; a rank column is kept when *rank* is set."""
    problems = Problems(source.path, lenient)
    frame, where = _rows(source, "run", problems, rank)
    return frames.split(frame, where, problems, source.digest)


def qrels(source: Source, lenient: bool = False) -> RowTable:
    """Read the judgments of the file."""
    problems = Problems(source.path, lenient)
    frame, where = _rows(source, "qrels", problems, rank=False)
    return check_rows(frame, "qrels", where, problems, digest=source.digest)


@dataclass(frozen=True)
class _Header:
    """The names of the columns, and the columns that are read by their roles."""

    names: list[str]
    columns: dict[str, int]
    kind: Kind

    def __str__(self) -> str:
        return f"{len(self.names)} columns with tabs between ({', '.join(self.names)})"

    @property
    def number(self) -> int:
        return self.columns["value"]


def _names(data: bytes) -> list[str]:
    line = data[:_LONGEST_HEADER].partition(b"\n")[0]
    return line.rstrip(b"\r").decode(errors="replace").split("\t")


def _rows(source: Source, kind: Kind, problems: Problems, rank: bool) -> tuple[pl.DataFrame, Callable[[int], str]]:
    data = without_bom(source.data, source.path)
    names = _names(data)
    header = _Header(names, frames.wanted(names, kind, f"{source.path}:1", rank), kind)
    body = data.partition(b"\n")[2]
    if not body.strip():
        raise InputError(f"{source.path}: nothing follows the header")
    frame = _fast(body.replace(b"\r\n", b"\n"), header)
    if frame is not None:
        return frame, lambda row: f"{source.path}:{row + 2}"
    return _careful(body, header, problems)


def _fast(body: bytes, header: _Header) -> pl.DataFrame | None:
    """Read every row of clean text, or give None where a line is odd."""
    if b"\0" in body or b"\r" in body or body.startswith(BOM):
        return None
    width = len(header.names)
    roles = {column: role for role, column in header.columns.items()}
    schema = {
        roles.get(column, f"column {column}"): pl.Float64 if column == header.number else pl.String
        for column in range(width)
    }
    # The last column is always read: a line that is too short shows there.
    read = sorted({*roles, width - 1})
    try:
        frame = pl.read_csv(body, separator="\t", has_header=False, schema=schema, columns=read, quote_char=None)
    except (pl.exceptions.PolarsError, ValueError):
        return None
    complete = not any(frame.null_count().row(0)) and np.isfinite(frame["value"].to_numpy()).all()
    # Polars passes over what follows the last column that it reads, so that a line that is too long shows here only.
    longer = body.count(b"\t") != len(frame) * (width - 1)
    return frame.select(list(header.columns)) if complete and not longer else None


def _careful(body: bytes, header: _Header, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], str]]:
    kept: list[list[str]] = []
    lines: list[int] = []
    for line_number, line in enumerate(body.split(b"\n"), 2):
        if line.strip():
            texts = _fields(line.rstrip(b"\r"), header, f"{problems.source}:{line_number}", problems)
            if texts is not None:
                kept.append(texts)
                lines.append(line_number)
    columns = {role: [texts[column] for texts in kept] for role, column in header.columns.items()}
    values = np.array([float(text) for text in columns["value"]], dtype=np.float64)
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).with_columns(value=values)
    return frame, lambda row: f"{problems.source}:{lines[row]}"


def _fields(line: bytes, header: _Header, where: str, problems: Problems) -> list[str] | None:
    """Decode the columns of one line, or give None when the line is to be skipped."""
    texts = columns_of(line.split(b"\t"), len(header.names), str(header), where, problems)
    if texts is None:
        return None
    texts[header.number] = texts[header.number].strip(" ")
    return texts if is_number(texts[header.number], VALUE[header.kind], where, problems) else None
