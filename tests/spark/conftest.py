"""A cluster of two executors in separate processes, shared by all tests that need one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MASTER = "local-cluster[2,1,1024]"
# The processes run for two minutes only: the optimizing compiler and parallel garbage collection do not pay off.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
    "spark.task.maxFailures": "2",  # one retry, for the test of a lost executor; invalid input fails each time
}


@pytest.fixture(scope="session")
def cluster_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Log file of the Spark driver."""
    return tmp_path_factory.mktemp("spark") / "driver.log"


@pytest.fixture(scope="session")
def spark(cluster_log: Path) -> Iterator[Any]:
    """A session on the cluster; tests that need it are skipped if Spark cannot run."""
    pytest.importorskip("pyspark", reason="no pyspark: install assay-ir[spark]")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java: install openjdk-17-jre-headless")
    from assay.spark._session import ignore_warnings, session

    cluster_session = session(MASTER, log=cluster_log, settings=SETTINGS)
    assert cluster_session.sparkContext.master == MASTER
    yield cluster_session
    with ignore_warnings():
        cluster_session.stop()
