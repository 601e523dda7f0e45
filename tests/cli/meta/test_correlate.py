"""assay meta correlate."""

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


def shown(capsys, *words, code=0):
    assert main(["meta", "correlate", "qrels", "runs", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def rows(capsys, *words):
    """The lines of the table for people, up to the sentences below."""
    head, _, *body = shown(capsys, *words).split("\n\n")[0].splitlines()
    return [head.split(), *(line.split() for line in body)]


def content(capsys, *words):
    return json.loads(shown(capsys, *words, "--format", "json"))


def expected(*given, **options):
    return meta.correlate(read("qrels", "runs", keep="judgments"), *given, **options)


def test_few_pairs_are_listed(capsys):
    found = rows(capsys, "-m", "AP", "RR", "P@1")
    assert found[0] == ["measure", "other", "tau", "tau-AP", "p", "reading"]
    assert [row[:2] for row in found[1:]] == [["AP", "RR"], ["AP", "P@1"], ["RR", "P@1"]]
    assert [row[-1] for row in found[1:3]] == ["equivalent", "different"]


def test_what_the_function_gives(capsys):
    found = content(capsys, "-m", "AP", "RR", "P@1", "--best", "75%", "--decimals", "1")
    report = expected(["AP", "RR", "P@1"], best=0.75, decimals=1)
    assert found["rows"] == report.frame().to_dicts()
    assert found["provenance"]["settings"] == report.provenance.settings
    assert [row["runs"] for row in found["rows"]] == [3, 3, 3]


def test_matrices(capsys):
    found = rows(capsys, "-m", "AP", "RR", "--show", "tau")
    assert found[0] == ["measure", "AP", "RR"]
    assert found[1][:2] == ["AP", "1.0000"]
    assert rows(capsys, "-m", "AP", "RR", "--matrix") == found
    assert rows(capsys, "-m", "AP", "RR", "--show", "tau_ap")[0] == ["measure", "AP", "RR"]
    assert rows(capsys, "-m", "AP", "RR", "--show", "p")[1][1] == "0.0833"
    assert rows(capsys, "-m", "NumRel", "AP", "--matrix")[1] == ["NumRel", "-", "-"]


def test_many_pairs_are_a_matrix_for_people_and_a_list_for_programs(capsys):
    assert len(rows(capsys)) == 1 + 8
    assert len(content(capsys)["rows"]) == 8 * 7 // 2


def test_rows_of_shallow_pools(capsys):
    found = rows(capsys, "-m", "AP", "--rows", "RR", "--rows", "P@2", "--depth", "1,3", "--matrix")
    assert found[0] == ["measure", "pool", "AP"]
    assert [row[:2] for row in found[1:]] == [["RR", "1"], ["P@2", "1"], ["RR", "3"], ["P@2", "3"]]


def test_rows_of_other_judgments(capsys):
    words = ["--row-qrels", "other", "--row-unjudged", "condensed", "--round", "2"]
    found = content(capsys, "-m", "AP", *words)
    report = expected("AP", row_qrels="other", row_unjudged="condensed", decimals=2)
    assert found["rows"] == report.frame().to_dicts()
    assert found["rows"][0]["pool"] == "other"
    assert found["provenance"]["settings"]["row_unjudged"] == "condensed"
    assert {Path(one["source"]).name for one in found["provenance"]["inputs"]} >= {"qrels", "other"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--show", "taus"], "--show taus: choose one of pairs, tau, tau_ap, p; did you mean tau?"),
        (["--best", "75"], "--best 75: write a share of the runs, such as 75% or 0.75"),
        (["--best", "10%"], "runs: need at least two runs, got 1 (4 before the best were chosen)"),
        (["--depths", "0"], "--depths 0: numbers must be from 1"),
        (["--decimals", "-1"], "--decimals must be from 0 to 17, got -1"),
        (["--round", "18"], "--decimals must be from 0 to 17, got 18"),
        (["--rows", "APP"], "there is no measure APP; did you mean AP?"),
        (["--row-unjudged", "no"], "--unjudged no: choose one of nonrelevant, condensed"),
        (["-m", "AP", "map"], "-m: name at least two measures to correlate, or add --rows; got only AP"),
    ],
)
def test_refused(capsys, words, message):
    text = shown(capsys, *words, code=2)
    assert text.startswith("assay: ")
    assert message in text
    assert text.count("\n") == 1
