"""Throughput against size, on one machine and on a cluster of two processes (part of ``make bench``).

``python scale.py`` evaluates simulated runs of growing size in memory, in parts, and on Spark (``local-cluster``: two
executors in processes of their own), and writes scale.md and scale.svg. ``python scale.py --topics 100000`` makes one
run of TOPICS x 1000 lines, evaluates it in parts within ``--memory`` and a tenth of it (at most 7 million lines) in
memory, and prints lines per second and peak memory of both. Each evaluation is a process of its own. The files are
deleted at the end unless ``--keep``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

MEASURES = ("AP", "nDCG@10", "RR", "P@10", "RBP(p=0.8)", "bpref")
DOCUMENTS, JUDGED, TOGETHER = 1000, 40, 500
SIZES = (300, 1000, 3000, 10_000)
"""Topics of the runs of growing size."""
CLUSTER = "local-cluster[2,1,1024]"
WAYS = {"in memory": "all", "in parts, 1 GB": "1G", "Spark, two executors": "spark"}
HERE = Path(__file__).parent


def written(directory: Path, name: str, topics: int, *, order: str = "sorted") -> tuple[Path, Path]:
    """Write judgments and a run; *order* is ``sorted`` (by topic) or ``ranks`` (all first ranks, then all second)."""
    qrels, run = directory / f"{name}.qrels", directory / f"{name}.run"
    if qrels.exists() and run.exists():
        return qrels, run
    rng = np.random.default_rng(topics)
    with qrels.open("wb") as judgments, run.open("wb") as lines:
        for begin in range(0, topics, TOGETHER):
            many = min(TOGETHER, topics - begin)
            numbers = np.arange(begin, begin + many)
            # The documents of a topic are different because their last digits are a permutation of few numbers.
            step = rng.integers(1, 4000, many)[:, None] * 2 + 1
            first = rng.integers(0, 8192, many)[:, None]
            document = (first + step * np.arange(DOCUMENTS)) % 8192
            document += rng.integers(0, 1000, many)[:, None] * 8192
            score = np.sort(rng.random((many, DOCUMENTS)) * 30, axis=1)[:, ::-1].round(4)
            judged = np.argsort(rng.random((many, DOCUMENTS)), axis=1)[:, :JUDGED]
            _table(numbers, document, score, order).write_csv(lines, separator=" ", include_header=False)
            _judgments(numbers, np.take_along_axis(document, judged, 1), rng).write_csv(
                judgments, separator=" ", include_header=False
            )
    return qrels, run


def _table(topics: np.ndarray, document: np.ndarray, score: np.ndarray, order: str) -> pl.DataFrame:
    rank = np.tile(np.arange(1, DOCUMENTS + 1), len(topics))
    frame = pl.DataFrame({"topic": np.repeat(topics, DOCUMENTS), "doc": document.ravel(), "rank": rank})
    frame = frame.with_columns(pl.Series("score", score.ravel()), tag=pl.lit("simulated"), q0=pl.lit("Q0"))
    frame = frame if order == "sorted" else frame.sort("rank", maintain_order=True)
    return _named(frame).select("topic", "q0", "doc", "rank", "score", "tag")


def _judgments(topics: np.ndarray, document: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    grade = rng.choice(4, document.size, p=[0.6, 0.2, 0.15, 0.05])
    frame = pl.DataFrame({"topic": np.repeat(topics, document.shape[1]), "doc": document.ravel(), "grade": grade})
    return _named(frame).with_columns(iteration=pl.lit(0)).select("topic", "iteration", "doc", "grade")


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    topic = pl.format("q{}", pl.col("topic").cast(pl.String).str.zfill(7))
    return frame.with_columns(topic, pl.format("doc{}", pl.col("doc").cast(pl.String).str.zfill(9)).alias("doc"))


def measured(qrels: Path, run: Path, memory: str) -> dict[str, float]:
    """Seconds, lines and peak memory of one evaluation, in a process of its own; *memory* may be ``spark``."""
    command = [sys.executable, __file__, "--one", str(qrels), str(run), memory]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    return found


def one(qrels: str, run: str, memory: str) -> None:
    """Evaluate, and print what it took as JSON."""
    import assay

    if memory == "spark":
        seconds, results = on_a_cluster(qrels, run)
    else:
        start = perf_counter()
        results = assay.evaluate(qrels, run, MEASURES, memory=memory)
        seconds = perf_counter() - start
    peak = peak_memory() / (1 << 20)
    lines = len(results.topics) * DOCUMENTS
    means = dict(zip(MEASURES, results.overall()[0].tolist(), strict=True))
    print(json.dumps({"seconds": seconds, "megabytes": peak, "lines": lines, "notes": results.notes[-1:], **means}))


def on_a_cluster(qrels: str, run: str) -> tuple[float, Any]:
    """Seconds of the job on a cluster that has begun and has done a small job before, and what it gave."""
    from assay.scale.spark.files import evaluate_files
    from assay.scale.spark.session import session

    spark = session(CLUSTER)
    try:
        spark.range(1000).repartition(8).count()
        start = perf_counter()
        results = evaluate_files(qrels, run, MEASURES)
        return perf_counter() - start, results
    finally:
        spark.stop()


def peak_memory() -> int:
    """The peak of this process in bytes; where the system tells no better, that of its parent if it is larger."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    if found is not None:
        return int(found[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1 << 10)


def show(what: str, found: dict[str, float]) -> float:
    """Print one line, and give the throughput."""
    rate = found["lines"] / found["seconds"]
    print(
        f"{what:<40} {found['lines'] / 1e6:8.1f} M lines {found['seconds']:8.1f} s "
        f"{rate / 1e6:7.2f} M lines/s {found['megabytes']:8.0f} MB",
        flush=True,
    )
    return rate


def compared(topics: int, memory: str, directory: Path) -> None:
    """The figures of the issue: in parts at full size, in memory at a tenth."""
    small, large = min(max(topics // 10, 1), 7000), topics
    qrels, run = written(directory, f"{small}", small)
    in_memory = show("in memory", measured(qrels, run, "all"))
    show(f"in parts, --memory {memory}", measured(qrels, run, memory))
    qrels, run = written(directory, f"{small}-ranks", small, order="ranks")
    show("in memory, blocks by rank", measured(qrels, run, "all"))
    show(f"in parts, --memory {memory}, blocks by rank", measured(qrels, run, memory))
    qrels, run = written(directory, f"{large}", large)
    in_parts = show(f"in parts, --memory {memory}", measured(qrels, run, memory))
    print(f"throughput in parts / in memory: {in_parts / in_memory:.2f}")


def grown(directory: Path, sizes: Sequence[int]) -> None:
    """Throughput of each way at each size, as a table and a picture."""
    found = []
    for topics in sizes:
        qrels, run = written(directory, f"{topics}", topics)
        for way, memory in WAYS.items():
            one = measured(qrels, run, memory)
            rate = show(f"{way}", one)
            found.append({"way": way, "lines": one["lines"], "seconds": one["seconds"], "rate": rate})
            found[-1]["megabytes"] = None if memory == "spark" else one["megabytes"]
        run.unlink()
    frame = pl.DataFrame(found, infer_schema_length=None)
    (HERE / "scale.md").write_text(page(frame))
    (HERE / "scale.svg").write_bytes(picture(frame))


def page(frame: pl.DataFrame) -> str:
    """The table in Markdown."""
    lines = [
        f"| {row['way']} | {row['lines'] / 1e6:.1f} | {row['seconds']:.1f} | {row['rate'] / 1e6:.2f} | "
        f"{'' if row['megabytes'] is None else format(row['megabytes'], '.0f')} |"
        for row in frame.iter_rows(named=True)
    ]
    head = [
        "# Throughput against size",
        "",
        f"Written by `python benchmarks/scale.py`: one simulated run of topics x {DOCUMENTS} documents as plain text,",
        f"{len(MEASURES)} measures, {os.cpu_count()} cores. Spark is `{CLUSTER}` on the same cores; its start is not",
        "counted.",
        "",
        "| way | million lines | seconds | million lines/s | peak MB |",
        "|---|---:|---:|---:|---:|",
    ]
    return "\n".join([*head, *lines, "", "![throughput against size](scale.svg)", ""])


def picture(frame: pl.DataFrame) -> bytes:
    """Lines per second against lines, one line for each way."""
    import altair as alt

    from assay.views.plots._figures import Data
    from assay.views.plots._saving import saved
    from assay.views.plots._style import SERIES, rows

    colour = alt.Color("way:N", title=None, scale=alt.Scale(domain=list(WAYS), range=list(SERIES[: len(WAYS)])))
    x = alt.X("lines:Q", title="lines", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", grid=True))
    y = alt.Y("rate:Q", title="lines a second", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", grid=True))
    chart = alt.Chart(rows(frame), width=300, height=200).encode(x=x, y=y, color=colour).mark_line(point=True)
    return saved(chart, Data(frame), "svg")


def main() -> None:
    """Run the benchmark."""
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:5])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=None)
    parser.add_argument("--memory", default="1400M")
    parser.add_argument("--work", type=Path, default=None)
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    if args.keep:
        args.work.mkdir(parents=True, exist_ok=True)
        _run(args, args.work)
        return
    with tempfile.TemporaryDirectory(dir=args.work) as directory:
        _run(args, Path(directory))


def _run(args: argparse.Namespace, directory: Path) -> None:
    if args.topics is None:
        grown(directory, SIZES)
    else:
        compared(args.topics, args.memory, directory)


if __name__ == "__main__":
    main()
