"""Tests of ``assay effort curve``."""

import json
from pathlib import Path

import pytest

from assay import effort, read
from assay.cli import main


def run_command(capsys, *args, code=0):
    assert main(["effort", "curve", "qrels", "run", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def test_table(capsys):
    lines = run_command(capsys, "--topic", "301").splitlines()
    assert lines[0].split()[:6] == ["rank", "document", "grade", "ideal", "position", "sum"]
    assert lines[2].split()[:6] == ["1", "b", "1", "2", "-1", "-1"]
    assert [line.split()[0] for line in lines[2:8]] == list("123456")


def test_output_matches_the_function(capsys):
    args = ["--run", "t", "--depth", "7", "--gain", "DCG(base=3, gains=exp)", "--rel", "2"]
    content = read_json(capsys, "--topic", "301", *args)
    campaign = read("qrels", "run", keep="documents")
    report = effort.curve(campaign, "301", "t", depth=7, gain="DCG(base=3, gains=exp)", rel=2)
    assert content["rows"] == report.frame().to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_contributions(capsys):
    rows = read_json(capsys, "--topic", "301", "-m", "AP", "RBP(p=0.5)", "--credit", "rank")["rows"]
    assert [row["RBP(p=0.5)"] for row in rows[:3]] == [0.5, 0.25, 0]
    assert [row["AP"] for row in rows[:3]] == pytest.approx([1 / 2, 1 / 6, 0])
    lines = run_command(capsys, "--topic", "301", "-m", "AP").splitlines()
    assert lines[0].split() == ["rank", "document", "grade", "ideal", "position", "sum", "AP"]


@pytest.mark.parametrize("length", ["extend", "asis"])
def test_depth_limits_the_ranks_shown(capsys, length):
    assert len(read_json(capsys, "--topic", "301", "-k", "1", "--length", length)["rows"]) == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "--topic is required; add --topic TOPIC"),
        (["--topic", "30"], "qrels: has no topic 30"),
        (["--topic", "301", "--topic", "302"], "--topic: expected one value, got 2: 301, 302"),
        (["--topic", "301", "--run", "x"], "there is no run x"),
        (["--topic", "301", "--depth", "-3"], "--depth must be at least 1, got -3"),
        (["--topic", "301", "--gain", "AP"], "--gain AP: use a form of DCG"),
        (["--topic", "301", "--ties", "expected"], "a curve needs an order"),
        (["--topic", "301", "-m", "AP", "--credit", "x"], "--credit x: choose one of shapley, rank"),
        (["--topic", "301", "-m", "BalancePoint"], "a ranking without relevant documents has a value other than 0"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_one_of_several_runs_must_be_selected(capsys):
    Path("other").write_text(Path("run").read_text().replace(" t\n", " u\n"))
    assert "choose one of 2 runs: t, u" in run_command(capsys, "other", "--topic", "301", code=2)
    assert read_json(capsys, "other", "--topic", "301", "--run", "u")["provenance"]["settings"]["run"] == "u"


def test_missing_topic_is_noted(capsys):
    assert main(["effort", "curve", "qrels", "run", "--topic", "304"]) == 0
    assert "t: retrieved no documents for topic 304" in capsys.readouterr().err


def test_skipped_lines_and_inputs_are_recorded(capsys):
    Path("run").write_text("301 Q0 a 1 2 x\n301 Q0 b 2 high x\n")
    assert main(["effort", "curve", "qrels", "run", "--topic", "301", "--lenient", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert "skipped lines whose score is not a finite number: 1" in err
    content = json.loads(out)
    assert "skipped lines whose score is not a finite number: 1" in content["notes"][0]
    assert [source["role"] for source in content["provenance"]["inputs"]] == ["qrels", "run"]
