"""Tests of the examples in the help texts: every example is parsed, and the fast ones are run."""

from __future__ import annotations

import gzip
import io
import json
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
LONG = {
    "axioms",
    "balance",
    "combine",
    "demo",
    "explore",
    "judge",
    "plot",
    "report",
    "robustness",
    "simulate",
    "study",
    "trials",
}
"""Commands whose examples take seconds or more topics; their own tests run them."""
ELSEWHERE = ("spark", "runs.parquet", "4=3")  # needs a cluster, a dataset, another scale of grades


def command_examples(module: ModuleType) -> str:
    """Return the examples in the help text of a command."""
    return module.EXAMPLES if hasattr(module, "EXAMPLES") else module.COMMAND.examples


LINES = {
    name: [re.sub(r" {3,}\(.*\)$", "", line.strip()) for line in command_examples(load_module(*name)).splitlines()]
    for name in list_commands()
}


def split_example(line: str) -> list[str]:
    """Split an example like a shell, without the commands before a pipe and without redirections."""
    return shlex.split(line.rpartition("| ")[2].partition(" > ")[0].partition(" < ")[0])


@pytest.mark.parametrize("name", [name for name in LINES if name[0] not in ("completion", "trec_eval")], ids=" ".join)
def test_every_example_can_be_parsed(name: tuple[str, ...]) -> None:
    assert len(LINES[name]) >= 2
    for line in LINES[name]:
        program, *rest = split_example(line)
        assert (program, *rest[: len(name)]) == ("assay", *name)
        args = rest[len(name) :]
        if name != ("plot",):
            load_module(*name).COMMAND.parser("assay", "").parse(args)
        elif args != ["--list"]:
            selected = figure(args[0])
            figure_parser(selected, figure_command(selected)).parse(args[1:])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory with the files named in the examples, from a small simulated collection."""
    directory = tmp_path_factory.mktemp("examples")
    collection = simulate(systems=len(RUNS), topics=4, depth=20, pool=8)
    collection.qrels.write(directory / "qrels.txt")
    (directory / "runs").mkdir()
    for name, run in zip(RUNS, collection.runs, strict=True):
        run.with_name(name).write(directory / "runs" / f"{name}.run")
    for name in ("bm25", "dense", "small"):
        shutil.copy(directory / "runs" / f"{name}.run", directory)
        for packed in (directory / f"{name}.run.gz", directory / "gz" / f"{name}.run.gz"):
            packed.parent.mkdir(exist_ok=True)
            packed.write_bytes(gzip.compress((directory / f"{name}.run").read_bytes()))
    sources = {"huge.run.gz": "bm25.run.gz", "other-qrels.txt": "qrels.txt"}
    sources |= {"original.run": "runs/seed1.run", "again-1.run": "runs/seed2.run", "again-2.run": "bm25.run"}
    for target, source in sources.items():
        shutil.copy(directory / source, directory / target)
    (directory / "clicks.csv").write_text("query,product_id,clicks\nshoes,p1,3\nshoes,p2,0\n")
    (directory / "ranking.csv").write_text("query,product_id,score\nshoes,p2,0.4\nshoes,p1,0.3\n")
    (directory / "rag.jsonl").write_text('{"query_id": "q", "retrieved": ["d1", "d2"], "relevant": ["d2"]}\n')
    for labels in ("seeds.txt", "runs-groups.txt", "groups.txt"):
        (directory / labels).write_text("".join(f"{name} g{i % 3}\n" for i, name in enumerate(RUNS)))
    rows = [f"{topic},{'ab'[i % 2]},{i},{i + 1}\n" for i, topic in enumerate(collection.qrels.topics)]
    (directory / "topics.csv").write_text("topic,category,length,frequency\n" + "".join(rows))
    for number, name in enumerate(("bm25", "dense")):
        cells = [(m, topic) for topic in collection.qrels.topics for m in ("map", "ndcg_cut_10")]
        values = [f"{m}\t{topic}\t{(i + number) % 5 / 5}\n" for i, (m, topic) in enumerate(cells)]
        (directory / f"{name}.eval").write_text("".join(values))
    write_collections(directory)
    write_judges(directory, collection.qrels.frame().rows())
    for old, new in (("bm25.run", "old.run"), ("dense.run", "new.run"), ("bm25.eval", "old.eval")):
        shutil.copy(directory / old, directory / new)
    shutil.copy(directory / "dense.eval", directory / "new.eval")
    shutil.copy(directory / "topics.csv", directory / "attributes.csv")
    (directory / "topics.tsv").write_text("".join(f"{topic}\tquery {topic}\n" for topic in collection.qrels.topics))
    docs = collection.qrels.frame()["doc"].unique().to_list()
    (directory / "corpus.jsonl").write_text("".join(f'{{"_id": "{doc}", "text": "text of {doc}"}}\n' for doc in docs))
    return directory


def write_collections(directory: Path) -> None:
    """Write the collections that examples name; all have the same runs."""
    for place in ("beir/fiqa", "beir/scifact"):
        shutil.copytree(directory / "runs", directory / place / "runs")
        shutil.copy(directory / "qrels.txt", directory / place / "qrels.txt")
    for number in (7, 8):
        shutil.copytree(directory / "runs", directory / f"runs{number}")
        shutil.copy(directory / "qrels.txt", directory / f"qrels{number}.txt")
    tables = [f'[{name}]\nqrels = "beir/{name}/qrels.txt"\nruns = "beir/{name}/runs"\n' for name in ("fiqa", "scifact")]
    (directory / "collections.toml").write_text("".join(tables))


def write_judges(directory: Path, judgments: list[tuple[str, str, float]]) -> None:
    """Write the judgments of several judges; the model raises every third grade by one."""
    raised = [(topic, doc, int(grade) + (i % 3 == 0)) for i, (topic, doc, grade) in enumerate(judgments)]
    lines = [json.dumps({"topic": topic, "doc": doc, "grade": grade}) + "\n" for topic, doc, grade in raised]
    (directory / "judged.jsonl").write_text("".join(lines))
    for name in "abc":
        shutil.copy(directory / "qrels.txt", directory / f"{name}.qrels")
    rows = [f"human,{topic},{doc},{int(grade)}\n" for topic, doc, grade in judgments]
    rows += [f"llm,{topic},{doc},{grade}\n" for topic, doc, grade in raised]
    (directory / "judgments.csv").write_text("judge,topic,doc,grade\n" + "".join(rows))


@pytest.mark.parametrize("name", [name for name in LINES if not {*name} & {*LONG, "completion"}], ids=" ".join)
def test_examples_run_without_errors(name: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for line in LINES[name]:
        if any(word in line for word in ELSEWHERE):
            continue
        args = split_example(line.replace("'runs/*.gz'", "'gz/*.gz'"))[1:]
        if "-" in args:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("bm25.run").read_bytes())))
        if "again-*.run" in args:
            args[args.index("again-*.run")] = "again-1.run"
        code = main(args)
        incomparable = name[-1] == "order" and "--chain" in args  # the two runs are incomparable: no chain exists
        has_findings = (name == ("check",) and code == 1) or (name == ("gate",) and code in (1, 3))
        assert code == 0 or has_findings or (incomparable and code == 2), line
