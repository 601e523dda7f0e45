"""Files read in executors: ``assay eval --engine spark`` has the same output and errors as ``assay eval``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import assay
from assay.cli import main
from assay.engine.sources import SourceOptions
from assay.errors import InputError
from assay.spark import _evaluate_files as spark_files
from assay.spark import _file_join
from assay.spark._evaluate_files import evaluate_files
from assay.spark._read_runs import read_rows, read_runs
from real_data import real
from spark_cases import MEASURES, assert_same_results, awkward_campaign


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write qrels and runs (one Parquet file, two runs with the same tag) to the current directory."""
    monkeypatch.chdir(tmp_path)
    qrels, runs = awkward_campaign(systems=3, topics=8)
    assay.model.Qrels.from_frame(qrels).write("qrels.txt")
    Path("runs").mkdir()
    for (name,), rows in runs.partition_by("run", as_dict=True).items():
        assay.model.Run.from_frame(rows.drop("run"), name=str(name)).write(f"runs/{name}.run")
    runs.with_columns(run=pl.lit("table-") + pl.col("run")).write_parquet("runs/several.parquet")
    first = sorted(Path("runs").glob("*.run"))[0]
    Path("runs/again.run").write_bytes(first.read_bytes())
    return tmp_path


OPTIONS = [
    ["--format", "json", "--per-topic"],
    ["--ties", "rank", "--missing", "exclude", "--format", "tsv"],
    *(["--ties", ties, "--per-topic", "--format", "tsv"] for ties in ("file", "score-file", "score-id")),
]


@pytest.mark.parametrize("options", OPTIONS)
def test_output_is_bytewise_equal(
    spark: Any, campaign: Path, capfdbinary: pytest.CaptureFixture[bytes], options: list[str]
) -> None:
    lines = next(Path("runs").glob("*.run")).read_text().splitlines(keepends=True)
    Path("runs/backwards.run").write_text("".join(line.rpartition(" ")[0] + " backwards\n" for line in lines[::-1]))
    runs = ["runs"] if "rank" not in options else sorted(map(str, Path("runs").glob("*.run")))
    arguments = ["eval", "qrels.txt", *runs, "-m", "AP", "nDCG@10", "Twist", "num_rel", *options]
    assert main(arguments) == 0
    local = capfdbinary.readouterr()
    assert main([*arguments, "--engine", "spark", "--master", "local-cluster[2,1,1024]"]) == 0
    assert capfdbinary.readouterr() == local
    assert b"shares the tag" in local.err
    assert (b"backwards.run: the order of the input contradicts the scores" in local.err) == ("file" in options)


def test_error_names_file_and_line(spark: Any, campaign: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path("runs/bad.run").write_text("1 Q0 d1 1 0.5 bad\n1 Q0 d2 2 high bad\n")
    assert main(["eval", "qrels.txt", "runs", "-m", "AP", "--engine", "spark"]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("assay: runs/bad.run:2: the score must be a finite number, found 'high';")
    assert "--lenient" in err
    assert main(["eval", "qrels.txt", "runs/bad.run", "missing.run", "--engine", "spark"]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_conflicting_options_are_rejected(campaign: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for options, message in (
        (["--engine", "flink"], "choose local or spark"),
        (["--master", "local"], "--master needs --engine spark"),
        (["--engine", "spark", "--memory", "1G"], "cannot be combined with --engine spark"),
    ):
        assert main(["eval", "qrels.txt", "runs", *options]) == 2
        assert message in capfd.readouterr().err
    assert main(["eval", "qrels.txt", "-", "--engine", "spark", "-m", "AP"]) == 2
    assert "standard input" in capfd.readouterr().err


def test_lenient_reading_is_the_local_one(spark: Any, campaign: Path) -> None:
    lines = "1 Q0 d1 1 0.5 bad\n1 Q0 d2 2 high bad\n1 Q0 d1 3 0.1 bad\n"
    Path("runs/bad.run").write_text(lines)
    with pytest.raises(InputError, match=r"bad\.run: shares no topic with the qrels"):
        evaluate_files("qrels.txt", ["runs"], ["AP"], lenient=True)
    Path("runs/bad.run").write_text(lines.replace("1 Q0", "401 Q0"))
    results = evaluate_files("qrels.txt", ["runs"], ["AP"], lenient=True)
    assert_same_results(results, assay.evaluate("qrels.txt", ["runs"], ["AP"], lenient=True))


@pytest.mark.parametrize("order", ["sorted", "scattered", "bad", "tags", "lenient"])
def test_large_sorted_file_is_read_in_byte_ranges(
    spark: Any, campaign: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    rows = 3000
    topic = np.sort(np.arange(rows) % 30) if order != "scattered" else np.arange(rows) % 30
    lines = [f"{number + 401} Q0 d{index} 1 {index % 7} large" for index, number in enumerate(topic)]
    if order in ("bad", "lenient"):
        lines[2000] = "413 Q0 d 1"
        lines[2500:2500] = lines[2490:2492]
    if order == "tags":
        lines[1500:] = [line.replace("large", "other") for line in lines[1500:]]
    Path("large.run").write_text("\n".join(lines))
    monkeypatch.setattr(_file_join, "RANGE", 10_000)
    lenient = order == "lenient"
    if order == "bad":
        with pytest.raises(InputError) as local_error:
            assay.evaluate("qrels.txt", "large.run", "P@10")
        with pytest.raises(InputError) as spark_error:
            evaluate_files("qrels.txt", "large.run", "P@10")
        assert str(spark_error.value) == str(local_error.value)
        assert "large.run:2001" in str(spark_error.value)
        return
    local = assay.evaluate("qrels.txt", "large.run", ["P@10", "Twist"], lenient=lenient)
    assert_same_results(evaluate_files("qrels.txt", "large.run", ["P@10", "Twist"], lenient=lenient), local)
    read = read_rows(spark, ["large.run"], SourceOptions(lenient))
    assert (read.rows.rdd.getNumPartitions() > 1) == (order == "sorted")
    assert read.rows.count() == rows - lenient


@pytest.mark.parametrize("ties", ["trec_eval-10", "rank", "score-file"])
def test_judgments_too_large_to_broadcast(
    spark: Any, campaign: Path, monkeypatch: pytest.MonkeyPatch, ties: str
) -> None:
    monkeypatch.setattr(spark_files, "BROADCAST", 1)
    runs = sorted(map(str, Path("runs").glob("*.run")))
    results = evaluate_files("qrels.txt", runs, ["AP", "nDCG@10"], ties=ties)
    assert_same_results(results, assay.evaluate("qrels.txt", runs, ["AP", "nDCG@10"], ties=ties))


def test_sampled_ties(spark: Any, campaign: Path) -> None:
    runs = sorted(map(str, Path("runs").glob("*.run")))
    for measures in (["AP", "bpref"], ["P@10"]):
        local = assay.evaluate("qrels.txt", runs, measures, ties="expected", samples=7, seed=3)
        distributed = evaluate_files("qrels.txt", runs, measures, ties="expected", samples=7, seed=3)
        assert_same_results(distributed, local)
        assert np.array_equal(distributed.errors, local.errors)


def test_read_runs(spark: Any, campaign: Path) -> None:
    table = read_runs(spark, "runs/*.parquet")
    assert table.columns == ["run", "topic", "doc", "score"]
    assert table.count() == pl.read_parquet("runs/several.parquet").height


def check_trec8(spark: Any, runs: list[str]) -> None:
    qrels = str(real("trec8-adhoc", "qrels.trec8.adhoc.txt.gz"))
    assert_same_results(evaluate_files(qrels, runs, MEASURES), assay.evaluate(qrels, runs, MEASURES))


def test_some_runs_of_trec8(spark: Any) -> None:
    check_trec8(spark, sorted(map(str, real("trec8-adhoc", "runs").iterdir()))[:4])


@pytest.mark.scale
def test_all_runs_of_trec8(spark: Any) -> None:
    check_trec8(spark, [str(real("trec8-adhoc", "runs"))])


@pytest.mark.scale
def test_separate_process_prints_nothing_else_and_leaves_no_files(campaign: Path, tmp_path: Path) -> None:
    """Run the command in a process of its own, with its own Spark session."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-m", "assay", "eval", "qrels.txt", "runs", "-m", "AP", "nDCG@10", "--format", "json"]
    local = subprocess.run(command, capture_output=True, check=True)
    spark_command = [*command, "--engine", "spark", "--master", "local-cluster[2,1,1024]"]
    distributed = subprocess.run(
        spark_command, capture_output=True, check=True, env={**os.environ, "TMPDIR": str(temporary)}
    )
    assert (distributed.stdout, distributed.stderr) == (local.stdout, local.stderr)
    assert not list(temporary.glob("assay-*"))


def test_missing_java_is_reported(campaign: Path) -> None:
    command = [sys.executable, "-m", "assay", "eval", "qrels.txt", "runs", "-m", "AP", "--engine", "spark"]
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": str(campaign)}
    completed_process = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (completed_process.returncode, completed_process.stdout) == (2, "")
    assert completed_process.stderr == "assay: Spark needs Java 17; install openjdk-17-jre-headless or set JAVA_HOME\n"


def test_names_and_columns(spark: Any, campaign: Path) -> None:
    first, second = sorted(Path("runs").glob("*.run"))[:2]
    frame = assay.model.read_run(first).frame().rename({"doc": "product"})
    frame.write_csv("run.csv")
    runs = [f"first={first}", str(second), "run.csv"]
    options: dict[str, Any] = {"columns": {"doc": "product"}, "name_by": "file"}
    results = evaluate_files("qrels.txt", runs, ["AP"], **options)
    assert results.runs == ("first", second.stem, "run")
    assert_same_results(results, assay.evaluate("qrels.txt", runs, ["AP"], **options))
