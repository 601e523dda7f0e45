"""One cluster of two executors in processes of their own, for all tests that need one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MASTER = "local-cluster[2,1,1024]"
# These processes live for two minutes: the optimizing compiler and parallel collectors cost more than they save.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SETTINGS = {
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
    "spark.task.maxFailures": "2",  # one retry, for the executor that is lost; bad input fails every time
}


@pytest.fixture(scope="session")
def cluster_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Spark says on the driver."""
    return tmp_path_factory.mktemp("spark") / "driver.log"


@pytest.fixture(scope="session")
def spark(cluster_log: Path) -> Iterator[Any]:
    """A session on the cluster; tests are skipped, saying so, where Spark cannot run."""
    pytest.importorskip("pyspark", reason="no pyspark: install assay-ir[spark]")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java: install openjdk-17-jre-headless")
    from assay.spark._session import ignore_warnings, session

    made = session(MASTER, log=cluster_log, settings=SETTINGS)
    assert made.sparkContext.master == MASTER
    yield made
    with ignore_warnings():
        made.stop()
