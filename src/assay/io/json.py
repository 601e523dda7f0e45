"""JSON and JSON Lines.

JSON is ``{topic: {document: value}}``, as ranx and pytrec_eval write it, or a list of records. In JSON Lines, each line
is such an object or a record. A record is an object such as ``{"qid": "q1", "docno": "d1", "score": 2.5}``. Its keys
are the column names of :mod:`assay.io.columns`. If a file contains several runs, a key such as ``run`` or ``tag`` names
the run of each record.

A query record is an object such as ``{"query_id": "q1", "retrieved": ["d1", "d2"], "relevant": ["d2"]}``, as tools for
RAG (retrieval-augmented generation) write it. The order of the list is the ranking. A file of query records contains a
run and judgments.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.errors import InputError
from assay.io.checks import VALUE, select_rows
from assay.io.columns import FACETS, list_names
from assay.io.dicts import describe_value, to_number_column, to_text_column
from assay.io.lookalikes import describe_keys
from assay.io.problems import Problems
from assay.io.query_records import QueryRecord, QueryRecordError, parse_documents, parse_record
from assay.io.text import decode_fields, refuse_cr, strip_bom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.io.columns import ColumnNames
    from assay.io.source import Source

_LINES = (".jsonl", ".ndjson")
_INVALID = object()
# Maximum number of digits of an integer: more than a double can have, but below Python's limit of 4300 digits.
_MAX_INTEGER_DIGITS = 400


def matches(source: Source) -> bool:
    """Recognize JSON by its ending or its opening bracket."""
    start = source.data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return source.suffix in (".json", *_LINES) or start in (b"{", b"[")


def read_rows(source: Source, names: ColumnNames, problems: Problems) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the rows of the file, and a function that maps a row number to its line, record or document."""
    rows = _JsonRows(names)
    for item, place in parse_items(source, problems):
        rows.add(item, place, problems)
    columns, locate = rows.columns, rows.locate
    value, keep = to_number_column(columns["value"], names.kind, locate, problems)
    frame = pl.DataFrame(
        {
            "topic": to_text_column(columns["topic"], "topic", locate),
            "doc": to_text_column(columns["doc"], "document", locate),
            "value": value,
        }
    )
    for role in columns.keys() & {"rank", "run", *FACETS}:
        values = columns[role] + [None] * (len(frame) - len(columns[role]))
        if role == "groups":
            values = ["|".join(map(str, value)) if isinstance(value, list) else value for value in values]
        frame = frame.with_columns(to_text_column(_to_texts(values, role, locate), role, locate).alias(role))
    return select_rows(frame, locate, keep)


class Object(list[tuple[str, Any]]):
    """A JSON object as a list of pairs, because a ``dict`` would lose repeated keys."""

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self) + "}"


@dataclass
class _JsonRows:
    """Columns that grow object by object. For each object, its first row, its place and whether it is nested are kept.

    *known* caches the result of ``_find_roles`` for each set of keys. *queries* has the place of each query record.
    """

    names: ColumnNames
    columns: dict[str, list[Any]] = field(default_factory=lambda: {role: [] for role in ("topic", "doc", "value")})
    starts: list[int] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    nested: list[bool] = field(default_factory=list)
    known: dict[tuple[str, ...], dict[str, int] | str] = field(default_factory=dict)
    queries: dict[tuple[Any, str], str] = field(default_factory=dict)

    def locate(self, row: int) -> str:
        """Return the line or record of a row, with topic and document in nested objects."""
        number = bisect_right(self.starts, row) - 1
        topic, doc = self.columns["topic"][row], self.columns["doc"][row]
        return self.places[number] + (f", topic {topic!r}, document {doc!r}" if self.nested[number] else "")

    def add(self, item: object, place: str, problems: Problems) -> None:
        """Add the rows of one object, or report a problem."""
        if not isinstance(item, Object):
            message = f"expected {self._shape}, found {describe_value(item)}"
            problems.report(place, message, "skipped records of another shape")
            return
        nested = [isinstance(value, Object) for _, value in item]
        roles = {} if all(nested) else self._find_roles(item)
        if isinstance(roles, dict) and roles:
            self._add_record(item, roles, place)
        elif not all(nested) and self._add_query(item, place, problems):
            pass
        elif (relevant := self._find_llama_index(item)) is not None:
            self._add_rankings(relevant, place, problems)
        elif (message := self._describe_other(item, nested, str(roles))) and not all(nested):
            problems.report(place, message, "skipped records of another shape")
        else:
            self._add_rankings(item, place, problems)

    def _find_llama_index(self, item: Object) -> Object | None:
        """Return the judgments in a dataset of LlamaIndex: ``{"queries": …, "corpus": …, "relevant_docs": …}``."""
        values = dict(item)
        relevant = values.get("relevant_docs") if "queries" in values and self.names.kind == "qrels" else None
        return relevant if isinstance(relevant, Object) else None

    def _describe_other(self, item: Object, nested: list[bool], missing: str) -> str:
        """Return a message on an object that holds neither a record nor rankings; an empty text if it may."""
        keys = [key for key, _ in item]
        hint = describe_keys(keys)
        if hint and not missing:
            return f"expected {self._shape}, found an object with the keys {list_names(keys)}; {hint}"
        if any(nested) or all(isinstance(value, list) for _, value in item):
            return ""
        return missing or f"expected {self._shape}; {self.names.describe_missing(keys)}"

    @property
    def _shape(self) -> str:
        return f"{{topic: {self._ranking_shape}}} or a record with topic, document and {VALUE[self.names.kind]}"

    @property
    def _ranking_shape(self) -> str:
        return f"{{document: {VALUE[self.names.kind]}}}"

    def _find_roles(self, item: Object) -> dict[str, int] | str:
        """Return the columns of a record, a message if a required one is missing, or "" if no key names a column."""
        keys = tuple(key for key, _ in item)
        if keys not in self.known:
            roles = self.names.find_roles(keys)
            self.known[keys] = self.names.describe_missing(keys) or roles if roles else ""
        return self.known[keys]

    def _start_object(self, place: str, nested: bool) -> None:
        self.starts.append(len(self.columns["topic"]))
        self.places.append(place)
        self.nested.append(nested)

    def _add_rankings(self, item: Object, place: str, problems: Problems) -> None:
        """Add the rows of an object ``{topic: {document: value}}``."""
        self._start_object(place, nested=True)
        for topic, ranking in item:
            if isinstance(ranking, Object):
                self.columns["topic"].extend([topic] * len(ranking))
                self.columns["doc"].extend([doc for doc, _ in ranking])
                self.columns["value"].extend([value for _, value in ranking])
            elif isinstance(ranking, list):
                try:
                    self._extend(parse_documents(topic, ranking, self.names.kind))
                except QueryRecordError as error:
                    problems.report(f"{place}, topic {topic!r}", str(error), "skipped topics of another shape")
            else:
                message = f"expected {self._ranking_shape}, found {describe_value(ranking)}"
                problems.report(f"{place}, topic {topic!r}", message, "skipped topics of another shape")

    def _add_query(self, item: Object, place: str, problems: Problems) -> bool:
        """Add the documents of a query record, or report a problem; return False if the object is not one."""
        try:
            record = parse_record(item, self.names)
        except QueryRecordError as error:
            problems.report(place, str(error), "skipped records of another shape")
            return True
        if record is None:
            return False
        run = next((value for key, value in item if key in self.names.chosen.get("run", ("run",))), None)
        first = self.queries.setdefault((record.topic, str(run)), place)
        if first != place:
            message = f"query {record.topic!r} occurs again (first: {first}); give each query its own query_id"
            problems.report(place, message, "skipped repeated queries, keeping the first")
            return True
        if record.is_unsorted:
            message = f"query {record.topic!r}: the scores contradict the order of the documents; sort them by score"
            problems.report(place, message, "kept the order of documents in spite of their scores")
        self._start_object(place, nested=True)
        self._extend(record)
        if self.names.kind == "run":
            extra: dict[str, list[Any]] = {} if run is None else {"run": [run] * len(record.documents)}
            if self.names.rank:
                extra["rank"] = list(range(1, len(record.documents) + 1))
            for role, values in extra.items():
                column = self.columns.setdefault(role, [])
                column.extend([None] * (len(self.columns["topic"]) - len(values) - len(column)))
                column.extend(values)
        return True

    def _extend(self, record: QueryRecord) -> None:
        self.columns["topic"].extend([record.topic] * len(record.documents))
        self.columns["doc"].extend(record.documents)
        self.columns["value"].extend(record.values)

    def _add_record(self, item: Object, roles: dict[str, int], place: str) -> None:
        """Add one record as a row; *roles* maps each column to the index of its key."""
        self._start_object(place, nested=False)
        row = len(self.columns["topic"])
        for role, index in roles.items():
            column = self.columns.setdefault(role, [])
            if len(column) < row:  # earlier records did not have this key
                column.extend([None] * (row - len(column)))
            column.append(item[index][1])


def _to_texts(values: list[Any], role: str, locate: Callable[[int], str]) -> list[str | None]:
    """Return names or ranks as text; refuse values that are neither text nor numbers."""
    for row, value in enumerate(values):
        if isinstance(value, list | bool):
            word = "name of the run" if role == "run" else role
            raise InputError(f"{locate(row)}: the {word} must be text or a number, found {describe_value(value)}")
    return [value if value is None else str(value) for value in values]


def parse_items(source: Source, problems: Problems) -> Iterator[tuple[object, str]]:
    """Yield the objects of the file and their places."""
    data = strip_bom(source.data, source.path)
    if not data.strip():
        raise InputError(f"{source.path}: the file is empty")
    if source.suffix in _LINES or _is_json_lines(data):
        yield from _parse_lines(data, source.path, problems)
        return
    document = _parse(_decode(data, source.path), source.path, Problems(source.path))
    if isinstance(document, list) and not isinstance(document, Object):
        yield from ((record, f"{source.path}, record {number}") for number, record in enumerate(document, 1))
    else:
        yield document, source.path


def _is_json_lines(data: bytes) -> bool:
    """Return True if the first line is a complete JSON value and other lines follow."""
    first, _, rest = data.lstrip().partition(b"\n")
    if not rest.strip():
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _parse_lines(data: bytes, path: str, problems: Problems) -> Iterator[tuple[object, str]]:
    """Yield the objects in the lines of a JSON Lines file, and their places; blank lines are skipped."""
    refuse_cr(data, path)
    for number, line in enumerate(data.split(b"\n"), 1):
        place = f"{path}:{number}"
        if not line.strip():
            continue
        text = decode_fields([line], place, problems)
        if text is not None:
            item = _parse(text[0], path, problems, number)
            if item is not _INVALID:
                yield item, place


def _decode(data: bytes, path: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x}"
        raise InputError(f"{path}:{line}: invalid UTF-8 ({byte}); save the file as UTF-8") from None


def _parse(text: str, path: str, problems: Problems, line: int = 0) -> object:
    """Parse JSON and preserve repeated keys; NaN and Infinity are accepted here and refused by a later check."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"{path}:{line or error.lineno}"
        problems.report(place, f"not JSON ({error.msg}, column {error.colno})", "skipped lines that are not JSON")
    except RecursionError:
        problems.report(f"{path}:{line or 1}", "nested too deeply", "skipped lines that are not JSON")
    return _INVALID


def _parse_integer(digits: str) -> int | float:
    return int(digits) if len(digits) < _MAX_INTEGER_DIGITS else float(digits)


# Created once: creating a decoder takes longer than parsing a line.
_DECODER = json.JSONDecoder(object_pairs_hook=Object, parse_constant=float, parse_int=_parse_integer)
