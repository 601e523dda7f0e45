"""Text of white-space separated columns: a fast reader, and a careful one that knows each line.

The fast reader takes clean text and either returns every row or gives up; the careful one is the
definition: it goes line by line, names the line of each problem, and is used only when needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from assay.io.problems import Problems

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")


@dataclass(frozen=True)
class Layout:
    """The columns of a line, in order; *number* is the one that holds a number."""

    columns: tuple[str, ...]
    number: str
    keep: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


def without_bom(data: bytes, source: str) -> bytes:
    """The text after a UTF-8 byte order mark; other encodings and binary files are refused."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source}: is UTF-16 text; save it as UTF-8")
    head = data[:4096]
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 11, 12, 13))
    if controls > len(head) // 10:
        raise InputError(f"{source}: is a binary file, not text")
    return data.removeprefix(b"\xef\xbb\xbf")


def fast(data: bytes, layout: Layout) -> pl.DataFrame | None:
    """Every row of clean text (one kind of separator, no odd line), or None if it is not clean."""
    import polars as pl

    separator = "\t" if b"\t" in data[: data.find(b"\n") + 1 or len(data)] else " "
    other = b" " if separator == "\t" else b"\t"
    if any(odd in data for odd in (b"\0", b"\r", b"\v", b"\f", other)):
        return None
    types = [pl.Float64 if column == layout.number else pl.String for column in layout.columns]
    names = [f"column_{i + 1}" for i in range(len(types))]
    wanted = [layout.columns.index(column) for column in layout.keep]
    try:
        frame = pl.read_csv(
            data,
            separator=separator,
            has_header=False,
            schema=dict(zip(names, types, strict=True)),
            columns=wanted,
            quote_char=None,
            comment_prefix="#",
        )
    except (pl.exceptions.PolarsError, ValueError):
        return None
    frame.columns = list(layout.keep)
    return None if any(frame.null_count().row(0)) else frame


def tidied(data: bytes) -> bytes:
    """The same lines with single blanks between columns, none at the ends, no blank or comment lines."""
    data = data.translate(_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" \n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data


def rows(data: bytes, layout: Layout, source: str, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """The rows of *data*, and a function from row number to ``file:line``."""
    if not data.strip():
        raise InputError(f"{source}: the file is empty")
    frame = fast(data, layout)
    if frame is None and b"\0" not in data:
        frame = fast(tidied(data), layout)
    if frame is not None:
        return frame, lambda row: f"{source}:{_line_of(data, row)}"
    return _careful(data, layout, source, problems)


def _line_of(data: bytes, row: int) -> int:
    """The number of the line that holds the given row: blank and comment lines are not rows."""
    seen = -1
    for number, line in enumerate(data.split(b"\n"), 1):
        content = line.lstrip(b" \t\r\v\f")
        seen += bool(content) and not content.startswith(b"#")
        if seen == row:
            return number
    raise IndexError(row)  # pragma: no cover - a row always has its line


def _careful(
    data: bytes, layout: Layout, source: str, problems: Problems
) -> tuple[pl.DataFrame, Callable[[int], str]]:
    import polars as pl

    kept: list[Sequence[str]] = []
    numbers: list[int] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.translate(_BLANKS).split()
        if fields and not fields[0].startswith(b"#"):
            texts = _fields(fields, line, layout, f"{source}:{number}", problems)
            if texts is not None:
                kept.append(texts)
                numbers.append(number)
    columns = list(zip(*kept, strict=True)) if kept else [()] * len(layout.columns)
    frame = pl.DataFrame(dict(zip(layout.columns, columns, strict=True)), schema=dict.fromkeys(layout.columns, pl.String))
    values = np.array([float(text) for text in frame[layout.number]], dtype=np.float64)
    frame = frame.with_columns(pl.Series(layout.number, values)).select(layout.keep)
    return frame, lambda row: f"{source}:{numbers[row]}"


def _fields(
    fields: list[bytes], line: bytes, layout: Layout, where: str, problems: Problems
) -> list[str] | None:
    """The columns of one line as text, or None when the line is to be skipped."""
    if b"\0" in line:
        return problems.meet(where, "a NUL byte; the file may be damaged", "lines with NUL bytes skipped")
    try:
        texts = [field.decode() for field in fields]
    except UnicodeDecodeError as error:
        message = f"invalid UTF-8 (byte 0x{error.object[error.start]:02x}); save the file as UTF-8"
        return problems.meet(where, message, "lines that are not UTF-8 skipped")
    if len(texts) != len(layout.columns):
        message = f"expected {layout}, found {len(texts)}"
        return problems.meet(where, message, "lines with the wrong number of columns skipped")
    text = texts[layout.columns.index(layout.number)]
    if not _NUMBER.fullmatch(text) or not np.isfinite(float(text)):
        message = f"the {layout.number} must be a finite number, found {text!r}"
        return problems.meet(where, message, f"lines whose {layout.number} is not a finite number skipped")
    return texts
