"""Side by side with other tools, in one run: medians, ratios and peak memory (``make bench``).

Each measurement is a process of its own, so that memory is not shared; tools take turns, so that a slow minute of the
machine hits all of them. *work* is the time of the work, the tool being imported before it starts; *process* is the
whole life of the process, imports included. Targets are set on the work, and for commands, (e), on the process.
Results go to results.md.
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


@dataclass(frozen=True)
class Job:
    """A command to time; *inner* if it prints the seconds of the work."""

    tool: str
    command: list[str]
    inner: bool = False


class Spent(NamedTuple):
    """Seconds of the work and of the whole process, and peak memory in MB."""

    work: float
    process: float
    memory: float


@dataclass(frozen=True)
class Target:
    """What assay should reach beside a peer: at least *ratio* times its speed, at most *memory* MB.

    Where no peer does the work, *seconds* is the most that it may take.
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


def data() -> Path | None:
    given = os.environ.get("ASSAY_DATA")
    candidates = [Path(given)] if given else [HERE.parent.parent / "shared" / "data"]
    return next((path for path in candidates if (path / "trec8-adhoc").is_dir()), None)


def simulated(topics: int) -> tuple[str, str]:
    folder = WORK / f"{topics}x1000"
    if not folder.exists():
        print(f"simulating {topics} topics x 1000 …", file=sys.stderr)
        command = [BIN / "assay", "simulate", folder, "--systems", "1", "--topics", str(topics), "--depth", "1000"]
        subprocess.run([*map(str, command), "--pool", "100", "--seed", "1"], check=True, stdout=subprocess.DEVNULL)
    return str(folder / "qrels.txt"), str(next((folder / "runs").iterdir()))


def unpacked(qrels: str, runs: list[str]) -> tuple[str, list[str]]:
    """The files without compression, which trec_eval cannot read."""
    folder = WORK / "unpacked"
    folder.mkdir(exist_ok=True)
    found = []
    for path in [qrels, *runs]:
        plain = folder / Path(path).name.removesuffix(".gz")
        if not plain.exists():
            plain.write_bytes(gzip.decompress(Path(path).read_bytes()))
        found.append(str(plain))
    return found[0], found[1:]


def drop_in(qrels: str, runs: list[str]) -> Case:
    """Every measure of trec_eval for every topic of a campaign: one process of ours, one for each run of trec_eval."""
    given = bool(os.environ.get("TREC_EVAL"))
    if given:
        qrels, runs = unpacked(qrels, runs)
    else:
        print("(f) without trec_eval itself: set TREC_EVAL to its path to compare with it", file=sys.stderr)
    tools = ["assay", "pytrec_eval", *(["trec_eval"] if given else [])]
    command = [sys.executable, str(HERE / "_tools.py")]
    jobs = [Job(tool, [*command, tool, "campaign", qrels, *runs], inner=True) for tool in tools]
    return Case("(f) TREC-8: all_trec for 129 runs, all topics", jobs, Target(tools[-1], 1))


def uncertain(qrels: str, runs: list[str]) -> list[Case]:
    """Bounds and distances, which no peer has."""
    works = (
        ("g", "MED of AP@100, one pair and topic", "med100", 0.02),
        ("h", "MED of AP@1000, one pair and topic", "med1000", 6),
        ("i", "TREC-8: MED of AP@100, one pair, 50 topics, from files", "medtopics", 2),
        ("j", "TREC-8: MED of nDCG@10, 8256 pairs x 50 topics, from files", "medmatrix", 60),
        ("k", "TREC-8: bounds of AP, nDCG, RBP and P@10, 129 runs, from files", "bounds", None),
        ("l", "TREC-8: RBO and tau, 8256 pairs x 50 topics x 1000, from files", "overlap", None),
    )
    command = [sys.executable, str(HERE / "_tools.py"), "assay"]
    return [
        Case(f"({letter}) {name}", [Job("assay", [*command, case, qrels, *runs], inner=True)], Target(seconds=most))
        for letter, name, case, most in works
    ]


def tool_jobs(case: str, qrels: str, runs: list[str], trec_eval: bool = False) -> list[Job]:
    tools = ["assay", "pytrec_eval", "ir_measures"]
    if trec_eval and os.environ.get("TREC_EVAL"):
        tools.append("trec_eval")
    command = [sys.executable, str(HERE / "_tools.py")]
    return [Job(tool, [*command, tool, case, qrels, *runs], inner=True) for tool in tools]


def cases() -> list[Case]:
    found = []
    collection = data()
    if collection is None:
        print("(a) skipped: no TREC-8 data (set ASSAY_DATA to the folder that holds trec8-adhoc)", file=sys.stderr)
    else:
        trec8 = collection / "trec8-adhoc"
        qrels, runs = str(trec8 / "qrels.trec8.adhoc.txt.gz"), sorted(map(str, (trec8 / "runs").iterdir()))
        jobs = tool_jobs("files", qrels, runs)
        found.append(Case("(a) TREC-8: 129 runs from files", jobs, Target("pytrec_eval", 5, memory=600)))
        found.append(drop_in(qrels, runs))
        found += uncertain(qrels, runs)
    for letter, topics, target in (
        ("b", 1000, Target("pytrec_eval", 2.5)),
        ("c", 7000, Target("pytrec_eval", 6, no_more_memory=True)),
    ):
        qrels, run = simulated(topics)
        jobs = tool_jobs("files", qrels, [run], trec_eval=True)
        found.append(Case(f"({letter}) one simulated run, {topics} x 1000", jobs, target))
    qrels, run = simulated(1000)
    found.append(
        Case("(d) as (b), already loaded, join included", tool_jobs("loaded", qrels, [run]), Target("pytrec_eval", 3))
    )
    qrels, run = simulated(50)
    commands = [
        Job("assay", [str(BIN / "assay"), "eval", qrels, run, "-m", "AP", "-m", "nDCG@10"]),
        Job("ir_measures", [str(BIN / "ir_measures"), qrels, run, "AP", "nDCG@10"]),
    ]
    found.append(Case("(e) command: one run of 50 topics", commands, Target("ir_measures", 1 / 1.5)))
    start = [
        Job("assay", [str(BIN / "assay"), "--help"]),
        Job("import numpy", [sys.executable, "-c", "import numpy"]),
    ]
    found.append(Case("(e) command: assay --help", start, Target("import numpy", 1 / 1.5)))
    return found


def measured(job: Job) -> Spent:
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
    return Spent(json.loads(out)["work"] if job.inner else seconds, seconds, usage.ru_maxrss / 1024)


def run_case(case: Case, repeats: int) -> dict[str, Spent]:
    spent: dict[str, list[Spent]] = defaultdict(list)
    for number in range(repeats):
        for job in case.jobs:
            print(f"{case.name}: {number + 1}/{repeats} {job.tool}", file=sys.stderr)
            spent[job.tool].append(measured(job))
    return {tool: Spent(*map(statistics.median, zip(*all_of, strict=True))) for tool, all_of in spent.items()}


def verdict(case: Case, found: dict[str, Spent]) -> str:
    ours, peer = found["assay"], found[case.target.peer]
    if case.target.peer == "assay":
        limit = case.target.seconds
        word = "measured" if limit is None else "reached" if ours.work <= limit else "MISSED"
        return f"{word}: {ours.work:.3f} s" + ("" if limit is None else f" (target at most {limit:g} s)")
    ratio = peer.work / ours.work
    reached = ratio >= case.target.ratio
    words = [f"{ratio:.2f}x {case.target.peer} (target {case.target.ratio:.2g}x)"]
    if case.target.memory is not None:
        reached &= ours.memory <= case.target.memory
        words.append(f"{ours.memory:.0f} MB (target at most {case.target.memory:.0f})")
    if case.target.no_more_memory:
        reached &= ours.memory <= peer.memory
        words.append(f"{ours.memory:.0f} MB (target at most {peer.memory:.0f})")
    return ("reached: " if reached else "MISSED: ") + ", ".join(words)


def report(found: list[tuple[Case, dict[str, Spent]]], repeats: int) -> str:
    peers = ", ".join(f"{name} {version(name)}" for name in ("pytrec-eval-terrier", "ir-measures", "polars", "numpy"))
    lines = [
        "# Benchmark",
        "",
        f"Written by `make bench`. Medians of {repeats} (commands: {5 * repeats}), tools taking turns, each",
        "measurement a process of its own.",
        f"assay {version('assay')}, {peers}, Python {platform.python_version()}, {os.cpu_count()} cores.",
        "",
        "*work* is the time of the work, the tool being imported before; *process* is the whole life of the process.",
        "",
        "| case | tool | work, s | assay faster by | process, s | assay faster by | peak MB |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for case, values in found:
        ours = values["assay"]
        for tool, spent in values.items():
            faster = f"{spent.work / ours.work:.2f}x", f"{spent.process / ours.process:.2f}x"
            cells = f"{spent.work:.3f} | {faster[0]} | {spent.process:.3f} | {faster[1]} | {spent.memory:.0f}"
            lines.append(f"| {case.name} | {tool} | {cells} |")
    lines += ["", "Targets:", ""]
    lines += [f"- {case.name}: {verdict(case, values)}" for case, values in found]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", help="letters of the cases to run, such as ab")
    args = parser.parse_args()
    WORK.mkdir(exist_ok=True)
    chosen = [case for case in cases() if not args.only or case.name[1] in args.only]
    # Short ones are repeated more often: a tenth of a second is easily disturbed.
    found = [(case, run_case(case, args.repeats * (1 if case.jobs[0].inner else 5))) for case in chosen]
    text = report(found, args.repeats)
    if not args.only:
        (HERE / "results.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
