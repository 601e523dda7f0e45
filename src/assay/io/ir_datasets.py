"""Judgments, scored documents and texts from the package ``ir_datasets``, by the id of a dataset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from assay.errors import DependencyError, InputError, suggestion
from assay.io.dicts import read_tuples
from assay.io.paths import IRDS
from assay.io.texts.fields import Document, TextKind, read_document

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.table import RowTable

_FIELDS: dict[Kind, tuple[str, str, str]] = {
    "qrels": ("query_id", "doc_id", "relevance"),
    "run": ("query_id", "doc_id", "score"),
}
_ENTITY: dict[Kind, str] = {"qrels": "qrels", "run": "scoreddocs"}  # in the terms of ir_datasets


def read(name: str, kind: Kind, lenient: bool = False) -> RowTable:
    """Read the judgments of a dataset, or its scored documents as a run."""
    label = f"{IRDS}{name.removeprefix(IRDS)}"
    entity = _ENTITY[kind]
    dataset = require_entity(label, entity)
    fields = attrgetter(*_FIELDS[kind])
    with loading_errors(label, entity):
        rows = [fields(record) for record in getattr(dataset, f"{entity}_iter")()]
    return read_tuples(rows, kind, label, lenient, label=label, noun="record")


def read_queries(label: str) -> dict[str, Document]:
    """Return the queries of a dataset by their ids."""
    dataset = require_entity(label, "queries")
    with loading_errors(label, "queries"):
        return {record.query_id: to_document(record, "queries") for record in dataset.queries_iter()}


def to_document(record: Any, kind: TextKind) -> Document:
    """Return the title and the text of a record; ir_datasets extracts the text of HTML and other structures."""
    texts = {name: value for name, value in record._asdict().items() if isinstance(value, str)}
    document = read_document(texts, kind) or Document("", "")
    return document if document.text else Document(document.title, record.default_text())


def require_entity(label: str, entity: str) -> Any:
    """Return a dataset; raise an error if it does not have the entity, such as ``qrels`` or ``docs``."""
    dataset = _load_dataset(label.removeprefix(IRDS), label)
    if not hasattr(dataset, f"{entity}_iter"):
        raise InputError(f"{label}: the dataset has no {entity}{_list_subsets(label)}")
    return dataset


@contextmanager
def loading_errors(label: str, entity: str) -> Iterator[None]:
    """Replace errors of ir_datasets by an InputError that names the dataset."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{label}: the {entity} cannot be loaded ({reason})") from None


def _load_dataset(name: str, label: str) -> Any:
    """Return a dataset of ir_datasets by its id; raise an error with a suggestion if there is none."""
    try:
        import ir_datasets
    except ImportError:
        raise DependencyError(f'{label}: needs the package ir_datasets; pip install "assay-ir[datasets]"') from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        hint = suggestion(name, ir_datasets.registry)
        raise InputError(f"{label}: ir_datasets has no dataset with this id{hint}") from None


def _list_subsets(label: str) -> str:
    """Return the end of a message that names subsets of a dataset; an empty string if there are none."""
    import ir_datasets

    prefix = label.removeprefix(IRDS) + "/"
    subsets = [name for name in ir_datasets.registry if name.startswith(prefix)]
    return f"; its subsets are {', '.join(subsets[:3])}{', …' * (len(subsets) > 3)}" if subsets else ""
