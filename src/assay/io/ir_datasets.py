"""Judgments and scored documents from the package ``ir_datasets``, by the id of a dataset."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from assay.errors import DependencyError, InputError, suggestion
from assay.io.dicts import read_tuples

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.table import RowTable

PREFIX = "irds:"
_FIELDS: dict[Kind, tuple[str, str, str]] = {
    "qrels": ("query_id", "doc_id", "relevance"),
    "run": ("query_id", "doc_id", "score"),
}
_ENTITY: dict[Kind, str] = {"qrels": "qrels", "run": "scoreddocs"}  # in the terms of ir_datasets


def read(name: str, kind: Kind, lenient: bool = False) -> RowTable:
    """Read the judgments of a dataset, or its scored documents as a run."""
    label = f"{PREFIX}{name.removeprefix(PREFIX)}"
    dataset = _load_dataset(name.removeprefix(PREFIX), label)
    entity = _ENTITY[kind]
    if not hasattr(dataset, f"{entity}_iter"):
        raise InputError(f"{label}: the dataset has no {entity}{_list_subsets(label)}")
    fields = attrgetter(*_FIELDS[kind])
    try:
        rows = [fields(record) for record in getattr(dataset, f"{entity}_iter")()]
    except (OSError, RuntimeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{label}: the {entity} cannot be loaded ({reason})") from None
    return read_tuples(rows, kind, label, lenient, label=label, noun="record")


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

    prefix = label.removeprefix(PREFIX) + "/"
    subsets = [name for name in ir_datasets.registry if name.startswith(prefix)]
    return f"; its subsets are {', '.join(subsets[:3])}{', …' * (len(subsets) > 3)}" if subsets else ""
