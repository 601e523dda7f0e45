"""assay gate."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from assay.cli import main

TOPICS = [f"q{i:02}" for i in range(24)]
MARGINS = ["--margin", "AP=0.05", "--margin", "P@1=10%"]


def write_run(path, tag, first_rank):
    """Write a run whose relevant document is at a rank from 1 to 3, given by a function of the topic."""
    lines = []
    for number, topic in enumerate(TOPICS):
        documents = ["x", "y"]
        documents.insert(first_rank(number) - 1, "a")
        lines += [f"{topic} Q0 {document} {rank} {9 - rank} {tag}\n" for rank, document in enumerate(documents, 1)]
    Path(path).write_text("".join(lines))


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for variable in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(variable, raising=False)
    Path("qrels.txt").write_text("".join(f"{topic} 0 a 1\n{topic} 0 x 0\n{topic} 0 y 0\n" for topic in TOPICS))
    write_run("old.run", "dense", lambda number: 2 if number % 3 == 0 else 1)
    write_run("same.run", "dense", lambda number: 2 if number % 3 == 0 else 1)
    write_run("bad.run", "dense-bad", lambda number: 3 if number % 6 else 1)
    write_run("unclear.run", "dense-new", lambda number: 2 if number % 3 == 1 else 1)
    write_run("good.run", "dense-good", lambda number: 1)


def save(*options):
    assert main(["gate", "qrels.txt", "old.run", "-m", "AP", "P@1", "--save", "baseline.json", *options]) == 0


@pytest.mark.parametrize(
    ("run", "code", "verdict"),
    [("same.run", 0, "pass"), ("good.run", 0, "pass"), ("bad.run", 1, "fail"), ("unclear.run", 3, "undecided")],
)
def test_exit_codes(run, code, verdict, capsys):
    save()
    assert "baseline.json: AP, P@1 of dense on 24 topics" in capsys.readouterr().out
    options = ["--junit", "gate.xml", "--markdown", "gate.md", "--format", "json"]
    assert main(["gate", "qrels.txt", run, "--baseline", "baseline.json", *MARGINS, *options]) == code
    content = json.loads(capsys.readouterr().out)
    assert content["summary"].startswith(f"{verdict}: ")
    assert content["schema"]["report"] == "gate"
    assert [item["role"] for item in content["provenance"]["inputs"]] == ["qrels", "run", "baseline"]
    assert Path("gate.md").read_text().splitlines()[1] == f"### assay gate: {verdict}"
    suites = ElementTree.parse("gate.xml").getroot()
    assert suites.get("failures") == str(2 * (verdict == "fail"))
    by_run = main(["gate", "qrels.txt", run, "--baseline", "old.run", *MARGINS, "--format", "json"])
    assert by_run == code
    assert json.loads(capsys.readouterr().out)["rows"][0]["p_pass"] == content["rows"][0]["p_pass"]


@pytest.mark.parametrize(("on_undecided", "code"), [("pass", 0), ("fail", 1), ("undecided", 3)])
def test_on_undecided(on_undecided, code):
    options = ["--baseline", "old.run", *MARGINS, "--on-undecided", on_undecided]
    assert main(["gate", "qrels.txt", "unclear.run", *options]) == code
    assert main(["gate", "qrels.txt", "bad.run", *options]) == 1


def test_the_baseline_may_be_among_the_runs(capsys):
    Path("runs").mkdir()
    for name in ("old.run", "good.run", "bad.run"):
        Path(name).rename(Path("runs") / name)
    for baseline in ("dense", "runs/old.run"):
        assert main(["gate", "qrels.txt", "runs", "--baseline", baseline, *MARGINS, "--format", "csv"]) == 1
        lines = capsys.readouterr().out.splitlines()
        assert sorted({line.split(",")[0] for line in lines[1:]}) == ["dense-bad", "dense-good"]


def test_github(tmp_path, monkeypatch, capsys):
    for variable in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
        (tmp_path / variable).write_text("before\n")
    assert main(["gate", "qrels.txt", "bad.run", "--baseline", "old.run", *MARGINS, "--github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line[:14] for line in lines if line.startswith("::")] == ["::error title="] * 2
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == "before\nverdict=fail\n"
    assert (
        (tmp_path / "GITHUB_STEP_SUMMARY").read_text().startswith("before\n<!-- assay-gate -->\n### assay gate: fail\n")
    )
    assert (
        main(["gate", "qrels.txt", "bad.run", "--baseline", "old.run", *MARGINS, "--github", "--format", "json"]) == 1
    )
    captured = capsys.readouterr()
    assert json.loads(captured.out)["schema"]["report"] == "gate"
    assert captured.err.count("::error title=") == 2
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    monkeypatch.delenv("GITHUB_OUTPUT")
    assert main(["gate", "qrels.txt", "good.run", "--baseline", "old.run", *MARGINS, "--github"]) == 0
    assert "::notice title=assay gate%3A pass::" in capsys.readouterr().out


def test_the_policies_of_the_baseline_are_used(capsys):
    save("--unjudged", "condensed")
    options = ["--baseline", "baseline.json", *MARGINS]
    assert main(["gate", "qrels.txt", "same.run", *options, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out.partition("\n")[2])["provenance"]["policies"]["unjudged"] == "condensed"
    assert main(["gate", "qrels.txt", "same.run", *options, "--unjudged", "nonrelevant"]) == 2
    error = capsys.readouterr().err
    assert "--unjudged nonrelevant: the values of baseline.json have --unjudged condensed" in error


def test_save_with_a_baseline_writes_the_candidate():
    save()
    options = ["--baseline", "baseline.json", "--margin", "AP=0.05", "--save", "next.json.gz"]
    assert main(["gate", "qrels.txt", "good.run", *options]) == 0
    assert main(["gate", "qrels.txt", "good.run", "--baseline", "next.json.gz", "--margin", "AP=0"]) == 0


def test_values_of_other_tools(capsys):
    for name in ("old", "bad"):
        assert main(["eval", "qrels.txt", f"{name}.run", "-m", "AP", "P@1", "--per-topic", "-o", f"{name}.csv"]) == 0
    assert main(["gate", "--values", "bad.csv", "--baseline", "old.csv", *MARGINS]) == 1
    assert main(["gate", "--values", "old.csv", "bad.csv", "--baseline", "dense", *MARGINS]) == 1
    assert main(["gate", "--values", "old.csv", "--save", "baseline.json"]) == 0
    assert main(["gate", "--values", "bad.csv", "--baseline", "baseline.json", *MARGINS]) == 1
    assert main(["gate", "qrels.txt", "good.run", "--baseline", "baseline.json", *MARGINS]) == 0
    assert "assumed equal" in capsys.readouterr().err


def test_slices(capsys):
    Path("topics.csv").write_text("qid,kind\n" + "".join(f"{t},{'ab'[i % 2]}\n" for i, t in enumerate(TOPICS)))
    options = ["--baseline", "old.run", "--margin", "AP=0.05", "--topics-table", "topics.csv", "--by", "kind"]
    assert main(["gate", "qrels.txt", "good.run", *options, "--format", "csv"]) == 0
    rows = [line.split(",")[:6] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [
        ["dense-good", "AP", "", "", "required", "24"],
        ["dense-good", "AP", "kind", "a", "watch", "12"],
        ["dense-good", "AP", "kind", "b", "watch", "12"],
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["good.run"], "--baseline is required; add --baseline FILE"),
        (["good.run", "--baseline", "old.run"], "--margins is required"),
        (["good.run", "--baseline", "old.run", "--margin", "AP"], "AP: write MEASURE=LOSS, such as nDCG@10=0.01"),
        (["good.run", "--baseline", "old.run", "--margin", "AP=1", "--margin", "AP=2"], "AP already has the margin 1"),
        (["good.run", "--baseline", "old.run", "--margin", "AP=-1"], "AP=-1: write a tolerated loss such as 0.01"),
        (["good.run", "--baseline", "old.run", "--margin", "APX=1"], "APX"),
        (["good.run", "--baseline", "odl.run", "--margin", "AP=1"], "--baseline odl.run is not among the runs"),
        (
            ["good.run", "--baseline", "none.json", "--margin", "AP=1"],
            "--baseline none.json: there is no such run, and no such file",
        ),
        (["good.run", "--baseline", "old.run", "--margin", "AP=1", "--by", "x"], "--by needs --topics-table FILE"),
        (["good.run", "--baseline", "old.run", "--margin", "AP=1", "--test", "sign"], "--test sign: choose one of"),
        (
            ["good.run", "--baseline", "old.run", "--margin", "AP=1", "--junit", "no/x.xml"],
            "--junit no/x.xml: directory no",
        ),
        (["good.run", "--baseline", "old.run", "--margin", "AP=1", "--junit", "qrels.txt"], "would overwrite an input"),
        (["good.run", "old.run", "--save", "x.json"], "save: needs exactly one run, got 2"),
        (["good.run", "--save", "x.json", "--margin", "AP=1"], "--margin needs --baseline FILE"),
        (["good.run", "--save", "good.run"], "--save good.run: would overwrite an input"),
    ],
)
def test_invalid_options_have_exit_code_2(words, message, capsys):
    assert main(["gate", "qrels.txt", *words]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert not Path("x.json").exists()
