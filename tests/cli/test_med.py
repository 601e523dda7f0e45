"""assay med."""

import json
from pathlib import Path

import pytest

from assay.cli import main
from lattice_cases import hidden_block


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 c 0\n1 0 e 1\n2 0 a 0\n")
    Path("one").write_text("1 Q0 a 1 3 one\n1 Q0 b 2 2 one\n1 Q0 c 3 1 one\n2 Q0 a 1 1 one\n")
    Path("two").write_text("1 Q0 b 1 3 two\n1 Q0 a 2 2 two\n1 Q0 d 3 1 two\n2 Q0 a 1 1 two\n")
    Path("three").write_text("1 Q0 d 1 3 three\n")


def shown(capsys, *words, code=0):
    assert main(["med", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def rows(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))["rows"]


def test_two_runs(capsys):
    lines = shown(capsys, "one", "two", "--qrels", "qrels", "-m", "RR", "P@2").splitlines()
    assert lines[0].split() == ["run_a", "run_b", "measure", "med", "difference", "exact", "smallest", "largest"]
    # RR: topic 1 is 0.5 if b is not relevant and 0 if it is, topic 2 is 0.
    assert lines[2].split() == ["one", "two", "RR", "0.2500", "0.2500", "yes", "0.0000", "0.2500"]
    assert len(lines) == 4


def test_default_measures_and_no_qrels(capsys):
    found = rows(capsys, "one", "two")
    assert [row["measure"] for row in found] == ["AP@100", "nDCG@10", "RBP(p=0.8)"]
    assert [row["difference"] for row in found] == [0, 0, 0]
    assert all(row["med"] > 0 for row in found)


def test_per_topic(capsys):
    found = rows(capsys, "one", "two", "--qrels", "qrels", "-m", "RR", "--per-topic")
    assert [(row["topic"], row["direction"], row["med"]) for row in found] == [
        ("1", "a", 0.5),
        ("2", "-", 0),
        ("all", None, 0.25),
    ]
    assert list(found[0]) == [
        *("run_a", "run_b", "measure", "topic", "med", "difference", "direction", "exact", "low", "high"),
        *("smallest", "largest"),
    ]


def test_options_are_passed_on(capsys):
    words = ["one", "two", "three", "--qrels", "qrels", "-m", "AP", "-k", "2", "--method", "tabu", "--first"]
    told = json.loads(
        shown(capsys, *words, "--ties", "file", "--seed", "7", "--lenient", "--format", "json", "--digits", "3")
    )
    assert [(row["run_a"], row["run_b"], row["measure"]) for row in told["rows"]] == [
        ("one", "two", "AP@2"),
        ("one", "three", "AP@2"),
    ]
    how = told["provenance"]
    assert (how["depth"], how["method"], how["policies"]["ties"], how["policies"]["seed"]) == (2, "tabu", "file", 7)
    assert [Path(each["source"]).name for each in how["inputs"]] == ["qrels", "one", "two", "three"]
    assert any("tabu finds a lower bound" in note for note in told["notes"])
    assert any("three: lacks 1 of the 2 topics" in note for note in told["notes"])
    [row] = rows(capsys, "one", "three", "-m", "RBP(p=0.5)", "--residual")
    assert row["largest"] == 1  # topic 1: everything of one and behind it; topic 2: a, and all that three lacks
    [row] = rows(capsys, "one", "three", "-m", "RBP(p=0.5)")
    assert row["largest"] == pytest.approx((7 / 8 + 1 / 2) / 2)


def test_labels(capsys):
    words = ["one", "two", "three", "--qrels", "qrels", "-m", "AP", "--labels"]
    lines = shown(capsys, *words).splitlines()
    assert lines[0].split() == ["run_a", "run_b", "measure", "topic", "document", "grade"]
    assert lines[2].split() == ["one", "three", "AP", "1", "b", "1"]
    assert shown(capsys, *words, "--format", "tsv").splitlines()[1].split("\t") == [
        "one",
        "three",
        "AP",
        "1",
        "b",
        "1.0",
    ]


def test_matrix(capsys):
    lines = shown(capsys, "one", "two", "three", "-m", "RR", "--matrix").splitlines()
    assert lines[0].split() == ["RR", "one", "two", "three"]
    cells = [line.split() for line in lines[2:]]
    assert [cells[i][1 + i] for i in range(3)] == ["0.0000"] * 3
    assert [[row[i] for row in cells] for i in (1, 2, 3)] == [row[1:] for row in cells]
    latex = shown(capsys, "one", "two", "-m", "RR", "--matrix", "--format", "latex")
    assert latex.startswith("\\begin{tabular}{lrr}")
    # The same measure by two names is one measure.
    assert shown(capsys, "one", "two", "-m", "AP", "map", "--matrix").splitlines()[0].split() == ["AP", "one", "two"]


def test_a_file_is_written(capsys):
    assert main(["med", "one", "two", "-m", "AP", "-o", "out.csv"]) == 0
    assert Path("out.csv").read_text().startswith("run_a,run_b,measure,topic,med,difference")
    assert capsys.readouterr().out == ""


def test_the_family_on_which_greedy_labels_fail(capsys):
    """k = 50, judged at the top, one long block of unjudged documents below: .0584, and .0212 for greedy labels."""
    case = hidden_block(50, 7, 14, 1)
    Path("judged").write_text("".join(f"q 0 {doc} {grade:g}\n" for doc, grade in case.judged.items()))
    for name, ranking in (("y", case.y), ("z", case.z)):
        Path(name).write_text("".join(f"q Q0 {doc} {i} {-i} {name}\n" for i, doc in enumerate(ranking, 1)))
    words = ["y", "z", "--qrels", "judged", "-m", "AP(norm=k)@50"]
    for method, value in (("exact", "0.0584"), ("greedy", "0.0212"), ("tabu", "0.0584")):
        line = shown(capsys, *words, "--method", method).splitlines()[2]
        assert line.split()[3] == value
    assert shown(capsys, "y", "z", "--qrels", "judged", "-m", "SSP@50").splitlines()[2].split()[3] == "0.0584"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["one"], "runs: need at least two runs to compare, found 1"),
        (["one", "two", "-k", "0"], "depth must be a whole number of at least 1, got 0"),
        (["one", "two", "--ties", "expected"], "ties 'expected': distances need an order; choose another tie policy"),
        (["one", "two", "--method", "gready"], "method 'gready': choose one of exact, max-grade, exhaustive, greedy, "),
        (["one", "two", "-m", "nDCG@10", "--method", "greedy"], "measure 'nDCG@10': the method greedy is for AP, SSP "),
        (["one", "two", "-m", "AP", "--method", "max-grade"], "measure 'AP': the method max-grade is for nDCG and its"),
        (["one", "two", "-m", "AP", "--residual"], "measure 'AP': has no residual; RBP, P and other sums have"),
        (["one", "two", "-m", "ndgc@10"], "measure 'ndgc@10': there is no measure ndgc; did you mean nDCG?"),
        (["one", "two", "--matrix"], "--matrix shows one measure, its mean only: name one with -m, without --labels"),
        (["one", "two", "--matrix", "-m", "P.5,10"], "--matrix shows one measure, its mean only"),
        (["one", "two", "--matrix", "-m", "AP", "--labels"], "--matrix shows one measure, its mean only"),
        (["one", "two", "--matrix", "-m", "AP", "--per-topic"], "--matrix shows one measure, its mean only"),
        (["one", "nowhere"], "nowhere: no such file"),
        (["one", "two", "--qrels", "other"], "one: shares no topic with the qrels"),
        (["one", "two", "--format", "xls"], "format 'xls': choose one of table"),
        (["one", "two", "-o", "one"], "one: was read as an input and is not overwritten"),
    ],
)
def test_refused_in_one_line(capsys, words, message):
    """Exit code 2, no traceback, and nothing on standard output."""
    Path("other").write_text("7 0 a 1\n")
    assert main(["med", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    assert line.startswith(f"assay: {message}")


def test_exhaustive_search_has_a_limit(capsys):
    for name in ("y", "z"):
        Path(name).write_text("".join(f"q Q0 {name}{i} {i} {-i} {name}\n" for i in range(11)))
    message = "assay: topic q: 2 grades for 22 unjudged documents are more than 1048576 labelings; use the exact method"
    assert shown(capsys, "y", "z", "-m", "AP", "--method", "exhaustive", code=2).startswith(message)
    assert shown(capsys, "y", "z", "-m", "AP", "--method", "exhaustive", "-k", "4")


def test_grades_can_be_replaced(capsys):
    words = ("one", "two", "--qrels", "qrels", "-m", "RR", "--labels")
    assert [row["document"] for row in rows(capsys, *words)] == []
    assert rows(capsys, *words, "--grades", "1=0") != []
