"""Tests of ``assay eval --memory`` and ``--partition``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from assay.cli import main

QRELS = "t1 0 a 1\nt2 0 b 1\n"
RUN = "t1 Q0 a 1 2 sys\nt2 Q0 x 1 2 sys\nt1 Q0 b 2 1 sys\nt2 Q0 b 2 1 sys\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    return str(tmp_path / "qrels"), str(tmp_path / "a.run")


def test_memory_option_gives_the_same_table(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = []
    for options in ([], ["--memory", "1G"], ["--memory", "1G", "--temporary", str(tmp_path)]):
        path = tmp_path / "values.parquet"
        assert main(["eval", *files, "-m", "AP", "--per-topic", "-o", str(path), *options]) == 0
        tables.append(pl.read_parquet(path))
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    assert capsys.readouterr().err == ""


def test_standard_input_may_be_read_twice(files: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-m", "assay", "eval", files[0], "-", "-m", "AP", "--format", "tsv", "--memory", "1G"]
    for run in (RUN, '{"t1": {"a": 1}, "t2": {"x": 2, "b": 1}}'):
        process = subprocess.run(command, input=run.encode(), capture_output=True, check=True)
        assert process.stdout.decode().splitlines()[-1].endswith("\t0.75")


def test_invalid_memory_options_are_rejected(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", *files, "--memory", "1M"]) == 2
    assert "memory 1M: too little for this evaluation; give at least" in capsys.readouterr().err
    assert main(["eval", *files, "--memory", "1G", "--engine", "spark"]) == 2
    assert "cannot be combined with --engine spark" in capsys.readouterr().err


def test_partitioned_output_has_the_same_rows(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "values"
    plain, command = tmp_path / "plain.parquet", ["eval", *files, "-m", "AP", "RR", "--per-topic"]
    assert main([*command, "-o", str(plain)]) == 0
    for column in ("run", "topic", "measure"):
        assert main([*command, "-o", str(tmp_path / column), "--partition", column]) == 0
        frame = pl.read_parquet(tmp_path / column, hive_partitioning=True, hive_schema={column: pl.String})
        order = ["run", "measure", "topic", "value"]
        assert frame.select(order).sort(order).equals(pl.read_parquet(plain).sort(order))
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")) == []
    for options, message in (
        (["-o", str(tmp_path / "run")], "already exists; choose a new directory"),
        (["-o", str(tmp_path / "none" / "x")], "cannot be written"),
        ([], "--partition writes a directory; add -o DIR"),
        (["-o", str(path), "--format", "csv"], "--partition writes Parquet and cannot be combined with --format csv"),
    ):
        assert main([*command, "--partition", "run", *options]) == 2
        assert message in capsys.readouterr().err
    assert main([*command, "--partition", "grade", "-o", str(path)]) == 2
    assert "--partition 'grade': choose one of run, topic, measure" in capsys.readouterr().err
