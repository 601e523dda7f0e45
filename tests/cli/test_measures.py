"""Tests of ``assay measures``."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli import main
from assay.measures._base import CATALOGUE
from assay.measures._user_defined import load_measures


def test_lists_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["measure", "description"]
    assert any(line.startswith("nDCG ") for line in lines)
    assert main(["measures", "--wide"]) == 0
    assert "ndcg_cut" in capsys.readouterr().out


def test_explains_one_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "map"]) == 0
    assert capsys.readouterr().out.startswith("AP\n\nAverage precision")


def test_explains_several_measures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "P", "map"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("P\n\nPrecision")
    assert "\n\nAP\n\nAverage precision" in output


def test_explanation_is_written_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "AP", "-o", str(tmp_path / "ap.txt")]) == 0
    assert (tmp_path / "ap.txt").read_text().startswith("AP\n")
    assert main(["measures", "AP", "--format", "json"]) == 2
    assert (
        capsys.readouterr().err
        == "assay: --format applies only to the list of all measures; omit --format or the names\n"
    )


def test_user_defined_measures_are_listed_and_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bare.py").write_text("def bare(grades, counts):\n    return 1.0\n")
    load_measures(tmp_path / "bare.py")
    try:
        assert main(["measures", "--format", "csv"]) == 0
        assert "bare,bare,,defined by the user" in capsys.readouterr().out.replace('""', "")
        assert main(["measures", "bare"]) == 0
        assert "defined by the user" in capsys.readouterr().out
    finally:
        del CATALOGUE["bare"]


def test_unknown_measure_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "mapp"]) == 2
    assert capsys.readouterr().err == "assay: measure 'mapp': there is no measure mapp; did you mean MAP?\n"
