"""Tests of ``assay report``."""

from __future__ import annotations

import sys
from html import unescape
from pathlib import Path

import pytest

from assay import simulate
from assay.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    simulate(systems=3, topics=4, seed=2).write(tmp_path / "campaign")
    monkeypatch.chdir(tmp_path / "campaign")
    return tmp_path / "campaign"


def test_report_is_written(campaign: Path, capsys: Capture) -> None:
    assert main(["report", "qrels.txt", "runs", "-m", "AP", "RR", "--title", "Spring"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "assay: wrote report.html (" in captured.err
    page = (campaign / "report.html").read_text()
    assert "<title>Spring</title>" in page
    assert "RR" in page
    assert "nDCG@10" not in page.split("<main")[1].split("</main>")[0]


def test_options_are_applied(campaign: Path) -> None:
    args = ["--test", "sign", "--correction", "bh", "--alpha", "0.1", "--seed", "3", "--most", "1", "--ties", "rank"]
    policies = ["--missing", "exclude", "--undefined", "exclude", "--unjudged", "condensed"]
    assert (
        main(["report", "qrels.txt", "runs", "-o", "x.html", "-m", "AP", *args, *policies, "--without", "effort"]) == 0
    )
    page = unescape((campaign / "x.html").read_text())
    assert "sign test, Benjamini and Hochberg's correction over" in page
    assert "ties rank, missing exclude, undefined exclude, unjudged condensed, seed 3" in page
    assert "the other 2 are omitted" in page
    assert 'id="effort"' not in page


def test_invalid_settings_are_rejected_before_reading(
    campaign: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for args in (["--alpha", "2"], ["--without", "x"], ["--ties", "expected"], ["--ties", "x"], ["-m", "XYZ"]):
        assert main(["report", "none.txt", "none.run", *args]) == 2
        assert "none." not in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "altair", None)
    assert main(["report", "none.txt", "none.run"]) == 2
    assert "assay-ir[plots]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--alpha", "2"], "--alpha must lie between 0 and 1"),
        (["--test", "x"], "--test x: choose one of"),
        (["--most", "0"], "--most must be at least 1"),
        (["--without", "topic"], "unknown section; did you mean topics?"),
        (["--ties", "expected"], "--ties expected: "),
        (["-m", "nDGC@10"], "did you mean nDCG?"),
        (["-o", ""], "name a file to write"),
        (["-o", "-"], "name a file to write"),
        (["-o", "."], "name a file to write"),
        (["-o", "no/where.html"], "directory no does not exist"),
        (["-o", "report.pdf"], "report.pdf: a report is an HTML file; use a name such as report.html"),
        (["-o", "qrels.txt"], "qrels.txt: a report is an HTML file; use a name such as qrels.html"),
    ],
)
def test_invalid_arguments_print_one_line(args: list[str], message: str, campaign: Path, capsys: Capture) -> None:
    contents = {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()}
    assert main(["report", "qrels.txt", "runs", *args]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()} == contents


def test_input_is_not_overwritten(campaign: Path, capsys: Capture) -> None:
    qrels = campaign / "judgments.html"
    qrels.write_bytes((campaign / "qrels.txt").read_bytes())
    assert main(["report", "judgments.html", "runs", "-o", "judgments.html"]) == 2
    assert "would overwrite an input" in capsys.readouterr().err
    assert qrels.read_bytes() == (campaign / "qrels.txt").read_bytes()


def test_grades_are_replaced_before_evaluation(campaign: Path) -> None:
    lines = (campaign / "qrels.txt").read_text().splitlines()
    grade_1 = sum(line.endswith(" 1") for line in lines)
    assert main(["report", "qrels.txt", "runs", "-m", "AP", "--grades", "1=0,2=1,3=1"]) == 0
    page = (campaign / "report.html").read_text()
    relevant = sum(not line.endswith((" 0", " 1")) for line in lines)
    assert grade_1
    assert f"{len(lines):,}, of which {relevant} are relevant; grades 0, 1<" in page


def test_missing_file_is_reported(campaign: Path, capsys: Capture) -> None:
    assert main(["report", "none.txt", "runs"]) == 2
    assert "none.txt" in capsys.readouterr().err


def test_lenient_skips_bad_lines(campaign: Path, capsys: Capture) -> None:
    with (campaign / "runs" / "alpha1.run").open("a") as file:
        file.write("bad line\n")
    assert main(["report", "qrels.txt", "runs", "-m", "AP"]) == 2
    assert "alpha1.run:" in capsys.readouterr().err
    assert main(["report", "qrels.txt", "runs", "-m", "AP", "--lenient"]) == 0
    assert "assay: note: " in capsys.readouterr().err
    assert "skipped" in (campaign / "report.html").read_text()


def test_interrupt_leaves_no_files(campaign: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.views.report.build.render_page", interrupt)
    files = sorted(campaign.rglob("*"))
    assert main(["report", "qrels.txt", "runs", "-m", "AP"]) == 130
    assert sorted(campaign.rglob("*")) == files
    assert "Traceback" not in capsys.readouterr().err


def test_failed_write_keeps_the_old_report(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (campaign / "report.html").write_text("old")

    def raise_disk_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.replace", raise_disk_full)
        assert main(["report", "qrels.txt", "runs", "-m", "AP"]) == 2
    assert (campaign / "report.html").read_text() == "old"
    assert not list(campaign.glob(".report*"))
    assert main(["report", "qrels.txt", "runs", "-m", "AP"]) == 0
    assert (campaign / "report.html").read_text().startswith("<!doctype html>")


def test_help_names_the_default_measures(capsys: Capture) -> None:
    from assay.views.report.settings import MEASURES

    assert main(["report", "--help"]) == 0
    assert ", ".join(MEASURES) in " ".join(capsys.readouterr().out.split())
