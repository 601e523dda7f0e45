"""Names of the fields that hold the id, the title and the text of a query or document."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assay.io.problems import format_value

TextKind = Literal["queries", "docs"]

_NAMES: dict[TextKind, dict[str, tuple[str, ...]]] = {
    "queries": {
        "id": ("_id", "qid", "query_id", "topic_id", "topic", "id", "number", "num"),
        "title": (),
        "text": ("query", "text", "query_text", "question", "title", "contents"),
    },
    "docs": {
        "id": ("_id", "docno", "id", "pid", "passage_id", "doc_id", "document_id", "corpus_id", "doc", "document"),
        "title": ("title", "headline"),
        "text": ("text", "contents", "content", "body", "passage", "segment", "abstract"),
    },
}
PLURAL: dict[TextKind, str] = {"queries": "queries", "docs": "documents"}


class Document(NamedTuple):
    """Title and text of a document; each may be empty."""

    title: str
    text: str


class RecordError(Exception):
    """A record without a readable id or text; the message states the problem and the remedy."""


class Fields(NamedTuple):
    """Names of the fields of a record; None if the record has no such field."""

    id: str
    title: str | None
    text: str | None

    def read(self, record: Mapping[str, Any]) -> tuple[str, Document]:
        """Return the id, the title and the text of a record."""
        title = _to_text(record.get(self.title)) if self.title is not None else ""
        text = _to_text(record.get(self.text)) if self.text is not None else ""
        return self.read_id(record), Document(title, text)

    def read_id(self, record: Mapping[str, Any]) -> str:
        """Return the id of a record; an integer is returned as its decimal text."""
        value = record.get(self.id)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value:
            problem = "is missing" if value is None or value == "" else f"is {format_value(value)}"
            raise RecordError(f"the id {self.id!r} {problem}; write it as text")
        return value


def read_document(record: Mapping[str, Any], kind: TextKind) -> Document | None:
    """Return the title and the text of a record by the names of its own keys; None if it has neither."""
    names = [name for name in record if isinstance(name, str)]
    title, text = (_find_name(names, _NAMES[kind][role]) for role in ("title", "text"))
    if title is None and text is None:
        return None
    return Document(*(_to_text(record[name]) if name is not None else "" for name in (title, text)))


def find_fields(names: Sequence[str], kind: TextKind) -> Fields:
    """Return the fields among *names*; raise a RecordError if there is none for the id or the text."""
    columns = {role: _find_name(names, accepted) for role, accepted in _NAMES[kind].items()}
    for role in ("id", "text"):
        if columns[role] is None and not (role == "text" and columns["title"] is not None):
            listed = ", ".join(format_value(name, 30) for name in names[:12]) + ", …" * (len(names) > 12)
            accepted = ", ".join(_NAMES[kind][role])
            raise RecordError(f"no field for the {role} of {PLURAL[kind]} among {listed}; name it one of {accepted}")
    return Fields(str(columns["id"]), columns["title"], columns["text"])


def _find_name(names: Sequence[str], accepted: Sequence[str]) -> str | None:
    """Return the first of the accepted names that occurs; case, blanks, ``-`` and ``_`` are ignored."""
    normalized = {_normalize(name): name for name in reversed(names)}
    exact = next((name for name in accepted if name in names), None)
    return exact or next((normalized[name] for name in map(_normalize, accepted) if name in normalized), None)


def _normalize(name: str) -> str:
    return name.lower().translate(str.maketrans("", "", "-_ "))


def _to_text(value: Any) -> str:
    """Return a value as text: lists of texts are joined by line breaks, and other values are written as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, default=str)
