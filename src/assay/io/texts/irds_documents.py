"""Documents of datasets of the package ir_datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from assay.io import ir_datasets
from assay.io.texts.fields import Document


class IrdsDocuments:
    """Documents of a dataset, by its id such as ``irds:beir/scifact``; ir_datasets looks them up."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.notes: tuple[str, ...] = ()
        self._dataset = ir_datasets.require_entity(name, "docs")

    @cached_property
    def _store(self) -> Any:
        with ir_datasets.loading_errors(self.name, "docs"):
            return self._dataset.docs_store()

    def count(self) -> int:
        """Return the number of documents."""
        with ir_datasets.loading_errors(self.name, "docs"):
            return int(self._dataset.docs_count())

    def ids(self) -> Iterator[str]:
        """Yield the ids."""
        with ir_datasets.loading_errors(self.name, "docs"):
            yield from (document.doc_id for document in self._dataset.docs_iter())

    def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents with these ids; missing ids are omitted."""
        with ir_datasets.loading_errors(self.name, "docs"):
            records = self._store.get_many(list(ids))
        return {name: ir_datasets.to_document(record, "docs") for name, record in records.items()}
