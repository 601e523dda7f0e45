"""assay check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.cli import main

RUN = "1 Q0 a 1 2 {0}\n1 Q0 b 2 1 {0}\n2 Q0 a 1 2 {0}\n2 Q0 c 2 1 {0}\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("qrels.txt").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 a 1\n2 0 b 0\n2 0 c 0\n")
    Path("a.run").write_text(RUN.format("one"))


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("", [], 0),
        ("1 Q0 z 3 0.5 one\n", [], 1),
        ("1 Q0 z 3 one\n", [], 2),
        ("1 Q0 z 3 one\n", ["--lenient"], 1),
    ],
)
def test_the_exit_code_is_the_verdict(
    text: str, options: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.run").write_text(RUN.format("one") + text)
    assert main(["check", "qrels.txt", "a.run", *options]) == code
    captured = capsys.readouterr()
    assert "Verdict: " in captured.out
    assert captured.err == ""


def test_missing_files_are_part_of_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "qrels.txt", "a.run", "b.run", "--show", "runs", "--format", "csv"]) == 2
    assert capsys.readouterr().out.splitlines()[1].startswith("one,a.run,4,2,0,0,2,2,")
    assert main(["check", "qrels.txt", "a.run", "b.run"]) == 2
    assert "cannot be read: no such file" in capsys.readouterr().out


def test_json_lists_every_finding(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.run").write_text(RUN.format("one") + "1 Q0 z 3 one\n" * 4)
    assert main(["check", "qrels.txt", "a.run", "-k", "1,2", "-m", "AP", "--format", "json"]) == 2
    content = json.loads(capsys.readouterr().out)
    assert content["provenance"]["settings"]["cutoffs"] == [1, 2]
    (row,) = content["rows"]
    assert (row["kind"], row["count"]) == ("lines with the wrong number of columns", 4)
    assert row["examples"] == "a.run:5; a.run:6; a.run:7"


def test_many_files_with_many_problems_fit_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    Path("runs").mkdir()
    for number in range(129):
        text = RUN.format(f"system-with-a-long-name-{number}") + f"1 Q0 d{number} 3 {number / 300} x\n1 Q0 a 3\n"
        Path(f"runs/{number}.run").write_text(text + "1 Q0 a 9 0 x\n1 Q0 e 9 inf x\n8 Q0 e 9 1 x\n")
    Path("runs/empty.run").touch()
    Path("qrels.txt").write_text("1 0 a -1\n1 0 b 0\n2 0 a 0\n3 0 a 1\n4 0 x\n4 0 c 1\n4 0 c 2\n")
    assert main(["check", "qrels.txt", "runs"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    assert any("and 127 more" in line for line in lines)


def test_the_simulated_collection_has_no_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "sim", "--systems", "6", "--topics", "6", "--depth", "30", "--pool", "8"]) == 0
    assert main(["check", "sim/qrels.txt", "sim/runs"]) == 1
    assert "no errors" in capsys.readouterr().out
    report = assay.check("sim/qrels.txt", "sim/runs")
    assert len(report.runs) == 6
