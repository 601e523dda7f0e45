"""Compare assay with other tools: median times, ratios and peak memory (``make bench``).

Each measurement is a separate process, so memory is not shared. The tools take turns, so a temporary slowdown of the
machine affects all of them. *work* is the time of the computation, without the import of the tool; *process* is the
lifetime of the process, including imports. Targets apply to the work; for commands (e) they apply to the process.
The results are written to results.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
WORK = HERE / "work"
BIN = Path(sys.executable).parent
LARGEST_LOSS = 0.5  # share of the committed speed relative to another tool, below which --check fails


@dataclass(frozen=True)
class Job:
    """A command to time. With *prints_seconds* it prints the time of the work itself."""

    tool: str
    command: list[str]
    prints_seconds: bool = False


class Cost(NamedTuple):
    """Seconds of the work and of the whole process, and peak memory in MB."""

    work: float
    process: float
    memory: float


@dataclass(frozen=True)
class Target:
    """Target for assay compared with a peer: at least *ratio* times its speed, at most *memory* MB.

    If no other tool does the same work, *seconds* is the maximum time.
    """

    peer: str = "assay"
    ratio: float = 1
    seconds: float | None = None
    memory: float | None = None
    no_more_memory: bool = False


@dataclass(frozen=True)
class Case:
    name: str
    jobs: list[Job]
    target: Target


def find_data() -> Path | None:
    folder = os.environ.get("ASSAY_DATA")
    candidates = [Path(folder)] if folder else [HERE.parent.parent / "shared" / "data"]
    return next((path for path in candidates if (path / "trec8-adhoc").is_dir()), None)


def simulate_run(topics: int) -> tuple[str, str]:
    folder = WORK / f"{topics}x1000"
    if not folder.exists():
        print(f"simulating {topics} topics x 1000 …", file=sys.stderr)
        command = [BIN / "assay", "simulate", folder, "--systems", "1", "--topics", str(topics), "--depth", "1000"]
        subprocess.run([*map(str, command), "--pool", "100", "--seed", "1"], check=True, stdout=subprocess.DEVNULL)
    return str(folder / "qrels.txt"), str(next((folder / "runs").iterdir()))


def decompress_files(qrels: str, runs: list[str]) -> tuple[str, list[str]]:
    """Return decompressed copies of the files: trec_eval cannot read compressed ones."""
    folder = WORK / "unpacked"
    folder.mkdir(exist_ok=True)
    paths = []
    for path in [qrels, *runs]:
        plain = folder / Path(path).name.removesuffix(".gz")
        if not plain.exists():
            plain.write_bytes(gzip.decompress(Path(path).read_bytes()))
        paths.append(str(plain))
    return paths[0], paths[1:]


def all_trec_case(qrels: str, runs: list[str]) -> Case:
    """All measures of trec_eval for all topics: one process of assay, one process of trec_eval per run."""
    has_trec_eval = bool(os.environ.get("TREC_EVAL"))
    if has_trec_eval:
        qrels, runs = decompress_files(qrels, runs)
    else:
        print("(f) without trec_eval; set TREC_EVAL to its path to include it", file=sys.stderr)
    tools = ["assay", "pytrec_eval", *(["trec_eval"] if has_trec_eval else [])]
    command = [sys.executable, str(HERE / "_tools.py")]
    jobs = [Job(tool, [*command, tool, "campaign", qrels, *runs], prints_seconds=True) for tool in tools]
    return Case("(f) TREC-8: all_trec for 129 runs, all topics", jobs, Target(tools[-1], 1))


def assay_only_cases(qrels: str, runs: list[str]) -> list[Case]:
    """Bounds and distances, which no other tool computes."""
    cases = (
        ("g", "MED of AP@100, one pair and topic", "med100", 0.02),
        ("h", "MED of AP@1000, one pair and topic", "med1000", 6),
        ("i", "TREC-8: MED of AP@100, one pair, 50 topics, from files", "medtopics", 2),
        ("j", "TREC-8: MED of nDCG@10, 8256 pairs x 50 topics, from files", "medmatrix", 60),
        ("k", "TREC-8: bounds of AP, nDCG, RBP and P@10, 129 runs, from files", "bounds", None),
        ("l", "TREC-8: RBO and tau, 8256 pairs x 50 topics x 1000, from files", "overlap", None),
    )
    command = [sys.executable, str(HERE / "_tools.py"), "assay"]
    return [
        Case(
            f"({letter}) {name}",
            [Job("assay", [*command, case, qrels, *runs], prints_seconds=True)],
            Target(seconds=limit),
        )
        for letter, name, case, limit in cases
    ]


def tool_jobs(case: str, qrels: str, runs: list[str], trec_eval: bool = False) -> list[Job]:
    tools = ["assay", "pytrec_eval", "ir_measures"]
    if trec_eval and os.environ.get("TREC_EVAL"):
        tools.append("trec_eval")
    command = [sys.executable, str(HERE / "_tools.py")]
    return [Job(tool, [*command, tool, case, qrels, *runs], prints_seconds=True) for tool in tools]


def build_cases() -> list[Case]:
    cases = []
    collection = find_data()
    if collection is None:
        print("(a) skipped: no TREC-8 data; set ASSAY_DATA to the folder that contains trec8-adhoc", file=sys.stderr)
    else:
        trec8 = collection / "trec8-adhoc"
        qrels, runs = str(trec8 / "qrels.trec8.adhoc.txt.gz"), sorted(map(str, (trec8 / "runs").iterdir()))
        jobs = tool_jobs("files", qrels, runs)
        cases.append(Case("(a) TREC-8: 129 runs from files", jobs, Target("pytrec_eval", 5, memory=600)))
        cases.append(all_trec_case(qrels, runs))
        cases += assay_only_cases(qrels, runs)
    for letter, topics, target in (
        ("b", 1000, Target("pytrec_eval", 2.5)),
        ("c", 7000, Target("pytrec_eval", 6, no_more_memory=True)),
    ):
        qrels, run = simulate_run(topics)
        jobs = tool_jobs("files", qrels, [run], trec_eval=True)
        cases.append(Case(f"({letter}) one simulated run, {topics} x 1000", jobs, target))
    qrels, run = simulate_run(1000)
    cases.append(
        Case(
            "(d) as (b), with inputs in memory, including the join",
            tool_jobs("in_memory", qrels, [run]),
            Target("pytrec_eval", 3),
        )
    )
    qrels, run = simulate_run(50)
    commands = [
        Job("assay", [str(BIN / "assay"), "eval", qrels, run, "-m", "AP", "-m", "nDCG@10"]),
        Job("ir_measures", [str(BIN / "ir_measures"), qrels, run, "AP", "nDCG@10"]),
    ]
    cases.append(Case("(e) command: one run of 50 topics", commands, Target("ir_measures", 1 / 1.5)))
    start = [
        Job("assay", [str(BIN / "assay"), "--help"]),
        Job("import numpy", [sys.executable, "-c", "import numpy"]),
    ]
    cases.append(Case("(e) command: assay --help", start, Target("import numpy", 1 / 1.5)))
    return cases


def measure(job: Job) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen(job.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{job.tool} failed: {' '.join(job.command[:6])}")
    return Cost(json.loads(out)["work"] if job.prints_seconds else seconds, seconds, usage.ru_maxrss / 1024)


def run_case(case: Case, repeats: int) -> dict[str, Cost]:
    costs: dict[str, list[Cost]] = defaultdict(list)
    for number in range(repeats):
        for job in case.jobs:
            print(f"{case.name}: {number + 1}/{repeats} {job.tool}", file=sys.stderr)
            costs[job.tool].append(measure(job))
    return {tool: Cost(*map(statistics.median, zip(*repeated, strict=True))) for tool, repeated in costs.items()}


def describe_target(case: Case, costs: dict[str, Cost]) -> str:
    ours, peer = costs["assay"], costs[case.target.peer]
    if case.target.peer == "assay":
        limit = case.target.seconds
        outcome = "measured" if limit is None else "reached" if ours.work <= limit else "MISSED"
        return f"{outcome}: {ours.work:.3f} s" + ("" if limit is None else f" (target at most {limit:g} s)")
    ratio = peer.work / ours.work
    reached = ratio >= case.target.ratio
    parts = [f"{ratio:.2f}x {case.target.peer} (target {case.target.ratio:.2g}x)"]
    if case.target.memory is not None:
        reached &= ours.memory <= case.target.memory
        parts.append(f"{ours.memory:.0f} MB (target at most {case.target.memory:.0f})")
    if case.target.no_more_memory:
        reached &= ours.memory <= peer.memory
        parts.append(f"{ours.memory:.0f} MB (target at most {peer.memory:.0f})")
    return ("reached: " if reached else "MISSED: ") + ", ".join(parts)


def render_report(results: list[tuple[Case, dict[str, Cost]]], repeats: int) -> str:
    peers = ", ".join(f"{name} {version(name)}" for name in ("pytrec-eval-terrier", "ir-measures", "polars", "numpy"))
    lines = [
        "# Benchmark",
        "",
        f"Written by `make bench`. Times are medians of {repeats} repetitions ({5 * repeats} for commands). The tools",
        "run alternately, and each measurement is a separate process.",
        f"assay {version('assay-ir')}, {peers}, Python {platform.python_version()}, {os.cpu_count()} cores.",
        "",
        "*work* is the computing time without the import of the tool; *process* is the total time of the process.",
        "*assay faster by* is the time of the tool divided by the time of assay.",
        "",
        "| case | tool | work, s | assay faster by | process, s | assay faster by | peak MB |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for case, values in results:
        ours = values["assay"]
        for tool, cost in values.items():
            faster = f"{cost.work / ours.work:.2f}x", f"{cost.process / ours.process:.2f}x"
            cells = f"{cost.work:.3f} | {faster[0]} | {cost.process:.3f} | {faster[1]} | {cost.memory:.0f}"
            lines.append(f"| {case.name} | {tool} | {cells} |")
    lines += ["", "Targets:", ""]
    lines += [f"- {case.name}: {describe_target(case, values)}" for case, values in results]
    return "\n".join(lines) + "\n"


def read_ratios(text: str) -> dict[tuple[str, str], float]:
    """Return how much faster than each tool assay is, by case and tool, from a table in the format of results.md."""
    rows = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ("))
    return {(cells[0], cells[1]): float(cells[3].removesuffix("x")) for cells in rows if cells[1] != "assay"}


def find_regressions(committed: str, current: str, share: float = LARGEST_LOSS) -> list[str]:
    """Describe each ratio to another tool that is less than *share* of the committed one.

    Both tools run on the same machine in turns, so the ratio depends little on the machine.
    """
    before = read_ratios(committed)
    return [
        f"{case}: {now:.2f} times as fast as {tool}; {before[case, tool]:.2f} in results.md"
        for (case, tool), now in read_ratios(current).items()
        if now < share * before.get((case, tool), 0)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", help="letters of the cases to run, such as ab")
    parser.add_argument("--check", action="store_true", help="fail if assay lost half of its speed in results.md")
    args = parser.parse_args()
    WORK.mkdir(exist_ok=True)
    selected = [case for case in build_cases() if not args.only or case.name[1] in args.only]
    # Commands take a tenth of a second, which varies more, so they are repeated more often.
    results = [(case, run_case(case, args.repeats * (1 if case.jobs[0].prints_seconds else 5))) for case in selected]
    text = render_report(results, args.repeats)
    print(text)
    if args.check:
        regressions = find_regressions((HERE / "results.md").read_text(encoding="utf-8"), text)
        if regressions:
            raise SystemExit("\n".join(regressions))
    elif not args.only:
        (HERE / "results.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
