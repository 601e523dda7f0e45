"""The table of results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.errors import InputError, MeasureError

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 0}}
RUNS = {"good": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, "bad": {"q1": {"b": 2.0, "a": 1.0}}}


@pytest.fixture
def results() -> assay.Results:
    return assay.evaluate(QRELS, RUNS, ["AP", "NumRet", "GM(AP)"], undefined="exclude")


def test_frame_is_tidy(results: assay.Results) -> None:
    frame = results.frame()
    assert frame.columns == ["run", "topic", "measure", "value"]
    assert len(frame) == 2 * 3 * 3
    row = frame.filter((frame["run"] == "bad") & (frame["topic"] == "q1") & (frame["measure"] == "AP"))
    assert row["value"].to_list() == [0.5]
    out = frame.filter((frame["topic"] == "q3") & (frame["measure"] == "AP"))
    assert out["value"].to_list() == [None, None], "a topic that does not count has no value"


def test_means_have_intervals_and_numbers_of_topics(results: assay.Results) -> None:
    means = results.means()
    assert means.columns == ["run", "measure", "value", "low", "high", "topics"]
    good = means.filter((means["run"] == "good") & (means["measure"] == "AP")).row(0, named=True)
    assert good["value"] == pytest.approx(0.75)
    assert good["topics"] == 2
    assert good["low"] < 0.75 < good["high"]
    counts = means.filter(means["measure"] == "NumRet")
    assert counts["value"].to_list() == [3.0, 2.0]
    assert counts["low"].null_count() == 2


def test_matrix_is_runs_by_topics(results: assay.Results) -> None:
    matrix = results.matrix("map")
    assert matrix.shape == (2, 3)
    assert matrix[:, :2].tolist() == [[1.0, 0.5], [0.5, 0.0]]
    assert np.isnan(matrix[:, 2]).all()
    with pytest.raises(MeasureError, match="measure 'RR' is not among these results; they have AP, NumRet"):
        results.matrix("RR")


def test_best_first_and_a_choice_of_runs(results: assay.Results) -> None:
    assert results.best("AP") == ["good", "bad"]
    bad = results.only(["bad"])
    assert bad.runs == ("bad",)
    assert np.array_equal(bad.matrix("AP"), results.matrix("AP")[[1]], equal_nan=True)
    with pytest.raises(MeasureError, match="there is no run ugly among these results"):
        results.only(["ugly"])


def test_one_run_may_be_named_by_itself(results: assay.Results) -> None:
    assert results.only("bad").runs == ("bad",)


def test_a_choice_of_measures_with_their_notes(results: assay.Results) -> None:
    chosen = results.of_measures(["NumRet", "map"])
    assert list(map(str, chosen.measures)) == ["NumRet", "AP"]
    assert np.array_equal(chosen.values, results.values[[1, 0]], equal_nan=True)
    assert np.array_equal(chosen.errors, results.errors[[1, 0]])
    assert [note for note in results.notes if note.startswith("GM(AP): ")]
    assert chosen.notes == tuple(note for note in results.notes if not note.startswith("GM(AP): "))
    assert results.of_measures("AP").measures == chosen.measures[1:]
    with pytest.raises(MeasureError, match="measure 'RR' is not among these results"):
        results.of_measures(["AP", "RR"])


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_confidence_is_a_share(results: assay.Results, confidence: float) -> None:
    with pytest.raises(InputError, match="confidence must lie between 0 and 1"):
        results.means(confidence)


def test_repr_says_what_it_holds(results: assay.Results) -> None:
    assert repr(results) == f"Results(2 runs x 3 topics: AP, NumRet, GM(AP); {len(results.notes)} notes)"
    assert repr(replace(results, notes=())) == "Results(2 runs x 3 topics: AP, NumRet, GM(AP))"
    assert repr(replace(results, notes=("x",))).endswith("; 1 note)")


def test_overall_has_a_row_per_run(results: assay.Results) -> None:
    assert results.overall().shape == (2, 3)


def test_the_best_run_has_the_lowest_cost() -> None:
    runs = {"good": {"q": {"a": 2.0, "x": 1.0}}, "bad": {"q": {"x": 2.0, "a": 1.0}}}
    found = assay.evaluate({"q": {"a": 1}}, runs, ["BalancePoint", "RR"])
    assert found.best("BalancePoint") == found.best("RR") == ["good", "bad"]
