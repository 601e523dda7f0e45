"""Qrels in which no grade reaches the threshold of a measure."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.errors import MeasureError
from assay.measures import catalogue, measure
from assay.measures._threshold import check_thresholds, lowest_relevant_grade, threshold, with_rel

QRELS = {"q": {"a": 0.994, "b": 0.2, "c": 0.0}, "r": {"a": 0.6, "d": 0.0}}
HIGHEST = r"the highest is 0\.994"
RUNS = {"x": {"q": {"b": 2.0, "a": 1.0}, "r": {"d": 2.0, "a": 1.0}}, "y": {"q": {"a": 2.0}, "r": {"a": 2.0}}}
CAMPAIGN = assay.read(QRELS, RUNS)


@pytest.mark.parametrize(
    ("text", "rel"),
    [("AP", 1), ("P(rel=2)@5", 2), ("RBP(p=0.8)", 1), ("RBP(p=0.8, gains=unit)", None), ("nDCG@10", None),
     ("nDCG(rel=2)@10", 2), ("GM(AP(rel=3))", 3), ("Condensed(nDCG)", None), ("NumRel", 1), ("Twist", 1),
     ("NumRet", None)],
)  # fmt: skip
def test_threshold_of_a_measure(text: str, rel: float | None) -> None:
    assert threshold(measure(text)) == rel


@pytest.mark.parametrize("text", [text for cls in catalogue().values() for text in cls.examples])
def test_the_suggested_threshold_is_accepted_for_every_measure(text: str) -> None:
    one, levels = measure(text), np.array([0.0, 0.4])
    if threshold(one) is None:
        check_thresholds([one], levels)
        return
    with pytest.raises(MeasureError, match=r"the highest is 0\.4\); write .*rel=0\.4"):
        check_thresholds([one], levels)
    check_thresholds([with_rel(one, 0.4)], levels)


@pytest.mark.parametrize("levels", [[], [0.0], [-1.0, 0.0]])
def test_qrels_without_a_positive_grade_are_accepted(levels: list[float]) -> None:
    check_thresholds([measure("AP")], np.array(levels))
    results = assay.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "AP")
    assert any("without relevant documents" in note for note in results.notes)


@pytest.mark.parametrize("memory", ["all", "1G"])
@pytest.mark.parametrize("text", ["AP", "P@10", "RR", "NumRel", "Twist", "RBP(p=0.8)", "bpref"])
@pytest.mark.parametrize("ties", ["trec_eval-10", "expected"])
def test_float_grades_below_1_raise_an_error_with_a_suggestion(memory: str, text: str, ties: str) -> None:
    with pytest.raises(MeasureError, match=r"no grade in the qrels reaches rel=1 \(the highest is 0\.994\)") as error:
        assay.evaluate(QRELS, RUNS, ["nDCG", text], memory=memory, ties=ties)
    suggested = str(error.value).rpartition("write ")[2]
    assert "rel=0.5" in suggested
    values = assay.evaluate(QRELS, RUNS, suggested, memory=memory, ties=ties).overall()
    assert values.max() > 0


def test_documents_with_at_least_rel_are_relevant() -> None:
    values = assay.evaluate(
        QRELS, RUNS, ["NumRel(rel=0.5)", "NumRel(rel=0.2)", "AP(rel=0.5)", "Twist(rel=0.5)"]
    ).overall()
    assert values.tolist() == [[2, 3, 0.5, values[0, 3]], [2, 3, 1, 1]]
    assert values[0, 3] < 1


def test_a_threshold_above_the_highest_grade_raises_an_error() -> None:
    with pytest.raises(MeasureError, match=r"AP\(rel=2\)': no grade in the qrels reaches rel=2 \(.* 1\); write AP$"):
        assay.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}, "AP(rel=2)")


def test_every_analysis_raises_the_error() -> None:
    for analysis in (
        assay.uncertainty.ties,
        assay.uncertainty.bounds,
        assay.meta.robustness,
        assay.meta.pool_depth,
        assay.meta.correlate,
    ):
        with pytest.raises(MeasureError, match=HIGHEST):
            analysis(CAMPAIGN, ["AP", "P@1"])
    assert "the highest is 0.994" in "".join(
        assay.distance.med(CAMPAIGN, "AP").notes
    )  # Unjudged documents may reach the threshold.
    with pytest.raises(MeasureError, match=HIGHEST):
        assay.uncertainty.residual(CAMPAIGN, [0.8])
    with pytest.raises(MeasureError, match=HIGHEST):
        assay.effort.indicators(CAMPAIGN)
    with pytest.raises(MeasureError, match=HIGHEST):
        assay.effort.curve(CAMPAIGN, "q", "x")
    with pytest.raises(MeasureError, match=HIGHEST):
        assay.plot("crp", CAMPAIGN)


def test_curves_with_a_lower_threshold() -> None:
    report = assay.effort.indicators(CAMPAIGN, rel=0.5)
    assert report.relevant.tolist() == [1, 1]
    assert report.frame()["twist"].to_list()[2:] == [1, 1]
    assert assay.effort.curve(CAMPAIGN, "q", "y", rel=0.5).frame()["crp"].to_list() == [0, 0]


def test_analyses_may_remove_all_relevant_judgments() -> None:
    """Samples and pools without the only document of grade 2 are evaluated."""
    qrels = {"q": {**dict.fromkeys("abcdefgh", 1), **dict.fromkeys("ijklmnop", 0), "z": 2}}
    runs = {
        name: {"q": {doc: float(i) for i, doc in enumerate(order)}} for name, order in (("x", "zabi"), ("y", "jzai"))
    }
    campaign = assay.read(qrels, runs)
    assert assay.meta.pool_depth(campaign, "AP(rel=2)", depths=[1]).frame().height
    assert assay.meta.robustness(campaign, "AP(rel=2)", ratios=[10], seeds=1).frame().height


def test_lowest_relevant_grade_of_several_measures_is_the_first_threshold() -> None:
    assert lowest_relevant_grade([measure("nDCG"), measure("AP(rel=2)"), measure("P@5")]) == 2
    assert lowest_relevant_grade([measure("nDCG")]) == 1
