"""Throughput against size, on one machine and on a cluster of two processes (part of ``make bench``).

``python scale.py`` evaluates simulated runs of growing size without a limit of memory, within 1 GB, and on Spark
(``local-cluster``: two executors in processes of their own), then the same number of lines in other shapes and with
more measures, and writes scale.md and scale.svg. ``python scale.py --topics 100000`` makes one run of TOPICS x 1000
lines, evaluates it within ``--memory`` and a tenth of it (at most 10 million lines) without a limit, and prints
nanoseconds per line and peak memory of both. ``python scale.py --spark-cpu`` prints the CPU seconds that executors take
for each further million lines, next to those of one machine. Each evaluation is a process of its own. The files are
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
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import polars as pl

MEASURES = ("AP", "nDCG@10", "RR", "P@10", "RBP(p=0.8)", "bpref")
MORE = (*MEASURES, *(f"{name}@{k}" for name in ("P", "R", "nDCG", "RR", "AP", "ERR") for k in (5, 20, 100)))
JUDGED, TOGETHER = 40, 500_000


class Shape(NamedTuple):
    """What is simulated: runs of topics with so many documents each."""

    topics: int
    documents: int = 1000
    runs: int = 1

    @property
    def lines(self) -> int:
        """Lines of all runs."""
        return self.topics * self.documents * self.runs


SIZES = [Shape(topics) for topics in (300, 1000, 3000, 10_000)]
SHAPES = {
    "3 000 topics of 1000": Shape(3000),
    "300 000 topics of 10": Shape(300_000, 10),
    "3 topics of 1 000 000": Shape(3, 1_000_000),
    "30 topics of 1000, 100 runs": Shape(30, 1000, 100),
}
CLUSTER = "local-cluster[2,1,1024]"
WAYS = {"no limit": "all", "within 1 GB": "1G", "Spark, two executors": "spark"}
HERE = Path(__file__).parent


def written(directory: Path, shape: Shape, *, order: str = "sorted") -> tuple[Path, Path]:
    """Write judgments and a directory of runs; *order* is ``sorted`` (by topic) or ``ranks`` (all first ranks, …)."""
    name = f"{shape.topics}-{shape.documents}-{shape.runs}-{order}"
    qrels, runs = directory / f"{name}.qrels", directory / name
    if qrels.exists():
        return qrels, runs
    runs.mkdir()
    for run in range(shape.runs):
        with (runs / f"sim{run}.run").open("wb") as lines, qrels.with_suffix(".writing").open("wb") as judgments:
            _write(shape, run, order, lines, judgments)
    qrels.with_suffix(".writing").rename(qrels)
    return qrels, runs


def _write(shape: Shape, run: int, order: str, lines: BinaryIO, judgments: BinaryIO) -> None:
    """Runs have the same documents in different orders; the judgments are the same, whatever run they come with."""
    rng, own = np.random.default_rng(shape.topics), np.random.default_rng(run)
    many = max(TOGETHER // shape.documents, 1)
    for begin in range(0, shape.topics, many):
        topics = np.arange(begin, min(begin + many, shape.topics))
        document = _documents(topics, shape.documents, rng)
        _judgments(topics, document, rng).write_csv(judgments, separator=" ", include_header=False)
        ranked = document[:, own.permutation(shape.documents)]
        _ranking(topics, ranked, own, order).write_csv(lines, separator=" ", include_header=False)


def _documents(topics: np.ndarray, many: int, rng: np.random.Generator) -> np.ndarray:
    """A row of different documents for each topic: multiples of an odd number are, modulo a power of two."""
    modulus = 1 << (8 * many).bit_length()
    step = rng.integers(1, modulus // 2, len(topics))[:, None] * 2 + 1
    first = rng.integers(0, modulus, len(topics))[:, None]
    return (first + step * np.arange(many)) % modulus


def _ranking(topics: np.ndarray, document: np.ndarray, rng: np.random.Generator, order: str) -> pl.DataFrame:
    many = document.shape[1]
    score = np.sort(rng.random(document.shape) * 30, axis=1)[:, ::-1].round(4)
    rank = np.tile(np.arange(1, many + 1), len(topics))
    frame = pl.DataFrame({"topic": np.repeat(topics, many), "doc": document.ravel(), "rank": rank})
    frame = frame.with_columns(pl.Series("score", score.ravel()), tag=pl.lit("simulated"), q0=pl.lit("Q0"))
    frame = frame if order == "sorted" else frame.sort("rank", maintain_order=True)
    return _named(frame).select("topic", "q0", "doc", "rank", "score", "tag")


def _judgments(topics: np.ndarray, document: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    many = min(JUDGED, document.shape[1])
    places = np.argsort(rng.random(document.shape), axis=1)[:, :many]
    judged = np.take_along_axis(document, places, 1)
    grade = rng.choice(4, judged.size, p=[0.6, 0.2, 0.15, 0.05])
    frame = pl.DataFrame({"topic": np.repeat(topics, many), "doc": judged.ravel(), "grade": grade})
    return _named(frame).with_columns(iteration=pl.lit(0)).select("topic", "iteration", "doc", "grade")


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    topic = pl.format("q{}", pl.col("topic").cast(pl.String).str.zfill(7))
    return frame.with_columns(topic, pl.format("doc{}", pl.col("doc").cast(pl.String).str.zfill(9)).alias("doc"))


def measured(files: tuple[Path, Path], shape: Shape, memory: str, many: str = "some") -> dict[str, float]:
    """Seconds and peak memory of one evaluation, in a process of its own; *memory* may be ``spark``."""
    command = [sys.executable, __file__, "--one", *map(str, files), memory, many]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    return {**found, "lines": shape.lines}


def one(qrels: str, run: str, memory: str, many: str) -> None:
    """Evaluate, and print what it took as JSON."""
    import assay

    chosen = MEASURES if many == "some" else MORE
    if memory == "spark":
        seconds = on_a_cluster(qrels, run, chosen)
    else:
        start = perf_counter()
        assay.evaluate(qrels, run, chosen, memory=memory)
        seconds = perf_counter() - start
    print(json.dumps({"seconds": seconds, "megabytes": peak_memory() / (1 << 20), "cpu": sum(os.times()[:2])}))


def on_a_cluster(qrels: str, run: str, chosen: Sequence[str]) -> float:
    """Seconds of the job on a cluster that has evaluated something small before: what starts once has started."""
    from assay.spark._evaluate_files import evaluate_files
    from assay.spark._session import session

    spark = session(CLUSTER)
    try:
        with tempfile.TemporaryDirectory() as small:
            evaluate_files(*written(Path(small), Shape(50, 100)), chosen)
        start = perf_counter()
        evaluate_files(qrels, run, chosen)
        return perf_counter() - start
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
    """Print one line, and return the throughput."""
    rate = found["lines"] / found["seconds"]
    print(
        f"{what:<40} {found['lines'] / 1e6:8.1f} M lines {found['seconds']:8.1f} s "
        f"{1e9 / rate:7.0f} ns/line {found['megabytes']:8.0f} MB",
        flush=True,
    )
    return rate


def compared(topics: int, memory: str, directory: Path) -> None:
    """One large run: within a limit at full size, without one at a tenth."""
    small, large = Shape(min(max(topics // 10, 1), 10_000)), Shape(topics)
    files = written(directory, small)
    unlimited = show("no limit", measured(files, small, "all"))
    show(f"--memory {memory}", measured(files, small, memory))
    files = written(directory, small, order="ranks")
    show("no limit, all first ranks first", measured(files, small, "all"))
    show(f"--memory {memory}, all first ranks first", measured(files, small, memory))
    limited = show(f"--memory {memory}", measured(written(directory, large), large, memory))
    print(f"cost of a line, large within the limit / small without: {unlimited / limited:.2f}")


def spark_cpu(directory: Path) -> None:
    """Print CPU seconds per million lines, from the slope between two sizes: of executors, and of one machine."""
    from assay.spark._evaluate_files import evaluate_files
    from assay.spark._session import session

    shapes = [Shape(10_000), Shape(40_000)]
    lines = (shapes[1].lines - shapes[0].lines) / 1e6
    files = [written(directory, shape) for shape in shapes]
    local = [
        min(measured(own, shape, "all")["cpu"] for _ in range(3)) for own, shape in zip(files, shapes, strict=True)
    ]
    spark = session(CLUSTER)
    try:
        evaluate_files(*written(directory, Shape(50, 100)), MEASURES)
        there = [
            min(_executor_cpu_of(lambda own=own: evaluate_files(*own, MEASURES)) for _ in range(3)) for own in files
        ]
    finally:
        spark.stop()
    for what, (small, large) in {"one machine": local, "executors": there}.items():
        print(f"{what:12} {small:6.2f} s {large:6.2f} s, {(large - small) / lines:.3f} CPU s per million lines")


def _executor_cpu_of(work: Callable[[], object]) -> float:
    before = executor_cpu()
    work()
    return executor_cpu() - before


def executor_cpu() -> float:
    """Return the CPU seconds of all executors and of their Python workers so far (Linux)."""
    processes: dict[int, tuple[int, float, bool]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
            is_executor = b"CoarseGrainedExecutorBackend" in path.with_name("cmdline").read_bytes()
        except OSError:
            continue
        seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        processes[int(path.parent.name)] = (int(fields[1]), seconds, is_executor)

    def below_executor(process: int) -> bool:
        while process in processes and not processes[process][2]:
            process = processes[process][0]
        return process in processes

    return sum(seconds for process, (_, seconds, _) in processes.items() if below_executor(process))


def grown(directory: Path) -> None:
    """Throughput of each way at each size and in each shape, as tables and a picture."""
    by_size = [_row(directory, shape, "", way, memory) for shape in SIZES for way, memory in WAYS.items()]
    by_shape = [
        _row(directory, shape, name, way, memory) for name, shape in SHAPES.items() for way, memory in WAYS.items()
    ]
    more = f"3 000 topics of 1000, {len(MORE)} measures"
    by_shape += [_row(directory, Shape(3000), more, way, memory, "more") for way, memory in WAYS.items()]
    sizes, shapes = pl.DataFrame(by_size), pl.DataFrame(by_shape)
    (HERE / "scale.md").write_text(page(sizes, shapes))
    (HERE / "scale.svg").write_bytes(picture(sizes))


def _row(directory: Path, shape: Shape, name: str, way: str, memory: str, many: str = "some") -> dict[str, Any]:
    found = measured(written(directory, shape), shape, memory, many)
    rate = show(f"{way} {name}", found)
    own = {"way": way, "shape": name, "lines": shape.lines, "seconds": found["seconds"], "rate": rate}
    return {**own, "megabytes": float("nan") if memory == "spark" else found["megabytes"]}


def page(sizes: pl.DataFrame, shapes: pl.DataFrame) -> str:
    """The tables in Markdown."""
    lines = [
        "# Throughput against size",
        "",
        f"Written by `python benchmarks/scale.py`: simulated runs as plain text, {len(MEASURES)} measures,",
        f"{os.cpu_count()} cores. Spark is `{CLUSTER}` on the same cores; it has evaluated a small run before, because",
        "its start and its first job take 15 to 20 seconds; the memory of its executors is not counted.",
        "Seconds are those of one evaluation from files.",
        "",
        "One run of topics x 1000 documents:",
        "",
        "| way | million lines | seconds | million lines/s | peak MB |",
        "|---|---:|---:|---:|---:|",
        *(f"| {row['way']} | {_cells(row)} |" for row in sizes.iter_rows(named=True)),
        "",
        "![throughput against size](scale.svg)",
        "",
        "The same number of lines in other shapes, and with more measures:",
        "",
        "| shape | way | million lines | seconds | million lines/s | peak MB |",
        "|---|---|---:|---:|---:|---:|",
        *(f"| {row['shape']} | {row['way']} | {_cells(row)} |" for row in shapes.iter_rows(named=True)),
        "",
    ]
    return "\n".join(lines)


def _cells(row: dict[str, Any]) -> str:
    peak = "" if np.isnan(row["megabytes"]) else f"{row['megabytes']:.0f}"
    return f"{row['lines'] / 1e6:.1f} | {row['seconds']:.1f} | {row['rate'] / 1e6:.2f} | {peak}"


def picture(frame: pl.DataFrame) -> bytes:
    """Lines per second against lines, one line for each way."""
    import altair as alt

    from assay.views.plots._export import export_chart
    from assay.views.plots._figures import Data
    from assay.views.plots._style import SERIES, rows

    colour = alt.Color("way:N", title=None, scale=alt.Scale(domain=list(WAYS), range=list(SERIES[: len(WAYS)])))
    x = alt.X("lines:Q", title="lines", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", grid=True))
    y = alt.Y("rate:Q", title="lines a second", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", grid=True))
    chart = alt.Chart(rows(frame), width=300, height=200).encode(x=x, y=y, color=colour).mark_line(point=True)
    return export_chart(chart, Data(frame), "svg")


def main() -> None:
    """Run the benchmark."""
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:6])
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
        _run(args, args.work)
        return
    with tempfile.TemporaryDirectory(dir=args.work) as directory:
        _run(args, Path(directory))


def _run(args: argparse.Namespace, directory: Path) -> None:
    if args.spark_cpu:
        spark_cpu(directory)
    elif args.topics is None:
        grown(directory)
    else:
        compared(args.topics, args.memory, directory)


if __name__ == "__main__":
    main()
