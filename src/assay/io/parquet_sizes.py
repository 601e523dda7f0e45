"""Check the sizes that a Parquet file declares before polars allocates memory for them.

An allocation that fails ends the process, and polars allocates what a file declares. The sizes stand in the footer and
in the header of each page, written in Thrift's compact protocol:
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

from __future__ import annotations

import mmap
import os
from typing import Any

from assay.errors import InputError
from assay.io.compression import ALWAYS, EXPANSION
from assay.memory import shown

MAGIC = b"PAR1"
ROWS_ALWAYS = 1_000_000
"""Rows that every file may declare; more must come with a byte for every ``EXPANSION`` of them."""
_DEEPEST = 16  # levels of nesting; the metadata of Parquet has 7
_TRUE, _FALSE, _BYTE, _I16, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT, _UUID = 1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13

# Numbers of fields in the structures of the format.
_FILE_ROWS, _FILE_GROUPS = 3, 4
_GROUP_COLUMNS, _GROUP_ROWS = 1, 3
_CHUNK_META, _META_PATH, _META_VALUES, _META_SIZE, _META_DATA, _META_DICTIONARY = 3, 3, 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED, _PAGE_DATA, _PAGE_DICTIONARY, _PAGE_DATA_2 = 2, 3, 5, 7, 8

Data = bytes | mmap.mmap
Struct = dict[int, Any]


class _DamagedError(Exception):
    """A size that cannot be."""


def check_file(path: str) -> None:
    """Check a file on disk; see :func:`check_sizes`."""
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            check_sizes(b"", path)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            check_sizes(data, path)


def check_sizes(data: Data, path: str) -> None:
    """Refuse a file whose declared sizes contradict each other, exceed the file, or expand beyond the limit."""
    if not data:
        raise InputError(f"{path}: the file is empty")
    if data[:4] != MAGIC:
        raise InputError(f"{path}: is named Parquet but is not (it does not start with PAR1); rename it")
    if data[-4:] != MAGIC:
        raise InputError(f"{path}: the Parquet data is cut off (it does not end with PAR1)")
    try:
        rows, unpacked = _declared(data)
    except (_DamagedError, IndexError, TypeError, KeyError, AttributeError) as error:
        reason = str(error) if isinstance(error, _DamagedError) else "its metadata cannot be read"
        raise InputError(f"{path}: the Parquet data is damaged ({reason}); write it again") from None
    if unpacked > max(ALWAYS, EXPANSION * len(data)) or rows > max(ROWS_ALWAYS, EXPANSION * len(data)):
        raise InputError(
            f"{path}: expands from {shown(len(data))} to {shown(unpacked)} and {rows:,} rows, beyond the limit of "
            f"{EXPANSION} times its size (at least {shown(ALWAYS)}) or {EXPANSION} rows for each byte (at least "
            f"{ROWS_ALWAYS:,}); write it as plain text if it is what you expect"
        )


def _declared(data: Data) -> tuple[int, int]:
    """Return the number of rows and of decompressed bytes, each having been compared with what it is made of."""
    length = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - length
    _require(start >= len(MAGIC), f"the footer of {length:,} bytes is longer than the file")
    footer = _Thrift(data, start, len(data) - 8).struct()
    groups = footer.get(_FILE_GROUPS, [])
    rows = sum(group[_GROUP_ROWS] for group in groups)
    _require(
        footer[_FILE_ROWS] == rows and all(group[_GROUP_ROWS] >= 0 for group in groups),
        f"{footer[_FILE_ROWS]:,} rows are declared, its groups have {rows:,}",
    )
    chunks = [(chunk[_CHUNK_META], group[_GROUP_ROWS]) for group in groups for chunk in group[_GROUP_COLUMNS]]
    return rows, sum(_chunk(data, meta, rows, start) for meta, rows in chunks)


def _chunk(data: Data, meta: Struct, rows: int, footer: int) -> int:
    """Return the decompressed size of one column of a row group."""
    begin = meta.get(_META_DICTIONARY) or meta[_META_DATA]
    end = begin + meta[_META_SIZE]
    _require(len(MAGIC) <= begin <= end <= footer, "a column is outside of the file")
    nested = len(meta[_META_PATH]) > 1
    _require(nested or meta[_META_VALUES] == rows, f"{rows:,} rows have {meta[_META_VALUES]:,} values")
    size = values = 0
    while begin < end:
        reader = _Thrift(data, begin, end)
        page = reader.struct()
        begin = reader.at + page[_PAGE_PACKED]
        _require(reader.at <= begin <= end and page[_PAGE_UNPACKED] >= 0, "a page is larger than its column")
        dictionary = page.get(_PAGE_DICTIONARY)
        _require(
            dictionary is None or 0 <= dictionary[1] <= page[_PAGE_UNPACKED], "a dictionary has more values than bytes"
        )
        body = page.get(_PAGE_DATA) or page.get(_PAGE_DATA_2)
        values += body[1] if body is not None else 0
        size += page[_PAGE_UNPACKED]
        _require(body is None or (body[1] >= 0 and values <= meta[_META_VALUES]), "a page has too many values")
    _require(values == meta[_META_VALUES], f"{meta[_META_VALUES]:,} values are declared, pages have {values:,}")
    return size


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise _DamagedError(problem)


class _Thrift:
    """A reader of Thrift's compact protocol between two positions; *at* is the next byte."""

    def __init__(self, data: Data, at: int, end: int) -> None:
        self._data = data
        self._end = end
        self.at = at

    def struct(self, depth: int = 0) -> Struct:
        """Read a structure as its values by the numbers of their fields."""
        _require(depth < _DEEPEST, "its metadata is nested too deeply")
        fields: Struct = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._integer()
            fields[number] = self._value(kind & 15, depth)
        return fields

    def _byte(self) -> int:
        _require(self.at < self._end, "it ends too early")
        self.at += 1
        return self._data[self.at - 1]

    def _skip(self, size: int) -> None:
        _require(0 <= size <= self._end - self.at, "it ends too early")
        self.at += size

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise _DamagedError("a number is too long")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _value(self, kind: int, depth: int) -> Any:
        """Read a value; of texts and numbers with a fraction only the size matters."""
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if _I16 <= kind <= _I64:
            return self._integer()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            return self._list(depth + 1)
        _require(kind in (_BYTE, _DOUBLE, _BINARY, _UUID), "its metadata has an unknown type")
        self._skip(self._varint() if kind == _BINARY else {_BYTE: 1, _DOUBLE: 8, _UUID: 16}[kind])
        return None

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        kind = head & 15
        _require(depth < _DEEPEST and count <= self._end - self.at, "it ends too early")
        if kind in (_TRUE, _FALSE):  # in a list a boolean takes a byte
            self._skip(count)
            return [None] * count
        return [self._value(kind, depth) for _ in range(count)]
