"""Text of white-space separated columns: a fast reader, and a careful one that knows each line.

The fast reader takes clean text and either returns every row or declines; the careful one is the definition: it goes
line by line, names the line of each problem, and runs only if the fast one declines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError
from assay.io.numbers import number
from assay.io.problems import Place, shown

if TYPE_CHECKING:
    import polars as pl

    from assay.io.problems import Problems

BOM = b"\xef\xbb\xbf"
_COMMENT = re.compile(rb"^#.*", re.MULTILINE)
_PIECE = 1 << 18
_NEWLINE, _SPACE = 10, 32
_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
_CR = r"lines end in CR; end them in LF, for example with tr '\r' '\n' < old > new"
_LONG_LINE = 1 << 16  # bytes; the columns of longer lines are not counted, because each would take 50 bytes more


@dataclass(frozen=True)
class Layout:
    """The columns of a line, in order; *number* is the one that holds a number.

    With *more*, what follows the last column is passed over. *other* is how many columns a file has that may be given
    in place of this one, and what to say then.
    """

    columns: tuple[str, ...]
    number: str
    keep: tuple[str, ...]
    more: bool = False
    other: tuple[int, str] | None = None

    @property
    def names(self) -> list[str]:
        """What the columns that are kept are called from here on: the number is the value."""
        return ["value" if column == self.number else column for column in self.keep]

    def __str__(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


def without_bom(data: bytes, source: str) -> bytes:
    """The text after a UTF-8 byte order mark; other encodings and binary files are refused."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source}: is UTF-16 text; save it as UTF-8")
    head = data[:4096]
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 11, 12, 13))
    if controls > len(head) // 20:
        raise InputError(f"{source}: is a binary file, not text")
    return data.removeprefix(BOM)


def refuse_cr(text: bytes, source: str) -> None:
    """Refuse long text whose lines end in CR alone: all of it would be one line. *text* may be only its beginning."""
    head = text[:_LONG_LINE]
    if len(head) == _LONG_LINE and b"\r" in head and b"\n" not in head:
        raise InputError(f"{source}: {_CR}")


def parse_fast(data: bytes, layout: Layout) -> pl.DataFrame | None:
    """Return every row of text without bad lines, however untidy its white space; None if it needs a careful look."""
    frame = _parse_clean(data, layout)
    if frame is None and b"\0" not in data:
        frame = _parse_clean(_tidy(data), layout)
    return frame


def _parse_clean(data: bytes, layout: Layout) -> pl.DataFrame | None:
    """Return every row of clean text (one kind of separator, no odd line), or None if it is not clean."""
    import polars as pl

    separator = b"\t" if b"\t" in data[: data.find(b"\n") + 1 or len(data)] else b" "
    separators = _separators(data, separator)
    # Polars would drop a second byte order mark.
    if separators is None or data.startswith(BOM):
        return None
    types = [pl.Float64 if column == layout.number else pl.String for column in layout.columns]
    names = [f"column_{i + 1}" for i in range(len(types))]
    wanted = [layout.columns.index(column) for column in layout.keep]
    try:
        frame = pl.read_csv(
            data,
            separator=separator.decode(),
            has_header=False,
            schema=dict(zip(names, types, strict=True)),
            columns=wanted,
            quote_char=None,
            comment_prefix="#" if b"#" in data else None,  # looking for comments takes time
        )
    except (pl.exceptions.PolarsError, ValueError):
        return None
    frame.columns = layout.names
    # Taking some of the strings is ten times faster from one chunk than from several, and numpy would copy the values.
    for name in ("doc", "value"):
        frame.replace_column(layout.names.index(name), frame[name].rechunk())
    complete = not any(frame.null_count().row(0)) and np.isfinite(frame["value"].to_numpy()).all()
    # Polars passes over what follows the last column that it reads. No line is shorter, as its last column would be
    # missing, so that the total of separators shows whether one is longer.
    expected = len(frame) * (len(layout.columns) - 1)
    if separators != expected:
        separators -= sum(comment.count(separator) for comment in _COMMENT.findall(data))
    fits = separators >= expected if layout.more else separators == expected
    return frame if complete and fits else None


def _separators(data: bytes, separator: bytes) -> int | None:
    """Count the separators; None if two stand side by side or other white space or a NUL byte occurs.

    Two side by side would hide an empty column from polars when that column is not kept. Numpy leaves the
    interpreter lock, and pieces that fit the cache are several times faster than the whole.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    total = 0
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE + 1]  # one more, to see a pair across the border
        found = piece == separator[0]
        if (found[1:] & found[:-1]).any():
            return None
        found = found[:_PIECE]
        count = int(np.count_nonzero(found))
        if int(np.count_nonzero(piece[:_PIECE] <= _SPACE)) != count + int(np.count_nonzero(piece[:_PIECE] == _NEWLINE)):
            return None
        total += count
    return total


def _tidy(data: bytes) -> bytes:
    """Return the same lines with single blanks between columns, none at the ends, no blank or comment lines."""
    data = data.translate(_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" \n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data


def rows(data: bytes, layout: Layout, source: str, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], Place]]:
    """Return the rows of *data*, and a function from row number to ``file:line``."""
    refuse_empty(data, source)
    refuse_cr(data, source)
    frame = parse_fast(data, layout)
    if frame is None:
        frame, lines = parse_carefully(data, layout, source, problems)
        return frame, places(source, lambda: lines)
    return frame, places(source, lambda: line_numbers(data, len(frame)))


def refuse_empty(data: bytes, source: str) -> None:
    """Refuse text that is only white space."""
    if not data or data.isspace():
        raise InputError(f"{source}: the file is empty")


def places(source: str, lines: Callable[[], np.ndarray]) -> Callable[[int], Place]:
    """Return a function from row number to ``file:line``; *lines* returns the line number of each row."""

    def where(row: int) -> Place:
        line = int(lines()[row])
        return Place.at(f"{source}:{line}", line)

    return where


def count_lines(data: bytes) -> int:
    """Count lines, also a last one without its end."""
    ends = int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE))  # ten times faster than bytes.count
    return ends + (not data.endswith(b"\n"))


def line_numbers(data: bytes, rows: int) -> np.ndarray:
    """Return the numbers of the lines that hold the *rows* of *data*: blank and comment lines do not."""
    if b"#" not in data and count_lines(data) == rows:
        return np.arange(1, rows + 1)
    contents = (line.lstrip(b" \t\r\v\f")[:1] for line in data.split(b"\n"))
    return np.array([number for number, start in enumerate(contents, 1) if start not in (b"", b"#")], dtype=np.int64)


def parse_carefully(
    data: bytes, layout: Layout, source: str, problems: Problems, before: int = 0
) -> tuple[pl.DataFrame, np.ndarray]:
    """Return the rows of *data* and the line number of each; *before* lines precede the first.

    A problem names its line; rows with problems are left out.
    """
    import polars as pl

    kept: list[Sequence[str]] = []
    numbers: list[int] = []
    for line_number, line in enumerate(data.split(b"\n"), before + 1):
        fields = split(line, len(layout.columns))
        if fields and not fields[0].startswith(b"#"):
            aside = f"; {_CR}" if b"\r" in line.strip() else ""
            where = Place.at(f"{source}:{line_number}", line_number)
            texts = _fields(fields, layout, where, problems, first=not kept and not before, aside=aside)
            if texts is not None:
                kept.append(texts)
                numbers.append(line_number)
    by_column = list(zip(*kept, strict=True)) if kept else [()] * len(layout.columns)
    texts_of = dict(zip(layout.columns, by_column, strict=True))
    frame = pl.DataFrame(
        {name: texts_of[column] for name, column in zip(layout.names, layout.keep, strict=True)},
        schema=dict.fromkeys(layout.names, pl.String),
    )
    values = np.array([float(text) for text in frame["value"]], dtype=np.float64)
    return frame.with_columns(pl.Series("value", values)), np.array(numbers, dtype=np.int64)


def split(line: bytes, count: int) -> list[bytes]:
    """Split a line at white space; of a long line, all that follows the first *count* columns is one more column."""
    return line.translate(_BLANKS).split(None, count if len(line) > _LONG_LINE else -1)


def _fields(
    fields: list[bytes], layout: Layout, where: str, problems: Problems, *, first: bool, aside: str
) -> list[str] | None:
    """Decode the columns of one line, or give None when the line is to be skipped."""
    count = len(layout.columns)
    other = layout.other if first else None
    aside = f"; {other[1]}" if other is not None and len(fields) == other[0] else aside
    texts = columns(fields[:count] if layout.more else fields, count, str(layout), where, problems, aside=aside)
    if texts is None:
        return None
    text = texts[layout.columns.index(layout.number)]
    return texts if is_number(text, layout.number, where, problems) else None


def columns(
    fields: list[bytes], count: int, expected: str, where: str, problems: Problems, *, aside: str = ""
) -> list[str] | None:
    """Decode the columns of one line, or give None when they are not text or not as many as there should be."""
    texts = decoded(fields, where, problems)
    if texts is not None and len(texts) != count:
        many = len(texts) > count and sum(map(len, fields)) > _LONG_LINE
        message = f"expected {expected}, found {f'more than {count}' if many else len(texts)}{aside}"
        if aside and not problems.lenient:  # the wrong kind of file: skipping all of its lines is no remedy
            raise InputError(f"{where}: {message}")
        problems.meet(where, message, "lines with the wrong number of columns skipped")
        return None
    return texts


def decoded(fields: list[bytes], where: str, problems: Problems) -> list[str] | None:
    """Decode the columns of one line, or give None when they are not text."""
    if any(b"\0" in field for field in fields):
        problems.meet(where, "a NUL byte; the file may be damaged", "lines with NUL bytes skipped")
        return None
    try:
        return [field.decode() for field in fields]
    except UnicodeDecodeError as error:
        message = f"invalid UTF-8 (byte 0x{error.object[error.start]:02x}); save the file as UTF-8"
        problems.meet(where, message, "lines that are not UTF-8 skipped")
        return None


def is_number(text: str, column: str, where: str, problems: Problems) -> bool:
    """Say whether *text* is a finite number; a text that is not is a problem of its line."""
    if number(text) is not None:
        return True
    message = f"the {column} must be a finite number, found {shown(text)}"
    problems.meet(where, message, f"lines whose {column} is not a finite number skipped")
    return False
