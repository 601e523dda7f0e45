"""The tables of names in docs/coming-from match the code: every row is compared, and no row is missing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from assay import evaluate
from assay.compat.trec_eval import registry
from assay.compat.trec_eval.measure_spec import QRELS
from assay.measures import from_ir_measures, measure
from assay.measures._ir_measures import _PARAMETERS, check_ir_name

PAGES = Path(__file__).parent.parent / "docs" / "coming-from"
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|(.*)\|$", re.MULTILINE)
# Text values, which only assay trec_eval prints.
TEXTS = {"relstring", "runid"}


def names(page: str) -> list[tuple[str, str, str]]:
    """Return the rows of the section Names: their name, our name, and the remark."""
    text = (PAGES / f"{page}.md").read_text()
    section = re.split(r"^## ", text.split("\n## Names\n")[1], flags=re.MULTILINE)[0]
    rows = ROW.findall(section)
    assert len(rows) > 10, page
    return rows


@pytest.mark.parametrize(("theirs", "ours", "_"), names("trec_eval"))
def test_names_of_trec_eval_match(theirs, ours, _):
    assert measure(theirs) == measure(ours)
    assert str(measure(ours)) == ours


def test_every_measure_of_trec_eval_has_a_row():
    listed = [theirs for theirs, _, _ in names("trec_eval")]
    known = {name for name, spec in registry.specs().items() if spec.family in (None, QRELS)} - TEXTS
    assert {name for name in known if not any(row == name or row.startswith(f"{name}_") for row in listed)} == set()


@pytest.mark.parametrize(("theirs", "ours", "remark"), names("ir_measures"))
def test_names_of_ir_measures_match(theirs, ours, remark):
    assert from_ir_measures(theirs) == measure(ours)
    assert str(measure(ours)) == ours
    assert ("differs" in remark) == (not means_measure(theirs, ours))


def means_measure(text: str, ours: str) -> bool:
    """Return whether assay reads the text as the measure *ours*."""
    try:
        return measure(text) == measure(ours)
    except ValueError:
        return False


def test_every_measure_of_ir_measures_has_a_row():
    listed = {check_ir_name(re.split(r"[(@]", theirs)[0]) for theirs, _, _ in names("ir_measures")}
    assert set(_PARAMETERS) - listed == set()


def test_names_of_ranx_are_measures():
    for _, ours, _ in names("ranx"):
        assert str(measure(ours)) == ours


def test_names_of_matters_are_measures():
    for _, ours, _ in names("matters"):
        assert str(measure(ours)) == ours


def test_graded_rbp_of_ranx_is_scaled_by_the_top_grade():
    """The pages state that RBP of ranx is RBP of assay times the top grade."""
    qrels, run = {"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    value = evaluate(qrels, run, "RBP(p=0.8, gains=unit)").overall()[0, 0]
    assert np.isclose(3 * value, 0.2 * (1 + 0.8 * 3))
