from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import polars as pl
import pytest

from assay.io import files

RUN = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d1", 1.0)]


def build_files() -> dict[str, bytes]:
    """Return one run in every format, under names with and without the suffix of the format."""
    nested: dict[str, dict[str, float]] = {}
    for topic, doc, score in RUN:
        nested.setdefault(topic, {})[doc] = score
    stream = io.BytesIO()
    pl.DataFrame(RUN, schema=["qid", "docno", "score"], orient="row").write_parquet(stream)
    trec = "".join(f"{topic} Q0 {doc} 1 {score} tag\n" for topic, doc, score in RUN).encode()
    lines = "".join(json.dumps({topic: docs}) + "\n" for topic, docs in nested.items()).encode()
    tsv = b"query-id\tcorpus-id\tscore\n" + "".join(f"{t}\t{d}\t{s}\n" for t, d, s in RUN).encode()
    return {
        **dict.fromkeys(["a.run", "a", "a.txt"], trec),
        **dict.fromkeys(["b.json", "b"], json.dumps(nested).encode()),
        **dict.fromkeys(["c.jsonl", "c.ndjson", "c", "c.json"], lines),
        **dict.fromkeys(["d.parquet", "d.pq", "d"], stream.getvalue()),
        **dict.fromkeys(["e.tsv", "e", "e.txt"], tsv),
        **dict.fromkeys(["f.csv", "f", "f.txt"], tsv.replace(b"\t", b",")),
        **dict.fromkeys(["g.csv", "g"], tsv.replace(b"\t", b";")),
    }


@pytest.mark.parametrize("name", build_files())
@pytest.mark.parametrize("compressed", [False, True])
def test_every_format_is_recognised(name: str, compressed: bool, tmp_path: Path) -> None:
    data = build_files()[name]
    path = tmp_path / (f"{name}.gz" if compressed else name)
    path.write_bytes(gzip.compress(data) if compressed else data)
    (table,) = files.read_runs(str(path))
    assert table.frame.select("topic", "doc", "value").rows() == RUN
    assert table.tag == ("tag" if name.startswith("a") else None)
    if not name.startswith("a"):
        assert files.read_qrels(str(path)).frame.rows() == RUN


def test_notes_about_the_file_come_first(tmp_path: Path) -> None:
    path = tmp_path / "f.qrels"
    path.write_bytes(gzip.compress(b"q1 0 d1 1\nq1 0 d1 1\n"))
    notes = files.read_qrels(str(path), lenient=True).notes
    assert [note.removeprefix(f"{path}: ").partition(":")[0] for note in notes] == [
        "is gz-compressed but not named .gz; read anyway",
        "skipped duplicate judgments, keeping the first",
    ]


def test_formats_are_found_in_the_package() -> None:
    names = [module.__name__.rpartition(".")[2] for module in files.load_formats()]
    assert {"csv", "json"} < set(names)
    assert (names[0], names[-1]) == ("parquet", "trec")


def test_parquet_is_recognised_despite_its_name(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(build_files()["d.parquet"])
    (table,) = files.read_runs(str(path))
    assert table.frame.rows() == RUN
