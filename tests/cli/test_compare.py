"""Tests of ``assay compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli import main

TOPICS = range(12)


def run_file(tag: str, relevant_index: object) -> str:
    """Return the text of a run whose relevant document has an index that depends on the topic."""
    lines = []
    for topic in TOPICS:
        documents = [f"n{number}" for number in range(5)]
        documents.insert(relevant_index(topic), "r")
        lines += [f"{topic} Q0 {doc} {rank} {-rank} {tag}\n" for rank, doc in enumerate(documents, 1)]
    return "".join(lines)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{topic} 0 r 1\n" for topic in TOPICS))
    Path("bm25.run").write_text(run_file("bm25", lambda topic: 2 + topic % 3))
    Path("dense.run").write_text(run_file("dense", lambda topic: topic % 2))
    Path("mixed.run").write_text(run_file("mixed", lambda topic: topic % 4))
    Path("seeds").write_text("dense neural\nmixed neural\n")


RUNS = ("bm25.run", "dense.run", "mixed.run")


def run_command(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> str:
    assert main(["compare", "qrels", *RUNS, *args]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return captured.err if code else captured.out


def read_rows(capsys: pytest.CaptureFixture[str], *args: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(run_command(capsys, *args, "--format", "json"))["rows"]
    return rows


def test_table(capsys) -> None:
    lines = run_command(capsys, "-m", "RR").splitlines()
    assert " ".join(lines[0].split()) == "run against mean difference 95 % CI p (Holm) W/T/L"
    assert lines[2].split()[:3] == ["dense", "mixed", "0.7500"]
    assert lines[3].split()[3].endswith("▲")
    assert lines[6].startswith("RR: ")
    assert "dense has the best mean" in lines[6]


def test_wide_table_has_all_columns(capsys) -> None:
    head = run_command(capsys, "-m", "RR", "--wide").splitlines()[0].split()
    assert head[:6] == ["measure", "run_a", "run_b", "topics", "mean_a", "mean_b"]
    assert "effect" in head


def test_default_measures(capsys) -> None:
    assert [row["measure"] for row in read_rows(capsys)] == ["AP"] * 3 + ["nDCG@10"] * 3


def test_options_are_recorded_in_the_settings(capsys) -> None:
    args = ["-m", "RR", "AP", "--test", "randomization", "--resamples", "99", "--seed", "7", "--correction", "bh"]
    args += ["--family", "all", "--alpha", "0.1", "--baseline", "bm25", "--baseline", "dense.run"]
    content = json.loads(run_command(capsys, *args, "--margin", "5%", "--power", "0.9", "--format", "json"))
    assert content["provenance"]["settings"] == {
        "test": {"name": "randomization", "resamples": 99, "seed": 7},
        "correction": "bh",
        "family": "all",
        "comparisons": "all 6 comparisons with 2 baselines and measures",
        "alpha": 0.1,
        "baseline": ["bm25", "dense"],
        "margin": "5%",
        "power": 0.9,
        "detect": None,
        "systems": {},
    }
    pairs = [(row["run_a"], row["run_b"]) for row in content["rows"][:3]]
    assert pairs == [("dense", "bm25"), ("mixed", "bm25"), ("mixed", "dense")]
    assert content["rows"][0]["topics_needed"] > 1
    assert content["rows"][0]["p_equivalent"] > 0.5
    assert content == json.loads(run_command(capsys, *args, "--margin", "5%", "--power", "0.9", "--format", "json"))


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomization", "bootstrap", "tukey", "tukey-randomized"])
def test_every_test(capsys, test: str) -> None:
    table = read_rows(capsys, "-m", "RR", "--test", test)
    assert {row["test"] for row in table} == {test}
    assert table[0]["p"] < 0.01
    assert table[0]["p"] < table[2]["p"]
    assert [row["wins"] + row["ties"] + row["losses"] for row in table] == [12, 12, 12]


def test_matrix_and_variance_tables(capsys) -> None:
    lines = run_command(capsys, "-m", "RR", "--show", "matrix").splitlines()
    assert lines[0].split() == ["run", "bm25", "dense", "mixed"]
    assert lines[3].split()[:2] == ["dense", "0.4889▲"]
    variance_lines = run_command(capsys, "-m", "RR", "--show", "variance", "--systems", "seeds").splitlines()
    assert [line.split()[1] for line in variance_lines[2:7]] == ["topic", "system", "run", "topic", "topic"]


def test_systems(capsys) -> None:
    assert main(["compare", "qrels", *RUNS, "-m", "RR", "--systems", "seeds", "--format", "csv"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1].startswith("RR,bm25,neural,12,")
    assert captured.err.startswith(
        "assay: note: 3 runs of 2 systems: each system is represented by the mean of its runs on each topic"
    )


def test_output_file(capsys) -> None:
    assert main(["compare", "qrels", *RUNS, "-o", "out.tex", "--digits", "2"]) == 0
    assert Path("out.tex").read_text().startswith("\\begin{table}\n\\centering\n\\caption{difference: ")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--baseline", "bm52"], "--baseline bm52 is not among the runs; did you mean bm25?"),
        (["--test", "student"], "--test student: choose one of bootstrap, "),
        (["--correction", "fdr"], "--correction fdr: choose one of holm, bonferroni, bh, none"),
        (["--show", "matrix"], "matrix: needs exactly one measure; name a single measure"),
        (["--detect", "0.02"], "--detect: needs power as well, such as 0.8"),
        (["--show", "pair"], "--show pair: choose one of pairs, matrix, variance; did you mean pairs?"),
        (
            ["--margin", "5%"],
            "margin 5%: is relative to the mean of a baseline; name a baseline, or write a difference",
        ),
        (["--alpha", "5"], "--alpha must lie between 0 and 1, such as 0.05, got 5.0"),
        (["--resamples", "100"], "--resamples: the test t does not resample; omit resamples"),
        (["--systems", "nowhere"], "nowhere: no such file"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args: list[str], message: str) -> None:
    message_line = run_command(capsys, *args, code=2)
    assert message_line.startswith(f"assay: {message}")
    assert message_line.count("\n") == 1


def test_invalid_options_are_rejected_before_reading(capsys) -> None:
    assert main(["compare", "nowhere", "neither", "--test", "student"]) == 2
    assert capsys.readouterr().err.startswith("assay: --test student")


def test_one_run_is_rejected(capsys) -> None:
    assert main(["compare", "qrels", "bm25.run"]) == 2
    assert capsys.readouterr().err == "assay: runs: need at least two runs, got 1\n"
