"""Tests of ``assay distance med``."""

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


def run_command(capsys, *args, code=0):
    assert main(["distance", "med", *args]) == code
    captured = capsys.readouterr()
    assert not captured.out or code == 0
    return captured.err if code else captured.out


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def read_rows(capsys, *args):
    return read_json(capsys, *args)["rows"]


def test_table_of_two_runs(capsys):
    lines = run_command(capsys, "one", "two", "--qrels", "qrels", "-m", "RR", "P@2").splitlines()
    assert lines[0] == "RR"
    assert lines[1].split() == ["run", "other", "run", "MED", "difference", "lowest", "highest"]
    # RR: topic 1 is 0.5 if b is not relevant and 0 if it is, topic 2 is 0.
    assert lines[3].split() == ["one", "two", "0.2500", "0.2500", "0.0000", "0.2500"]
    assert lines[5] == "P@2"


@pytest.mark.parametrize("show", ["pairs", "topics", "matrix", "labels"])
@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {}),
        (["-k", "2", "--method", "exhaustive", "--seed", "7"], {"depth": 2, "method": "exhaustive", "seed": 7}),
        (["--first"], {"first": True}),
    ],
)
def test_output_matches_the_function(capsys, show, args, options):
    content = read_json(capsys, "one", "two", "three", "--qrels", "qrels", "-m", "AP", *args, "--show", show)
    campaign = read("qrels", ["one", "two", "three"], keep="documents")
    report = distance.med(campaign, "AP", **options, labels=show == "labels")
    assert content["rows"] == report.table(show).frame.to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings


def test_default_measures_and_no_qrels(capsys):
    table = read_rows(capsys, "one", "two")
    assert [row["measure"] for row in table] == ["AP@100", "nDCG@10", "RBP(p=0.8)"]
    assert [row["difference"] for row in table] == [0, 0, 0]
    assert all(row["med"] > 0 for row in table)


def test_per_topic(capsys):
    table = read_rows(capsys, "one", "two", "--qrels", "qrels", "-m", "RR", "--per-topic")
    assert [(row["topic"], row["direction"], row["med"]) for row in table] == [
        ("1", "a", 0.5),
        ("2", "-", 0),
        ("all", None, 0.25),
    ]


def test_reading_options(capsys):
    args = ["one", "two", "three", "--qrels", "qrels", "-m", "AP", "--method", "tabu", "--ties", "file"]
    content = read_json(capsys, *args, "--lenient", "--missing", "exclude", "--seed", "7")
    policies = content["provenance"]["policies"]
    assert (policies["ties"], policies["missing"], policies["seed"]) == ("file", "exclude", 7)
    assert [Path(source["source"]).name for source in content["provenance"]["inputs"]] == [
        "qrels",
        "one",
        "two",
        "three",
    ]
    assert any("tabu finds a lower bound" in note for note in content["notes"])
    assert any("three: lacks 1 of the 2 topics" in note for note in content["notes"])
    table = read_rows(capsys, "one", "two", "-m", "AP", "--topics", "2", "--per-topic")
    assert [row["topic"] for row in table] == ["2", "all"]


def test_residual(capsys):
    [row] = read_rows(capsys, "one", "three", "-m", "RBP(p=0.5)", "--residual")
    assert (
        row["largest"] == 1
    )  # topic 1: all documents of run one and below; topic 2: document a and the ranking that three lacks
    [row] = read_rows(capsys, "one", "three", "-m", "RBP(p=0.5)")
    assert row["largest"] == pytest.approx((7 / 8 + 1 / 2) / 2)


def test_labels(capsys):
    args = ["one", "two", "three", "--qrels", "qrels", "-m", "AP"]
    lines = run_command(capsys, *args, "--show", "labels").splitlines()
    assert lines[1].split() == ["run", "other", "run", "topic", "document", "grade"]
    assert lines[3].split() == ["one", "three", "1", "b", "1"]
    assert run_command(capsys, *args, "--labels").splitlines() == lines
    assert read_rows(capsys, *args, "--labels")[0] == {
        "run_a": "one", "run_b": "three", "measure": "AP", "topic": "1", "document": "b", "grade": 1.0
    }  # fmt: skip


def test_matrix(capsys):
    lines = run_command(capsys, "one", "two", "three", "-m", "RR", "--matrix").splitlines()
    assert lines[0].split()[1:] == ["one", "two", "three"]
    cells = [line.split() for line in lines[2:5]]
    assert [cells[i][1 + i] for i in range(3)] == ["0.0000"] * 3
    assert [[row[i] for row in cells] for i in (1, 2, 3)] == [row[1:] for row in cells]
    # Two names of the same measure count once.
    assert len(read_rows(capsys, "one", "two", "-m", "AP", "map", "--matrix")) == 2


def test_output_file(capsys):
    assert run_command(capsys, "one", "two", "-m", "AP", "-o", "out.csv") == ""
    assert Path("out.csv").read_text().startswith("run_a,run_b,measure,topic,med,difference")


def test_family_where_greedy_labels_are_suboptimal(capsys):
    """With k = 50 and a long block of unjudged documents below judged ones, MED is .0584 and greedy finds .0212."""
    case = hidden_block(50, 7, 14, 1)
    Path("judged").write_text("".join(f"q 0 {doc} {grade:g}\n" for doc, grade in case.judged.items()))
    for name, ranking in (("y", case.y), ("z", case.z)):
        Path(name).write_text("".join(f"q Q0 {doc} {i} {-i} {name}\n" for i, doc in enumerate(ranking, 1)))
    args = ["y", "z", "--qrels", "judged", "-m"]
    for method, value in (("exact", 0.0584), ("greedy", 0.0212), ("tabu", 0.0584)):
        [row] = read_rows(capsys, *args, "AP(norm=k)@50", "--method", method)
        assert row["med"] == pytest.approx(value, abs=5e-5)
    assert read_rows(capsys, *args, "SSP@50")[0]["med"] == pytest.approx(0.0584, abs=5e-5)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["one"], "runs: need at least two runs, got 1"),
        (["one", "two", "-k", "0"], "--depth must be a whole number of at least 1, got 0"),
        (["one", "two", "--ties", "expected"], "--ties expected: distances need an order; choose another tie policy"),
        (["one", "two", "--method", "gready"], "--method gready: choose one of exact, max-grade, exhaustive, greedy, "),
        (["one", "two", "-m", "nDCG@10", "--method", "greedy"], "measure 'nDCG@10': method greedy is for AP, SSP "),
        (
            ["one", "two", "-m", "AP", "--residual"],
            "measure 'AP': has no residual; use RBP, P or another sum over ranks",
        ),
        (["one", "two", "-m", "ndgc@10"], "measure 'ndgc@10': there is no measure ndgc; did you mean nDCG?"),
        (["one", "two", "--matrix"], "--show matrix shows one measure; choose one of AP@100, nDCG@10, "),
        (["one", "two", "--matrix", "-m", "P.5,10"], "--show matrix shows one measure; choose one of"),
        (["one", "two", "--matrix", "-m", "AP", "--labels"], "--labels is the same as --show labels and cannot be "),
        (["one", "nowhere"], "nowhere: no such file"),
        (["one", "two", "--qrels", "other"], "one: shares no topic with the qrels"),
        (["one", "two", "--qrels", "other", "--qrels", "qrels"], "--qrels: expected one value, got 2: other, qrels"),
        (["one", "two", "--grades", "1=0"], "--grades needs judgments; add --qrels QRELS"),
        (["one", "two", "--format", "xls"], "--format xls: choose one of table"),
        (["one", "two", "-o", "one"], "-o one: would overwrite an input"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    Path("other").write_text("7 0 a 1\n")
    text = run_command(capsys, *args, code=2)
    assert text.startswith(f"assay: {message}")
    assert text.count("\n") == 1


def test_exhaustive_search_has_a_limit(capsys):
    for name in ("y", "z"):
        Path(name).write_text("".join(f"q Q0 {name}{i} {i} {-i} {name}\n" for i in range(11)))
    message = "assay: topic q: 2 grades for 22 unjudged documents are more than 1048576 labelings; use the exact method"
    assert run_command(capsys, "y", "z", "-m", "AP", "--method", "exhaustive", code=2).startswith(message)
    assert run_command(capsys, "y", "z", "-m", "AP", "--method", "exhaustive", "-k", "4")


def test_grades_can_be_replaced(capsys):
    args = ["one", "two", "--qrels", "qrels", "-m", "RR", "--labels"]
    assert read_rows(capsys, *args) == []
    assert read_rows(capsys, *args, "--grades", "1=0") != []


def test_trace_and_places_are_computed_on_request(capsys):
    trace = read_rows(capsys, "one", "two", "--qrels", "qrels", "-m", "nDCG@3", "--topics", "1", "--show", "trace")
    assert [(row["favours"], row["step"], row["document"]) for row in trace][:1] == [("one", 0, None)]
    assert sum(row["largest"] for row in trace) == 1
    places = read_rows(capsys, "one", "two", "three", "--qrels", "qrels", "-m", "P@3", "--show", "places")
    assert [row["run"] for row in places] == ["one", "two", "three"]
    assert all(row["best"] <= row["place"] <= row["worst"] and row["exact"] for row in places)
    error = run_command(capsys, "one", "two", "-m", "AP", "--show", "trace", code=2)
    assert "measure 'AP': a trace shows Algorithm 1" in error
