"""Inspection in chunks equals inspection of whole files: facts, problems and their places."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assay.engine.budget import Budget
from assay.engine.inspection import Inspection, inspect_sources
from assay.model.policies import Policies
from assay.model.run import Run

QRELS = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}


def write_run(path: Path, order: str) -> None:
    lines = [
        f"{topic} Q0 d{rank} {rank} {'nan' if rank == 30 else 50 - rank // 2} {'x' * (rank % 17 > 0)}\n"
        for topic in "1234"
        for rank in range(40)
    ]
    lines += ["2 Q0 d0 1 7 x\n", "4 Q0 d1 40 99 x\n"]  # a duplicate; a rank that contradicts the score
    path.write_text("".join(sorted(lines)) if order == "contiguous" else "".join(lines[::2] + lines[1::2]))


def inspect(path: Path) -> Inspection:
    return inspect_sources(QRELS, [str(path)], Policies())


@pytest.mark.parametrize("order", ["contiguous", "mixed"])
def test_chunks(order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path / "a.run", order)
    (whole,) = inspect(tmp_path / "a.run").runs
    monkeypatch.setattr("assay.engine.joining.default_budget", lambda _: Budget(chunk=200))
    (chunked,) = inspect(tmp_path / "a.run").runs
    assert whole.facts is not None
    assert chunked.facts is not None
    assert chunked.facts._replace(contradicted_topics=()) == whole.facts._replace(contradicted_topics=())
    assert set(chunked.facts.contradicted_topics) == set(whole.facts.contradicted_topics) != set()
    assert chunked.problems == whole.problems
    assert {problem.action.split()[1] for problem in whole.problems} == {"lines", "duplicate"}


def test_judgments_that_cannot_be_read(tmp_path: Path) -> None:
    write_run(tmp_path / "a.run", "contiguous")
    inspection = inspect_sources(str(tmp_path / "qrels.txt"), [str(tmp_path / "a.run")], Policies())
    assert not inspection.has_judgments
    assert [run.facts is not None for run in inspection.runs] == [True]
    assert [failure.message.endswith("no such file") for failure in inspection.unreadable] == [True]


def test_runs_of_one_source_with_the_same_name() -> None:
    rows = {"topic": ["1", "1"], "doc": ["a", "b"], "score": [2.0, 1.0]}
    run = Run.from_frame(pl.DataFrame(rows), "twice")
    inspection = inspect_sources(QRELS, [run, run], Policies())
    assert inspection.campaign.runs == ("twice", "twice (2)")
    assert [failure.message for failure in inspection.unreadable] == [
        "twice: two runs are both named twice; name them with NAME=FILE"
    ]
