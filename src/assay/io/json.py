"""JSON and JSON Lines.

JSON is ``{topic: {document: value}}``, as ranx and pytrec_eval write it, or a list of records. In JSON Lines each line
is such an object or a record ``{"qid": "q1", "docno": "d1", "score": 2.5}`` whose keys are the column names of
:mod:`assay.io.frames`; the key ``run`` or ``tag`` tells several runs apart.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.errors import InputError
from assay.io import frames
from assay.io.checks import VALUE, check_rows, only
from assay.io.dicts import described, numbers, texts
from assay.io.problems import Problems
from assay.io.text import decoded, refuse_cr, without_bom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.io.checks import Kind
    from assay.io.source import Source
    from assay.io.table import RowTable

_LINES = (".jsonl", ".ndjson")
_BROKEN = object()
_LONGEST_INTEGER = 400  # digits: more than any double has, fewer than Python refuses to read


def matches(source: Source) -> bool:
    """Know JSON by its ending or by the bracket that it starts with."""
    start = source.data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return source.suffix in (".json", *_LINES) or start in (b"{", b"[")


def runs(source: Source, lenient: bool = False, rank: bool = True) -> list[RowTable]:
    """Read the runs of the file; the ranks of records are kept when *rank* is set."""
    problems = Problems(source.path, lenient)
    frame, where = _frame(source, "run", problems)
    return frames.split(frame if rank else frame.drop("rank", strict=False), where, problems, source.digest)


def qrels(source: Source, lenient: bool = False) -> RowTable:
    """Read the judgments of the file."""
    problems = Problems(source.path, lenient)
    frame, where = _frame(source, "qrels", problems)
    return check_rows(frame, "qrels", where, problems, digest=source.digest)


class Object(list[tuple[str, Any]]):
    """A JSON object as its pairs, because a ``dict`` would forget a key that comes twice."""

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self) + "}"


@dataclass
class _JsonRows:
    """Columns that grow object by object, and for each object its first row and where it stands."""

    kind: Kind
    columns: dict[str, list[Any]] = field(default_factory=lambda: {role: [] for role in ("topic", "doc", "value")})
    starts: list[int] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    nested: list[bool] = field(default_factory=list)
    known: dict[tuple[str, ...], dict[str, int] | str] = field(default_factory=dict)

    def where(self, row: int) -> str:
        """Name the line or record of a row, and in nested objects topic and document too."""
        number = bisect_right(self.starts, row) - 1
        topic, doc = self.columns["topic"][row], self.columns["doc"][row]
        return self.places[number] + (f", topic {topic!r}, document {doc!r}" if self.nested[number] else "")

    def add(self, item: object, place: str, problems: Problems) -> None:
        """Take one object over, or report what is wrong with it."""
        if not isinstance(item, Object):
            shape = f"{{topic: {self._ranking}}} or a record with topic, document and {VALUE[self.kind]}"
            problems.meet(place, f"expected {shape}, found {described(item)}", "records of another shape skipped")
            return
        nested = [isinstance(value, Object) for _, value in item]
        found = {} if all(nested) else self._roles(item)
        if isinstance(found, dict) and found:
            self._add_record(item, found, place)
        elif any(nested) or not found:
            self._add_rankings(item, place, problems)
        else:
            problems.meet(place, str(found), "records of another shape skipped")

    @property
    def _ranking(self) -> str:
        return f"{{document: {VALUE[self.kind]}}}"

    def _roles(self, item: Object) -> dict[str, int] | str:
        """Find the columns of a record; or what it lacks; or nothing when no key is the name of a column."""
        keys = tuple(key for key, _ in item)
        if keys not in self.known:
            roles = frames.roles(keys, self.kind)
            self.known[keys] = frames.lacks(keys, self.kind) or roles if roles else ""
        return self.known[keys]

    def _begin(self, place: str, nested: bool) -> None:
        self.starts.append(len(self.columns["topic"]))
        self.places.append(place)
        self.nested.append(nested)

    def _add_rankings(self, item: Object, place: str, problems: Problems) -> None:
        self._begin(place, nested=True)
        for topic, ranking in item:
            if isinstance(ranking, Object):
                self.columns["topic"].extend([topic] * len(ranking))
                self.columns["doc"].extend([doc for doc, _ in ranking])
                self.columns["value"].extend([value for _, value in ranking])
            else:
                message = f"expected {self._ranking}, found {described(ranking)}"
                problems.meet(f"{place}, topic {topic!r}", message, "topics of another shape skipped")

    def _add_record(self, item: Object, roles: dict[str, int], place: str) -> None:
        self._begin(place, nested=False)
        row = len(self.columns["topic"])
        for role, index in roles.items():
            column = self.columns.setdefault(role, [])
            if len(column) < row:  # earlier ones did not have it
                column.extend([None] * (row - len(column)))
            column.append(item[index][1])


def _frame(source: Source, kind: Kind, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], str]]:
    rows = _JsonRows(kind)
    for item, place in _items(source, problems):
        rows.add(item, place, problems)
    columns, where = rows.columns, rows.where
    value, keep = numbers(columns["value"], kind, where, problems)
    frame = pl.DataFrame(
        {
            "topic": texts(columns["topic"], "topic", where),
            "doc": texts(columns["doc"], "document", where),
            "value": value,
        }
    )
    for role in columns.keys() & {"rank", "run"}:
        loose = columns[role] + [None] * (len(frame) - len(columns[role]))
        frame = frame.with_columns(texts(_scalars(loose, role, where), role, where).alias(role))
    return only(frame, where, keep)


def _scalars(values: list[Any], role: str, where: Callable[[int], str]) -> list[str | None]:
    """Texts of names and ranks, which may be numbers; an object, a list or a truth value is neither."""
    for row, value in enumerate(values):
        if isinstance(value, list | bool):
            what = "name of the run" if role == "run" else role
            raise InputError(f"{where(row)}: the {what} must be text or a number, found {described(value)}")
    return [value if value is None else str(value) for value in values]


def _items(source: Source, problems: Problems) -> Iterator[tuple[object, str]]:
    """Give the objects of the file and where each stands."""
    data = without_bom(source.data, source.path)
    if not data.strip():
        raise InputError(f"{source.path}: the file is empty")
    if source.suffix in _LINES or _is_lines(data):
        yield from _lines(data, source.path, problems)
        return
    document = _parsed(_text(data, source.path), source.path, Problems(source.path))
    if isinstance(document, list) and not isinstance(document, Object):
        yield from ((record, f"{source.path}, record {number}") for number, record in enumerate(document, 1))
    else:
        yield document, source.path


def _is_lines(data: bytes) -> bool:
    """Tell JSON Lines from JSON: the first line is complete by itself and others follow."""
    first, _, rest = data.lstrip().partition(b"\n")
    if not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _lines(data: bytes, path: str, problems: Problems) -> Iterator[tuple[object, str]]:
    refuse_cr(data, path)
    for number, line in enumerate(data.split(b"\n"), 1):
        place = f"{path}:{number}"
        if not line.strip():
            continue
        text = decoded([line], place, problems)
        if text is not None:
            item = _parsed(text[0], path, problems, number)
            if item is not _BROKEN:
                yield item, place


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x}"
        raise InputError(f"{path}:{line}: invalid UTF-8 ({byte}); save the file as UTF-8") from None


def _parsed(text: str, path: str, problems: Problems, line: int = 0) -> object:
    """Parse JSON without losing keys that come twice; NaN and Infinity are left to the check for finite values."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"{path}:{line or error.lineno}"
        problems.meet(place, f"not JSON ({error.msg}, column {error.colno})", "lines that are not JSON skipped")
    except RecursionError:
        problems.meet(f"{path}:{line or 1}", "nested too deeply", "lines that are not JSON skipped")
    return _BROKEN


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < _LONGEST_INTEGER else float(digits)


# Made once, because one for each line would take longer than the line.
_DECODER = json.JSONDecoder(object_pairs_hook=Object, parse_constant=float, parse_int=_integer)
