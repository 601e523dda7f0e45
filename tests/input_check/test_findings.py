"""Findings of ``assay.check``: a test file for each kind of problem."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import assay
from assay.input_check.findings import InputFinding
from assay.input_check.report import InputCheck

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n"
RUN = "1 Q0 a 1 2 good\n1 Q0 b 2 1 good\n2 Q0 a 1 2 good\n2 Q0 b 2 1 good\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "good.run").write_text(RUN)
    return tmp_path


def check_files(run: str | bytes = b"", qrels: str = QRELS, name: str = "x.run", **options: object) -> InputCheck:
    """Check a good run and another file."""
    Path("qrels.txt").write_text(qrels)
    Path(name).write_bytes(run.encode() if isinstance(run, str) else run)
    return assay.check("qrels.txt", ["good.run", name], **options)


def find(report: InputCheck, kind: str) -> InputFinding:
    (finding,) = [finding for finding in report.findings if finding.kind == kind]
    return finding


def test_good_files_have_no_findings() -> None:
    report = assay.check("qrels.txt", "good.run")
    assert report.findings == ()
    assert (report.exit_code, report.summary()) == (0, "Verdict: no problems; 1 run and 2 topics were read.")


@pytest.mark.parametrize(
    ("run", "kind", "count", "examples"),
    [
        (RUN + "1 Q0 c 3\n\n2 Q0 c 3\n", "lines with the wrong number of columns", 2, ("x.run:5", "x.run:7")),
        (RUN + "1 Q0 c 3 nan x\n", "lines whose score is not a finite number", 1, ("x.run:5",)),
        (RUN + "1 Q0 c 3 -inf x\n", "lines whose score is not a finite number", 1, ("x.run:5",)),
        (RUN + "1 Q0 c 3 x x\n" * 5, "lines whose score is not a finite number", 5, ("x.run:5", "x.run:6", "x.run:7")),
        (RUN + "1 Q0 a 3 0 x\n2 Q0 b 3 0 x\n", "duplicate documents", 2, ("x.run:5", "x.run:6")),
        (RUN.encode() + b"1 Q0 \xff 3 0 x\n", "lines that are not UTF-8", 1, ("x.run:5",)),
        (RUN.encode() + b"1 Q0 a\0 3 0 x\n", "lines with NUL bytes", 1, ("x.run:5",)),
    ],
)
def test_invalid_lines_are_errors(run: str | bytes, kind: str, count: int, examples: tuple[str, ...]) -> None:
    report = check_files(run)
    finding = find(report, kind)
    assert (finding.severity, finding.source, finding.count, finding.examples) == ("error", "x.run", count, examples)
    assert finding.message.startswith(examples[0])
    assert "--lenient" in finding.message
    assert report.exit_code == 2
    lenient = check_files(run, lenient=True)
    assert (find(lenient, kind).severity, lenient.exit_code) == ("warning", 1)


def test_all_kinds_of_invalid_lines_are_reported_at_once() -> None:
    report = check_files(RUN + "1 Q0 c 3\n1 Q0 c 3 nan x\n1 Q0 a 3 0 x\n", QRELS + "1 0 a\n")
    errors = [(finding.kind, finding.examples) for finding in report.findings if finding.severity == "error"]
    assert errors == [
        ("lines with the wrong number of columns", ("qrels.txt:5",)),
        ("lines with the wrong number of columns", ("x.run:5",)),
        ("lines whose score is not a finite number", ("x.run:6",)),
        ("duplicate documents", ("x.run:7",)),
    ]


@pytest.mark.parametrize(
    ("qrels", "kind"),
    [
        (QRELS + "1 0 c x\n", "lines whose grade is not a finite number"),
        (QRELS + "1 0 a 1\n", "duplicate judgments"),
        (QRELS + "1 0 a 0\n", "contradictory judgments"),
    ],
)
def test_invalid_judgments_are_errors(qrels: str, kind: str) -> None:
    finding = find(check_files(RUN, qrels), kind)
    assert (finding.severity, finding.count, finding.examples) == ("error", 1, ("qrels.txt:5",))


def test_json_and_frames_are_checked_like_text() -> None:
    report = check_files('{"1": {"a": 1, "b": "x"}, "2": {"a": 1}}', name="x.json")
    assert find(report, "rows whose score is not a number").examples == ("x.json, topic '1', document 'b'",)
    rows = [("1", "a", 2.0), ("1", "a", 1.0), ("2", "a", float("nan"))]
    report = assay.check({"1": {"a": 1}}, rows)
    assert find(report, "duplicate documents").examples == ("run 'run1', tuple 2",)
    assert find(report, "rows whose score is not a finite number").count == 1


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"", "x.run", "cannot be read: the file is empty"),
        (b"PK\x03\x04abc", "x.run", "cannot be read: is a zip archive, not text"),
        (RUN.encode("utf-16"), "x.run", "cannot be read: is UTF-16 text"),
        (RUN.encode(), "x.run.gz", "cannot be read: is named .gz but is not gz-compressed"),
        (gzip.compress(RUN.encode(), mtime=0)[:30], "x.run.gz", "cannot be read: the gz data is damaged or cut off"),
        (b"1 0 a 1\n", "x.run", "cannot be read: contains no results"),
    ],
)
def test_unreadable_files_are_errors_and_other_files_are_checked(data: bytes, name: str, kind: str) -> None:
    report = check_files(data, name=name)
    finding = find(report, kind)
    assert (finding.severity, finding.source, finding.message.partition(":")[0]) == ("error", name, name)
    assert report.runs["run"].to_list() == ["good"]


def test_a_file_without_valid_lines_names_all_its_lines() -> None:
    report = check_files("1 0 a 1\n2 0 b 0\n")
    assert find(report, "lines with the wrong number of columns").count == 2
    assert "these look like judgments" in find(report, "cannot be read: contains no results").message


def test_missing_files_are_errors() -> None:
    Path("empty").mkdir()
    report = assay.check("nowhere.txt", ["good.run", "god.run", "empty", "no*", "./good.run"])
    unreadable = [finding.source for finding in report.findings if finding.kind == "files that cannot be read"]
    assert sorted(unreadable) == ["./good.run", "empty", "god.run", "no*", "nowhere.txt"]
    assert report.runs["run"].to_list() == ["good"]
    assert any("did you mean good.run?" in finding.message for finding in report.findings)
    assert report.answers == ()


def test_a_compressed_file_without_its_suffix() -> None:
    kind = "compressed files without their suffix"
    assert find(check_files(gzip.compress(RUN.encode())), kind).severity == "error"
    assert find(check_files(gzip.compress(RUN.encode()), lenient=True), kind).severity == "note"


@pytest.mark.parametrize(
    ("run", "severity", "kind", "count", "total"),
    [
        ("1 Q0 a 1 2 x\n1 Q0 b 1 1 x\n", "warning", "judged topics that runs lack", 1, 2),
        (RUN + "3 Q0 a 1 2 good\n", "note", "topics of runs without judgments", 1, 3),
        ("3 Q0 a 1 2 x\n", "error", "runs without a judged topic", 1, None),
        ("1 Q0 a 1 2 x\n2 Q0 a 1 2 x\n", "warning", "runs with fewer than 2 documents", 1, 2),
        ("1 Q0 y 1 2 x\n2 Q0 y 1 2 x\n1 Q0 z 1 1 x\n", "warning", "runs without a judged document", 1, 2),
        (RUN.replace("good", "x"), "warning", "runs with identical rankings and scores", 1, 2),
        (RUN.replace(" 2 g", " 9 g"), "warning", "runs with identical rankings", 1, 2),
        (RUN.replace(" 1 2 ", " 3 2 "), "warning", "topics whose ranks contradict scores", 2, 2),
        (RUN.replace(" 1 2 ", " x 2 "), "note", "ranks that are not whole numbers", 2, 4),
        (RUN + "1 Q0 y 3 0.5 x\n", "note", "files with several tags", 1, None),
        (RUN + "1 Q0 y 3 0.5 x\n", "warning", "many unjudged documents in the top 5", 1, 5),
        (RUN.replace(" 2 1 ", " 2 2 "), "warning", "runs whose ties change means by 0.01", 1, 2),
    ],
)
def test_problems_of_runs(run: str, severity: str, kind: str, count: int, total: int | None) -> None:
    report = check_files(run)
    finding = find(report, kind)
    assert (finding.severity, finding.count) == (severity, count)
    assert total is None or finding.total == total
    assert report.exit_code == (2 if severity == "error" else 1)


def test_runs_with_the_same_tag_are_named_by_their_files() -> None:
    report = check_files(RUN)
    assert [finding.source for finding in report.findings if finding.kind == "runs that share a tag"] == [
        *report.runs["run"]
    ]


@pytest.mark.parametrize(
    ("qrels", "kind", "examples"),
    [
        ("1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 b 0\n", "topics without relevant documents", ("2",)),
        ("1 0 a 1\n1 0 b 0\n2 0 a 1\n", "topics with a single judged document", ("2",)),
        ("1 0 a 1\n1 0 b -1\n2 0 a 1\n2 0 b 0\n", "judgments with a negative grade", ()),
    ],
)
def test_problems_of_judgments_are_notes(qrels: str, kind: str, examples: tuple[str, ...]) -> None:
    finding = find(check_files(RUN, qrels), kind)
    assert (finding.severity, finding.count, finding.examples) == ("note", 1, examples)


def test_grades_below_the_threshold_of_relevance_are_an_error() -> None:
    report = check_files(RUN, QRELS.replace(" 1\n", " 0.5\n"))
    finding = find(report, "measures without a value")
    assert finding.severity == "error"
    assert "rel" in finding.message
    assert report.runs["unjudged_5"].to_list() == [0, 0]


def test_entries_of_directories_that_are_not_files() -> None:
    Path("runs/older").mkdir(parents=True)
    Path("runs/a.run").write_text(RUN)
    finding = find(assay.check("qrels.txt", "runs"), "directories with entries that are not files")
    assert "older" in finding.message


def test_names_of_runs_are_checked() -> None:
    Path("x.run").write_text(RUN)
    report = assay.check("qrels.txt", ["a=good.run", "a=x.run", "b=nowhere.run", "=x"])
    assert report.runs["run"].to_list() == ["a", "a (2)"]
    errors = [finding.message for finding in report.findings if finding.severity == "error"]
    assert any("nowhere.run does not exist" in message for message in errors)
    assert any("two runs are both named a; name them with NAME=FILE" in message for message in errors)


def test_topics_are_selected() -> None:
    report = check_files(RUN.replace("good", "x").replace(" b 2 1 ", " z 2 1 "), topics="1")
    assert (report.topics["topic"].to_list(), report.runs["topics"].to_list()) == (["1"], [1, 1])
    assert not any("without judgments" in finding.kind for finding in report.findings)
    assert find(report, "many unjudged documents in the top 5").total == 2
    with pytest.raises(assay.AssayError, match="no topic 7"):
        assay.check("qrels.txt", "good.run", topics=["7"])


def test_judgments_alone() -> None:
    report = assay.check("qrels.txt")
    assert (report.exit_code, len(report.runs), len(report.topics), report.answers) == (0, 0, 2, ())
    Path("qrels.txt").write_text(QRELS + "1 0 a 1\n")
    assert assay.check("qrels.txt").exit_code == 2


def test_arguments_are_checked() -> None:
    with pytest.raises(assay.AssayError, match="cutoffs 0"):
        assay.check("qrels.txt", "good.run", cutoffs=[0])
    with pytest.raises(assay.AssayError, match="ties"):
        assay.check("qrels.txt", "good.run", ties="x")
    with pytest.raises(assay.AssayError, match="nDCX"):
        assay.check("qrels.txt", "good.run", "nDCX")


def test_ranks_of_a_run_that_is_ordered_by_rank() -> None:
    """With ties=rank, commands refuse ranks that are not whole numbers."""
    assert check_files(RUN.replace(" 1 2 ", " x 2 "), ties="rank").exit_code == 2
    assert [finding.kind for finding in assay.check("qrels.txt", "good.run", ties="rank").findings] == []
