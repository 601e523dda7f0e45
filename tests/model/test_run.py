"""Runs: construction, reading, naming and writing."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay.errors import InputError
from assay.io import files
from assay.io.document_hash import hash_documents
from assay.model.run import Run, assign_run_names, read_run, read_runs

RESULTS = {"q2": {"d1": 0.1, "d2": 2.0}, "q1": {"d1": -1.5}}
TUPLES = [(topic, doc, score) for topic, docs in RESULTS.items() for doc, score in docs.items()]
FRAME = pl.DataFrame(TUPLES, schema=["topic", "doc", "score"], orient="row")


@pytest.mark.parametrize(
    "run",
    [
        Run.from_dict(RESULTS, "bm25"),
        Run.from_tuples(iter(TUPLES), "bm25"),
        Run.from_frame(FRAME, "bm25"),
        Run.from_frame(FRAME.with_columns(tag=pl.lit("bm25"))),
        Run.from_frame(FRAME.with_columns(tag=pl.lit("other")), name="bm25"),
        Run.from_frame(pd.DataFrame(TUPLES, columns=["qid", "docno", "score"]), "bm25"),
    ],
    ids=["dict", "tuples", "polars", "tagged", "renamed", "pandas"],
)
def test_every_constructor_gives_the_same_run(run: Run) -> None:
    assert run.frame().rows() == TUPLES
    assert run.frame().columns == ["topic", "doc", "score"]
    assert (run.name, run.source, run.digest, run.notes, len(run)) == ("bm25", "bm25", None, (), 3)
    assert run.topic.to_list() == ["q2", "q2", "q1"]
    assert run.doc.to_list() == ["d1", "d2", "d1"]
    assert run.score.tolist() == [0.1, 2.0, -1.5]
    assert np.array_equal(run.table.key, hash_documents(run.topic, run.doc))
    assert repr(run) == "Run('bm25', 3 documents of 2 topics)"


def test_the_default_name_is_run() -> None:
    assert Run.from_dict(RESULTS).name == Run.from_tuples(TUPLES).name == Run.from_frame(FRAME).name == "run"


def test_renaming_returns_a_copy() -> None:
    run = Run.from_dict(RESULTS, "a")
    renamed = run.with_name("b", ["because"])
    assert (renamed.name, renamed.notes, run.name, run.notes) == ("b", ("because",), "a", ())
    assert renamed.frame().equals(run.frame())


def write(path: Path, tag: str, lines: str = "q1 Q0 d1 1 2.5") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{lines} {tag}\n")
    return path


def test_read_runs_accepts_files_directories_and_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = write(tmp_path / "b.run", "tag-b"), write(tmp_path / "a.run", "tag-a")
    assert read_run(first).name == "tag-b"
    assert [run.name for run in read_runs([first, second])] == ["tag-b", "tag-a"]
    assert [run.name for run in read_runs(tmp_path)] == ["tag-a", "tag-b"]
    assert [run.name for run in read_runs(str(tmp_path / "*.run"))] == ["tag-a", "tag-b"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"q1 Q0 d1 1 2.5 piped\n")))
    assert read_run("-").name == "piped"
    with pytest.raises(InputError, match=r": holds 2 runs; use read_runs$"):
        read_run(tmp_path)


def test_a_table_may_hold_several_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    FRAME.with_columns(run=pl.Series(["a", "b", "a"])).write_parquet(path)
    assert [(run.name, len(run)) for run in read_runs(path)] == [("a", 2), ("b", 1)]


def test_runs_with_the_same_tag_are_named_after_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("x/one.run", "y/two.run", "y/other.run"):
        write(Path(path), "other" if "other" in path else "bm25")
    runs = read_runs(["x/one.run", "y/two.run", "y/other.run"])
    assert [run.name for run in runs] == ["one", "two", "other"]
    assert [run.notes for run in runs] == [
        ("x/one.run: shares the tag bm25 with another run; named one",),
        ("y/two.run: shares the tag bm25 with another run; named two",),
        (),
    ]


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        ([], []),
        ([("a", "f"), ("b", "f")], ["a", "b"]),
        ([("x", "z.run"), ("t", "x.run"), ("t", "y.run")], ["x", "x.run", "y"]),
        ([("t", "x.run"), ("t", "x.txt")], ["x.run", "x.txt"]),
        ([("t", "input.ok8.gz"), ("t", "input.brk.gz")], ["input.ok8", "input.brk"]),
        ([("t", "x/f.run"), ("t", "y/f.run.gz"), ("t", "g.run")], ["x/f", "y/f", "g"]),
        ([("a", "x.pq"), ("b", "x.pq"), ("a", "y.pq")], ["x", "b", "y"]),
        ([("a", "x.pq"), ("b", "x.pq"), ("a", "y.pq"), ("b", "y.pq")], ["x:a", "x:b", "y:a", "y:b"]),
    ],
)
def test_assigned_names_are_distinct(runs: list[tuple[str, str]], names: list[str]) -> None:
    assigned, notes = assign_run_names(runs)
    assert assigned == names
    assert [bool(note) for note in notes] == [name != tag for name, (tag, _) in zip(names, runs, strict=True)]


@pytest.mark.parametrize("runs", [[("run", "run"), ("run", "run")], [("x", "x"), ("x", "x"), ("y", "y")]])
def test_identical_names_raise_an_error(runs: list[tuple[str, str]]) -> None:
    with pytest.raises(InputError, match=rf"^two runs are both named {runs[0][0]}; name them with NAME=FILE$"):
        assign_run_names(runs)


def test_from_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    scored = SimpleNamespace(query_id="q", doc_id="d", score=2.5)
    dataset = SimpleNamespace(scoreddocs_iter=lambda: iter([scored]))
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=lambda _: dataset))
    run = Run.from_ir_datasets("lab")
    assert (run.frame().rows(), run.name, run.source) == ([("q", "d", 2.5)], "lab", "irds:lab")


def test_a_written_run_can_be_read_back(tmp_path: Path) -> None:
    results: dict[str, dict[str, float]] = {
        "q2": {"a": 0.1, "b": 1 / 3, "c": 1e300, "d": 5e-324, "e": -0.0, "f": 1 / 3},
        "001": {"é": 12345678.123456789, "b#": -1e-7},
    }
    run = Run.from_dict(results, "bm25")
    path = tmp_path / "bm25.run"
    run.write(path)
    reread = read_run(path)
    assert reread.name == "bm25"
    assert {(topic, doc): score for topic, doc, score in reread.frame().rows()} == {
        (topic, doc): score for topic, docs in results.items() for doc, score in docs.items()
    }
    assert reread.topic.to_list() == ["001"] * 2 + ["q2"] * 6
    assert reread.rank.tolist() == [1, 2, 1, 2, 3, 4, 5, 6]
    assert reread.doc.to_list() == ["é", "b#", "c", "b", "f", "a", "d", "e"]


def test_a_name_with_blanks_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the name 'my run' cannot be a tag in TREC text; name the run without blanks"):
        Run.from_dict(RESULTS, "my run").write(tmp_path / "f.run")


@pytest.mark.parametrize("ranks", [[3, 1, 2], [3.0, 1.0, 2.0], ["3", "1", "2"]])
@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_ranks_may_have_any_numeric_type(ranks: list[Any], library: Any) -> None:
    frame = library({"topic": ["q"] * 3, "doc": ["a", "b", "c"], "score": [1.0] * 3, "rank": ranks})
    assert Run.from_frame(frame).rank.tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    ("ranks", "invalid"),
    [([1.0, 1.5], "1.5"), (["1", "x"], "'x'"), (["1", "1.5"], "'1.5'"), ([1, None], "None"), (["1", "２"], "'２'")],
)
def test_fractional_and_textual_ranks_raise_an_error(ranks: list[Any], invalid: str) -> None:
    run = Run.from_frame(pl.DataFrame({"topic": ["q"] * 2, "doc": ["a", "b"], "score": [1.0] * 2, "rank": ranks}))
    with pytest.raises(InputError) as error:
        _ = run.rank
    assert str(error.value) == f"run 'run', row 2: the rank must be a whole number, found {invalid}"


def test_an_invalid_rank_in_a_file_is_reported_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "f.run", "t", "# ranks\nq Q0 a - 1.0")
    with pytest.raises(InputError, match=r"f.run:2: the rank must be a whole number, found '-'$"):
        _ = read_run(path).rank


def test_a_run_without_ranks_raises_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "f.run", "t")
    assert read_run(path).rank.tolist() == [1]
    (table,) = files.read_runs(str(path), rank=False)
    with pytest.raises(InputError, match=r"has no rank column; choose another tie policy$"):
        _ = table.rank
    with pytest.raises(InputError, match=r"^run: has no rank column; choose another tie policy$"):
        _ = Run.from_dict(RESULTS).rank
