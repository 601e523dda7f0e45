"""Tests of ``assay eval``."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import polars as pl
import pytest

from assay.cli import main
from assay.model.policies import IGNORING_SCORES, TIES

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\nq3 0 z 0\n"
RUN = "q1 Q0 b 1 3.0 bm25\nq1 Q0 a 2 2.0 bm25\nq2 Q0 a 1 1.0 bm25\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text(RUN)
    (tmp_path / "runs" / "dense.run.gz").write_bytes(gzip.compress(RUN.replace("bm25", "dense").encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["eval", *args]) == 0
    return capsys.readouterr().out


def test_table_of_means(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run_command(capsys, "qrels.txt", "runs", "-m", "RR", "P@1").splitlines()
    assert lines[0].split() == ["run", "RR", "P@1"]
    assert lines[2].split() == ["bm25", "0.5000", "0.3333"]
    assert lines[3].split() == ["dense", "0.5000", "0.3333"]


def test_default_measures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(capsys, "qrels.txt", "runs/bm25.run").split()[:5] == ["run", "AP", "nDCG@10", "P@10", "RR"]


def test_measure_sets_match_trec_eval(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``-m official`` prints the same means as ``assay trec_eval``, in the same order."""
    rows = run_command(capsys, "qrels.txt", "runs/bm25.run", "-m", "official", "--format", "tsv").splitlines()[1:]
    assert main(["trec_eval", "-c", "-m", "official", "qrels.txt", "runs/bm25.run"]) == 0
    printed = capsys.readouterr().out.splitlines()[1:]  # the first line is the run id
    assert [f"{float(row.split()[-1]):.4f}" for row in rows] == [f"{float(line.split()[-1]):.4f}" for line in printed]
    assert run_command(capsys, "qrels.txt", "runs", "-m", "success", "AP").splitlines()[0].split() == [
        *("run", "Success@1", "Success@5", "Success@10", "AP")
    ]


def test_tsv_per_topic_with_all_digits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run_command(capsys, "qrels.txt", "runs/bm25.run", "-m", "P@3", "--per-topic", "--format", "tsv")
    assert text.splitlines() == [
        "run\tmeasure\ttopic\tvalue",
        "bm25\tP@3\tq1\t0.3333333333333333",
        "bm25\tP@3\tq2\t0.3333333333333333",
        "bm25\tP@3\tq3\t0.0",
        "bm25\tP@3\tall\t0.2222222222222222",
    ]


def test_digits_round_every_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "0.22" in run_command(capsys, "qrels.txt", "runs/bm25.run", "-m", "P@3", "--digits", "2")
    text = run_command(capsys, "qrels.txt", "runs/bm25.run", "-m", "P@3", "--digits", "2", "--format", "csv")
    assert text.splitlines()[1] == "bm25,P@3,all,0.22"


@pytest.mark.parametrize("name", ["v.tsv", "v.csv", "v.json", "v.md", "v.tex", "v.parquet", "v.txt"])
def test_suffix_of_the_output_file_selects_the_format(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(capsys, "qrels.txt", "runs", "-m", "RR", "-o", name) == ""
    data = (folder / name).read_bytes()
    prefixes = {
        ".tsv": b"run\t",
        ".csv": b"run,",
        ".json": b"{",
        ".md": b"| run",
        ".tex": b"\\begin",
        ".parquet": b"PAR1",
    }
    assert data.startswith(prefixes.get(Path(name).suffix, b"run  "))


def test_dash_means_standard_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(capsys, "qrels.txt", "runs/bm25.run", "-m", "RR", "-o", "-", "--format", "csv").startswith(
        "run,"
    )
    assert not (folder / "-").exists()


def test_json_contains_provenance(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(run_command(capsys, "qrels.txt", "runs", "-m", "RR", "--format", "json", "--ties", "file"))
    assert content["provenance"]["policies"]["ties"] == "file"
    assert len(content["rows"]) == 2


def test_parquet_on_standard_output(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["eval", "qrels.txt", "runs", "-m", "RR", "--format", "parquet"]) == 0
    assert len(pl.read_parquet(io.BytesIO(capfdbinary.readouterr().out))) == 2


def test_notes_go_to_standard_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "qrels.txt", "runs/bm25.run", "-m", "AP"]) == 0
    error = capsys.readouterr().err
    assert "assay: note: runs/bm25.run: lacks 1 of the 3 topics of the qrels; counted as empty rankings\n" in error
    assert "assay: note: AP: counted 1 topic without relevant documents as 0: q3\n" in error


def test_many_notes_are_summarized(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(30):
        (folder / "runs" / f"{number}.run").write_text(RUN.replace("bm25", f"s{number}"))
    assert main(["eval", "qrels.txt", "runs", "-m", "RR"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines == [line for line in lines if "missing topics: 32 runs" in line]


def test_policies_are_applied(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["qrels.txt", "runs/bm25.run", "-m", "RR", "--format", "csv"]
    assert run_command(capsys, *args, "--missing", "exclude").splitlines()[1] == "bm25,RR,all,0.75"
    assert run_command(capsys, *args, "--undefined", "exclude", "-m", "AP").splitlines()[2] == "bm25,AP,all,0.75"
    assert main(["eval", *args, "--ties", "docid"]) == 2
    assert "--ties docid: choose one of" in capsys.readouterr().err


def test_lenient_skips_bad_lines_with_a_note(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "odd.run").write_text(RUN + "q1 Q0 c 3\nq1 Q0 a 9 0.1 bm25\n")
    assert main(["eval", "qrels.txt", "odd.run", "-m", "RR"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("assay: odd.run:4: expected 6 columns (topic Q0 doc rank score tag), found 4;")
    assert captured.err.endswith("--lenient\n")
    assert main(["eval", "qrels.txt", "odd.run", "-m", "RR", "--lenient"]) == 0
    error = capsys.readouterr().err
    assert "skipped lines with the wrong number of columns: 1" in error
    assert "skipped duplicate documents, keeping the first: 1" in error


def test_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Stdin:
        buffer = io.BytesIO(RUN.encode())

    monkeypatch.setattr("sys.stdin", Stdin())
    assert "bm25,RR,all,0.5" in run_command(capsys, "qrels.txt", "-", "-m", "RR", "--format", "csv")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--format", "xml"],
            "assay: --format xml: choose one of table, tsv, csv, json, markdown, latex, parquet, html\n",
        ),
        (["--digits", "99"], "assay: --digits must be from 0 to 17, got 99\n"),
        (["-o", "no/such/place.tsv"], "assay: -o no/such/place.tsv: directory no/such does not exist\n"),
        (["-o", ""], "assay: -o '': name a file to write\n"),
        (["-o", "runs"], "assay: -o 'runs': name a file to write\n"),
        (["-o", "x.xlsx"], "assay: -o x.xlsx: unknown file type .xlsx; add --format\n"),
        (
            ["-o", "runs/bm25.run", "--format", "tsv"],
            "assay: -o runs/bm25.run: would overwrite an input; choose another file\n",
        ),
        (
            ["-m", "nDCG(foo={1:2})"],
            "assay: measure 'nDCG(foo={1:2})': nDCG has no parameter foo; it has cutoff, base, gains, rel, max_rel\n",
        ),
        (["-m", "nDCG@0"], "assay: measure 'nDCG@0': cutoff must be at least 1, got 0\n"),
    ],
)
def test_invalid_options_print_one_line_and_no_output(
    folder: Path, args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "qrels.txt", "runs/bm25.run", "-m", "P@1", "--missing", "exclude", *args]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == message
    assert (folder / "runs" / "bm25.run").read_text() == RUN


def test_existing_file_is_unchanged_after_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "out.tsv").write_text("old")
    assert main(["eval", "qrels.txt", "missing.run", "-o", "out.tsv"]) == 2
    assert (folder / "out.tsv").read_text() == "old"


@pytest.mark.parametrize(
    "command", ["eval", "eval --memory 1G", "leaderboard", "compare", "effort indicators", "plot leaderboard"]
)
@pytest.mark.parametrize(
    ("ties", "contradicts"), [("rank", True), ("file", True), ("score-file", False), ("score-id", False)]
)
def test_order_that_contradicts_the_scores_is_noted(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str, ties: str, contradicts: bool
) -> None:
    (folder / "odd.run").write_text("q1 Q0 a 1 0.5 odd\nq1 Q0 b 2 0.9 odd\nq2 Q0 a 1 0.5 odd\n")
    assert main([*command.split(), "qrels.txt", "odd.run", "runs/bm25.run", "--ties", ties]) == 0
    note = "contradicts the scores in 1 topic"
    assert [line for line in capsys.readouterr().err.splitlines() if note in line] == (
        [f"assay: note: odd.run: {IGNORING_SCORES[ties]} {note}; --ties {ties} ignores the scores"]
        if contradicts
        else []
    )


def test_tie_policies_order_documents_with_equal_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q").write_text("t 0 a 1\nt 0 b 0\n")
    Path("r").write_text("t Q0 c 1 1 x\nt Q0 b 2 2 x\nt Q0 a 3 2 x\n")
    values = {}
    for ties in TIES:
        assert main(["eval", "q", "r", "-m", "RR", "--ties", ties, "--format", "csv"]) == 0
        values[ties] = float(capsys.readouterr().out.split(",")[-1])
    assert (values["score-file"], values["score-id"], values["trec_eval-10"]) == (0.5, 1.0, 0.5)
    assert (values["file"], values["rank"], values["expected"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3), 0.75)
