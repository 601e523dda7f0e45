"""Load test of the explorer: many concurrent clients on one machine.

    python benchmarks/explorer_load.py [QRELS RUN...] [--clients 50] [--seconds 20]

starts ``assay explore`` in a separate process, on simulated runs unless files are given. Each client requests random
pages and figures (seeded), the next one as soon as it has received a response. The script prints the number of
requests, their durations, the errors, and the memory of the server before and after.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

FIRST_PAGE = (
    "/",
    "/static/vega.js",
    "/static/style.css",
    "/api/campaign",
    "/api/themes",
    "/api/leaderboard",
    "/api/census",
)
MEASURES = ("AP", "nDCG@10", "P@10", "RR", "bpref", "ERR@20", "nDCG", "Rprec")


@contextmanager
def start_server(files: list[str]) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """Start the command; return its process, its address, and the seconds until it was ready."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "assay", "explore", *files, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+", process.stdout.readline())
            if address is None:
                raise SystemExit("the explorer did not start")
            yield process, address[0], time.perf_counter() - start
        finally:
            process.terminate()


def get_memory(process: subprocess.Popen[str]) -> dict[str, int]:
    """Return current and peak memory in MB, where the system reports them."""
    status = Path(f"/proc/{process.pid}/status")
    text = status.read_text() if status.exists() else ""
    sizes = dict(re.findall(r"(VmRSS|VmHWM):\s+(\d+) kB", text))
    return {name: int(sizes.get(key, 0)) // 1024 for name, key in (("now", "VmRSS"), ("peak", "VmHWM"))}


def request_paths(rng: random.Random, runs: list[str], topics: list[str]) -> Iterator[str]:
    """Yield the requests of a client: those of the first page, then random ones without end."""
    yield from FIRST_PAGE
    while True:
        measure = rng.choice((*MEASURES, f"RBP(p={rng.randint(1, 99) / 100})", f"nDCG@{rng.randint(1, 100)}"))
        run, other = rng.sample(runs, 2)
        topic = rng.choice(topics)
        width = {"width": rng.choice((390, 620, 1100))}
        ranking = {"run": run, "topic": topic}
        pair = {"a": run, "b": other, "measure": measure}
        pages: list[tuple[str, dict[str, Any]]] = [
            ("leaderboard", {"measure": measure}),
            ("figures/leaderboard", {"measure": measure, **width}),
            ("effort-gain", {"measure": measure, "points": 0}),
            ("figures/effort-gain", {"measure": measure, **width}),
            *[("curve", ranking), ("figures/crp-dcg", {**ranking, **width})] * 4,
            ("topic", {"topic": topic, "measure": measure}),
            ("figures/crp-topic", {"topic": topic, **width}),
            ("system", {"run": run, "measure": measure}),
            ("figures/crp-aggregate", {"run": run, **width}),
            ("pair", pair),
            ("figures/differences", {**pair, **width}),
            ("deciding", {**pair, "topic": topic}),
            ("lab", {"measure": measure}),
            ("figures/balancing", {"measure": measure, "n": 100, **width}),
        ]
        name, query = rng.choice(pages)
        yield f"/api/{name}?{urlencode(query)}"


class Client:
    """A client on one connection."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname, parts.port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def get(self, path: str) -> tuple[int, int]:
        """Return the status and the number of bytes of a response."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        head = f"GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAccept-Encoding: gzip\r\n\r\n"
        self.writer.write(head.encode())
        assert self.reader is not None
        headers = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = int((re.search(r"content-length: (\d+)", headers, re.IGNORECASE) or ("", "0"))[1])
        await self.reader.readexactly(length)
        return int(headers.split(" ", 2)[1]), len(headers) + length


async def run_clients(address: str, clients: int, seconds: float, runs: list[str], topics: list[str]) -> dict[str, Any]:
    """Run the clients; return the durations by path, the errors and the number of bytes."""
    durations: dict[str, list[float]] = {}
    errors: Counter[str] = Counter()
    total_bytes = 0
    end = time.perf_counter() + seconds

    async def run_client(number: int) -> None:
        nonlocal total_bytes
        client = Client(address)
        for path in request_paths(random.Random(number), runs, topics):
            start = time.perf_counter()
            if start > end:
                return
            try:
                status, size = await client.get(path)
            except (OSError, asyncio.IncompleteReadError) as error:
                errors[type(error).__name__] += 1
                client.writer = None
                continue
            durations.setdefault(path.partition("?")[0], []).append(time.perf_counter() - start)
            total_bytes += size
            if status != 200:
                errors[f"{status} {path}"] += 1

    await asyncio.gather(*map(run_client, range(clients)))
    return {"durations": durations, "errors": errors, "bytes": total_bytes}


def compute_quantile(durations: list[float], fraction: float) -> float:
    return 1000 * sorted(durations)[min(int(fraction * len(durations)), len(durations) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="QRELS RUN...")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not args.files:
            from assay.simulation import simulate

            simulate(systems=30, topics=50, seed=1).write(f"{folder}/c")
            args.files = [f"{folder}/c/qrels.txt", f"{folder}/c/runs"]
        with start_server(args.files) as (process, address, startup_seconds):
            with urlopen(f"{address}api/campaign") as response:
                campaign = json.load(response)
            runs, topics = [run["name"] for run in campaign["runs"]], [topic["topic"] for topic in campaign["topics"]]
            memory_before = get_memory(process)
            results = asyncio.run(run_clients(address, args.clients, args.seconds, runs, topics))
            memory_after = get_memory(process)
    latencies = [duration for durations in results["durations"].values() for duration in durations]
    error_count = sum(results["errors"].values())
    print(f"{len(runs)} runs x {len(topics)} topics; ready after {startup_seconds:.1f} s")
    print(f"{args.clients} clients, {args.seconds:g} s: {len(latencies)} requests, {error_count} errors")
    print(f"{len(latencies) / args.seconds:.0f} requests and {results['bytes'] / args.seconds / 1e6:.1f} MB per second")
    print(f"memory in MB: before {memory_before}, after {memory_after}\n")
    print(f"{'':<28}{'requests':>9}{'median':>9}{'95 %':>9}{'maximum':>9}  (ms)")
    for name, durations in [("all", latencies), *sorted(results["durations"].items())]:
        cells = "".join(f"{compute_quantile(durations, fraction):>9.1f}" for fraction in (0.5, 0.95, 1))
        print(f"{name:<28}{len(durations):>9}{cells}")
    for error, number in results["errors"].most_common(20):
        print(f"{number} x {error}")


if __name__ == "__main__":
    main()
