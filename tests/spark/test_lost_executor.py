"""An executor that is killed while it works: Spark starts another, and the values are the same."""

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
from assay.spark._distributed_campaign import DistributedCampaign
from assay.spark._evaluate import SCHEMA, evaluate_bucket
from assay.spark._session import one_line_errors
from spark_cases import awkward_campaign, to_dataframe

MEASURES = ("AP", "nDCG@10", "Twist")


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def executor_of(worker: int) -> int:
    """The executor that a Python worker works for: the process of Java above it."""
    pid = worker
    while "CoarseGrainedExecutorBackend" not in Path(f"/proc/{pid}/cmdline").read_text():
        pid = parent(pid)
        assert pid > 1
    return pid


def first_begun(folder: Path, patience: float = 120) -> Path:
    """The first bucket that a task has begun."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        begun = sorted(folder.glob("*.begun"))
        if begun:
            return begun[0]
        time.sleep(0.05)
    raise AssertionError("no task began")


def test_a_killed_executor_changes_nothing(spark: Any, cluster_log: Path, tmp_path: Path) -> None:
    qrels, runs = awkward_campaign(systems=3, topics=10)
    chosen, policies, folder = parse_measures(MEASURES), Policies(), str(tmp_path)

    def work(bucket: Any) -> Any:
        # Says who works on which topic, and stays long enough to be killed.
        name = f"{bucket.qrels.topics[0]}-{os.getpid()}-{time.monotonic_ns()}.begun"
        Path(folder, name).touch()
        time.sleep(1.5)
        return evaluate_bucket(bucket, chosen, policies)

    campaign = DistributedCampaign.build(spark, to_dataframe(spark, qrels), to_dataframe(spark, runs), buckets=6)
    frame = campaign.map_buckets(work, SCHEMA)
    found: list[Any] = []

    def collect() -> None:
        with one_line_errors():
            found.append(frame.toArrow())

    job = threading.Thread(target=collect)
    job.start()
    begun = first_begun(tmp_path)
    victim = executor_of(int(begun.name.split("-")[1]))
    os.kill(victim, signal.SIGKILL)
    print(f"killed executor {victim} while it worked on topic {begun.name.split('-')[0]}")  # noqa: T201
    job.join(timeout=240)
    assert not job.is_alive()
    log = cluster_log.read_text()
    lost = [line for line in log.splitlines() if "Lost executor" in line]
    assert lost, log
    print("\n".join(lost))  # noqa: T201
    attempts = [one for one in tmp_path.glob("*.begun") if one.name.split("-")[0] == begun.name.split("-")[0]]
    assert len(attempts) > 1, "the task that was killed was not done again"
    rows = pl.DataFrame(pl.from_arrow(found[0])).sort("run", "topic", "measure")
    expected = assay.evaluate(qrels, runs, MEASURES).frame().sort("run", "topic", "measure")
    assert rows.drop("value").equals(expected.drop("value"))
    assert np.array_equal(rows["value"].to_numpy(), expected["value"].to_numpy())
