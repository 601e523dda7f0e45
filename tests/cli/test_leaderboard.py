"""Tests of ``assay leaderboard``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.simulation import simulate


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("campaign") / "c"
    simulate(systems=5, topics=20, depth=100, pool=20, seed=1).write(str(directory))
    return directory


def run_command(capsys: pytest.CaptureFixture[str], campaign: Path, *args: str, code: int = 0) -> str:
    assert main(["leaderboard", str(campaign / "qrels.txt"), str(campaign / "runs"), *args]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_best_run_is_first(capsys, campaign: Path) -> None:
    lines = run_command(capsys, campaign).splitlines()
    assert lines[0].split() == [
        "place",
        "run",
        "AP",
        *["95", "%", "CI", "of", "the", "mean"],
        "tied",
        "with",
        "nDCG@10",
    ]
    values = [float(line.split()[2]) for line in lines[2:7]]
    assert values == sorted(values, reverse=True)
    assert all("●" in line for line in lines[2:7])
    assert any("Holm's correction over all 10 pairs of runs" in line for line in lines)


def test_letters_match_the_comparison(capsys, campaign: Path) -> None:
    board = json.loads(
        run_command(capsys, campaign, "-m", "AP", "--alpha", "0.2", "--correction", "none", "--format", "json")
    )
    letters = {row["run"]: set(row["groups"]) for row in board["rows"]}
    args = ["-m", "AP", "--correction", "none", "--format", "json"]
    assert main(["compare", str(campaign / "qrels.txt"), str(campaign / "runs"), *args]) == 0
    pairs = json.loads(capsys.readouterr().out)["rows"]
    assert len(pairs) == 10
    for pair in pairs:
        assert bool(letters[pair["run_a"]] & letters[pair["run_b"]]) == (pair["p_adjusted"] >= 0.2)


def test_options_are_applied(capsys, campaign: Path) -> None:
    args = [
        "-m",
        "AP",
        "--baseline",
        "alpha1",
        "--symbols",
        "+",
        "--top",
        "2",
        "--show",
        "intervals",
        "--test",
        "sign",
    ]
    text = run_command(capsys, campaign, *args)
    assert text.splitlines()[0].split() == ["place", "run", "AP", "95", "%", "CI"]
    assert "+ significantly better than alpha1, +↓ significantly worse" in text
    assert "sign test, Holm's correction over all 4 comparisons with alpha1" in " ".join(text.split())
    assert (
        json.loads(run_command(capsys, campaign, *args, "--format", "json"))["provenance"]["settings"]["alpha"] == 0.05
    )


def test_html_and_latex(capsys, campaign: Path) -> None:
    assert run_command(capsys, campaign, "--format", "html").startswith("<!doctype html>")
    assert "\\textbf{" in run_command(capsys, campaign, "--format", "latex")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--top", "0"], "assay: --top must be a whole number of at least 1, got 0\n"),
        (["--symbols", "+"], "assay: --symbols: need a baseline; name one\n"),
        (["--baseline", "alpha9"], "assay: --baseline alpha9 is not among the runs; did you mean alpha"),
    ],
)
def test_invalid_arguments_are_rejected(capsys, campaign: Path, args: list[str], message: str) -> None:
    assert run_command(capsys, campaign, *args, code=2).startswith(message)
