"""Texts that are kept in memory: dicts, JSON documents, TREC topics and tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from assay.errors import InputError
from assay.io.problems import Problems, format_value
from assay.io.texts.fields import Document, Fields, RecordError, TextKind, find_fields, read_document

Load = Callable[[Problems], Mapping[Any, Any]]


class LoadedTexts:
    """Texts in memory, by id; they are loaded when the first is requested.

    *name* is the name of the source in messages. A value is a text, a dict with title and text, or a
    :class:`Document`. Integer ids are equal to their decimal text.
    """

    def __init__(self, name: str, kind: TextKind, load: Load, lenient: bool = False) -> None:
        self.name = name
        self._kind = kind
        self._load = load
        self._problems = Problems(name, lenient)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on skipped records."""
        return self._problems.notes()

    @cached_property
    def _items(self) -> Mapping[Any, Any]:
        items = self._load(self._problems)
        if not items:
            self._problems.refuse_empty("texts")
        return items

    def count(self) -> int:
        """Return the number of texts."""
        return len(self._items)

    def ids(self) -> Iterator[str]:
        """Yield the ids."""
        return map(str, self._items)

    def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return the texts with these ids; missing ids are omitted."""
        documents = {}
        for name in ids:
            value = self._items.get(name)
            if value is None and name.isdecimal() and str(int(name)) == name:
                value = self._items.get(int(name))
            if value is None:
                continue
            try:
                documents[name] = _to_document(value, self._kind)
            except RecordError as error:
                place = f"{self.name}, id {format_value(name)}"
                self._problems.report(place, str(error), "skipped texts of another shape")
        return documents


def _to_document(value: Any, kind: TextKind) -> Document:
    if isinstance(value, str):
        return Document("", value)
    if isinstance(value, Document):
        return value
    document = read_document(value, kind) if isinstance(value, Mapping) else None
    if document is not None:
        return document
    raise RecordError(f"expected a text or a dict with title and text, found {format_value(value)}")


def read_json(text: str, kind: TextKind, problems: Problems) -> Mapping[str, Any]:
    """Return the texts of a JSON document: an object from ids to texts, or a list of records."""
    try:
        content = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise InputError(f"{problems.source}:{error.lineno}: not JSON ({error.msg}, column {error.colno})") from None
    except (RecursionError, ValueError):
        raise InputError(f"{problems.source}: nested too deeply, or a number with too many digits") from None
    if isinstance(content, dict):
        return content
    if not isinstance(content, list):
        raise InputError(f"{problems.source}: expected a JSON object or list, found {format_value(content)}")
    return read_records(content, kind, problems)


def read_records(records: Sequence[Any], kind: TextKind, problems: Problems) -> dict[str, Document]:
    """Return the texts of records, each a dict with id and text; the first record with an id counts."""
    documents: dict[str, Document] = {}
    fields: Fields | None = None
    for number, record in enumerate(records, 1):
        place = f"{problems.source}, record {number}"
        try:
            if not isinstance(record, Mapping):
                raise RecordError(f"expected an object with id and text, found {format_value(record)}")
            fields = fields or find_fields(list(record), kind)
            name, document = fields.read_id(record), read_document(record, kind) or Document("", "")
        except RecordError as error:
            problems.report(place, str(error), "skipped records without a readable id")
            continue
        if name in documents:
            problems.report(place, f"id {name} occurs twice; keep one", "skipped repeated ids, keeping the first")
        documents.setdefault(name, document)
    return documents
