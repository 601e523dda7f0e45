"""Random access to the records of a large text file by id."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

import numpy as np

from assay.errors import InputError
from assay.io.paths import file_errors
from assay.io.problems import Place, Problems, shorten
from assay.io.source import Source
from assay.io.spill import Directory, SpillFile
from assay.io.stream import ByteStream
from assay.io.text import BOM
from assay.io.texts.fields import Document, RecordError
from assay.io.texts.layouts import RecordLayout, Records, find_stops
from assay.io.texts.record_index import MAX_OFFSET, RecordIndex, hash_ids, hash_slices
from assay.memory import format_size

_READ = 1 << 16  # bytes of the first attempt to read a record
SPILL_LIMIT = 16 << 20
"""Bytes of decompressed files that stay in memory; more are written to a temporary file."""
_MAX_RECORD = 64 << 20
_PADDING = 64  # bytes after a block, so that ids can be searched in windows of fixed width
_NEWLINE = ord("\n")
_SKIPPED = "skipped records without a readable id"
_UNREADABLE = "omitted records that cannot be read"


Progress = Callable[[int, int], None]


def _is_utf8(data: np.ndarray) -> bool:
    try:
        str(data.data, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


class ByteStore(Protocol):
    """Bytes that are scanned once and then read at any offset."""

    def blocks(self, size: int) -> Iterator[bytes]:
        """Yield all bytes in blocks of about *size* bytes."""

    def read(self, offset: int, size: int) -> bytes:
        """Return at most *size* bytes from an offset."""


class PlainFile:
    """An uncompressed file. It must not change after it was scanned.

    *progress* is called with the number of bytes scanned and their total.
    """

    def __init__(self, path: str, progress: Progress | None = None) -> None:
        self._path = path
        self._progress = progress
        self._state = self._stat()

    def _stat(self) -> tuple[int, int]:
        with file_errors(self._path):
            status = os.stat(self._path)
        return status.st_size, status.st_mtime_ns

    def blocks(self, size: int) -> Iterator[bytes]:
        """Yield all bytes in blocks of *size* bytes."""
        self._state = self._stat()
        with file_errors(self._path), open(self._path, "rb", buffering=0) as file:
            while block := file.read(size):
                if self._progress is not None:
                    self._progress(file.tell(), self._state[0])
                yield block

    def read(self, offset: int, size: int) -> bytes:
        """Return at most *size* bytes from an offset."""
        if self._stat() != self._state:
            raise InputError(f"{self._path}: changed since it was read; read the campaign again")
        with file_errors(self._path), open(self._path, "rb", buffering=0) as file:
            file.seek(offset)
            return file.read(size)


class UnpackedFile:
    """A compressed file or a pipe, which is copied once to a temporary file.

    Several files share the temporary file *copy*, so they must not be scanned at the same time.
    """

    def __init__(
        self,
        stream: ByteStream | Source,
        copy: SpillFile,
        temporary: Directory = None,
        progress: Progress | None = None,
    ) -> None:
        self._stream = stream
        self._progress = progress
        self._copy = copy
        self._directory = temporary or tempfile.gettempdir()
        self._range: tuple[int, int] | None = None

    def blocks(self, size: int) -> Iterator[bytes]:
        """Decompress the file, and yield its blocks; later calls read the copy."""
        if self._range is not None:
            start, end = self._range
            yield from (self._copy.read(at, min(size, end - at)) for at in range(start, end, size))
            return
        begin, limit = self._copy.size, self._copy.size + shutil.disk_usage(self._directory).free // 2
        for block in self._stream.blocks(self._count_bytes()):
            self._copy.append(block)
            if self._copy.size > max(limit, SPILL_LIMIT):
                raise InputError(
                    f"{self._stream.path}: its text takes more than half of the free space of {self._directory}; "
                    "decompress the file, or set TMPDIR to a directory with more space"
                )
            yield block
        self._range = begin, self._copy.size

    def _count_bytes(self) -> Callable[[int], None]:
        """Return a function that reports progress; its argument is a number of bytes read from disk."""
        done = 0

        def report(size: int) -> None:
            nonlocal done
            done += size
            if self._progress is not None:
                self._progress(done, self._stream.size)

        return report

    def read(self, offset: int, size: int) -> bytes:
        """Return at most *size* bytes from an offset in the decompressed text."""
        start, end = self._range or (0, 0)
        return self._copy.read(start + offset, max(0, min(size, end - start - offset)))


class TextFile:
    """Records of a file by id; the file is scanned when the first record is requested.

    *name* is the name of the file in messages. If an id occurs several times, the first record counts.
    """

    def __init__(self, name: str, store: ByteStore, layout: RecordLayout, lenient: bool = False) -> None:
        self.name = name
        self._store = store
        self._layout = layout
        self._lenient = lenient
        self._problems = Problems(name, lenient)
        self._index: RecordIndex | None = None
        self._repeated: set[str] = set()
        self._invalid: set[int] = set()
        self._unreadable: set[int] = set()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on skipped records, and on repeated ids and invalid UTF-8 among the requested records."""
        notes = list(self._problems.notes())
        if self._repeated:
            example = shorten(min(self._repeated), 40)
            number = len(self._repeated)
            notes.append(f"{self.name}: ids that occur repeatedly: {number} (such as {example}); the first text counts")
        if self._invalid:
            notes.append(f"{self.name}: texts that are not UTF-8: {len(self._invalid)}; \ufffd replaces invalid bytes")
        return tuple(notes)

    def count(self) -> int:
        """Return the number of records."""
        return self._require_index().size

    def ids(self) -> Iterator[str]:
        """Yield the ids of all records in the order of the file."""
        self._require_index()
        for _, buffer, records in self._scan():
            for start, end in zip(records.start.tolist(), records.end.tolist(), strict=True):
                with suppress(RecordError):
                    name = self._layout.read_id(buffer[start:end].tobytes().decode(errors="replace"))
                    if name is not None:
                        yield name

    def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents with these ids; ids that the file lacks are omitted."""
        documents: dict[str, Document] = {}
        rows, positions = self._require_index().find(hash_ids([name.encode(errors="replace") for name in ids]))
        for row, position in zip(rows.tolist(), positions.tolist(), strict=True):
            requested = ids[row]
            if requested in self._repeated and requested in documents:
                continue
            name, document = self._read_record(position)
            if name != requested or document is None:
                continue
            if requested in documents:
                self._repeated.add(requested)
            documents.setdefault(requested, document)
        return documents

    def _read_record(self, position: int) -> tuple[str, Document | None]:
        """Return the id and the document at a position; without a document if it cannot be read."""
        size = _READ
        data = self._store.read(position, size)
        while (end := self._layout.find_end(data)) < 0 and len(data) == size:
            size *= 4
            data = self._store.read(position, size)
        record = data if end < 0 else data[:end]
        try:
            text = record.decode()
        except UnicodeDecodeError:
            self._invalid.add(position)
            text = record.decode(errors="replace")
        try:
            return self._layout.read(text)
        except RecordError as error:
            if not self._lenient or position not in self._unreadable:
                self._problems.report(self._place(self._count_lines(position)), str(error), _UNREADABLE)
            self._unreadable.add(position)
            return "", None

    def _count_lines(self, position: int) -> int:
        """Return the number of line breaks before a position."""
        size = MAX_OFFSET
        return sum(
            self._store.read(start, min(size, position - start)).count(b"\n") for start in range(0, position, size)
        )

    def _place(self, preceding_lines: int) -> Place:
        return Place.at(f"{self.name}:{preceding_lines + 1}", preceding_lines + 1)

    # Index ------------------------------------------------------------------------------------------------------

    def _require_index(self) -> RecordIndex:
        """Return the index; the first call scans the file."""
        if self._index is None:
            self._problems = Problems(self.name, self._lenient)
            index, lines = RecordIndex(), 0
            for base, buffer, records in self._scan():
                self._add(index, base, buffer, records, lines)
                lines += int(np.count_nonzero(buffer[: records.size] == _NEWLINE))
            if not index.size:
                self._problems.refuse_empty("records")
            self._index = index
        return self._index

    def _add(self, index: RecordIndex, base: int, buffer: np.ndarray, records: Records, lines: int) -> None:
        """Add the records of a buffer to the index; *lines* lines precede the buffer."""
        prefix = len(self._layout.prefix)
        is_ordinary = self._layout.is_ordinary(buffer, records.start, records.end)
        id_start = records.start[is_ordinary] + prefix
        id_end = find_stops(buffer, id_start, self._layout.stops)
        is_found = id_end > id_start
        if not _is_utf8(buffer[: records.size]):
            # The keys of other ids would differ from those of their texts, in which \ufffd replaces invalid bytes.
            ends = zip(id_start.tolist(), id_end.tolist(), strict=True)
            is_found &= np.array([_is_utf8(buffer[start:end]) for start, end in ends], dtype=bool)
        id_start, id_end = id_start[is_found], id_end[is_found]
        is_ordinary[is_ordinary] = is_found
        ids, offsets = self._read_ids(buffer, records, ~is_ordinary, lines)
        keys = np.concatenate([hash_slices(buffer, id_start, id_end), hash_ids(ids)])
        if len(keys):
            index.add(base, keys, np.concatenate([id_start - prefix, offsets]))

    def _read_ids(
        self, buffer: np.ndarray, records: Records, mask: np.ndarray, lines: int
    ) -> tuple[list[bytes], np.ndarray]:
        """Return the ids and offsets of the records of a mask, parsed one by one; skip blank records."""
        ids: list[bytes] = []
        offsets: list[int] = []
        newlines: np.ndarray | None = None
        for start, end in zip(records.start[mask].tolist(), records.end[mask].tolist(), strict=True):
            try:
                name = self._layout.read_id(buffer[start:end].tobytes().decode(errors="replace"))
            except RecordError as error:
                newlines = np.flatnonzero(buffer == _NEWLINE) if newlines is None else newlines
                place = self._place(lines + int(np.searchsorted(newlines, start)))
                self._problems.report(place, str(error), _SKIPPED)
                continue
            if name is not None:
                ids.append(name.encode(errors="replace"))
                offsets.append(start)
        return ids, np.array(offsets, dtype=np.int64)

    def _scan(self) -> Iterator[tuple[int, np.ndarray, Records]]:
        """Yield the position of each buffer, its bytes with padding, and its complete records."""
        base, rest, is_final = 0, b"", False
        has_header = self._layout.has_header
        blocks = self._store.blocks(MAX_OFFSET * 7 // 8)
        while not is_final or rest:
            if not is_final:
                block = next(blocks, None)
                is_final, rest = block is None, rest + (block or b"")
                if base == 0 and rest.startswith(BOM):
                    base, rest = len(BOM), rest[len(BOM) :]
            buffer = np.frombuffer(b"".join((rest, bytes(_PADDING))), dtype=np.uint8)
            records = self._layout.split(buffer[:-_PADDING], final=is_final).before(MAX_OFFSET)
            if records.size:
                yield base, buffer, records.drop_header(buffer) if has_header else records
                has_header = has_header and not buffer[: records.size].tobytes().strip()
                base, rest = base + records.size, rest[records.size :]
            if len(rest) > _MAX_RECORD:
                raise InputError(
                    f"{self.name}: a {self._layout.noun} takes more than {format_size(_MAX_RECORD)}; "
                    "check quotation marks and line breaks"
                )
