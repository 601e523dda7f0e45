"""Tests of ``assay meta correlate``."""

import json
from pathlib import Path

import pytest

from assay import meta, read
from assay.cli import main


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 c 0\n2 0 a 1\n2 0 d 0\n")
    Path("other").write_text("1 0 c 1\n1 0 a 0\n2 0 a 1\n")
    Path("runs").mkdir()
    rankings = {"r1": ("abx", "a"), "r2": ("cab", "da"), "r3": ("xbc", "xa"), "r4": ("xya", "xd")}
    for name, topics in rankings.items():
        lines = [
            f"{topic} Q0 {doc} {rank} {9 - rank} {name}\n"
            for topic, docs in enumerate(topics, 1)
            for rank, doc in enumerate(docs, 1)
        ]
        Path("runs", name).write_text("".join(lines))


def run_command(capsys, *args, code=0):
    assert main(["meta", "correlate", "qrels", "runs", *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def read_table(capsys, *args):
    """Return the cells of the text table, without the summary below it."""
    head, _, *body = run_command(capsys, *args).split("\n\n")[0].splitlines()
    return [head.split(), *(line.split() for line in body)]


def read_json(capsys, *args):
    return json.loads(run_command(capsys, *args, "--format", "json"))


def correlate(*args, **options):
    return meta.correlate(read("qrels", "runs", keep="judgments"), *args, **options)


def test_few_pairs_are_listed(capsys):
    table = read_table(capsys, "-m", "AP", "RR", "P@1")
    assert table[0] == ["measure", "other", "tau", "tau-AP", "rho", "p", "reading"]
    assert [row[:2] for row in table[1:]] == [["AP", "RR"], ["AP", "P@1"], ["RR", "P@1"]]
    assert [row[-1] for row in table[1:3]] == ["equivalent", "different"]


def test_output_matches_the_function(capsys):
    content = read_json(capsys, "-m", "AP", "RR", "P@1", "--best", "75%", "--decimals", "1")
    report = correlate(["AP", "RR", "P@1"], best=0.75, decimals=1)
    assert content["rows"] == report.frame().to_dicts()
    assert content["provenance"]["settings"] == report.provenance.settings
    assert [row["runs"] for row in content["rows"]] == [3, 3, 3]


def test_matrices(capsys):
    table = read_table(capsys, "-m", "AP", "RR", "--show", "tau")
    assert table[0] == ["measure", "AP", "RR"]
    assert table[1][:2] == ["AP", "1.0000"]
    assert read_table(capsys, "-m", "AP", "RR", "--matrix") == table
    assert read_table(capsys, "-m", "AP", "RR", "--show", "tau_ap")[0] == ["measure", "AP", "RR"]
    assert read_table(capsys, "-m", "AP", "RR", "--show", "rho")[0] == ["measure", "AP", "RR"]
    assert read_table(capsys, "-m", "AP", "RR", "--show", "p")[1][1] == "0.0833"
    assert read_table(capsys, "-m", "NumRel", "AP", "--matrix")[1] == ["NumRel", "-", "-"]


def test_many_pairs_are_a_matrix_in_text_and_a_list_in_json(capsys):
    assert len(read_table(capsys)) == 1 + 8
    assert len(read_json(capsys)["rows"]) == 8 * 7 // 2


def test_rows_of_shallow_pools(capsys):
    table = read_table(capsys, "-m", "AP", "--rows", "RR", "--rows", "P@2", "--depth", "1,3", "--matrix")
    assert table[0] == ["measure", "pool", "AP"]
    assert [row[:2] for row in table[1:]] == [["RR", "1"], ["P@2", "1"], ["RR", "3"], ["P@2", "3"]]


def test_rows_of_other_judgments(capsys):
    args = ["--row-qrels", "other", "--row-unjudged", "condensed", "--round", "2"]
    content = read_json(capsys, "-m", "AP", *args)
    report = correlate("AP", row_qrels="other", row_unjudged="condensed", decimals=2)
    assert content["rows"] == report.frame().to_dicts()
    assert content["rows"][0]["pool"] == "other"
    assert content["provenance"]["settings"]["row_unjudged"] == "condensed"
    assert {Path(source["source"]).name for source in content["provenance"]["inputs"]} >= {"qrels", "other"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--show", "taus"], "--show taus: choose one of pairs, tau, tau_ap, rho, p; did you mean tau?"),
        (["--best", "75"], "--best 75: write a fraction of the runs, such as 75% or 0.75"),
        (["--best", "10%"], "runs: need at least two runs, got 1 after selecting the best of 4 runs"),
        (["--depths", "0"], "--depths 0: numbers must be from 1"),
        (["--decimals", "-1"], "--decimals must be from 0 to 17, got -1"),
        (["--round", "18"], "--decimals must be from 0 to 17, got 18"),
        (["--rows", "APP"], "there is no measure APP; did you mean AP?"),
        (["--row-unjudged", "no"], "--unjudged no: choose one of nonrelevant, condensed"),
        (["-m", "AP", "map"], "-m: need at least two measures, got only AP; add a measure or --rows"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, args, message):
    text = run_command(capsys, *args, code=2)
    assert text.startswith("assay: ")
    assert message in text
    assert text.count("\n") == 1
