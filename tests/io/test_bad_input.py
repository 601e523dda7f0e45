"""Invalid input files: the exact error message of each, and the rows that a lenient reader returns."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
import zstandard

from assay.errors import InputError
from assay.model.qrels import read_qrels
from assay.model.run import read_runs

RUN = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
QRELS = b"q1 0 d1 1\nq1 0 d2 0\n"
BEIR = b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"
RUN_ROWS = (("q1", "d1", 2.5), ("q1", "d2", 1.5))
QRELS_ROWS = (("q1", "d1", 1.0), ("q1", "d2", 0.0))
RUN_COLUMNS = "expected 6 columns (topic Q0 doc rank score tag)"
JUDGMENTS = "these look like judgments, not like a run; name the qrels first, then runs"
QRELS_COLUMNS = "expected 4 columns (topic iteration doc grade)"
DOCUMENT_COLUMN = (
    "name it one of doc, docno, doc-id, document, document-id, corpus-id, pid, or write columns 'doc=NAME'"
)


def to_parquet(**columns: list[object]) -> bytes:
    stream = io.BytesIO()
    pl.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


@dataclass(frozen=True)
class BadFile:
    """A file, the error message of a strict reader, and the rows that a lenient reader returns.

    *note* is the kind of problem that the lenient reader counts. If it is None, the lenient reader rejects the file
    with the same message as the strict one.
    """

    file: str
    data: bytes
    message: str
    rows: tuple[tuple[str, str, float], ...] = ()
    note: str | None = None
    location: str = ":3"
    count: int = 1


NUL = "skipped lines with NUL bytes"
COLUMNS = "skipped lines with the wrong number of columns"
SCORE = "skipped lines whose score is not a finite number"
GRADE = "skipped lines whose grade is not a finite number"
BAD_FILES = [
    # Lines
    BadFile("few.run", RUN + b"q2 Q0 d1 1 t\n", f"{RUN_COLUMNS}, found 5", RUN_ROWS, COLUMNS),
    BadFile("many.run", RUN + b"q2 Q0 d1 1 3 t u\n", f"{RUN_COLUMNS}, found 7", RUN_ROWS, COLUMNS),
    BadFile("empty-column.run", RUN + b"q2  d1 1 3 t\n", f"{RUN_COLUMNS}, found 5", RUN_ROWS, COLUMNS),
    BadFile("few.qrels", QRELS + b"q2 0 d1\n", f"{QRELS_COLUMNS}, found 3", QRELS_ROWS, COLUMNS),
    BadFile("many.qrels", QRELS + b"q2 0 d1 1 2\n", f"{QRELS_COLUMNS}, found 5", QRELS_ROWS, COLUMNS),
    BadFile("empty-column.qrels", QRELS + b"q2  d1 1\n", f"{QRELS_COLUMNS}, found 3", QRELS_ROWS, COLUMNS),
    BadFile(
        "marco.run",
        b"1\td1\t1\n",
        f"{RUN_COLUMNS}, found 3; if these are topic, document and rank, convert them with "
        'awk \'{print $1, "Q0", $2, $3, -$3, "run"}\'',
        (),
        COLUMNS,
        location=":1",
    ),
    BadFile("qrels-as-run.run", QRELS, f"{RUN_COLUMNS}, found 4; {JUDGMENTS}", (), COLUMNS, location=":1", count=2),
    *[
        BadFile(
            f"score-{number}.run",
            RUN + f"q2 Q0 d1 1 {text} t\n".encode(),
            f"the score must be a finite number, found '{text}'",
            RUN_ROWS,
            SCORE,
        )
        for number, text in enumerate(
            [
                "high",
                "nan",
                "NaN",
                "inf",
                "-inf",
                "Infinity",
                "1e400",
                "-1e400",
                "0x1p3",
                "1_000",
                "１",
                "1,5",
                "1e",
                "--1",
            ]
        )
    ],
    *[
        BadFile(
            f"grade-{number}.qrels",
            QRELS + f"q2 0 d1 {text}\n".encode(),
            f"the grade must be a finite number, found '{text}'",
            QRELS_ROWS,
            GRADE,
        )
        for number, text in enumerate(["yes", "nan", "inf", "1e999", "1;"])
    ],
    BadFile(
        "twice.run",
        RUN + b"q1 Q0 d1 3 0.5 t\n",
        "document d1 was already retrieved for topic q1 (first: line 1)",
        RUN_ROWS,
        "skipped duplicate documents, keeping the first",
    ),
    BadFile(
        "twice.qrels",
        QRELS + b"q1 0 d1 1\n",
        "document d1 was already judged for topic q1 (first: line 1, with the same grade)",
        QRELS_ROWS,
        "skipped duplicate judgments, keeping the first",
    ),
    BadFile(
        "contradiction.qrels",
        QRELS + b"q1 0 d1 2\n",
        "document d1 of topic q1 has grade 2 here and 1 before (first: line 1)",
        QRELS_ROWS,
        "skipped contradictory judgments, keeping the first",
    ),
    BadFile(
        "latin1.qrels",
        QRELS + b"q2 0 d\xe9 1\n",
        "invalid UTF-8 (byte 0xe9); save the file as UTF-8",
        QRELS_ROWS,
        "skipped lines that are not UTF-8",
    ),
    BadFile(
        "latin1.run",
        RUN + b"q2 Q\xe9 d1 1 2 t\n",
        "invalid UTF-8 (byte 0xe9); save the file as UTF-8",
        RUN_ROWS,
        "skipped lines that are not UTF-8",
    ),
    BadFile(
        "nul.qrels",
        QRELS + b"q2 0 d\0x 1\n",
        "a NUL byte; the file may be damaged",
        QRELS_ROWS,
        NUL,
    ),
    # Whole files
    BadFile("empty.run", b"", "the file is empty", location=""),
    BadFile("empty.qrels", b"", "the file is empty", location=""),
    BadFile("blank.run", b" \n\t\r\n\n", "the file is empty", location=""),
    BadFile("comment.qrels", b"# nothing\n  # here\n", "contains no judgments", location=""),
    BadFile("comment.run", b"# nothing\n", "contains no results", location=""),
    BadFile("binary.run", bytes(range(256)) * 20, "is a binary file, not text", location=""),
    BadFile("utf16.run", RUN.decode().encode("utf-16"), "is UTF-16 text; save it as UTF-8", location=""),
    BadFile("utf16-no-mark.run", RUN.decode().encode("utf-16-le"), "is a binary file, not text", location=""),
    BadFile("zip.run", b"PK\x03\x04rest", "is a zip archive, not text; extract or export it first", location=""),
    BadFile("paper.run", b"%PDF-1.7\n", "is a PDF, not text; extract or export it first", location=""),
    BadFile("named.run.gz", RUN, "is named .gz but is not gz-compressed; rename it to named.run", location=""),
    BadFile(
        "other.run.gz", bz2.compress(RUN), "is named .gz but is not gz-compressed; rename it to other.run", location=""
    ),
    *[
        BadFile(f"cut.run.{ending}", data[:-6], f"the {ending} data is damaged or cut off ({reason})", location="")
        for ending, data, reason in [
            ("gz", gzip.compress(RUN), "it ends too early"),
            ("bz2", bz2.compress(RUN), "it ends too early"),
            ("xz", lzma.compress(RUN), "it ends too early"),
            ("zst", zstandard.compress(RUN), "it ends too early"),
        ]
    ],
    # JSON
    BadFile(
        "broken.run.json",
        b'{\n"q1": {"d1": }\n}',
        "not JSON (Expecting value, column 14)",
        location=":2",
    ),
    BadFile(
        "python.run",
        b"{'q1': {'d1': 1}}",
        "not JSON (Expecting property name enclosed in double quotes, column 2)",
        location=":1",
    ),
    BadFile("deep.run.json", b"[" * 100_000, "nested too deeply", location=":1"),
    BadFile(
        "latin1.run.json", b'{"q1":\n{"d\xe9": 1}}', "invalid UTF-8 (byte 0xe9); save the file as UTF-8", location=":2"
    ),
    BadFile("empty.run.json", b" ", "the file is empty", location=""),
    BadFile(
        "list.run.json",
        b"[1]",
        "expected {topic: {document: score}} or a record with topic, document and score, found 1 (int)",
        (),
        "skipped records of another shape",
        location=", record 1",
    ),
    BadFile(
        "shape.run.json",
        b'{"q1": {"d1": 2.5, "d2": 1.5}, "q2": 7}',
        "expected {document: score}, found 7 (int)",
        RUN_ROWS,
        "skipped topics of another shape",
        location=", topic 'q2'",
    ),
    BadFile(
        "deeper.run.json",
        b'{"bm25": {"q1": {"d1": 1}}}',
        "the score must be a number, found {'d1': 1} (Object)",
        (),
        "skipped rows whose score is not a number",
        location=", topic 'bm25', document 'q1'",
    ),
    *[
        BadFile(
            f"value-{number}.run.json",
            b'{"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d1": %s}}' % text,
            f"the score must be a number, found {value}",
            RUN_ROWS,
            "skipped rows whose score is not a number",
            location=", topic 'q2', document 'd1'",
        )
        for number, (text, value) in enumerate(
            [(b'"2"', "'2' (str)"), (b"null", "None (NoneType)"), (b"true", "True (bool)"), (b"[1]", "[1] (list)")]
        )
    ],
    *[
        BadFile(
            f"infinite-{number}.run.json",
            b'{"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d1": %s}}' % text,
            f"the score must be a finite number, found {value}",
            RUN_ROWS,
            "skipped rows whose score is not a finite number",
            location=", topic 'q2', document 'd1'",
        )
        for number, (text, value) in enumerate(
            [(b"NaN", "nan"), (b"-Infinity", "-inf"), (b"1e400", "inf"), (b"9" * 5000, "inf"), (b"9" * 350, "inf")]
        )
    ],
    BadFile(
        "twice.qrels.json",
        b'{"q1": {"d1": 1, "d2": 0}, "q1": {"d1": 2}}',
        "document d1 of topic q1 has grade 2 here and 1 before (first: topic 'q1', document 'd1')",
        QRELS_ROWS,
        "skipped contradictory judgments, keeping the first",
        location=", topic 'q1', document 'd1'",
    ),
    BadFile(
        "broken.run.jsonl",
        b'{"qid": "q1", "docno": "d1", "score": 2.5}\n{"qid": "q1", "docno": "d2", "score": 1.5}\n{"qid": }\n',
        "not JSON (Expecting value, column 9)",
        RUN_ROWS,
        "skipped lines that are not JSON",
    ),
    BadFile(
        "latin1.run.jsonl",
        b'{"q1": {"d1": 2.5}}\n{"q1": {"d2": 1.5}}\n{"q2": {"d\xe9": 1.5}}\n',
        "invalid UTF-8 (byte 0xe9); save the file as UTF-8",
        RUN_ROWS,
        "skipped lines that are not UTF-8",
    ),
    BadFile(
        "null.run.jsonl",
        b'{"q1": {"d1": 2.5}}\n{"q1": {"d2": 1.5}}\nnull\n',
        "expected {topic: {document: score}} or a record with topic, document and score, found None (NoneType)",
        RUN_ROWS,
        "skipped records of another shape",
    ),
    BadFile(
        "lacking.run.jsonl",
        b'{"q1": {"d1": 2.5}}\n{"q1": {"d2": 1.5}}\n{"qid": "q2", "score": 1}\n',
        f"no column for the document among 'qid', 'score'; {DOCUMENT_COLUMN}",
        RUN_ROWS,
        "skipped records of another shape",
    ),
    BadFile(
        "missing.run.jsonl",
        b'{"q1": {"d1": 2.5}}\n{"q1": {"d2": 1.5}}\n{"qid": null, "docno": "d1", "score": 1}\n',
        "the topic id is missing",
        RUN_ROWS,
        "skipped rows without a topic",
    ),
    BadFile(
        "numbers.run.jsonl",
        b'{"qid": 1.0, "docno": "d1", "score": 1}\n',
        "topic ids must be text or integers, got 1.0 (float); write 1, or read the ids as text",
        location=":1",
    ),
    BadFile(
        "unnamed.run.jsonl",
        b'{"qid": "q1", "doc": "d1", "score": 2.5, "run": "t"}\n{"qid": "q1", "doc": "d2", "score": 1.5, "run": "t"}\n'
        b'{"qid": "q1", "doc": "d3", "score": 1}\n',
        "the name of the run is missing",
        RUN_ROWS,
        "skipped rows without a run",
    ),
    # Parquet
    BadFile(
        "columns.run.parquet",
        to_parquet(qid=["q1"], text=["d1"], score=[1.0]),
        f"no column for the document among 'qid', 'text', 'score'; {DOCUMENT_COLUMN}",
        location="",
    ),
    BadFile(
        "columns.qrels.parquet",
        to_parquet(qid=["q1"], docno=["d1"]),
        "no column for the grade among 'qid', 'docno'; name it one of grade, relevance, rel, label, score, or "
        "write columns 'grade=NAME'",
        location="",
    ),
    BadFile(
        "ids.run.parquet",
        to_parquet(qid=[1.0], docno=["d1"], score=[1.0]),
        "topic ids must be text or integers, but column 'qid' is Float64; read it as text, so that ids such as 001 "
        "keep their zeros",
        location="",
    ),
    BadFile(
        "text.run.parquet",
        to_parquet(qid=["q1"], docno=["d1"], score=["1.0"]),
        "the score must be a number, but column 'score' is String; cast it to a float",
        location="",
    ),
    BadFile(
        "null.run.parquet",
        to_parquet(qid=["q1", "q1", "q2"], docno=["d1", "d2", "d1"], score=[2.5, 1.5, None]),
        "the score must be a finite number, found missing",
        RUN_ROWS,
        "skipped rows whose score is not a finite number",
        location=", row 3",
    ),
    BadFile(
        "twice.run.parquet",
        to_parquet(qid=["q1", "q1", "q1"], docno=["d1", "d2", "d1"], score=[2.5, 1.5, 1.0]),
        "document d1 was already retrieved for topic q1 (first: row 1)",
        RUN_ROWS,
        "skipped duplicate documents, keeping the first",
        location=", row 3",
    ),
    BadFile("empty.run.parquet", b"", "the file is empty", location=""),
    BadFile(
        "text.qrels.parquet",
        QRELS,
        "is not Parquet despite its name (it does not start with PAR1); rename it",
        location="",
    ),
    BadFile("cut.run.parquet", b"PAR1rest", "the Parquet data is cut off (it does not end with PAR1)", location=""),
    BadFile(
        "damaged.run.parquet",
        b"PAR1" + bytes(40) + b"PAR1",
        "the Parquet data is damaged (it ends too early); write it again",
        location="",
    ),
    # BEIR
    BadFile(
        "few.qrels.tsv",
        BEIR + b"q1\td2\n",
        "expected 3 tab-separated columns (query-id, corpus-id, score), found 2",
        QRELS_ROWS[:1],
        COLUMNS,
    ),
    BadFile(
        "many.qrels.tsv",
        BEIR + b"q1\td2\t1\t\n",
        "expected 3 tab-separated columns (query-id, corpus-id, score), found 4",
        QRELS_ROWS[:1],
        COLUMNS,
    ),
    BadFile(
        "grade.qrels.tsv", BEIR + b"q1\td 2\tx\n", "the grade must be a finite number, found 'x'", QRELS_ROWS[:1], GRADE
    ),
    BadFile(
        "twice.qrels.tsv",
        BEIR + b"q1\td1\t1\n",
        "document d1 was already judged for topic q1 (first: line 2, with the same grade)",
        QRELS_ROWS[:1],
        "skipped duplicate judgments, keeping the first",
    ),
    BadFile(
        "id.qrels.tsv",
        BEIR + b"q1\t\t1\n",
        "the document id is missing",
        QRELS_ROWS[:1],
        "skipped rows without a document",
    ),
    BadFile("nul.qrels.tsv", BEIR + b"q1\td\0\t1\n", "a NUL byte; the file may be damaged", QRELS_ROWS[:1], NUL),
    BadFile("header.qrels.tsv", BEIR[:25], "nothing follows the header", location=""),
    BadFile(
        "grades.run.tsv",
        b"query-id\tcorpus-id\tgrade\nq1\td1\t1\n",
        "no column for the score among 'query-id', 'corpus-id', 'grade'; name it one of score, sim, similarity, or "
        "write columns 'score=NAME'",
        location=":1",
    ),
]


def read_rows(path: str, lenient: bool) -> tuple[tuple[tuple[str, str, float], ...], tuple[str, ...]]:
    if ".qrels" in path:
        qrels = read_qrels(path, lenient=lenient)
        return tuple(qrels.frame().rows()), qrels.notes
    (run,) = read_runs(path, lenient=lenient)
    return tuple(run.frame().rows()), run.notes


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.file)
def test_strict_reader_rejects_the_file(bad: BadFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(bad.file).write_bytes(bad.data)
    with pytest.raises(InputError) as error:
        read_rows(bad.file, lenient=False)
    assert str(error.value) == f"{bad.file}{bad.location}: {bad.message}"
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.file)
def test_lenient_reader_skips_bad_rows(bad: BadFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(bad.file).write_bytes(bad.data)
    if bad.note is None:
        with pytest.raises(InputError) as error:
            read_rows(bad.file, lenient=True)
        assert str(error.value) == f"{bad.file}{bad.location}: {bad.message}"
        return
    if not bad.rows:
        with pytest.raises(InputError, match="contains no results; the first problem is") as error:
            read_rows(bad.file, lenient=True)
        assert f"{bad.file}{bad.location}: {bad.message}" in str(error.value)
        return
    rows, notes = read_rows(bad.file, lenient=True)
    assert rows == bad.rows
    assert notes == (f"{bad.file}: {bad.note}: {bad.count} (first: {bad.file}{bad.location}: {bad.message})",)


def test_gzip_file_without_gz_suffix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("packed.run").write_bytes(gzip.compress(RUN))
    message = r"^packed.run: is gz-compressed; rename it to packed.run.gz\n.*lenient=True"
    with pytest.raises(InputError, match=message):
        read_rows("packed.run", lenient=False)
    assert read_rows("packed.run", lenient=True) == (
        RUN_ROWS,
        ("packed.run: is gz-compressed but not named .gz; read anyway",),
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("bm52.run", "bm52.run: no such file; did you mean bm25.run?"),
        ("quite-other", "quite-other: no such file"),
        ("absent/bm25.run", "absent/bm25.run: no such file"),
        ("empty", "empty: the directory holds no files"),
        ("*.qrels", "*.qrels: no file matches this pattern"),
        (["bm25.run", "*.run"], "bm25.run: named more than once; name each file once"),
    ],
)
def test_invalid_paths_are_rejected(
    path: str | list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("bm25.run").write_bytes(RUN)
    for lenient in (False, True):
        with pytest.raises(InputError) as error:
            read_runs(path, lenient=lenient)
        assert str(error.value) == message


def test_directory_as_qrels_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a directory; name a file in it$"):
        read_qrels(tmp_path)


def test_problems_are_counted_by_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.qrels").write_bytes(
        b"q1 0 d1 1\nq1 0 d1 2\nq1 0 d1 1\nq1 0 d2\nq1 0 d2 x\nq1 0\nq2 0 d\xff 1\nq1 0 d1 3\nq1 0 d1 1\n"
    )
    rows, notes = read_rows("bad.qrels", lenient=True)
    assert rows == (("q1", "d1", 1.0),)
    assert [note.partition(" (")[0] for note in notes] == [
        f"bad.qrels: {COLUMNS}: 2",
        f"bad.qrels: {GRADE}: 1",
        "bad.qrels: skipped lines that are not UTF-8: 1",
        "bad.qrels: skipped contradictory judgments, keeping the first: 2",
        "bad.qrels: skipped duplicate judgments, keeping the first: 2",
    ]
    assert [note.partition("(first: bad.qrels:")[2][0] for note in notes] == ["4", "5", "7", "2", "3"]
