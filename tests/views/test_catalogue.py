"""Tests of the catalogue and of the explanation of a measure."""

from __future__ import annotations

import pytest

from assay.errors import MeasureError
from assay.measures import catalogue
from assay.views.catalogue import MeasureList, explain


def test_every_measure_is_listed_with_one_line() -> None:
    frame = MeasureList().frame()
    assert frame["measure"].to_list() == list(catalogue())
    assert all(text.endswith(".") for text in frame["description"])


@pytest.mark.parametrize("name", list(catalogue()))
def test_every_measure_is_explained(name: str) -> None:
    text = explain(name)
    for heading in ("Parameters", "Properties", "References", "Written"):
        assert f"\n{heading}\n" in text
    assert "math::" not in text  # the Sphinx directive is removed
    assert "\n    " in text.split("References")[0]  # the formula


def test_measure_with_parameters_is_explained() -> None:
    assert "ndcg_cut_10" not in explain("ndcg_cut_10").splitlines()[0]
    assert explain("RBP(p=0.8)").endswith("RBP(p=0.8) reads as RBP(p=0.8)\n")
    assert "one of R, min, k" in explain("AP")


def test_unknown_measures_get_a_suggestion() -> None:
    with pytest.raises(MeasureError, match="measure 'ndgc': there is no measure ndgc; did you mean nDCG"):
        explain("ndgc")


def test_axioms_are_shown() -> None:
    assert "  swap holds, replacement holds (see assay theory axioms)\n" in explain("AP")
    assert "  swap fails, replacement holds (see assay theory axioms)\n" in explain("Q")
    assert "  swap fails, replacement is not declared (see assay theory axioms)\n" in explain("G")
