"""assay effort curve."""

import json
from pathlib import Path

import pytest

from assay import effort, read
from assay.cli import main


def shown(capsys, *words, code=0):
    assert main(["effort", "curve", "qrels", "run", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def content(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))


def test_a_table(capsys):
    lines = shown(capsys, "--topic", "301").splitlines()
    assert lines[0].split()[:6] == ["rank", "document", "grade", "ideal", "position", "sum"]
    assert lines[2].split()[:6] == ["1", "b", "1", "2", "-1", "-1"]
    assert [line.split()[0] for line in lines[2:8]] == list("123456")


def test_what_the_function_gives(capsys):
    words = ["--run", "t", "--depth", "7", "--gain", "DCG(base=3, gains=exp)", "--rel", "2"]
    found = content(capsys, "--topic", "301", *words)
    source = read("qrels", "run", keep="documents")
    report = effort.curve(source, "301", "t", depth=7, gain="DCG(base=3, gains=exp)", rel=2)
    assert found["rows"] == report.frame().to_dicts()
    assert found["provenance"]["settings"] == report.provenance.settings


@pytest.mark.parametrize("length", ["extend", "asis"])
def test_depth_limits_the_ranks_shown(capsys, length):
    assert len(content(capsys, "--topic", "301", "-k", "1", "--length", length)["rows"]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--topic is missing; add --topic TOPIC"),
        (["--topic", "30"], "qrels: has no topic 30"),
        (["--topic", "301", "--topic", "302"], "--topic: name one, not 2: 301, 302"),
        (["--topic", "301", "--run", "x"], "there is no run x"),
        (["--topic", "301", "--depth", "-3"], "--depth must be at least 1, got -3"),
        (["--topic", "301", "--gain", "AP"], "--gain AP: name a form of DCG"),
        (["--topic", "301", "--ties", "expected"], "a curve needs an order"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert message in text
    assert text.count("\n") == 1


def test_one_of_several_runs_is_named(capsys):
    Path("other").write_text(Path("run").read_text().replace(" t\n", " u\n"))
    assert "name one of 2: t, u" in shown(capsys, "other", "--topic", "301", code=2)
    assert content(capsys, "other", "--topic", "301", "--run", "u")["provenance"]["settings"]["run"] == "u"


def test_a_topic_that_the_run_lacks_is_noted(capsys):
    assert main(["effort", "curve", "qrels", "run", "--topic", "304"]) == 0
    assert "t: has no documents for topic 304" in capsys.readouterr().err


def test_what_was_skipped_and_where_it_comes_from(capsys):
    Path("run").write_text("301 Q0 a 1 2 x\n301 Q0 b 2 high x\n")
    assert main(["effort", "curve", "qrels", "run", "--topic", "301", "--lenient", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert "lines whose score is not a finite number skipped: 1" in err
    told = json.loads(out)
    assert "skipped: 1" in told["notes"][0]
    assert [one["role"] for one in told["provenance"]["inputs"]] == ["qrels", "run"]
