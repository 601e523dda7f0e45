"""Tests of numbers and unusual values on the command line: each is read exactly or rejected in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli import _numbers, main

HUGE = "9" * 5000


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("1 0 a 1e300\n1 0 b 0\n2 0 c 2\n")
    Path("a").write_text("1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 new 3 1 x\n2 Q0 c 1 1 x\n")
    Path("b").write_text("1 Q0 b 1 3 y\n1 Q0 a 2 2 y\n2 Q0 d 1 2 y\n2 Q0 c 2 1 y\n")


@pytest.mark.parametrize(
    "args",
    [
        ["uncertainty", "depth", "--depth", HUGE],
        ["uncertainty", "depth", "--depth", f"1..{HUGE}"],
        ["uncertainty", "depth", "-p", HUGE],
        ["uncertainty", "depth", "--accuracy", "1_0e-5"],
        ["theory", "balance", "-n", HUGE],
        ["theory", "axioms", "-m", "AP", "--counts", f"1:{HUGE}"],
        ["theory", "axioms", "-m", "AP", "--counts", "1:٢"],
        ["theory", "axioms", "-m", "AP", "--grades", "0,1_0"],
        ["eval", "q", "a", "--digits", "1_0"],
        ["eval", "q", "a", "--digits", "١"],
        ["eval", "q", "a", "--seed", HUGE],
        ["eval", "q", "a", "--memory", HUGE],
        ["uncertainty", "bounds", "q", "a", "--outside", "٣"],
        ["uncertainty", "bounds", "q", "a", "--outside", HUGE],
        ["effort", "indicators", "q", "a", "--grades", "1_0=2"],
        ["compare", "q", "a", "b", "--alpha", "0.0_5"],
        ["compare", "q", "a", "b", "--alpha", "nan"],
        ["compare", "q", "a", "b", "--margin", "0.0_2"],
        ["meta", "power", "q", "a", "b", "--best", "7_5%"],
        ["trec_eval", "-m", "P.٣", "q", "a"],
    ],
    ids=lambda args: " ".join(args)[:40],
)
def test_invalid_numbers_are_rejected_in_one_short_line(
    args: list[str], campaign: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert len(captured.err) < 300


def test_lists_of_whole_numbers() -> None:
    assert _numbers.parse_integers("-n", ["10, 20,50", "50,1..2,2"]) == [10, 20, 50, 1, 2]


def test_trec_eval_accepts_very_large_depths(campaign: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trec_eval", "-M", HUGE, "-m", "num_ret", "q", "a"]) == 0
    assert capsys.readouterr().out.split()[-1] == "4"


@pytest.mark.parametrize(
    "args",
    [
        ["distance", "med", "a", "b", "--qrels", "q", "-m", "nDCG@3", "--labels"],
        ["effort", "curve", "q", "a", "--topic", "1"],
        ["plot", "crp", "q", "a", "--topic", "1", "-o", "crp.svg"],
        ["uncertainty", "judge-next", "q", "a", "b"],
    ],
    ids=lambda args: args[0],
)
def test_grades_beyond_64_bits_are_printed(args: list[str], campaign: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args) == 0, capsys.readouterr().err


def test_grade_too_large_for_the_gains_is_rejected_with_its_file(
    campaign: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["meta", "judgments", "q"]) == 2
    assert capsys.readouterr().err.startswith("assay: q: the largest grade is 1e+300")


@pytest.mark.parametrize(
    "args",
    [
        ["eval", "q", "a", "--format=--"],
        ["eval", "q", "a", "--digits=--"],
        ["eval", "q", "a", "-m--"],
        ["meta", "pool-depth", "q", "a", "b", "--depths=--"],
        ["distance", "rbo", "a", "b", "--tied=--"],
        ["report", "q", "a", "b", "--most=--"],
        ["meta", "robustness", "q", "a", "b", "--best=--"],
        ["plot", "crp", "q", "a", "--theme=--", "-o", "x.svg"],
        ["trec_eval", "--profile=--", "q", "a"],
        ["uncertainty", "residual", "q", "a", "--only=--"],
        ["uncertainty", "judge-next", "q", "a", "b", "--compare=--"],
    ],
    ids=lambda args: args[0],
)
def test_two_dashes_as_a_value_print_one_line(
    args: list[str], campaign: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(args) in (1, 2)
    assert capsys.readouterr().err.count("\n") == 1
