"""Query records: a JSON object for each query, with its retrieved and its relevant documents.

Tools that evaluate retrieval for RAG (retrieval-augmented generation) write such records, for example
``{"query_id": "q1", "query": "…", "retrieved": ["d1", "d2"], "relevant": ["d2"]}``. The order of the retrieved
documents is the ranking. A file of query records holds judgments and a run, so it can be given in both places. A frame
with columns of lists is read in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.io.columns import NAMES, find_all_roles
from assay.io.dicts import describe_value
from assay.io.problems import format_value

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.columns import ColumnNames

_THINGS = ("{}-id", "{}-doc-id", "{}-document-id", "{}-chunk-id", "{}-context-id", "{}-passage-id", "{}-node-id")
_PLURALS = (*(f"{thing}s" for thing in _THINGS), "{}-docs", "{}-documents", "{}-chunks", "{}-contexts", "{}-passages")
_RETRIEVED = ("retrieved", "ranked", "predicted", "result")
_RELEVANT = ("relevant", "gold", "golden", "expected", "ground-truth", "reference", "positive", "correct", "target")


def _combine(patterns: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    return tuple(pattern.format(word) for pattern in patterns for word in words)


SINGLE = _combine(_THINGS, _RELEVANT)
"""Keys of a single relevant document."""
LISTS: dict[Kind, tuple[str, ...]] = {
    "run": (*_combine(_PLURALS, _RETRIEVED), *_RETRIEVED, "results", "ranking", "hits", "contexts"),
    "qrels": (*_combine(_PLURALS, _RELEVANT), *_RELEVANT, "relevance", "qrels", *SINGLE),
}
"""Keys of the list of documents: retrieved documents of runs, and relevant documents of qrels."""
QUERY = (
    *("query-id", "qid", "topic-id", "question-id", "case-id", "sample-id", "id"),
    *("topic", "query", "question", "user-input", "input"),
)
"""Keys of the query; without an id, its text is the id."""
_ID = ("id", *NAMES["run"]["doc"], "docid", "chunk-id", "node-id", "context-id", "passage-id")
_MAX_ID = 100  # characters; longer "ids" with blanks are texts
_ROLE: dict[Kind, str] = {"run": "retrieved", "qrels": "relevant"}


class QueryRecordError(Exception):
    """A problem of a query record; the message has no place."""


class QueryRecord(NamedTuple):
    """A query and its documents, best first, with their values (scores that descend by 1, or grades).

    *is_unsorted* is True if the file has scores that contradict the order of the documents.
    """

    topic: Any
    documents: list[Any]
    values: list[Any]
    is_unsorted: bool = False


def parse_record(item: Sequence[tuple[str, Any]], names: ColumnNames) -> QueryRecord | None:
    """Return the query and the documents of a record; None if the object is not a query record."""
    keys = [key for key, _ in item]
    query = {"query": names.chosen.get("topic", QUERY)}
    topic = next((item[i][1] for i in find_all_roles(keys, query)["query"] if not isinstance(item[i][1], list)), None)
    if topic is None:
        return None
    other: Kind = "qrels" if names.kind == "run" else "run"
    key = _find_list(item, names, names.kind)
    if key is None:
        other_key = _find_list(item, names, other)
        if other_key is None:
            return None
        role, other_role = _ROLE[names.kind], _ROLE[other]
        raise QueryRecordError(
            f"has {other_role} documents (key {item[other_key][0]!r}) but no {role} ones; name their key with "
            f"columns '{role}=KEY'"
        )
    return parse_documents(topic, item[key][1], names.kind, item[key][0])


def _find_list(item: Sequence[tuple[str, Any]], names: ColumnNames, kind: Kind) -> int | None:
    """Return the index of the key of the documents; keys whose value is a text, such as an answer, do not count."""
    keys = [key for key, _ in item]
    chosen = names.chosen.get(_ROLE[kind])
    indices = find_all_roles(keys, {"list": chosen or LISTS[kind]})["list"]
    single = indices if chosen else find_all_roles(keys, {"list": SINGLE})["list"] if kind == "qrels" else []
    values = ((index, item[index][1]) for index in indices)
    return next((i for i, value in values if value is None or isinstance(value, list | Mapping) or i in single), None)


def parse_documents(topic: Any, documents: Any, kind: Kind, key: str = "") -> QueryRecord:
    """Return the documents of a query from a list or an object."""
    if documents is None:
        return QueryRecord(topic, [], [])
    if isinstance(documents, Mapping):
        documents = list(documents.items())
    elif not isinstance(documents, list):
        documents = [documents]
    value_names = NAMES[kind]["value"]
    pairs = [_parse_document(entry, value_names, key) for entry in documents]
    ids = [doc for doc, _ in pairs]
    if kind == "qrels":
        return QueryRecord(topic, ids, [1 if grade is None else grade for _, grade in pairs])
    scores = [score for _, score in pairs if type(score) in (int, float)]
    is_unsorted = any(score < following for score, following in pairwise(scores))
    return QueryRecord(topic, ids, list(range(len(ids), 0, -1)), is_unsorted)


def _parse_document(entry: Any, value_names: tuple[str, ...], key: str) -> tuple[Any, Any]:
    """Return the id and the value (None if it has none) of a document: an id, a pair, or an object with an id."""
    if isinstance(entry, tuple | list) and not _is_object(entry):
        if len(entry) != 2:
            raise QueryRecordError(f"expected the id of a document, found {describe_value(entry)}")
        doc, value = entry
    elif isinstance(entry, list | Mapping):
        pairs = list(entry.items()) if isinstance(entry, Mapping) else entry
        keys = [name for name, _ in pairs]
        roles = find_all_roles(keys, {"doc": _ID, "value": value_names})
        if not roles["doc"]:
            names = ", ".join(map(format_value, keys[:6]))
            raise QueryRecordError(f"documents need an id, such as 'id' or 'doc_id'; found the keys {names}")
        doc = pairs[roles["doc"][0]][1]
        value = pairs[roles["value"][0]][1] if roles["value"] else None
    else:
        doc, value = entry, None
    if isinstance(doc, str) and len(doc) > _MAX_ID and " " in doc:
        place = f" under {key!r}" if key else ""
        raise QueryRecordError(f"texts instead of ids{place} ({format_value(doc, 40)}); add the ids of the documents")
    return doc, value


def _is_object(entry: Any) -> bool:
    """Return True for a JSON object, which is a list of pairs with its own type."""
    return type(entry) not in (list, tuple)
