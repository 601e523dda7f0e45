"""Evaluation stays within the memory limit, as measured by the operating system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay

# The peak of getrusage is not usable: a child inherits the peak of its parent.
SCRIPT = """
import re, sys, assay
results = assay.evaluate(sys.argv[1], sys.argv[2], ["AP", "nDCG@10"], memory=sys.argv[3])
peak = re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]
print(peak, repr(results.overall().tolist()), len(results.notes))
"""


def run_rows(topics: int, documents: int, *, by_rank: bool) -> pl.DataFrame:
    number = np.arange(topics * documents)
    topic, rank = (number % topics, number // topics) if by_rank else (number // documents, number % documents)
    return pl.DataFrame({"topic": topic, "rank": rank}).select(
        pl.format("t{}", pl.col("topic").cast(pl.String).str.zfill(6)),
        pl.lit("Q0").alias("q0"),
        pl.format("document-{}", (pl.col("rank") * 7919 + pl.col("topic")) % 1_000_003).alias("doc"),
        "rank",
        (1000 - pl.col("rank") // 3).alias("score"),
        pl.lit("system").alias("tag"),
    )


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not report peak memory")
@pytest.mark.parametrize("by_rank", [False, True], ids=["by topic", "by rank"])
def test_two_million_lines_fit_into_260_megabytes(tmp_path: Path, by_rank: bool) -> None:
    frame = run_rows(2000, 1000, by_rank=by_rank)
    run, qrels = tmp_path / "large.run", tmp_path / "qrels"
    frame.write_csv(run, separator=" ", include_header=False)
    judged = frame.filter(pl.col("rank") % 50 == 0).select("topic", "q0", "doc", pl.col("rank") // 50 % 3)
    judged.write_csv(qrels, separator=" ", include_header=False)
    del frame
    command = [sys.executable, "-c", SCRIPT, str(qrels), str(run), "260M"]
    peak, rest = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split(" ", 1)
    assert int(peak) < 260 * 1024, f"took {int(peak) // 1024} MB"
    means, notes = rest.rsplit(" ", 1)
    assert int(notes) == 0
    assert means == repr(assay.evaluate(str(qrels), str(run), ["AP", "nDCG@10"], memory="all").overall().tolist())
