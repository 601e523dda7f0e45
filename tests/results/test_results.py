"""Results of an evaluation."""

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


def test_frame_has_one_row_per_value(results: assay.Results) -> None:
    frame = results.frame()
    assert frame.columns == ["run", "topic", "measure", "value"]
    assert len(frame) == 2 * 3 * 3
    row = frame.filter((frame["run"] == "bad") & (frame["topic"] == "q1") & (frame["measure"] == "AP"))
    assert row["value"].to_list() == [0.5]
    excluded = frame.filter((frame["topic"] == "q3") & (frame["measure"] == "AP"))
    assert excluded["value"].to_list() == [None, None], "an excluded topic has no value"


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
    with pytest.raises(MeasureError, match="measure 'RR' is not among these results; available measures: AP, NumRet"):
        results.matrix("RR")


def test_best_runs_and_selection_of_runs(results: assay.Results) -> None:
    assert results.best("AP") == ["good", "bad"]
    bad = results.select(["bad"])
    assert bad.runs == ("bad",)
    assert np.array_equal(bad.matrix("AP"), results.matrix("AP")[[1]], equal_nan=True)
    with pytest.raises(InputError, match="there is no run ugly"):
        results.select(["ugly"])


def test_one_run_may_be_a_string(results: assay.Results) -> None:
    assert results.select("bad").runs == ("bad",)


def test_selection_of_measures_keeps_their_notes(results: assay.Results) -> None:
    selected = results.select(measures=["NumRet", "map"])
    assert list(map(str, selected.measures)) == ["NumRet", "AP"]
    assert np.array_equal(selected.values, results.values[[1, 0]], equal_nan=True)
    assert np.array_equal(selected.errors, results.errors[[1, 0]])
    assert [note for note in results.notes if note.startswith("GM(AP): ")]
    assert selected.notes == tuple(note for note in results.notes if not note.startswith("GM(AP): "))
    assert results.select(measures="AP").measures == selected.measures[1:]
    with pytest.raises(MeasureError, match="measure 'RR' is not among these results"):
        results.select(measures=["AP", "RR"])


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_invalid_confidence_raises(results: assay.Results, confidence: float) -> None:
    with pytest.raises(InputError, match="confidence must lie between 0 and 1"):
        results.means(confidence)


def test_repr(results: assay.Results) -> None:
    assert repr(results) == f"Results(2 runs x 3 topics: AP, NumRet, GM(AP); {len(results.notes)} notes)"
    assert repr(replace(results, notes=())) == "Results(2 runs x 3 topics: AP, NumRet, GM(AP))"
    assert repr(replace(results, notes=("x",))).endswith("; 1 note)")


def test_overall_has_a_row_per_run_and_a_column_per_measure(results: assay.Results) -> None:
    assert results.overall().shape == (2, 3)


def test_best_run_if_lower_is_better() -> None:
    runs = {"good": {"q": {"a": 2.0, "x": 1.0}}, "bad": {"q": {"x": 2.0, "a": 1.0}}}
    results = assay.evaluate({"q": {"a": 1}}, runs, ["BalancePoint", "RR"])
    assert results.best("BalancePoint") == results.best("RR") == ["good", "bad"]


JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
TWO_RUNS = {"y": {"q1": {"a": 2.0, "b": 1.0}}, "x": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}}


def test_indexing_returns_labelled_frames() -> None:
    results = assay.evaluate(JUDGED, TWO_RUNS, ["RR", "P@1"])
    assert results["RR"].to_dict(as_series=False) == {"topic": ["q1", "q2"], "y": [1.0, 0.0], "x": [0.5, 1.0]}
    assert results["P@1", "x"].rows() == [("q1", 0.0), ("q2", 1.0)]
    with pytest.raises(InputError, match="there is no run z"):
        results["RR", "z"]


def test_topics_can_be_selected() -> None:
    selected = assay.evaluate(JUDGED, TWO_RUNS, ["RR", "P@1"]).select(topics="q2", measures="RR")
    assert (selected.topics, selected.runs, list(map(str, selected.measures))) == (("q2",), ("y", "x"), ["RR"])
    assert selected.values.tolist() == [[[0.0], [1.0]]]
    assert selected.frame().equals(assay.evaluate(JUDGED, TWO_RUNS, "RR", topics=["q2"]).frame())


def test_table_of_means() -> None:
    table = assay.evaluate(JUDGED, TWO_RUNS, ["RR", "NumRet"]).table()
    assert table.frame.rows() == [
        ("y", "RR", "all", 0.5),
        ("y", "NumRet", "all", 2.0),
        ("x", "RR", "all", 0.75),
        ("x", "NumRet", "all", 3.0),
    ]
    assert table.compact.rows() == [("y", 0.5, 2), ("x", 0.75, 3)]
    assert table.highest_is_best == ("RR",)


def test_table_of_topics() -> None:
    table = assay.evaluate(JUDGED, TWO_RUNS, ["RR", "P@1"]).table("topics")
    assert table.frame.rows()[:3] == [("y", "RR", "q1", 1.0), ("y", "RR", "q2", 0.0), ("y", "RR", "all", 0.5)]
    assert table.compact.columns == ["run", "topic", "RR", "P@1"]
    assert table.compact.rows()[:3] == [("y", "q1", 1.0, 1.0), ("y", "q2", 0.0, 0.0), ("y", "all", 0.5, 0.5)]
    without_missing = assay.evaluate(JUDGED, TWO_RUNS, ["NumRet"], missing="exclude").table("topics")
    assert without_missing.compact.rows()[1] == ("y", "q2", None)


def test_summary_names_ties_without_claiming_significance() -> None:
    summary = assay.evaluate(JUDGED, TWO_RUNS, ["RR", "P@1", "NumRet"]).summary()
    assert summary.startswith("x has the highest mean RR; y and x are tied for the highest mean P@1 (over 2 topics).")
    assert "NumRet" not in summary
    assert assay.evaluate(JUDGED, TWO_RUNS["x"], "RR").summary() == "Values over 2 topics."


def test_results_are_not_iterable() -> None:
    results = assay.evaluate(JUDGED, TWO_RUNS, "RR")
    with pytest.raises(TypeError):
        iter(results)
    with pytest.raises(InputError, match="results\\[measure, run\\]"):
        results["RR", "x", "q1"]


def test_str_is_the_table_and_the_summary() -> None:
    text = str(assay.evaluate(JUDGED, TWO_RUNS, "RR"))
    assert text.splitlines()[0].split() == ["run", "RR"]
    assert "x has the highest mean RR" in text
