"""Names of runs: by tag, by file, or given as NAME=FILE; the run that a baseline names."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.cli import main
from assay.errors import InputError

QRELS = {"q": {"d": 1, "e": 0}}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    Path("two").mkdir()
    for name, tag in (("x.run", "bm25"), ("y.run", "dense"), ("runs/x.run", "rm3"), ("two/a", "a"), ("two/b", "b")):
        write(name, tag)
    Path("qrels.txt").write_text("q 0 d 1\nq 0 e 0\nr 0 d 1\n")
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["d", "d"], "score": [1.0, 2.0], "run": ["a", "b"]})
    frame.write_parquet("several.parquet")
    frame.drop("run")[:1].write_csv("untagged.csv")


def write(name: str, tag: str) -> None:
    Path(name).write_text(f"q Q0 d 1 2 {tag}\nr Q0 e 1 1 {tag}\n")


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        ("x.run", ("bm25",)),
        ("new=x.run", ("new",)),
        (["new=x.run", "y.run"], ("new", "dense")),
        (["bm25=y.run", "x.run"], ("bm25", "x")),
        (["one=runs", Path("y.run")], ("one", "dense")),
        ("one=y.*", ("one",)),
        ("untagged.csv", ("untagged",)),
        ("n=untagged.csv", ("n",)),
        ({"z": "x.run"}, ("z",)),
        (["n=x.run", {"q": {"d": 1.0}}], ("n", "run2")),
        ("a=b=x.run", ("a",)),
    ],
)
def test_names_of_runs(runs: object, names: tuple[str, ...]) -> None:
    Path("b=x.run").write_text("q Q0 d 1 2 t\n")
    assert assay.read(QRELS, runs).runs == names


def test_an_existing_path_is_not_split() -> None:
    write("k1=0.9.run", "tagged")
    write("0.9.run", "other")
    assert assay.read(QRELS, ["k1=0.9.run"]).runs == ("tagged",)
    assert assay.read(QRELS, ["k1=0.9.*"]).runs == ("tagged",)
    assert [run.name for run in assay.model.read_runs("k1=0.9.run")] == ["tagged"]


def test_read_runs_accepts_names() -> None:
    assert [run.name for run in assay.model.read_runs(["x=x.run", "y.run"])] == ["x", "dense"]
    with pytest.raises(InputError, match="names 2 runs"):
        assay.model.read_runs("one=several.parquet")


@pytest.mark.parametrize(
    ("runs", "name_by", "names"),
    [
        ("x.run", "file", ("x",)),
        (["x.run", "y.run"], "file", ("x", "y")),
        (["x.run", "runs/x.run"], "file", ("x", "runs/x")),
        (["x.run", "new=y.run"], "file", ("x", "new")),
        ("several.parquet", "file", ("several:a", "several:b")),
        ({"z": "x.run"}, "file", ("z",)),
    ],
)
def test_names_by_file(runs: object, name_by: str, names: tuple[str, ...]) -> None:
    campaign = assay.read(QRELS, runs, name_by=name_by)
    assert campaign.runs == names
    assert assay.evaluate(QRELS, runs, "AP", name_by=name_by).runs == names
    assert campaign.with_policies(ties="score-id").runs == names
    assert campaign.rankings().runs == names


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ("n=two", "n=two: names 2 files"),
        (["n=x.run", "n=y.run"], "runs: two runs are named 'n'"),
        ("n=*.run", r"n=\*\.run: names 2 files"),
        ("n=several.parquet", "'n' names 2 runs"),
        ("n=z.run", "n=z.run: no such file, and z.run does not exist either"),
        ("=x.run", "=x.run: no such file; to name a run, write NAME=FILE"),
        ("n=", "n=: no such file; to name a run, write NAME=FILE"),
        (["n=x.run", "x.run"], "x.run: named more than once"),
    ],
)
def test_invalid_names_are_rejected(runs: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        assay.read(QRELS, runs)


def test_unknown_name_by_is_rejected() -> None:
    with pytest.raises(InputError, match=r"name_by 'files': choose one of tag, file; did you mean file\?"):
        assay.read(QRELS, "x.run", name_by="files")


def test_standard_input_may_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"q Q0 d 1 2.5 piped\n")))
    assert assay.read(QRELS, ["new=-"]).runs == ("new",)
    with pytest.raises(InputError, match="standard input can be read only once"):
        assay.read("-", ["new=-"])


def test_names_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "qrels.txt", "new=x.run", "y.run", "-m", "AP", "--format", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["new", "dense"]
    assert main(["eval", "qrels.txt", "-m", "AP", "n=x.run", "runs", "--name-by", "file", "--format", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["n", "x"]


@pytest.mark.parametrize(
    ("baseline", "name"),
    [
        ("bm25", "bm25"),
        ("y", "dense"),
        ("y.run", "dense"),
        ("./y.run", "dense"),
        ("runs/x.run", "rm3"),
        ("x.run", "bm25"),
        ("new", "new"),
    ],
)
def test_a_baseline_is_a_name_or_a_file(baseline: str, name: str) -> None:
    write("z.run", "z")
    results = assay.evaluate("qrels.txt", ["x.run", "y.run", "runs/x.run", "new=z.run"], "AP")
    assert assay.compare(results, baseline=baseline).baselines == (name,)


def test_an_ambiguous_or_unknown_baseline_is_rejected() -> None:
    results = assay.evaluate("qrels.txt", ["x.run", "y.run", "runs/x.run"], "AP")
    with pytest.raises(InputError, match=r"'x' matches several runs: bm25 \(x\.run\), rm3 \(runs/x\.run\); give the"):
        assay.compare(results, baseline="x")
    with pytest.raises(InputError, match=r"'dens' is not among the runs; did you mean dense\?"):
        assay.compare(results, baseline="dens")
