"""What is said where Spark cannot run; no cluster is needed."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.errors import DependencyError, InputError
from assay.scale.spark import session as public
from assay.scale.spark.session import one_line_errors, require_java, require_pyspark, told


def test_without_java_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DependencyError, match="Spark needs Java 17; install openjdk-17-jre-headless or set JAVA_HOME"):
        require_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DependencyError, match="Java 17"):
        require_java()


def test_without_pyspark_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "pyspark":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DependencyError, match=r"install assay-ir\[spark\]"):
        require_pyspark()
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 r\n")
    assert main(["eval", str(tmp_path / "q"), str(tmp_path / "r"), "--engine", "spark", "-m", "AP"]) == 2
    assert capsys.readouterr().err == "assay: Spark needs the package pyspark; install assay-ir[spark]\n"


def test_errors_of_tasks_come_back_as_they_were() -> None:
    pytest.importorskip("pyspark", reason="no pyspark: install assay-ir[spark]")
    from pyspark.errors import PySparkException

    def work(_: Any) -> Any:
        raise InputError('runs/a.run:3: odd "quotes" and ünïcode')
        yield

    with pytest.raises(RuntimeError) as caught:
        list(told(work, iter(())))
    with pytest.raises(InputError) as back, one_line_errors():
        raise PySparkException(f"Job aborted\n  Traceback {caught.value}\n at org.apache.spark")
    assert str(back.value) == 'runs/a.run:3: odd "quotes" and ünïcode'
    with pytest.raises(PySparkException), one_line_errors():
        raise PySparkException("out of disk")


def test_public_names_are_loaded_when_they_are_used() -> None:
    from assay.scale import spark

    assert callable(public)
    assert "evaluate" in dir(spark)
    with pytest.raises(AttributeError, match="has no attribute 'evaluated'"):
        _ = spark.evaluated
