"""The examples of every help: each is a line that its command takes, and those that take no time are typed."""

from __future__ import annotations

import gzip
import io
import re
import shlex
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from assay.cli import list_commands, load_module, main
from assay.cli.plot import figure_command, figure_parser
from assay.simulation import simulate
from assay.views.plots._figures import figure

RUNS = ("bm25", "dense", "bm25+rm3", "small", "seed1", "seed2")
LONG = {"axioms", "balance", "demo", "explore", "plot", "report", "robustness", "simulate", "study", "trials"}
"""Commands whose examples take seconds; their own tests run them."""
ELSEWHERE = ("spark", "runs.parquet", "4=3")  # needs a cluster, a dataset, another scale of grades


def examples(module: ModuleType) -> str:
    """The examples of a command."""
    return module.EXAMPLES if hasattr(module, "EXAMPLES") else module.COMMAND.examples


LINES = {
    words: [re.sub(r" {3,}\(.*\)$", "", line.strip()) for line in examples(load_module(*words)).splitlines()]
    for words in list_commands()
}


def words(line: str) -> list[str]:
    """What the shell gives to assay: what is before a pipe and behind a > is not ours."""
    return shlex.split(line.rpartition("| ")[2].partition(" > ")[0].partition(" < ")[0])


@pytest.mark.parametrize("name", [name for name in LINES if name[0] not in ("completion", "trec_eval")], ids=" ".join)
def test_every_example_is_a_line_that_the_command_takes(name: tuple[str, ...]) -> None:
    assert len(LINES[name]) >= 2
    for line in LINES[name]:
        assay, *rest = words(line)
        assert (assay, *rest[: len(name)]) == ("assay", *name)
        given = rest[len(name) :]
        if name != ("plot",):
            load_module(*name).COMMAND.parser("assay", "").parse(given)
        elif given != ["--list"]:
            chosen = figure(given[0])
            figure_parser(chosen, figure_command(chosen)).parse(given[1:])


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
    copies = {"huge.run.gz": "bm25.run.gz", "other-qrels.txt": "qrels.txt"}
    copies |= {"original.run": "runs/seed1.run", "again-1.run": "runs/seed2.run", "again-2.run": "bm25.run"}
    for copy, source in copies.items():
        shutil.copy(place / source, place / copy)
    for labels in ("seeds.txt", "runs-groups.txt", "groups.txt"):
        (place / labels).write_text("".join(f"{name} g{i % 3}\n" for i, name in enumerate(RUNS)))
    return place


@pytest.mark.parametrize("name", [name for name in LINES if not {*name} & {*LONG, "completion"}], ids=" ".join)
def test_the_examples_run(name: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        incomparable = name[-1] == "order" and "--chain" in given  # then there is no chain, which is said
        assert code == 0 or (incomparable and code == 2), line
