"""assay distance med."""

import json
from pathlib import Path

import pytest

from assay import distance, read
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
    assert main(["distance", "med", *words]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return captured.err if code else captured.out


def content(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))


def rows(capsys, *words):
    return content(capsys, *words)["rows"]


def test_two_runs(capsys):
    lines = shown(capsys, "one", "two", "--qrels", "qrels", "-m", "RR", "P@2").splitlines()
    assert lines[0] == "RR"
    assert lines[1].split() == ["run", "other", "run", "MED", "difference", "lowest", "highest"]
    # RR: topic 1 is 0.5 if b is not relevant and 0 if it is, topic 2 is 0.
    assert lines[3].split() == ["one", "two", "0.2500", "0.2500", "0.0000", "0.2500"]
    assert lines[5] == "P@2"


@pytest.mark.parametrize("show", ["pairs", "topics", "matrix", "labels"])
@pytest.mark.parametrize(
    ("words", "given"),
    [
        ([], {}),
        (["-k", "2", "--method", "exhaustive", "--seed", "7"], {"depth": 2, "method": "exhaustive", "seed": 7}),
        (["--first"], {"first": True}),
    ],
)
def test_what_the_function_gives(capsys, show, words, given):
    found = content(capsys, "one", "two", "three", "--qrels", "qrels", "-m", "AP", *words, "--show", show)
    campaign = read("qrels", ["one", "two", "three"], keep="documents")
    report = distance.med(campaign, "AP", **given, labels=show == "labels")
    assert found["rows"] == report.table(show).frame.to_dicts()
    assert found["provenance"]["settings"] == report.provenance.settings


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


def test_how_runs_are_read(capsys):
    words = ["one", "two", "three", "--qrels", "qrels", "-m", "AP", "--method", "tabu", "--ties", "file"]
    told = content(capsys, *words, "--lenient", "--missing", "exclude", "--seed", "7")
    policies = told["provenance"]["policies"]
    assert (policies["ties"], policies["missing"], policies["seed"]) == ("file", "exclude", 7)
    assert [Path(each["source"]).name for each in told["provenance"]["inputs"]] == ["qrels", "one", "two", "three"]
    assert any("tabu finds a lower bound" in note for note in told["notes"])
    assert any("three: lacks 1 of the 2 topics" in note for note in told["notes"])
    found = rows(capsys, "one", "two", "-m", "AP", "--topics", "2", "--per-topic")
    assert [row["topic"] for row in found] == ["2", "all"]


def test_residual(capsys):
    [row] = rows(capsys, "one", "three", "-m", "RBP(p=0.5)", "--residual")
    assert row["largest"] == 1  # topic 1: everything of one and behind it; topic 2: a, and all that three lacks
    [row] = rows(capsys, "one", "three", "-m", "RBP(p=0.5)")
    assert row["largest"] == pytest.approx((7 / 8 + 1 / 2) / 2)


def test_labels(capsys):
    words = ["one", "two", "three", "--qrels", "qrels", "-m", "AP"]
    lines = shown(capsys, *words, "--show", "labels").splitlines()
    assert lines[1].split() == ["run", "other", "run", "topic", "document", "grade"]
    assert lines[3].split() == ["one", "three", "1", "b", "1"]
    assert shown(capsys, *words, "--labels").splitlines() == lines
    assert rows(capsys, *words, "--labels")[0] == {
        "run_a": "one", "run_b": "three", "measure": "AP", "topic": "1", "document": "b", "grade": 1.0
    }  # fmt: skip


def test_matrix(capsys):
    lines = shown(capsys, "one", "two", "three", "-m", "RR", "--matrix").splitlines()
    assert lines[0].split()[1:] == ["one", "two", "three"]
    cells = [line.split() for line in lines[2:5]]
    assert [cells[i][1 + i] for i in range(3)] == ["0.0000"] * 3
    assert [[row[i] for row in cells] for i in (1, 2, 3)] == [row[1:] for row in cells]
    # The same measure by two names is one measure.
    assert len(rows(capsys, "one", "two", "-m", "AP", "map", "--matrix")) == 2


def test_a_file_is_written(capsys):
    assert shown(capsys, "one", "two", "-m", "AP", "-o", "out.csv") == ""
    assert Path("out.csv").read_text().startswith("run_a,run_b,measure,topic,med,difference")


def test_the_family_on_which_greedy_labels_fail(capsys):
    """k = 50, judged at the top, one long block of unjudged documents below: .0584, and .0212 for greedy labels."""
    case = hidden_block(50, 7, 14, 1)
    Path("judged").write_text("".join(f"q 0 {doc} {grade:g}\n" for doc, grade in case.judged.items()))
    for name, ranking in (("y", case.y), ("z", case.z)):
        Path(name).write_text("".join(f"q Q0 {doc} {i} {-i} {name}\n" for i, doc in enumerate(ranking, 1)))
    words = ["y", "z", "--qrels", "judged", "-m"]
    for method, value in (("exact", 0.0584), ("greedy", 0.0212), ("tabu", 0.0584)):
        [row] = rows(capsys, *words, "AP(norm=k)@50", "--method", method)
        assert row["med"] == pytest.approx(value, abs=5e-5)
    assert rows(capsys, *words, "SSP@50")[0]["med"] == pytest.approx(0.0584, abs=5e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["one"], "runs: need at least two runs to compare, found 1"),
        (["one", "two", "-k", "0"], "--depth must be a whole number of at least 1, got 0"),
        (["one", "two", "--ties", "expected"], "--ties expected: distances need an order; choose another tie policy"),
        (["one", "two", "--method", "gready"], "--method gready: choose one of exact, max-grade, exhaustive, greedy, "),
        (["one", "two", "-m", "nDCG@10", "--method", "greedy"], "measure 'nDCG@10': method greedy is for AP, SSP "),
        (
            ["one", "two", "-m", "AP", "--residual"],
            "measure 'AP': has no residual; use RBP, P or another sum over ranks",
        ),
        (["one", "two", "-m", "ndgc@10"], "measure 'ndgc@10': there is no measure ndgc; did you mean nDCG?"),
        (["one", "two", "--matrix"], "--show matrix shows one measure; name one with -m instead of AP@100, nDCG@10, "),
        (["one", "two", "--matrix", "-m", "P.5,10"], "--show matrix shows one measure; name one with -m"),
        (["one", "two", "--matrix", "-m", "AP", "--labels"], "--labels means --show labels and cannot be "),
        (["one", "nowhere"], "nowhere: no such file"),
        (["one", "two", "--qrels", "other"], "one: shares no topic with the qrels"),
        (["one", "two", "--qrels", "other", "--qrels", "qrels"], "--qrels: name one, not 2: other, qrels"),
        (["one", "two", "--grades", "1=0"], "--grades needs judgments; add --qrels QRELS"),
        (["one", "two", "--format", "xls"], "--format xls: choose one of table"),
        (["one", "two", "-o", "one"], "-o one: would overwrite an input"),
    ],
)
def test_refused(capsys, words, message):
    Path("other").write_text("7 0 a 1\n")
    text = shown(capsys, *words, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1


def test_exhaustive_search_has_a_limit(capsys):
    for name in ("y", "z"):
        Path(name).write_text("".join(f"q Q0 {name}{i} {i} {-i} {name}\n" for i in range(11)))
    message = "assay: topic q: 2 grades for 22 unjudged documents are more than 1048576 labelings; use the exact method"
    assert shown(capsys, "y", "z", "-m", "AP", "--method", "exhaustive", code=2).startswith(message)
    assert shown(capsys, "y", "z", "-m", "AP", "--method", "exhaustive", "-k", "4")


def test_grades_can_be_replaced(capsys):
    words = ["one", "two", "--qrels", "qrels", "-m", "RR", "--labels"]
    assert rows(capsys, *words) == []
    assert rows(capsys, *words, "--grades", "1=0") != []
