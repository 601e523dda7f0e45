"""Messages on files of another kind say what the file looks like and what to write instead."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from assay.cli import main

RUN = "q Q0 d 1 2.5 bm25\nq Q0 e 2 1.5 bm25\n"
QRELS = "q 0 d 1\nq 0 e 0\n"
FILES = {
    "bm25.run": RUN,
    "qrels.txt": QRELS,
    "trec_eval.txt": "runid                 \tall\tbm25\nmap                   \tall\t0.2500\n",
    "per_topic.txt": "map                   \tq\t0.2500\n",
    "ir_measures.txt": "AP\t0.2500\nnDCG@10\t0.5000\n",
    "ir_measures_q.txt": "q\tAP(rel=2)@10\t0.2500\n",
    "marco.tsv": "1\t7\t1\n",
    "scores.txt": "q d 0.25\n",
    "run.csv": "qid,docno,score,rank\nq,d,2,1\n",
    "qrels.csv": "qid,docno,grade\nq,d,2\n",
    "plain.csv": "q,d,2\nq,e,1\n",
    "other.csv": "question,answer,price\nq,d,2\n",
    "corpus.jsonl": json.dumps({"_id": "d", "title": "", "text": "x", "metadata": {}}) + "\n",
    "other.json": '[{"a": 1, "b": 2}]',
    "assay.json": json.dumps({"schema": {"report": "results"}, "rows": [{"run": "a", "AP": 0.5}]}),
    "rag.jsonl": '{"qid": "q", "retrieved": ["d"]}\n',
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    pl.read_csv("run.csv").write_parquet("run.parquet")
    for name in ("runs", "packed", "empty", "camp/runs"):
        Path(name).mkdir(parents=True)
    Path("runs/a.run").write_text(RUN)
    Path("packed/a.run.gz").write_bytes(gzip.compress(RUN.encode()))
    Path("camp/qrels.txt").write_text(QRELS)
    for name in ("beir/corpus.jsonl", "beir/queries.jsonl", "beir/qrels/dev.tsv", "beir/qrels/test.tsv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x\n")


VALUES = "read it with --values or assay.Results.read"
FIRST = "name the qrels first, then runs"
MESSAGES = [
    ("bm25.run qrels.txt", ("bm25.run:1: expected 4 columns (topic iteration doc grade), found 6; this looks like a "
    f"run, not like judgments (tag bm25); {FIRST}")),
    ("qrels.txt qrels.txt", f"found 4; these look like judgments, not like a run; {FIRST}"),
    ("qrels.txt trec_eval.txt", ("trec_eval.txt:1: expected 6 columns (topic Q0 doc rank score tag), found 3; "
    f"this looks like output of trec_eval; {VALUES}")),
    ("qrels.txt per_topic.txt", f"this looks like output of trec_eval; {VALUES}"),
    ("qrels.txt ir_measures.txt", f"this looks like output of ir_measures; {VALUES}"),
    ("qrels.txt ir_measures_q.txt", f"this looks like output of ir_measures; {VALUES}"),
    ("qrels.txt marco.tsv", "if these are topic, document and rank, convert them with awk"),
    ("qrels.txt scores.txt", "if these are topic, document and score, convert them with awk"),
    ("marco.tsv bm25.run", "if these are topic, document and grade, insert a column of zeros with awk"),
    ("run.csv bm25.run", ("run.csv:1: a table with 'qid', 'docno', 'score', 'rank' looks like a run, not like "
    f"judgments; {FIRST}")),
    ("run.parquet bm25.run", f"looks like a run, not like judgments; {FIRST}"),
    ("qrels.txt qrels.csv", "qrels.csv:1: no column for the score among 'qid', 'docno', 'grade'; name it one of score"),
    ("qrels.txt plain.csv", "plain.csv:1: no column for the topic among 'q', 'd', '2'; name it one of topic"),
    ("qrels.txt plain.csv", "is the first line, which begins with 'q', a header?"),
    ("qrels.txt other.csv", "or write --columns topic=NAME"),
    ("qrels.txt corpus.jsonl", ("corpus.jsonl:1: expected {topic: {document: score}} or a record with topic, document "
    "and score, found an object with the keys '_id', 'title', 'text', 'metadata'; these look like texts; name them "
    "with --queries or --docs")),
    ("qrels.txt other.json", "other.json, record 1: expected {topic: {document: score}} or a record"),
    ("qrels.txt other.json", "no column for the topic among 'a', 'b'; name it one of topic"),
    ("qrels.txt assay.json", f"this looks like output of assay; {VALUES}"),
    ("rag.jsonl bm25.run", ("rag.jsonl:1: has retrieved documents (key 'retrieved') but no relevant ones; name their "
    "key with --columns relevant=KEY")),
    ("beir bm25.run", "beir: is a directory that looks like a BEIR dataset; write beir/qrels/test.tsv"),
    ("runs qrels.txt", f"runs: is a directory with runs, not judgments; {FIRST}"),
    ("packed qrels.txt", f"packed: is a directory with runs, not judgments; {FIRST}"),
    ("empty qrels.txt", "empty: is a directory; name a file in it"),
    ("qrels.txt camp", "camp: contains judgments and runs; write camp/runs"),
    ("qrels.txt beir", ("beir: looks like a BEIR dataset (texts and judgments), not like runs; its qrels are "
    "beir/qrels/test.tsv")),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), MESSAGES)
def test_the_message_describes_the_file(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", *arguments.split(), "-m", "AP"]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_judgments_may_have_a_column_called_score(capsys: pytest.CaptureFixture[str]) -> None:
    Path("beir.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    assert main(["eval", "beir.tsv", "bm25.run", "-m", "AP"]) == 0
    assert main(["eval", "run.csv", "run.csv", "-m", "AP", "--columns", "grade=score"]) == 0


def test_lenient_reading_also_describes_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "bm25.run", "bm25.run", "-m", "AP", "--lenient"]) == 2
    assert "contains no judgments; the first problem is bm25.run:1" in (message := capsys.readouterr().err)
    assert "this looks like a run" in message
