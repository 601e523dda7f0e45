"""An executor is killed during a task: Spark retries the task, and the values are the same."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import assay
from assay.measures import measures as parse_measures
from assay.model.policies import Policies
from assay.spark._campaign import DistributedCampaign
from assay.spark._evaluate import SCHEMA, evaluate_bucket
from assay.spark._session import one_line_errors
from spark_cases import awkward_campaign, to_dataframe

MEASURES = ("AP", "nDCG@10", "Twist")


def get_parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def find_executor(worker: int) -> int:
    """Return the Java process (executor) that started a Python worker."""
    pid = worker
    while "CoarseGrainedExecutorBackend" not in Path(f"/proc/{pid}/cmdline").read_text():
        pid = get_parent(pid)
        assert pid > 1
    return pid


def wait_for_first_task(folder: Path, timeout: float = 120) -> Path:
    """Wait until a task has started; return its marker file."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        started = sorted(folder.glob("*.started"))
        if started:
            return started[0]
        time.sleep(0.05)
    raise AssertionError("no task started")


def test_killed_executor_does_not_change_values(spark: Any, cluster_log: Path, tmp_path: Path) -> None:
    qrels, runs = awkward_campaign(systems=3, topics=10)
    chosen, policies, folder = parse_measures(MEASURES), Policies(), str(tmp_path)

    def work(bucket: Any) -> Any:
        # Record the worker and its topic, and run long enough to be killed.
        name = f"{bucket.qrels.topics[0]}-{os.getpid()}-{time.monotonic_ns()}.started"
        Path(folder, name).touch()
        time.sleep(1.5)
        return evaluate_bucket(bucket, chosen, policies)

    campaign = DistributedCampaign.build(spark, to_dataframe(spark, qrels), to_dataframe(spark, runs), buckets=6)
    frame = campaign.map_buckets([work], SCHEMA)
    tables: list[Any] = []

    def collect() -> None:
        with one_line_errors():
            tables.append(frame.toArrow())

    job = threading.Thread(target=collect)
    job.start()
    started = wait_for_first_task(tmp_path)
    executor = find_executor(int(started.name.split("-")[1]))
    os.kill(executor, signal.SIGKILL)
    print(f"killed executor {executor} while it worked on topic {started.name.split('-')[0]}")  # noqa: T201
    job.join(timeout=240)
    assert not job.is_alive()
    log = cluster_log.read_text()
    lost_lines = [line for line in log.splitlines() if "Lost executor" in line]
    assert lost_lines, log
    print("\n".join(lost_lines))  # noqa: T201
    attempts = [path for path in tmp_path.glob("*.started") if path.name.split("-")[0] == started.name.split("-")[0]]
    assert len(attempts) > 1, "the killed task was not retried"
    rows = pl.DataFrame(pl.from_arrow(tables[0])).sort("run", "topic", "measure")
    expected = assay.evaluate(qrels, runs, MEASURES).frame().sort("run", "topic", "measure")
    assert rows.drop("value").equals(expected.drop("value"))
    assert np.array_equal(rows["value"].to_numpy(), expected["value"].to_numpy())
