"""The table of an evaluation."""

from __future__ import annotations

import assay
from assay.views.evaluation import evaluation

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
RUNS = {"y": {"q1": {"a": 2.0, "b": 1.0}}, "x": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}}


def test_tidy_has_the_columns_of_the_interface() -> None:
    table = evaluation(assay.evaluate(QRELS, RUNS, ["RR", "NumRet"]))
    assert table.tidy.columns == ["run", "measure", "topic", "value"]
    assert table.tidy.rows() == [
        ("y", "RR", "all", 0.5),
        ("y", "NumRet", "all", 2.0),
        ("x", "RR", "all", 0.75),
        ("x", "NumRet", "all", 3.0),
    ]


def test_per_topic_lists_topics_then_all() -> None:
    table = evaluation(assay.evaluate(QRELS, RUNS, ["RR", "P@1"]), per_topic=True)
    assert table.tidy.rows()[:3] == [("y", "RR", "q1", 1.0), ("y", "RR", "q2", 0.0), ("y", "RR", "all", 0.5)]
    assert table.wide.columns == ["run", "topic", "RR", "P@1"]
    assert table.wide.rows()[:3] == [("y", "q1", 1.0, 1.0), ("y", "q2", 0.0, 0.0), ("y", "all", 0.5, 0.5)]


def test_wide_shows_counts_as_whole_numbers_and_marks_only_measures_of_quality() -> None:
    table = evaluation(assay.evaluate(QRELS, RUNS, ["RR", "NumRet"]))
    assert table.wide.rows() == [("y", 0.5, 2), ("x", 0.75, 3)]
    assert table.best == ("RR",)
    left_out = evaluation(assay.evaluate(QRELS, RUNS, ["NumRet"], topics="intersection"), per_topic=True)
    assert left_out.wide.rows()[1] == ("y", "q2", None)


def test_provenance_and_notes_come_along() -> None:
    results = assay.evaluate(QRELS, RUNS, "RR")
    table = evaluation(results)
    assert table.provenance == results.provenance.as_dict()
    assert table.notes == results.notes
