"""Messages if Spark cannot run; most tests need no cluster."""

from __future__ import annotations

import builtins
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.errors import AssayError, DependencyError, InputError
from assay.spark import session as public
from assay.spark._session import ignore_warnings, one_line_errors, require_java, require_pyspark, wrap_errors


def test_missing_java_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DependencyError, match="Spark needs Java 17; install openjdk-17-jre-headless or set JAVA_HOME"):
        require_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DependencyError, match="Java 17"):
        require_java()


def test_missing_pyspark_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import_module = builtins.__import__

    def import_without_pyspark(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "pyspark":
            raise ImportError(name)
        return import_module(name, *rest)

    monkeypatch.setattr(builtins, "__import__", import_without_pyspark)
    with pytest.raises(DependencyError, match=r"install assay-ir\[spark\]"):
        require_pyspark()
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 r\n")
    assert main(["eval", str(tmp_path / "q"), str(tmp_path / "r"), "--engine", "spark", "-m", "AP"]) == 2
    assert capsys.readouterr().err == "assay: Spark needs the package pyspark; install assay-ir[spark]\n"


def test_errors_of_tasks_are_restored() -> None:
    pytest.importorskip("pyspark", reason="no pyspark: install assay-ir[spark]")
    from pyspark.errors import PySparkException

    def work(_: Any) -> Any:
        raise InputError('runs/a.run:3: odd "quotes" and ünïcode')
        yield

    with pytest.raises(RuntimeError) as wrapped:
        list(wrap_errors(work)(iter(())))
    with pytest.raises(InputError) as restored, one_line_errors():
        raise PySparkException(f"Job aborted\n  Traceback {wrapped.value}\n at org.apache.spark")
    assert str(restored.value) == 'runs/a.run:3: odd "quotes" and ünïcode'


def test_spark_error_is_one_line_with_its_cause() -> None:
    pytest.importorskip("pyspark", reason="no pyspark: install assay-ir[spark]")
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    java_message = (
        "An error occurred while calling o83.getResult.\n: org.apache.spark.SparkException: Exception in await: \n"
        '\tat a.b.C(D.scala:1)\nCaused by: java.io.IOException: Cannot run program "python"\n\tat x\n'
        "Caused by: java.io.EOFException\n"
    )
    for error, reason in (
        (PySparkException("out of disk"), "out of disk"),
        (Py4JError(java_message), "Cannot run program"),
    ):
        with pytest.raises(AssayError) as raised, one_line_errors():
            raise error
        assert reason in str(raised.value)
        assert "a.b.C" not in str(raised.value)
        assert "\n" not in str(raised.value)
        assert raised.value.__cause__ is error


def test_failed_worker_is_reported_with_the_log_file(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="no pyspark: install assay-ir[spark]")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java: install openjdk-17-jre-headless")
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 r\n")
    code = (
        "import sys; sys.executable = '/nowhere/python'\n"
        "from assay.cli import command\n"
        "sys.argv = ['assay', 'eval', 'q', 'r', '--engine', 'spark', '--master', 'local[1]']\n"
        "command()\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    completed_process = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert completed_process.returncode == 2
    assert (completed_process.stdout, completed_process.stderr.count("\n")) == ("", 1)
    assert "/nowhere/python" in completed_process.stderr
    [log] = tmp_path.glob("assay-spark-*.log")
    assert str(log) in completed_process.stderr
    assert "/nowhere/python" in log.read_text()


def test_public_names_are_imported_lazily() -> None:
    from assay import spark

    assert callable(public)
    assert "evaluate" in dir(spark)
    with pytest.raises(AttributeError, match="evaluated"):
        _ = spark.evaluated


def test_workers_import_nothing_from_the_current_directory(spark: Any) -> None:
    """``python -m`` would put the current directory, which may contain any file, first on the path."""

    def read_flags(_: int) -> tuple[bool, list[str]]:
        return bool(sys.flags.safe_path), sys.path

    with ignore_warnings():
        flags = spark.sparkContext.parallelize(range(2), 2).map(read_flags).collect()
    assert all(safe and "" not in path for safe, path in flags)
