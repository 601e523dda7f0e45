"""Options --topics-table, --by and --weights."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> assay.Results:
    """Write a collection and a topics table; return the results."""
    monkeypatch.chdir(tmp_path)
    collection = assay.simulate(systems=3, topics=20, depth=50, seed=4)
    collection.write("data")
    rows = [f"{topic},{('law', 'news')[i % 2]},{i},{i + 1}\n" for i, topic in enumerate(collection.qrels.topics)]
    Path("topics.csv").write_text("qid,category,length,users\n" + "".join(rows))
    return assay.evaluate("data/qrels.txt", "data/runs", "AP")


INPUTS = ["data/qrels.txt", "data/runs", "-m", "AP", "--topics-table", "topics.csv"]


@pytest.mark.parametrize("command", ["eval", "compare", "leaderboard"])
def test_commands_print_what_python_returns(
    command: str, files: assay.Results, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, *INPUTS, "--by", "category", "--by", "length:2", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    sliced = files.by("topics.csv", ["category", "length:2"])
    report = sliced if command == "eval" else getattr(assay, command)(sliced)
    assert content["schema"] == {"report": report.name, "table": "slices", "version": 1}
    rows = pl.DataFrame(content["rows"], infer_schema_length=None)
    assert rows["slice"].to_list() == report.frame()["slice"].to_list()
    assert content["provenance"]["settings"]["topics_table"]["source"] == "topics.csv"
    assert len(content["provenance"]["settings"]["topics_table"]["sha256"]) == 64


def test_weights_need_no_slices(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", *INPUTS, "--weights", "users"]) == 0
    assert "weighted by users" in capsys.readouterr().out


def test_interactions_and_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *INPUTS, "--by", "category", "--show", "interaction", "--format", "csv"]) == 0
    header = "attribute,measure,run_a,run_b,slices,topics,statistic,df1,df2,p,p_adjusted,method"
    assert capsys.readouterr().out.splitlines()[0] == header
    assert main(["eval", *INPUTS, "--by", "category", "--show", "intervals"]) == 0
    assert "law (10)" in capsys.readouterr().out
    assert main(["eval", *INPUTS, "--by", "category", "--standardize", "z"]) == 0
    assert main(["leaderboard", *INPUTS, "--by", "category", "--standardize", "z", "--min-topics", "3"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("eval data/qrels.txt data/runs --by category", "--by needs --topics-table FILE"),
        ("eval data/qrels.txt data/runs --weights users", "--weights needs --topics-table FILE"),
        ("eval data/qrels.txt data/runs --topics-table topics.csv", "--topics-table needs --by COLUMN"),
        ("compare data/qrels.txt data/runs --show interaction", "--show interaction needs --topics-table"),
        ("compare data/qrels.txt data/runs --min-topics 7", "--min-topics needs --topics-table"),
        (
            "compare data/qrels.txt data/runs --topics-table topics.csv --by category --show pairs",
            "choose one of slices",
        ),
        ("compare data/qrels.txt data/runs --topics-table topics.csv --by users", "--by"),
        ("compare data/qrels.txt data/runs --topics-table topics.csv --by categry", "did you mean category?"),
        ("compare data/qrels.txt data/runs --topics-table none.csv --by category", "none.csv: no such file"),
        ("eval data/qrels.txt data/runs --topics-table topics.csv --by category -o topics.csv", "would overwrite"),
    ],
)
def test_invalid_options_are_refused_in_one_line(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    if "--by users" not in words:
        assert message in captured.err
