"""Parse text with columns separated by white space: a fast parser, and a careful one that reports line numbers.

The fast parser returns every row of clean text, or declines. The careful parser defines the format: it goes line by
line, reports the line of each problem, and runs only if the fast parser declines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError
from assay.io.lookalikes import describe_line
from assay.io.numbers import parse_number
from assay.io.problems import Place, format_value

if TYPE_CHECKING:
    import polars as pl

    from assay.io.checks import Kind
    from assay.io.problems import Problems

BOM = b"\xef\xbb\xbf"
_COMMENT = re.compile(rb"^#.*", re.MULTILINE)
_BLOCK = 1 << 18  # bytes that fit into the processor cache
_NEWLINE, _SPACE = 10, 32
_BLANKS = bytes.maketrans(b"\t\r\v\f", b"    ")
_CR = r"lines end in CR; end them in LF, for example with tr '\r' '\n' < old > new"
_LONG_LINE = 1 << 16  # bytes; longer lines are not split completely, because each column takes 50 bytes of memory


@dataclass(frozen=True)
class Layout:
    """The columns of a line, in order.

    *number* is the column that holds a number, and *keep* are the columns to return. With *allow_more*, further columns
    are allowed and ignored. *kind* is ``run`` or ``qrels`` if users may confuse the file with other files; the message
    on the first line then describes what the file looks like.
    """

    columns: tuple[str, ...]
    number: str
    keep: tuple[str, ...]
    allow_more: bool = False
    kind: Kind | None = None

    @property
    def names(self) -> list[str]:
        """The names of the returned columns; the column *number* is renamed to ``value``."""
        return ["value" if column == self.number else column for column in self.keep]

    def __str__(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


def strip_bom(data: bytes, source: str) -> bytes:
    """Return text without a UTF-8 byte order mark; refuse UTF-16 and binary files."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source}: is UTF-16 text; save it as UTF-8")
    head = data[:4096]
    controls = sum(head.count(bytes([code])) for code in range(32) if code not in (9, 10, 11, 12, 13))
    if controls > len(head) // 20:
        raise InputError(f"{source}: is a binary file, not text")
    return data.removeprefix(BOM)


def refuse_cr(text: bytes, source: str) -> None:
    """Refuse long text whose lines end in CR only, since all of it would be one line.

    *text* may be only the beginning of a file.
    """
    head = text[:_LONG_LINE]
    if len(head) == _LONG_LINE and b"\r" in head and b"\n" not in head:
        raise InputError(f"{source}: {_CR}")


def parse_fast(data: bytes, layout: Layout) -> pl.DataFrame | None:
    """Return every row of text without bad lines; None if it must be parsed carefully.

    White space may be irregular: it is normalized if the first attempt fails.
    """
    frame = _parse_clean(data, layout)
    if frame is None and b"\0" not in data:
        frame = _parse_clean(_normalize_space(data), layout)
    return frame


def _parse_clean(data: bytes, layout: Layout) -> pl.DataFrame | None:
    """Return every row of clean text (one kind of separator, no bad line); None if it is not clean."""
    import polars as pl

    separator = b"\t" if b"\t" in data[: data.find(b"\n") + 1 or len(data)] else b" "
    separators = _count_separators(data, separator)
    # Polars would silently drop a second byte order mark, which belongs to the first id.
    if separators is None or data.startswith(BOM):
        return None
    types = [pl.Float64 if column == layout.number else pl.String for column in layout.columns]
    names = [f"column_{i + 1}" for i in range(len(types))]
    selected = [layout.columns.index(column) for column in layout.keep]
    try:
        frame = pl.read_csv(
            data,
            separator=separator.decode(),
            has_header=False,
            schema=dict(zip(names, types, strict=True)),
            columns=selected,
            quote_char=None,
            comment_prefix="#" if b"#" in data else None,  # parsing is slower with a comment prefix
        )
    except (pl.exceptions.PolarsError, ValueError):
        return None
    frame.columns = layout.names
    # Selecting strings is ten times faster from one Arrow chunk than from several, and to_numpy copies several chunks.
    for name in ("doc", "value"):
        frame.replace_column(layout.names.index(name), frame[name].rechunk())
    complete = not any(frame.null_count().row(0)) and np.isfinite(frame["value"].to_numpy()).all()
    # Polars ignores everything after the last column that it reads. No line is too short, since its last column would
    # be null. Hence some line is too long if and only if there are more separators than expected.
    expected = len(frame) * (len(layout.columns) - 1)
    if separators != expected:
        separators -= sum(comment.count(separator) for comment in _COMMENT.findall(data))
    fits = separators >= expected if layout.allow_more else separators == expected
    return frame if complete and fits else None


def _count_separators(data: bytes, separator: bytes) -> int | None:
    """Count the separators; None if two are adjacent, or if other white space or a NUL byte occurs.

    Polars would not notice the empty column between two adjacent separators if that column is not returned. Numpy
    releases the interpreter lock. Scanning blocks that fit into the cache is several times faster than scanning the
    whole text.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    total = 0
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK + 1]  # one more byte, to see a pair across the boundary
        mask = block == separator[0]
        if (mask[1:] & mask[:-1]).any():
            return None
        block, mask = block[:_BLOCK], mask[:_BLOCK]
        count = int(np.count_nonzero(mask))
        # Bytes up to a space are control characters and white space: only separators and newlines are clean.
        if int(np.count_nonzero(block <= _SPACE)) != count + int(np.count_nonzero(block == _NEWLINE)):
            return None
        total += count
    return total


def _normalize_space(data: bytes) -> bytes:
    """Return the lines with single blanks between columns, and without blank lines or blanks at their ends."""
    data = data.translate(_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" \n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data


def parse_rows(
    data: bytes, layout: Layout, source: str, problems: Problems
) -> tuple[pl.DataFrame, Callable[[int], Place]]:
    """Return the rows of *data*, and a function that maps a row number (from 0) to its place (``file:line``)."""
    refuse_empty(data, source)
    refuse_cr(data, source)
    frame = parse_fast(data, layout)
    if frame is None:
        frame, lines = parse_carefully(data, layout, source, problems)
        return frame, locate_lines(source, lambda: lines)
    # Line numbers are only computed if a message needs one.
    return frame, locate_lines(source, lambda: line_numbers(data, len(frame)))


def refuse_empty(data: bytes, source: str) -> None:
    """Refuse text that is only white space."""
    if not data or data.isspace():
        raise InputError(f"{source}: the file is empty")


def locate_lines(source: str, lines: Callable[[], np.ndarray]) -> Callable[[int], Place]:
    """Return a function that maps a row number to ``file:line``; *lines* returns the line numbers of all rows."""

    def locate(row: int) -> Place:
        line = int(lines()[row])
        return Place.at(f"{source}:{line}", line)

    return locate


def count_lines(data: bytes) -> int:
    """Return the number of lines, including a last line without a line end."""
    ends = int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE))  # ten times faster than bytes.count
    return ends + (not data.endswith(b"\n"))


def line_numbers(data: bytes, rows: int) -> np.ndarray:
    """Return the line number of each of the *rows* rows of *data*; blank and comment lines have no row."""
    if b"#" not in data and count_lines(data) == rows:
        return np.arange(1, rows + 1)
    contents = (line.lstrip(b" \t\r\v\f")[:1] for line in data.split(b"\n"))
    return np.array([number for number, start in enumerate(contents, 1) if start not in (b"", b"#")], dtype=np.int64)


def parse_carefully(
    data: bytes, layout: Layout, source: str, problems: Problems, preceding_lines: int = 0
) -> tuple[pl.DataFrame, np.ndarray]:
    """Return the rows of *data* and the line number of each; *preceding_lines* lines of the file come before.

    Problems are reported with their line, and lines with problems are skipped.
    """
    import polars as pl

    parsed: list[Sequence[str]] = []
    numbers: list[int] = []
    for line_number, line in enumerate(data.split(b"\n"), preceding_lines + 1):
        fields = split_fields(line, len(layout.columns))
        if fields and not fields[0].startswith(b"#"):
            hint = f"; {_CR}" if b"\r" in line.strip() else ""
            place = Place.at(f"{source}:{line_number}", line_number)
            is_first = not parsed and not preceding_lines
            texts = _parse_line(fields, layout, place, problems, is_first=is_first, hint=hint)
            if texts is not None:
                parsed.append(texts)
                numbers.append(line_number)
    columns = dict(
        zip(layout.columns, zip(*parsed, strict=True) if parsed else [()] * len(layout.columns), strict=True)
    )
    frame = pl.DataFrame(
        {name: columns[column] for name, column in zip(layout.names, layout.keep, strict=True)},
        schema=dict.fromkeys(layout.names, pl.String),
    )
    values = np.array([float(text) for text in frame["value"]], dtype=np.float64)
    return frame.with_columns(pl.Series("value", values)), np.array(numbers, dtype=np.int64)


def split_fields(line: bytes, count: int) -> list[bytes]:
    """Split a line at white space; in a long line, everything after *count* columns is one further column."""
    return line.translate(_BLANKS).split(None, count if len(line) > _LONG_LINE else -1)


def _parse_line(
    fields: list[bytes], layout: Layout, place: str, problems: Problems, *, is_first: bool, hint: str
) -> list[str] | None:
    """Return the columns of one line as text; None if the line is skipped.

    *is_first* is True until a line has been accepted. Until then, the message may hint at another kind of file.
    """
    count = len(layout.columns)
    if is_first and layout.kind is not None and len(fields) != count:
        description = describe_line(fields, layout.kind)
        hint = f"; {description}" if description else hint
    texts = decode_columns(
        fields[:count] if layout.allow_more else fields, count, str(layout), place, problems, hint=hint
    )
    if texts is None:
        return None
    text = texts[layout.columns.index(layout.number)]
    return texts if check_number(text, layout.number, place, problems) else None


def decode_columns(
    fields: list[bytes], count: int, expected: str, place: str, problems: Problems, *, hint: str = ""
) -> list[str] | None:
    """Return the columns of one line as text; None if they are not text or their number is not *count*.

    *expected* describes the columns in the message.
    """
    texts = decode_fields(fields, place, problems)
    if texts is not None and len(texts) != count:
        is_cut = len(texts) > count and sum(map(len, fields)) > _LONG_LINE  # see split_fields
        message = f"expected {expected}, found {f'more than {count}' if is_cut else len(texts)}{hint}"
        if hint and not problems.lenient:  # the wrong kind of file: a lenient reader would skip all of its lines
            raise InputError(f"{place}: {message}")
        problems.report(place, message, "skipped lines with the wrong number of columns")
        return None
    return texts


def decode_fields(fields: list[bytes], place: str, problems: Problems) -> list[str] | None:
    """Return the columns of one line as text; None if they are not valid UTF-8 or contain NUL bytes."""
    if any(b"\0" in field for field in fields):
        problems.report(place, "a NUL byte; the file may be damaged", "skipped lines with NUL bytes")
        return None
    try:
        return [field.decode() for field in fields]
    except UnicodeDecodeError as error:
        message = f"invalid UTF-8 (byte 0x{error.object[error.start]:02x}); save the file as UTF-8"
        problems.report(place, message, "skipped lines that are not UTF-8")
        return None


def check_number(text: str, column: str, place: str, problems: Problems) -> bool:
    """Return True if *text* is a finite number; report a problem otherwise."""
    if parse_number(text) is not None:
        return True
    message = f"the {column} must be a finite number, found {format_value(text)}"
    problems.report(place, message, f"skipped lines whose {column} is not a finite number")
    return False
