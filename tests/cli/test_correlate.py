"""assay correlate."""

from pathlib import Path

import pytest

from assay.cli import main
from assay.views.correlation import reading


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
    assert main(["correlate", "qrels", "runs", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def rows(capsys, *words):
    return [line.split() for line in shown(capsys, *words).splitlines()]


def test_pairs(capsys):
    found = rows(capsys, "-m", "AP", "RR", "P@1")
    assert found[0] == ["measure", "other", "tau", "tau_ap", "p", "orders"]
    assert [row[:2] for row in found[2:]] == [["AP", "RR"], ["AP", "P@1"], ["RR", "P@1"]]
    assert found[2][-1] == "equivalent"
    assert found[3][-1] == "different"


@pytest.mark.parametrize(
    ("tau", "said"), [(0.901, "equivalent"), (0.9, ""), (0.8, ""), (0.799, "different"), (-1, "different"), (None, "")]
)
def test_the_reading_aid(tau, said):
    assert reading(tau) == said


def test_matrix(capsys):
    found = rows(capsys, "-m", "AP", "RR", "--matrix")
    assert found[0] == ["measure", "AP", "RR", "most", "like"]
    assert found[2] == ["AP", "1.0000", found[3][1], "RR"]
    assert rows(capsys, "-m", "AP", "RR", "--show", "tau") == found
    assert rows(capsys, "-m", "AP", "RR", "--show", "tau_ap")[0] == ["measure", "AP", "RR"]
    assert rows(capsys, "-m", "AP", "RR", "--show", "p")[2][1] == "0.083"
    assert rows(capsys, "-m", "NumRel", "AP", "--matrix")[2] == ["NumRel", "-", "-", "-"]


def test_rows_of_shallow_pools(capsys):
    found = rows(capsys, "-m", "AP", "--rows", "RR", "--rows", "P@2", "--depth", "1,3", "--matrix")
    assert found[0] == ["measure", "pool", "AP", "most", "like"]
    assert [row[:2] for row in found[2:]] == [["RR", "1"], ["P@2", "1"], ["RR", "3"], ["P@2", "3"]]


def test_rows_of_other_judgments(capsys):
    [row] = rows(capsys, "-m", "AP", "--rows-qrels", "other", "--rows-unjudged", "condensed", "--round", "2")[2:]
    assert row[:3] == ["AP", "other", "AP"]


def test_best(capsys):
    lines = shown(capsys, "-m", "AP", "RR", "--best", "75%", "--format", "csv").splitlines()
    assert lines[0] == "measure,pool,other,tau,tau_ap,p,runs"
    assert lines[1].endswith(",3")


def test_without_measures(capsys):
    assert len(shown(capsys).splitlines()) == 2 + 8 * 7 // 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--show", "taus"], "--show taus: choose one of pairs, tau, tau_ap, p; did you mean tau?"),
        (["--best", "75"], "--best 75: write a share of the runs, such as 75% or 0.75"),
        (["--best", "10%"], "an order needs at least two runs, got 1 (4 before the best were chosen)"),
        (["--depth", "0"], "--depth 0: numbers go up from 1"),
        (["--round", "-1"], "--round must be from 0 to 17, got -1"),
        (["--rows", "APP"], "there is no measure APP"),
        (["--rows-unjudged", "no"], "unjudged 'no': choose one of nonrelevant, condensed"),
    ],
)
def test_refused(capsys, words, message):
    assert message in shown(capsys, *words, code=2)


def test_one_measure_has_nothing_to_be_compared_with(capsys):
    assert main(["correlate", "qrels", "runs", "-m", "AP", "map"]) == 2
    assert capsys.readouterr().err == "assay: measures: name at least two to correlate, found only AP\n"
