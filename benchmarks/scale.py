"""Measure throughput by size, on one machine and on a cluster of two processes (part of ``make bench``).

``python scale.py`` evaluates simulated runs of increasing size without a memory limit, within 1 GB, and on Spark
(``local-cluster``: two executors in separate processes). It then evaluates the same number of lines in other shapes and
with more measures, and writes scale.md and scale.svg.

``python scale.py --topics 100000`` simulates one run of TOPICS x 1000 lines. It evaluates the run within ``--memory``,
and a tenth of it (at most 10 million lines) without a limit, and prints nanoseconds per line and peak memory of both.

``python scale.py --spark-cpu`` prints the CPU seconds per million lines of the executors and of one machine.

Each evaluation is a separate process. The files are deleted at the end unless ``--keep`` is given.
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
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import polars as pl

MEASURES = ("AP", "nDCG@10", "RR", "P@10", "RBP(p=0.8)", "bpref")
MORE_MEASURES = (*MEASURES, *(f"{name}@{k}" for name in ("P", "R", "nDCG", "RR", "AP", "ERR") for k in (5, 20, 100)))
JUDGED_PER_TOPIC, BLOCK_LINES = 40, 500_000


class Shape(NamedTuple):
    """Size of a simulated campaign: topics, documents per topic, and runs."""

    topics: int
    documents: int = 1000
    runs: int = 1

    @property
    def lines(self) -> int:
        """Number of lines of all runs."""
        return self.topics * self.documents * self.runs


SIZES = [Shape(topics) for topics in (300, 1000, 3000, 10_000)]
SHAPES = {
    "3 000 topics of 1000": Shape(3000),
    "300 000 topics of 10": Shape(300_000, 10),
    "3 topics of 1 000 000": Shape(3, 1_000_000),
    "30 topics of 1000, 100 runs": Shape(30, 1000, 100),
}
CLUSTER = "local-cluster[2,1,1024]"
SETTINGS = {"no limit": "all", "within 1 GB": "1G", "Spark, two executors": "spark"}
HERE = Path(__file__).parent


def write_campaign(directory: Path, shape: Shape, *, order: str = "sorted") -> tuple[Path, Path]:
    """Write judgments and a directory of runs. *order* is ``sorted`` (by topic) or ``ranks`` (by rank, then topic)."""
    name = f"{shape.topics}-{shape.documents}-{shape.runs}-{order}"
    qrels, runs = directory / f"{name}.qrels", directory / name
    if qrels.exists():
        return qrels, runs
    runs.mkdir()
    for run in range(shape.runs):
        with (runs / f"sim{run}.run").open("wb") as lines, qrels.with_suffix(".writing").open("wb") as judgments:
            write_run(shape, run, order, lines, judgments)
    qrels.with_suffix(".writing").rename(qrels)
    return qrels, runs


def write_run(shape: Shape, run: int, order: str, lines: BinaryIO, judgments: BinaryIO) -> None:
    """Write a run and the judgments.

    All runs rank the same documents in different orders; the judgments are the same for each run.
    """
    rng, run_rng = np.random.default_rng(shape.topics), np.random.default_rng(run)
    block_topics = max(BLOCK_LINES // shape.documents, 1)
    for start in range(0, shape.topics, block_topics):
        topics = np.arange(start, min(start + block_topics, shape.topics))
        document = draw_documents(topics, shape.documents, rng)
        draw_judgments(topics, document, rng).write_csv(judgments, separator=" ", include_header=False)
        ranked = document[:, run_rng.permutation(shape.documents)]
        draw_ranking(topics, ranked, run_rng, order).write_csv(lines, separator=" ", include_header=False)


def draw_documents(topics: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draw different documents for each topic: multiples of an odd number are distinct modulo a power of two."""
    modulus = 1 << (8 * count).bit_length()
    step = rng.integers(1, modulus // 2, len(topics))[:, None] * 2 + 1
    first = rng.integers(0, modulus, len(topics))[:, None]
    return (first + step * np.arange(count)) % modulus


def draw_ranking(topics: np.ndarray, document: np.ndarray, rng: np.random.Generator, order: str) -> pl.DataFrame:
    count = document.shape[1]
    score = np.sort(rng.random(document.shape) * 30, axis=1)[:, ::-1].round(4)
    rank = np.tile(np.arange(1, count + 1), len(topics))
    frame = pl.DataFrame({"topic": np.repeat(topics, count), "doc": document.ravel(), "rank": rank})
    frame = frame.with_columns(pl.Series("score", score.ravel()), tag=pl.lit("simulated"), q0=pl.lit("Q0"))
    frame = frame if order == "sorted" else frame.sort("rank", maintain_order=True)
    return format_ids(frame).select("topic", "q0", "doc", "rank", "score", "tag")


def draw_judgments(topics: np.ndarray, document: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    count = min(JUDGED_PER_TOPIC, document.shape[1])
    positions = np.argsort(rng.random(document.shape), axis=1)[:, :count]
    judged = np.take_along_axis(document, positions, 1)
    grade = rng.choice(4, judged.size, p=[0.6, 0.2, 0.15, 0.05])
    frame = pl.DataFrame({"topic": np.repeat(topics, count), "doc": judged.ravel(), "grade": grade})
    return format_ids(frame).with_columns(iteration=pl.lit(0)).select("topic", "iteration", "doc", "grade")


def format_ids(frame: pl.DataFrame) -> pl.DataFrame:
    topic = pl.format("q{}", pl.col("topic").cast(pl.String).str.zfill(7))
    return frame.with_columns(topic, pl.format("doc{}", pl.col("doc").cast(pl.String).str.zfill(9)).alias("doc"))


def measure_evaluation(files: tuple[Path, Path], shape: Shape, memory: str, measures: str = "some") -> dict[str, float]:
    """Measure seconds and peak memory of one evaluation in a separate process; *memory* may be ``spark``."""
    command = [sys.executable, __file__, "--one", *map(str, files), memory, measures]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    usage: dict[str, float] = json.loads(out.splitlines()[-1])
    return {**usage, "lines": shape.lines}


def evaluate_once(qrels: str, run: str, memory: str, measures: str) -> None:
    """Evaluate a run, and print seconds, memory and CPU seconds as JSON."""
    import assay

    chosen = MEASURES if measures == "some" else MORE_MEASURES
    if memory == "spark":
        seconds = time_on_cluster(qrels, run, chosen)
    else:
        start = perf_counter()
        assay.evaluate(qrels, run, chosen, memory=memory)
        seconds = perf_counter() - start
    print(json.dumps({"seconds": seconds, "megabytes": get_peak_memory() / (1 << 20), "cpu": sum(os.times()[:2])}))


def time_on_cluster(qrels: str, run: str, chosen: Sequence[str]) -> float:
    """Return the seconds of the job on a cluster that has evaluated a small run before, so startup is not included."""
    from assay.spark._evaluate_files import evaluate_files
    from assay.spark._session import session

    spark = session(CLUSTER)
    try:
        with tempfile.TemporaryDirectory() as small:
            evaluate_files(*write_campaign(Path(small), Shape(50, 100)), chosen)
        start = perf_counter()
        evaluate_files(qrels, run, chosen)
        return perf_counter() - start
    finally:
        spark.stop()


def get_peak_memory() -> int:
    """Return the peak memory of this process in bytes.

    On systems without ``/proc``, a child process inherits the peak of its parent if that is larger.
    """
    status = Path("/proc/self/status")
    match = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    if match is not None:
        return int(match[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1 << 10)


def print_row(label: str, usage: dict[str, float]) -> float:
    """Print one line; return the throughput in lines per second."""
    rate = usage["lines"] / usage["seconds"]
    print(
        f"{label:<40} {usage['lines'] / 1e6:8.1f} M lines {usage['seconds']:8.1f} s "
        f"{1e9 / rate:7.0f} ns/line {usage['megabytes']:8.0f} MB",
        flush=True,
    )
    return rate


def compare_limits(topics: int, memory: str, directory: Path) -> None:
    """Compare one large run within the memory limit with a tenth of it without a limit."""
    small, large = Shape(min(max(topics // 10, 1), 10_000)), Shape(topics)
    files = write_campaign(directory, small)
    unlimited = print_row("no limit", measure_evaluation(files, small, "all"))
    print_row(f"--memory {memory}", measure_evaluation(files, small, memory))
    files = write_campaign(directory, small, order="ranks")
    print_row("no limit, sorted by rank", measure_evaluation(files, small, "all"))
    print_row(f"--memory {memory}, sorted by rank", measure_evaluation(files, small, memory))
    limited = print_row(f"--memory {memory}", measure_evaluation(write_campaign(directory, large), large, memory))
    print(f"time per line, large run within the limit / small run without: {unlimited / limited:.2f}")


def print_spark_cpu(directory: Path) -> None:
    """Print CPU seconds per million lines of executors and of one machine, from the slope between two sizes."""
    from assay.spark._evaluate_files import evaluate_files
    from assay.spark._session import session

    shapes = [Shape(10_000), Shape(40_000)]
    lines = (shapes[1].lines - shapes[0].lines) / 1e6
    files = [write_campaign(directory, shape) for shape in shapes]
    local = [
        min(measure_evaluation(paths, shape, "all")["cpu"] for _ in range(3))
        for paths, shape in zip(files, shapes, strict=True)
    ]
    spark = session(CLUSTER)
    try:
        evaluate_files(*write_campaign(directory, Shape(50, 100)), MEASURES)
        distributed = [
            min(measure_executor_cpu(lambda paths=paths: evaluate_files(*paths, MEASURES)) for _ in range(3))
            for paths in files
        ]
    finally:
        spark.stop()
    for label, (small, large) in {"one machine": local, "executors": distributed}.items():
        print(f"{label:12} {small:6.2f} s {large:6.2f} s, {(large - small) / lines:.3f} CPU s per million lines")


def measure_executor_cpu(work: Callable[[], object]) -> float:
    before = get_executor_cpu()
    work()
    return get_executor_cpu() - before


def get_executor_cpu() -> float:
    """Return the CPU seconds used so far by all executors and their Python workers (Linux)."""
    processes: dict[int, tuple[int, float, bool]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            is_executor = b"CoarseGrainedExecutorBackend" in path.with_name("cmdline").read_bytes()
        except OSError:
            continue
        seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        processes[int(path.parent.name)] = (int(fields[1]), seconds, is_executor)

    def belongs_to_executor(process: int) -> bool:
        while process in processes and not processes[process][2]:
            process = processes[process][0]
        return process in processes

    return sum(seconds for process, (_, seconds, _) in processes.items() if belongs_to_executor(process))


def measure_all_sizes(directory: Path) -> None:
    """Measure the throughput of each setting for each size and shape; write the tables and the chart."""
    by_size = [
        measure_row(directory, shape, "", setting, memory) for shape in SIZES for setting, memory in SETTINGS.items()
    ]
    by_shape = [
        measure_row(directory, shape, name, setting, memory)
        for name, shape in SHAPES.items()
        for setting, memory in SETTINGS.items()
    ]
    more_name = f"3 000 topics of 1000, {len(MORE_MEASURES)} measures"
    by_shape += [
        measure_row(directory, Shape(3000), more_name, setting, memory, "more") for setting, memory in SETTINGS.items()
    ]
    sizes, shapes = pl.DataFrame(by_size), pl.DataFrame(by_shape)
    (HERE / "scale.md").write_text(render_page(sizes, shapes))
    (HERE / "scale.svg").write_bytes(render_chart(sizes))


def measure_row(
    directory: Path, shape: Shape, name: str, setting: str, memory: str, measures: str = "some"
) -> dict[str, Any]:
    usage = measure_evaluation(write_campaign(directory, shape), shape, memory, measures)
    rate = print_row(f"{setting} {name}", usage)
    row = {"setting": setting, "shape": name, "lines": shape.lines, "seconds": usage["seconds"], "rate": rate}
    return {**row, "megabytes": float("nan") if memory == "spark" else usage["megabytes"]}


def render_page(sizes: pl.DataFrame, shapes: pl.DataFrame) -> str:
    """Render the tables as Markdown."""
    lines = [
        "# Throughput by size",
        "",
        "Written by `python benchmarks/scale.py`. The runs are simulated and stored as plain text.",
        f"{len(MEASURES)} measures are computed on {os.cpu_count()} cores. *seconds* is the time of one evaluation,",
        "including reading the files.",
        "",
        f"Spark uses `{CLUSTER}` on the same cores. Starting Spark and its first job takes 15 to 20 seconds,",
        "so a small run is evaluated before the measurement. The memory of the executors is not included.",
        "",
        "One run with 1000 documents for each topic, and a growing number of topics:",
        "",
        "| setting | million lines | seconds | million lines/s | peak MB |",
        "|---|---:|---:|---:|---:|",
        *(f"| {row['setting']} | {render_cells(row)} |" for row in sizes.iter_rows(named=True)),
        "",
        "![throughput by size](scale.svg)",
        "",
        "The same number of lines with other numbers of topics, documents and runs, and with more measures:",
        "",
        "| shape | setting | million lines | seconds | million lines/s | peak MB |",
        "|---|---|---:|---:|---:|---:|",
        *(f"| {row['shape']} | {row['setting']} | {render_cells(row)} |" for row in shapes.iter_rows(named=True)),
        "",
    ]
    return "\n".join(lines)


def render_cells(row: dict[str, Any]) -> str:
    peak = "" if np.isnan(row["megabytes"]) else f"{row['megabytes']:.0f}"
    return f"{row['lines'] / 1e6:.1f} | {row['seconds']:.1f} | {row['rate'] / 1e6:.2f} | {peak}"


def render_chart(frame: pl.DataFrame) -> bytes:
    """Plot lines per second against the number of lines, one curve per setting."""
    import altair as alt

    from assay.views.plots._export import export_chart
    from assay.views.plots._figures import Data
    from assay.views.plots._style import SERIES, rows

    colour = alt.Color(
        "setting:N", title=None, scale=alt.Scale(domain=list(SETTINGS), range=list(SERIES[: len(SETTINGS)]))
    )
    x = alt.X("lines:Q", title="lines", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", grid=True))
    y = alt.Y("rate:Q", title="lines per second", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", grid=True))
    chart = alt.Chart(rows(frame), width=300, height=200).encode(x=x, y=y, color=colour).mark_line(point=True)
    return export_chart(chart, Data(frame), "svg")


def main() -> None:
    """Run the benchmark."""
    if sys.argv[1:2] == ["--one"]:
        evaluate_once(*sys.argv[2:6])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=None)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--spark-cpu", action="store_true")
    parser.add_argument("--work", type=Path, default=None)
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    if args.keep:
        args.work.mkdir(parents=True, exist_ok=True)
        run_benchmark(args, args.work)
        return
    with tempfile.TemporaryDirectory(dir=args.work) as directory:
        run_benchmark(args, Path(directory))


def run_benchmark(args: argparse.Namespace, directory: Path) -> None:
    if args.spark_cpu:
        print_spark_cpu(directory)
    elif args.topics is None:
        measure_all_sizes(directory)
    else:
        compare_limits(args.topics, args.memory, directory)


if __name__ == "__main__":
    main()
