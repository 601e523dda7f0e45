"""Text with a header and delimiters: CSV and TSV.

The delimiter is a tab, a comma or a semicolon; the first lines show which. Cells may be quoted as in RFC 4180, except
in tab-separated text: there, a cell with a quotation mark at both ends is unquoted, and any other quotation mark is an
ordinary character. Cells are text; an empty cell is missing. Blank lines are skipped.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import polars as pl

from assay.errors import InputError
from assay.io.lookalikes import describe_line
from assay.io.numbers import parse_number
from assay.io.problems import Place, Problems, format_value
from assay.io.text import BOM, decode_fields, refuse_cr, refuse_empty, strip_bom

_SAMPLE = 65_536  # bytes that show the delimiter
_SAMPLE_RECORDS = 20
TAB = "\t"
_DELIMITERS = {TAB: "tab-separated", ",": "comma-separated", ";": "semicolon-separated"}
_QUOTED = r'^"(?:[^"]|"")*"$'


@dataclass(frozen=True)
class Header:
    """The columns of a file: their names, and the delimiter."""

    names: tuple[str, ...]
    delimiter: str

    def __str__(self) -> str:
        kind = f"{_DELIMITERS[self.delimiter]} " if len(self.names) > 1 else ""
        names = ", ".join(format_value(name, 30)[1:-1] for name in self.names[:12])
        return f"{len(self.names)} {kind}columns ({names}{', …' * (len(self.names) > 12)})"


def find_header(data: bytes) -> Header:
    """Return the columns and the delimiter of a file; *data* may be only its beginning."""
    sample = data.removeprefix(BOM)[:_SAMPLE].decode(errors="replace")
    lines = re.split(r"\r?\n", sample)
    lines = lines[:-1] if len(data) > _SAMPLE and len(lines) > 1 else lines
    best = Header(("",), TAB)
    for delimiter in _DELIMITERS:
        records = _sample_records(lines, delimiter)
        header = Header(_name_columns(records[0] if records else []), delimiter)
        if len(header.names) > 1 and len({len(record) for record in records}) == 1:
            return header
        if len(header.names) > len(best.names) or best.names == ("",):
            best = header
    return best


def _sample_records(lines: list[str], delimiter: str) -> list[list[str]]:
    """Return the first records of the sample; the last is left out if it may be incomplete."""
    records: list[list[str]] = []
    try:
        for record in _parse_records(iter(lines), delimiter):
            if not _is_empty(record):
                records.append(record)
            if len(records) == _SAMPLE_RECORDS:
                break
    except csv.Error:
        pass  # for example, a quoted cell that ends after the sample
    return records


def _parse_records(lines: Iterator[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the cells of each record, also of blank lines."""
    if delimiter == TAB:
        return (_unquote_cells(line.rstrip("\r\n").split(TAB)) for line in lines)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _is_empty(record: list[str]) -> bool:
    """Return True for a blank line, and for a line of delimiters, which spreadsheets write after the last row."""
    return not any(record) or (len(record) == 1 and not record[0].strip())


def _unquote_cells(cells: list[str]) -> list[str]:
    return [
        cell[1:-1].replace('""', '"') if cell.startswith('"') and re.match(_QUOTED, cell) else cell for cell in cells
    ]


def _name_columns(cells: list[str]) -> tuple[str, ...]:
    """Return the names of the columns; a column without a name, such as the index of pandas, gets its number."""
    return tuple(cell.strip() or f"column {number}" for number, cell in enumerate(cells, 1))


def has_header(data: bytes, min_columns: int) -> bool:
    """Return True if the first line of a file names at least *min_columns* columns; *data* may be its beginning.

    The first line of TREC text is recognized by its numbers.
    """
    first = data[:_SAMPLE].removeprefix(BOM).lstrip(b"\r\n").partition(b"\n")[0]
    is_delimited = any(delimiter.encode() in first for delimiter in _DELIMITERS)
    words = first.split()
    if not is_delimited or first.lstrip().startswith(b"#") or _is_number(words[-2:]) or describe_line(words, "run"):
        return False
    header = find_header(data)
    has_numbers = header.delimiter == TAB and any(parse_number(name) is not None for name in header.names)
    return len(header.names) >= min_columns and not has_numbers


def _is_number(words: list[bytes]) -> bool:
    """Return True if one of the words is a number."""
    return any(parse_number(word.decode(errors="replace")) is not None for word in words)


def parse(
    data: bytes, problems: Problems, columns: Sequence[int] | None = None
) -> tuple[pl.DataFrame, Callable[[int], Place]]:
    """Return the rows of a file, all as text, and a function that maps a row number (from 0) to ``file:line``.

    *columns* are the indices of the columns that are needed; others may be missing from the frame.
    """
    source = problems.source
    data = strip_bom(data, source)
    refuse_empty(data, source)
    refuse_cr(data, source)
    header = find_header(data)
    for name in header.names:
        if header.names.count(name) > 1:
            raise InputError(f"{source}:1: two columns are named {format_value(name)}; rename one of them")
    frame = _parse_fast(data, header, columns)
    if frame is None:
        return _parse_carefully(data, header, problems)

    @cache  # line numbers are only computed if a message needs one
    def lines() -> list[int]:
        return [line for _, line in _read_records(data, header, Problems(source))]

    return frame, lambda row: Place.at(f"{source}:{lines()[row]}", lines()[row])


def _parse_fast(data: bytes, header: Header, columns: Sequence[int] | None = None) -> pl.DataFrame | None:
    """Return the rows of clean text; None if a line is unusual."""
    first, _, body = data.partition(b"\n")
    delimiter, width = header.delimiter.encode(), len(header.names)
    body = body.replace(b"\r\n", b"\n")
    quoted = delimiter != b"\t" and b'"' in body
    unusual = b"\0" in data or b"\r" in body or b"\n\n" in body or body.startswith((BOM, b"\n"))
    if unusual or not body or width == 1 or not first.strip() or first.count(b'"') % 2:
        return None
    # Inside an unquoted cell, the csv module and polars treat quotation marks differently.
    if quoted and re.search(rb'[^"\n' + delimiter + rb']"[^"\n' + delimiter + rb"]", body):
        return None
    # If polars does not read all columns, it ignores columns after the last, which are found by counting delimiters.
    # The last column is always read: a line with too few columns has a missing value there.
    selected = None if columns is None or quoted else sorted({*columns, width - 1})
    try:
        frame = pl.read_csv(
            body,
            columns=selected,
            separator=header.delimiter,
            has_header=False,
            schema=_schema(header),
            quote_char='"' if quoted else None,
        )
    except (pl.exceptions.PolarsError, ValueError):
        return None
    # An empty last cell is missing, too, so that delimiters must be counted; they may also occur in quoted cells.
    counts = selected is not None or bool(frame[:, -1].null_count())
    if counts and (quoted or body.count(delimiter) != len(frame) * (width - 1)):
        return None
    if header.delimiter == TAB and b'"' in body:
        unquoted = pl.all().str.slice(1, pl.all().str.len_chars() - 2).str.replace_all('""', '"', literal=True)
        frame = frame.with_columns(pl.when(pl.all().str.contains(_QUOTED)).then(unquoted).otherwise(pl.all()))
    frame = _drop_empty(frame) if b'""' in body else frame
    return None if frame.select(pl.all_horizontal(pl.all().is_null()).any()).item() else frame


def _read_records(data: bytes, header: Header, problems: Problems) -> Iterator[tuple[list[str], int]]:
    """Yield the cells of each record after the header, and the line on which it begins; skip empty records."""
    lines = (line.decode(errors="surrogateescape") + "\n" for line in data.split(b"\n"))
    number = 0

    def count_lines() -> Iterator[str]:
        nonlocal number
        for line in lines:
            number += 1
            yield line

    records = _parse_records(count_lines(), header.delimiter)
    is_header = True
    while True:
        start = number + 1
        try:
            record = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            place = Place.at(f"{problems.source}:{start}", start)
            if "end of data" in str(error):
                message = "a quoted cell is not closed; close it, and double the quotation marks inside cells"
                raise InputError(f"{place}: {message}") from None
            problems.report(place, f"not valid CSV ({error}); quote the cell", "skipped lines that are not valid CSV")
            continue
        if _is_empty(record):
            continue
        if not is_header:
            yield record, start
        is_header = False


def _parse_carefully(data: bytes, header: Header, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], Place]]:
    """Parse record by record and report the line of each problem; records with problems are skipped."""
    rows: list[list[str]] = []
    lines: list[int] = []
    for record, line in _read_records(data, header, problems):
        place = Place.at(f"{problems.source}:{line}", line)
        cells = decode_fields([cell.encode(errors="surrogateescape") for cell in record], place, problems)
        if cells is None:
            continue
        if len(cells) != len(header.names):
            remedy = "; quote cells that contain the delimiter" if len(cells) > len(header.names) else ""
            message = f"expected {header}, found {len(cells)}{remedy if header.delimiter != TAB else ''}"
            problems.report(place, message, "skipped lines with the wrong number of columns")
            continue
        rows.append(cells)
        lines.append(line)
    columns = zip(*rows, strict=True) if rows else [()] * len(header.names)
    frame = pl.DataFrame(dict(zip(header.names, map(list, columns), strict=True)), schema=_schema(header))
    return _drop_empty(frame), lambda row: Place.at(f"{problems.source}:{lines[row]}", lines[row])


def _schema(header: Header) -> dict[str, type[pl.String]]:
    return dict.fromkeys(header.names, pl.String)


def _drop_empty(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with missing values instead of empty cells."""
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all()))
