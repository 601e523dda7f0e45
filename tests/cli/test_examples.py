"""The examples of every help: each is a line that its command takes, and those that take no time are typed."""

from __future__ import annotations

import gzip
import io
import re
import shlex
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from assay.cli import main, names, parser, spread
from assay.cli.plot import parser_of
from assay.simulation import simulate
from assay.views.plots._figures import figure

RUNS = ("bm25", "dense", "bm25+rm3", "small", "seed1", "seed2")
LONG = {"axioms", "balance", "demo", "explore", "plot", "report", "robustness", "simulate", "study"}
"""Commands whose examples take seconds; their own tests run them."""
ELSEWHERE = ("spark", "runs.parquet", "4=3")  # needs a cluster, a dataset, another scale of grades
LINES = {
    name: [
        re.sub(r" {3,}\(.*\)$", "", line.strip())
        for line in import_module(f"assay.cli.{name.replace('-', '_')}").EXAMPLES.splitlines()
    ]
    for name in names()
}


def words(line: str) -> list[str]:
    """What the shell gives to assay: what is before a pipe and behind a > is not ours."""
    return shlex.split(line.rpartition("| ")[2].partition(" > ")[0].partition(" < ")[0])


@pytest.mark.parametrize("name", [name for name in names() if name not in ("completion", "trec_eval")])
def test_every_example_is_a_line_that_the_command_takes(name: str) -> None:
    assert len(LINES[name]) >= 2
    for line in LINES[name]:
        assay, command, *rest = words(line)
        assert (assay, command) == ("assay", name)
        if name == "plot" and rest != ["--list"]:
            parser_of(figure(rest[0])).parse_intermixed_args(spread(rest[1:]))
        else:
            parser(name).parse_args(spread([command, *rest]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples name, of a small simulated collection."""
    place = tmp_path_factory.mktemp("examples")
    made = simulate(systems=len(RUNS), topics=4, depth=20, pool=8)
    made.qrels.write(place / "qrels.txt")
    (place / "runs").mkdir()
    for name, run in zip(RUNS, made.runs, strict=True):
        run.named(name).write(place / "runs" / f"{name}.run")
    for name in ("bm25", "dense", "small"):
        shutil.copy(place / "runs" / f"{name}.run", place)
        for packed in (place / f"{name}.run.gz", place / "gz" / f"{name}.run.gz"):
            packed.parent.mkdir(exist_ok=True)
            packed.write_bytes(gzip.compress((place / f"{name}.run").read_bytes()))
    copies = {"huge.run.gz": "bm25.run.gz", "other-assessor.qrels": "qrels.txt"}
    copies |= {"original.run": "runs/seed1.run", "again-1.run": "runs/seed2.run", "again-2.run": "bm25.run"}
    for copy, source in copies.items():
        shutil.copy(place / source, place / copy)
    for labels in ("seeds.txt", "runs-groups.txt"):
        (place / labels).write_text("".join(f"{name} g{i % 3}\n" for i, name in enumerate(RUNS)))
    return place


@pytest.mark.parametrize("name", [name for name in names() if name not in LONG and name != "completion"])
def test_the_examples_run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for line in LINES[name]:
        if any(word in line for word in ELSEWHERE):
            continue
        given = words(line.replace("'runs/*.gz'", "'gz/*.gz'"))[1:]
        if "-" in given:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("bm25.run").read_bytes())))
        if "again-*.run" in given:
            given[given.index("again-*.run")] = "again-1.run"
        code = main(given)
        incomparable = name == "order" and "--chain" in given  # then there is no chain, which is said
        assert code == 0 or (incomparable and code == 2), line
