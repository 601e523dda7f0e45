"""Tests of the selection of runs and topics by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli import main
from assay.errors import InputError
from assay.views.plots._selection import find_pair, find_run, find_topic


@pytest.fixture
def results(tmp_path: Path) -> Any:
    qrels, names = {"q1": {"a": 1}}, ("one", "two")
    for name in names:
        (tmp_path / f"{name}.run").write_text(f"q1 Q0 a 1 1.0 {name}-tag\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    return assay.evaluate(qrels, [str(tmp_path / f"{name}.run") for name in names], "AP")


def test_runs_can_be_named_by_their_file(results: Any, tmp_path: Path) -> None:
    assert find_run("one-tag", results.runs, results.provenance) == "one-tag"
    assert find_run(str(tmp_path / "two.run"), results.runs, results.provenance) == "two-tag"
    with pytest.raises(InputError, match="there is no run three; choose from one-tag, two-tag"):
        find_run("three", results.runs, results.provenance)


def test_pairs_of_runs(results: Any, tmp_path: Path) -> None:
    best = list(results.runs)
    assert find_pair(None, best, results.provenance) == ("one-tag", "two-tag")
    assert find_pair([str(tmp_path / "two.run"), "one-tag"], best, results.provenance) == ("two-tag", "one-tag")
    with pytest.raises(InputError, match="pair: name two runs, got none"):
        find_pair([], best, results.provenance)
    with pytest.raises(InputError, match="one-tag cannot be compared with itself"):
        find_pair([str(tmp_path / "one.run"), "one-tag"], best, results.provenance)


def test_topics_are_found_by_name(results: Any) -> None:
    assert find_topic("q1", results.topics, results.provenance) == 0
    with pytest.raises(InputError, match=r"has no topic q; did you mean q1\?"):
        find_topic("q", results.topics, results.provenance)


def test_pair_on_the_command_line(tmp_path: Path, results: Any, capfd: pytest.CaptureFixture[str]) -> None:
    files = [str(tmp_path / name) for name in ("qrels", "one.run", "two.run")]
    out = str(tmp_path / "differences.csv")
    assert main(["plot", "differences", *files, "--pair", "two-tag", files[1], "-o", out]) == 0
    row = Path(out).read_text().splitlines()[1].split(",")
    assert row[4:6] == ["two-tag", "one-tag"]
    assert main(["plot", "differences", *files, "--pair", "two-tag"]) == 2
    assert "--pair: expected 2 arguments" in capfd.readouterr().err
