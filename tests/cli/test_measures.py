"""assay measures."""

from __future__ import annotations

import pytest

from assay.cli import main


def test_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures"]) == 0
    assert "nDCG@10" in capsys.readouterr().out


def test_one_measure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "map"]) == 0
    assert capsys.readouterr().out.startswith("AP\n\nAverage precision")


def test_an_unknown_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measures", "mapp"]) == 2
    assert capsys.readouterr().err == "assay: measure 'mapp': there is no measure mapp; did you mean MAP?\n"
