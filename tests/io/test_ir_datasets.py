from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from assay.errors import DependencyError, InputError
from assay.io import ir_datasets
from assay.io.checks import Kind

ALREADY_JUDGED = "was already judged for topic q1"


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class ScoredDocument(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class CompleteDataset:
    def qrels_iter(self) -> Iterator[Judgment]:
        yield Judgment("q1", "d1", 2, "0")
        yield Judgment("q2", "001", -1, "0")

    def scoreddocs_iter(self) -> Iterator[ScoredDocument]:
        yield ScoredDocument("q1", "d1", 2.5)
        yield ScoredDocument("q1", "d2", 1.5)


class DatasetWithDuplicates:
    def qrels_iter(self) -> Iterator[Judgment]:
        yield from [Judgment("q1", "d1", 1, "0")] * 2


class UnavailableDataset:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def qrels_iter(self) -> Iterator[Judgment]:
        raise self.error


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace ir_datasets, which would download files."""
    datasets: dict[str, Any] = {
        "lab/complete": CompleteDataset(),
        "lab": object(),
        "lab/repeated": DatasetWithDuplicates(),
        "lab/offline": UnavailableDataset(ConnectionError("no route\nto host")),
        "lab/failed": UnavailableDataset(RuntimeError()),
    }
    module = ModuleType("ir_datasets")
    module.load = datasets.__getitem__  # type: ignore[attr-defined]
    module.registry = list(datasets)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)


@pytest.mark.parametrize("name", ["lab/complete", "irds:lab/complete"])
def test_qrels(name: str) -> None:
    table = ir_datasets.read(name, "qrels")
    assert table.frame.rows() == [("q1", "d1", 2.0), ("q2", "001", -1.0)]
    assert (table.source, table.tag, table.locate(1)) == ("irds:lab/complete", None, "irds:lab/complete, record 2")


@pytest.mark.parametrize("name", ["lab/complete", "irds:lab/complete"])
def test_run(name: str) -> None:
    table = ir_datasets.read(name, "run")
    assert table.frame.rows() == [("q1", "d1", 2.5), ("q1", "d2", 1.5)]
    assert (table.source, table.tag) == ("irds:lab/complete", "irds:lab/complete")


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        (
            "qrels",
            "lab/complet",
            "irds:lab/complet: ir_datasets has no dataset with this id; did you mean lab/complete?",
        ),
        ("run", "irds:zzz", "irds:zzz: ir_datasets has no dataset with this id"),
        (
            "qrels",
            "lab",
            "irds:lab: the dataset has no qrels; its subsets are lab/complete, lab/repeated, lab/offline, …",
        ),
        ("run", "lab/repeated", "irds:lab/repeated: the dataset has no scoreddocs"),
        ("qrels", "lab/offline", "irds:lab/offline: the qrels cannot be loaded (no route to host)"),
        ("qrels", "lab/failed", "irds:lab/failed: the qrels cannot be loaded (RuntimeError)"),
        (
            "qrels",
            "lab/repeated",
            f"irds:lab/repeated, record 2: document d1 {ALREADY_JUDGED} (first: record 1, with the same grade)",
        ),
    ],
)
def test_missing_and_unavailable_datasets_are_rejected(kind: Kind, name: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        ir_datasets.read(name, kind)
    assert str(error.value) == message


def test_lenient_reader_skips_duplicates() -> None:
    table = ir_datasets.read("lab/repeated", "qrels", lenient=True)
    assert len(table.frame) == 1
    assert table.notes[0].startswith("irds:lab/repeated: skipped duplicate judgments, keeping the first: 1 (first: ")


def test_missing_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(DependencyError) as error:
        ir_datasets.read("lab/complete", "qrels")
    assert str(error.value) == 'irds:lab/complete: needs the package ir_datasets; pip install "assay-ir[datasets]"'


def test_real_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ir_datasets")
    pytest.importorskip("ir_datasets")
    with pytest.raises(
        InputError, match=r"^irds:cranfeld: ir_datasets has no dataset with this id; did you mean cranfield\?$"
    ):
        ir_datasets.read("cranfeld", "qrels")
    with pytest.raises(InputError, match=r"^irds:cranfield: the dataset has no scoreddocs$"):
        ir_datasets.read("cranfield", "run")
    with pytest.raises(
        InputError, match=r"^irds:msmarco-passage: the dataset has no qrels; its subsets are msmarco-passage/"
    ):
        ir_datasets.read("msmarco-passage", "qrels")
