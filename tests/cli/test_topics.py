"""assay topics."""

import json

import pytest

from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 2\n1 0 b 1\n2 0 a 1\n3 0 a 1\n")
    runs = {"one": "1 a b|2 x a|3 a", "two": "1 b a|2 a x|3 x", "three": "1 a|2 a|3 a"}
    for name, text in runs.items():
        lines = []
        for ranking in text.split("|"):
            topic, *documents = ranking.split()
            lines += [f"{topic} Q0 {doc} {rank} {10 - rank} {name}\n" for rank, doc in enumerate(documents, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "queries.tsv").write_text("1\tfirst query\n2\tsecond query\n3\tthird query\n")


def run(capsys, *words):
    assert main(["topics", "qrels.txt", *words]) == 0
    return capsys.readouterr()


def test_two_runs(capsys):
    output = run(capsys, "one.run", "two.run", "-m", "RR", "--queries", "queries.tsv").out.splitlines()
    assert output[0].split() == ["topic", "query", "R", "a", "b", "difference", "status", "unjudged"]
    assert [line.split()[0] for line in output[2:5]] == ["2", "1", "3"]
    assert "second query" in output[2]
    assert "RR fell by 0.1667 (0.8333 to 0.6667) over 3 topics: 1 better, 1 worse, 1 unchanged." in " ".join(output)
    assert "a: one; b: two" in " ".join(output)


def test_baseline_and_pair(capsys):
    for words in (["--baseline", "two"], ["--pair", "two.run", "one"]):
        output = run(capsys, "one.run", "two.run", "three.run", "-m", "RR", *words, "--format", "json")
        content = json.loads(output.out)
        assert content["provenance"]["settings"]["pair"] == ["two", "one"]
        assert {row["topic"]: row["difference"] for row in content["rows"]} == {"1": 0.0, "2": -0.5, "3": 1.0}
    assert "choose both with --pair A B" in run(capsys, "one.run", "two.run", "three.run").err


def test_documents_of_some_topics(capsys):
    words = ("one.run", "two.run", "-m", "AP", "--show", "documents", "--topics", "1,3", "--format", "csv")
    rows = [line.split(",") for line in run(capsys, *words).out.splitlines()]
    assert rows[0] == ["topic", "document", "title", "grade", "rank_a", "rank_b", "contribution", "error"]
    assert [row[:2] for row in rows[1:]] == [["3", "a"], ["1", "a"], ["1", "b"]]
    assert sum(float(row[6]) for row in rows[1:]) == pytest.approx(-1)


@pytest.mark.parametrize("show", ["movers", "text", "wide", "runs"])
@pytest.mark.parametrize("form", ["table", "json", "latex", "markdown", "html", "csv"])
def test_every_table(show, form, capsys):
    assert run(capsys, "one.run", "two.run", "--show", show, "--format", form).out


def test_slices(capsys, tmp_path):
    (tmp_path / "kinds.csv").write_text("qid,kind\n1,x\n2,y\n3,y\n")
    words = ("one.run", "two.run", "-m", "RR", "--topics-table", "kinds.csv", "--by", "kind", "--show", "slices")
    lines = [line.split() for line in run(capsys, *words).out.splitlines()]
    assert lines[0] == ["slice", "topics", "a", "b", "difference", "better", "worse", "fixed", "broken"]
    assert lines[2:5] == [
        ["all", "3", "0.8333", "0.6667", "-0.1667", "1", "1", "0", "1"],
        ["x", "1", "1.0000", "1.0000", "0.0000", "0", "0", "0", "0"],
        ["y", "2", "0.7500", "0.5000", "-0.2500", "1", "1", "0", "1"],
    ]
    assert main(["topics", "qrels.txt", *words, "-o", "kinds.csv"]) == 2
    assert "would overwrite an input" in capsys.readouterr().err


def test_one_run(capsys):
    output = run(capsys, "one.run", "-m", "RR", "--failure", "0.5").out
    assert [line.split() for line in output.splitlines()[2:5]] == [
        ["2", "1", "0.5000", "1", "fails"],
        ["1", "2", "1.0000", "0", "-"],
        ["3", "1", "1.0000", "0", "-"],
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["one.run", "--show", "movers"], "movers: need two runs"),
        (["one.run", "two.run", "--ties", "expected"], "--ties expected: documents are compared in one order; choose"),
        (["one.run", "two.run", "-m", "NumRet", "--show", "documents"], "choose another measure, such as AP"),
        (["one.run", "two.run", "--pair", "one", "tow"], "--pair tow is not among the runs; did you mean two?"),
        (["one.run", "two.run", "--by", "kind"], "--by needs --topics-table FILE"),
        (["one.run", "two.run", "--topics-table", "queries.tsv"], "--topics-table needs --by COLUMN"),
        (["one.run", "two.run", "--top", "0"], "--top must be a whole number of at least 1"),
        (["one.run", "two.run", "--pair", "one", "two", "--baseline", "one"], "--pair: cannot be combined with"),
    ],
)
def test_invalid_options(words, message, capsys):
    assert main(["topics", "qrels.txt", *words]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert not captured.out
