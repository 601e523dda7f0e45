"""File to which judgments are appended one by one, such that none is lost or written twice."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.errors import InputError
from assay.io.numbers import parse_number
from assay.io.paths import file_errors
from assay.io.problems import format_value, shorten
from assay.io.writing import sync_directory, sync_handle

UNSURE = "?"


def parse_grade(text: str) -> float | None:
    """Return a grade of at least 0, or None."""
    grade = parse_number(text)
    return grade if grade is not None and grade >= 0 else None


def check_id(name: str, text: str) -> None:
    """Raise an error if an id contains whitespace, which separates the columns of qrels."""
    if len(text.encode().split()) != 1:
        raise InputError(f"{name} {format_value(text)}: contains whitespace, which TREC qrels do not allow")


class JudgmentFile:
    """A file in qrels format to which one program appends.

    Each judgment is a line that is written with one call and reaches the disk before :meth:`append` returns. The file
    is locked, so that two programs cannot append to it. If the last line has no line break, because the writer was
    killed or a disk was full, it is completed if it is a whole judgment and removed otherwise.

    Attributes
    ----------
    path
        The path of the file; it is created if it does not exist.
    grades
        The text of the grade of each pair of a topic and a document.
    lines
        The line of each pair.
    notes
        Notes on the last line.
    """

    def __init__(self, path: str, is_grade: Callable[[str], bool] = lambda text: parse_grade(text) is not None) -> None:
        self.path = path
        self.grades: dict[tuple[str, str], str] = {}
        self.lines: dict[tuple[str, str], int] = {}
        self.notes: list[str] = []
        self._is_grade = is_grade
        self._appended: list[tuple[tuple[str, str], int]] = []  # pairs appended by this object, and their offsets
        with file_errors(path, "cannot be written"):
            existed = os.path.exists(path)
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        try:
            if not stat.S_ISREG(os.fstat(self._handle).st_mode):
                raise InputError(f"{path}: is not a file; name a file for the judgments")
            self._lock()
            with file_errors(path, "cannot be read"):
                self._size = self._read(Path(path).read_bytes())
                if not existed:
                    sync_directory(Path(path).resolve().parent)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file, which releases its lock."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def remove_if_empty(self) -> None:
        """Close the file, and delete it if it is empty."""
        if self._handle >= 0 and not self._size:
            with suppress(OSError):
                os.unlink(self.path)
        self.close()

    def _lock(self) -> None:
        """Lock the file until it is closed; the system releases the lock if the process is killed."""
        try:
            import fcntl
        except ImportError:  # Windows has no locks of this kind.
            return
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{self.path}: another program appends judgments to it; stop that program first") from None
        except OSError:  # Some network file systems have no locks.
            self.notes.append(f"{self.path}: cannot be locked; do not append to it with another program")

    def _read(self, data: bytes) -> int:
        """Read the judgments, repair the last line, and return the size of the file."""
        complete, separator, rest = data.rpartition(b"\n")
        size = len(complete) + len(separator)
        for number, line in enumerate(complete.split(b"\n") if separator else (), 1):
            if line.strip():
                self._add(line, number)
        if not rest:
            return size
        number = complete.count(b"\n") + 2 if separator else 1
        if self._parse(rest) is None:
            os.ftruncate(self._handle, size)
            sync_handle(self._handle)
            self.notes.append(f"{self.path}:{number}: removed the incomplete last line {_show(rest)}")
            return size
        self._add(rest, number)
        self._size = len(data)
        self._write(b"\n")
        self.notes.append(f"{self.path}:{number}: completed the last line {_show(rest)}, which had no line break")
        return len(data) + 1

    def _parse(self, line: bytes) -> tuple[tuple[str, str], str] | None:
        """Return the pair and the grade of a line; None if it is no judgment."""
        try:
            columns = [column.decode() for column in line.split()]
        except UnicodeDecodeError:
            return None
        if len(columns) != 4 or not self._is_grade(columns[3]):
            return None
        return (columns[0], columns[2]), columns[3]

    def _add(self, line: bytes, number: int) -> None:
        judgment = self._parse(line)
        if judgment is None:
            raise InputError(
                f"{self.path}:{number}: expected a judgment (topic 0 doc grade), found {_show(line)}; correct this line"
            )
        pair, grade = judgment
        if pair in self.grades:
            raise InputError(
                f"{self.path}:{number}: document {pair[1]} of topic {pair[0]} was already judged in line "
                f"{self.lines[pair]}; remove one of the lines"
            )
        self.grades[pair], self.lines[pair] = grade, number

    # Writing ----------------------------------------------------------------------------------------------------

    def append(self, topic: str, doc: str, grade: str) -> None:
        """Append a judgment; when this returns, the judgment is on the disk."""
        pair = (topic, doc)
        if pair in self.grades:
            raise InputError(f"document {doc} of topic {topic} is already judged")
        check_id("topic", topic)
        check_id("doc", doc)
        with self._changing():
            start = self._size
            self._write(f"{topic} 0 {doc} {grade}\n".encode())
        self.grades[pair], self._size = grade, os.fstat(self._handle).st_size
        self._appended.append((pair, start))

    def remove_last(self) -> tuple[str, str]:
        """Remove the judgment that this object appended last, and return its pair."""
        pair, start = self._appended[-1]
        with self._changing():
            os.ftruncate(self._handle, start)
            sync_handle(self._handle)
        self._appended.pop()
        self._size = start
        del self.grades[pair]
        return pair

    def _write(self, data: bytes) -> None:
        """Write *data* at the end; after an error, remove what was written of it."""
        try:
            written = os.write(self._handle, data)
            if written < len(data):
                raise OSError("the disk is full")
            sync_handle(self._handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Check that no other program has changed the file, and convert errors of the system."""
        with file_errors(self.path, "cannot be written"):
            own = os.fstat(self._handle)
            try:
                current = os.stat(self.path)
            except FileNotFoundError:
                current = None
            if current is None or not os.path.samestat(own, current) or own.st_size != self._size:
                raise InputError(f"{self.path}: was changed by another program; stop, check the file and start again")
            yield


def _show(line: bytes) -> str:
    return format_value(shorten(line.decode(errors="replace"), 60))
