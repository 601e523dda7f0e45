"""Judgments and scored documents of the catalogue ``ir_datasets``, by the id of a dataset."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from assay.errors import DependencyError, InputError, suggestion
from assay.io.dicts import from_tuples
from assay.io.problems import Problems

if TYPE_CHECKING:
    from assay.io.checks import Kind
    from assay.io.table import RowTable

PREFIX = "irds:"
_FIELDS: dict[Kind, tuple[str, str, str]] = {
    "qrels": ("query_id", "doc_id", "relevance"),
    "run": ("query_id", "doc_id", "score"),
}
_PART: dict[Kind, str] = {"qrels": "qrels", "run": "scoreddocs"}


def qrels(name: str, lenient: bool = False) -> RowTable:
    """Read the judgments of a dataset."""
    return _read(name, "qrels", lenient)


def run(name: str, lenient: bool = False) -> RowTable:
    """Read the scored documents of a dataset."""
    return _read(name, "run", lenient)


def _read(name: str, kind: Kind, lenient: bool) -> RowTable:
    label = f"{PREFIX}{name.removeprefix(PREFIX)}"
    dataset = _dataset(name.removeprefix(PREFIX), label)
    part = _PART[kind]
    if not hasattr(dataset, f"{part}_iter"):
        raise InputError(f"{label}: the dataset has no {part}{_subsets(label)}")
    fields = attrgetter(*_FIELDS[kind])
    try:
        rows = [fields(record) for record in getattr(dataset, f"{part}_iter")()]
    except (OSError, RuntimeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{label}: the {part} cannot be loaded ({reason})") from None
    return from_tuples(rows, kind, Problems(label, lenient), f"{label}, record")


def _dataset(name: str, label: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise DependencyError(f'{label}: needs the package ir_datasets; pip install "assay-ir[datasets]"') from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        near = suggestion(name, ir_datasets.registry)
        raise InputError(f"{label}: ir_datasets has no dataset of this id{near}") from None


def _subsets(label: str) -> str:
    import ir_datasets

    inside = label.removeprefix(PREFIX) + "/"
    found = [name for name in ir_datasets.registry if name.startswith(inside)]
    return f"; its subsets are {', '.join(found[:3])}{', …' * (len(found) > 3)}" if found else ""
