r"""Tab-separated text with a header, the format of BEIR: ``query-id\tcorpus-id\tscore``.

The header has the column names of :mod:`assay.io.frames`. Only tabs separate columns, so ids may contain blanks. There
are no quotation marks and no comments. Blank lines are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io import frames
from assay.io.checks import VALUE
from assay.io.text import BOM, check_number, decode_columns, strip_bom

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.io.checks import Kind
    from assay.io.problems import Problems
    from assay.io.source import Source

_MAX_HEADER = 65_536  # bytes


def matches(source: Source) -> bool:
    """Recognize the format by a first line that names topic, document and a value."""
    names = _split_header(source.data.removeprefix(BOM))
    return len(names) > 2 and not (frames.describe_missing(names, "run") and frames.describe_missing(names, "qrels"))


def read_rows(source: Source, kind: Kind, problems: Problems, rank: bool) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the rows of the file, and a function that maps a row number to its place (``file:line``)."""
    data = strip_bom(source.data, source.path)
    names = _split_header(data)
    header = _BeirHeader(names, frames.find_columns(names, kind, f"{source.path}:1", rank), kind)
    body = data.partition(b"\n")[2]
    if not body.strip():
        raise InputError(f"{source.path}: nothing follows the header")
    frame = _parse_fast(body.replace(b"\r\n", b"\n"), header)
    if frame is not None:
        return frame, lambda row: f"{source.path}:{row + 2}"
    return _parse_carefully(body, header, problems)


@dataclass(frozen=True)
class _BeirHeader:
    """Column names of a file, and the index of the column for each role (such as ``topic``) that is read."""

    names: list[str]
    columns: dict[str, int]
    kind: Kind

    def __str__(self) -> str:
        return f"{len(self.names)} tab-separated columns ({', '.join(self.names)})"

    @property
    def value(self) -> int:
        """The index of the column that holds the score or grade."""
        return self.columns["value"]


def _split_header(data: bytes) -> list[str]:
    line = data[:_MAX_HEADER].partition(b"\n")[0]
    return line.rstrip(b"\r").decode(errors="replace").split("\t")


def _parse_fast(body: bytes, header: _BeirHeader) -> pl.DataFrame | None:
    """Return every row of clean text; None if a line is unusual."""
    if b"\0" in body or b"\r" in body or body.startswith(BOM):
        return None
    width = len(header.names)
    roles = {column: role for role, column in header.columns.items()}
    schema = {
        roles.get(column, f"column {column}"): pl.Float64 if column == header.value else pl.String
        for column in range(width)
    }
    # The last column is always read, because a line with too few columns has a null there.
    read = sorted({*roles, width - 1})
    try:
        frame = pl.read_csv(body, separator="\t", has_header=False, schema=schema, columns=read, quote_char=None)
    except (pl.exceptions.PolarsError, ValueError):
        return None
    complete = not any(frame.null_count().row(0)) and np.isfinite(frame["value"].to_numpy()).all()
    # Polars ignores everything after the last column that it reads, so lines with too many columns can only be found by
    # counting the tabs.
    has_long_line = body.count(b"\t") != len(frame) * (width - 1)
    return frame.select(list(header.columns)) if complete and not has_long_line else None


def _parse_carefully(body: bytes, header: _BeirHeader, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Parse line by line and report the line of each problem; lines with problems are skipped."""
    rows: list[list[str]] = []
    lines: list[int] = []
    for line_number, line in enumerate(body.split(b"\n"), 2):
        if line.strip():
            texts = _parse_line(line.rstrip(b"\r"), header, f"{problems.source}:{line_number}", problems)
            if texts is not None:
                rows.append(texts)
                lines.append(line_number)
    columns = {role: [texts[column] for texts in rows] for role, column in header.columns.items()}
    values = np.array([float(text) for text in columns["value"]], dtype=np.float64)
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).with_columns(value=values)
    return frame, lambda row: f"{problems.source}:{lines[row]}"


def _parse_line(line: bytes, header: _BeirHeader, place: str, problems: Problems) -> list[str] | None:
    """Return the columns of one line as text; None if the line is skipped."""
    texts = decode_columns(line.split(b"\t"), len(header.names), str(header), place, problems)
    if texts is None:
        return None
    texts[header.value] = texts[header.value].strip(" ")
    return texts if check_number(texts[header.value], VALUE[header.kind], place, problems) else None
