"""Fuzz targets: functions of arbitrary bytes that may only succeed or raise ``AssayError`` with a message of one line.

``SEEDS`` contains small valid inputs of each target, from which a fuzzer starts.
"""

from __future__ import annotations

import gzip
import json
import lzma
import tempfile
from collections.abc import Callable
from pathlib import Path

import assay
from assay.errors import AssayError, escape_control_characters

FOLDER = Path(tempfile.mkdtemp(prefix="assay-fuzz-"))
QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}}
RUN = {"1": {"a": 1.5, "b": 1.0}, "2": {"c": 1.0}}
TREC_RUN = b"1 Q0 a 1 2.5 tag\n1 Q0 b 2 1.5 tag\n2 Q0 c 1 1e3 tag\n"
TREC_QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 2\n"
CSV_RUN = b'topic,doc,score\n1,a,2.5\n1,"b,c",1.5\n2,c,-1e3\n'
CSV_QRELS = b"topic,doc,grade\n1,a,1\n1,b,0\n"
JSON_RUN = json.dumps({"1": {"a": 2.5, "b": 1}, "2": {"c": 1}}).encode()
JSON_LINES = b'{"topic": "1", "doc": "a", "score": 2.5}\n{"topic": "1", "doc": "b", "score": 1}\n'
RAG = b'{"query_id": "1", "contexts": [{"doc_id": "a"}, {"doc_id": "b"}]}\n'
VALUES = b"run,topic,measure,value\nx,1,AP,0.5\nx,2,AP,0.25\ny,1,AP,0.5\ny,2,AP,1\n"
TEXTS = b"<top>\n<num> Number: 1\n<title> cats\n<desc> Description:\ndogs\n</top>\n"


def check(function: Callable[[], object]) -> None:
    """Call a function; check that an error has a message that a terminal shows as one line."""
    try:
        function()
    except AssayError as error:
        message = str(error)
        assert message, "empty message"
        assert message == escape_control_characters(message), f"message with control characters: {message!r}"


def write(name: str, data: bytes) -> str:
    path = FOLDER / name
    path.write_bytes(data)
    return str(path)


def read_run(name: str, lenient: bool) -> Callable[[bytes], None]:
    def target(data: bytes) -> None:
        path = write(name, data)
        check(lambda: assay.evaluate(assay.read(QRELS, [path], lenient=lenient), ["AP", "nDCG@2"]).frame())

    return target


def read_qrels(name: str) -> Callable[[bytes], None]:
    def target(data: bytes) -> None:
        path = write(name, data)
        check(lambda: assay.evaluate(assay.read(path, {"x": RUN}), ["AP", "nDCG@2"]).frame())

    return target


def read_values(data: bytes) -> None:
    path = write("values.csv", data)
    check(lambda: assay.Results.read([path]).means())


def read_queries(data: bytes) -> None:
    path = write("queries.xml", data)
    check(lambda: list(assay.read(QRELS, {"x": RUN}, queries=path).queries.items()))


def read_notation(data: bytes) -> None:
    """Parse a measure; its name must be parsed to the same measure."""
    text = data.decode("utf-8", "replace")

    def parse() -> None:
        measure = assay.measure(text)
        assert assay.measure(str(measure)) == measure, f"{text!r} -> {measure}"

    check(parse)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "trec-run": read_run("fuzz.run", lenient=False),
    "trec-run-lenient": read_run("fuzz.run", lenient=True),
    "trec-qrels": read_qrels("qrels.txt"),
    "csv-run": read_run("fuzz.csv", lenient=False),
    "csv-qrels": read_qrels("qrels.csv"),
    "json-run": read_run("fuzz.json", lenient=False),
    "json-lines": read_run("fuzz.jsonl", lenient=True),
    "gzip": read_run("fuzz.run.gz", lenient=False),
    "xz": read_run("fuzz.run.xz", lenient=False),
    "parquet": read_run("fuzz.parquet", lenient=False),
    "values": read_values,
    "queries": read_queries,
    "notation": read_notation,
}
SEEDS: dict[str, tuple[bytes, ...]] = {
    "trec-run": (TREC_RUN,),
    "trec-run-lenient": (TREC_RUN, TREC_RUN + b"1 Q0\n"),
    "trec-qrels": (TREC_QRELS,),
    "csv-run": (CSV_RUN,),
    "csv-qrels": (CSV_QRELS,),
    "json-run": (JSON_RUN, RAG),
    "json-lines": (JSON_LINES, RAG),
    "gzip": (gzip.compress(TREC_RUN, mtime=0),),
    "xz": (lzma.compress(TREC_RUN),),
    "parquet": (),
    "values": (VALUES,),
    "queries": (TEXTS, b"1\tcats\n2\tdogs\n"),
    "notation": (
        b"nDCG@10",
        b"RBP(p=0.8)",
        b"AP(rel=2)@100",
        b"ndcg_cut_10",
        b"nDCG(gains={1:3,2:9},base=2)@5",
        b"recall.5,10",
    ),
}


def parquet_seed() -> bytes:
    """Return a run in the format of Parquet, which polars writes."""
    import polars as pl

    rows = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "score": [2.5, 1.5]})
    rows.write_parquet(FOLDER / "seed.parquet")
    return (FOLDER / "seed.parquet").read_bytes()


SEEDS["parquet"] = (parquet_seed(),)
