"""Steps of Algorithm 1."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay.errors import InputError, MeasureError
from med_sums_cases import vectors
from oracles.med import algorithm_1

[TRACE] = vectors("med_alg1_trace")


def make_run(documents):
    return {"1": {document: float(-rank) for rank, document in enumerate(documents)}}


def trace(y, z, judged, measure, **options):
    campaign = assay.read({"1": judged} if judged else None, {"Y": make_run(y), "Z": make_run(z)})
    return assay.distance.med(campaign, measure, trace=True, **options)


def rows_of_pass(frame, favours):
    columns = ("document", "weight_a", "weight_b", "difference", "relevant", "numerator", "denominator")
    return frame.filter(favours=favours).select(columns).rows()


def test_trace_is_table_2():
    inputs = TRACE["inputs"]
    judged = {document: grade for document, grade in inputs["J"].items() if grade != "?"}
    report = trace(inputs["Y"], inputs["Z"], judged, "nDCG@10")
    frame = report.trace_frame()
    for favours, rows in zip("YZ", TRACE["expected"], strict=True):
        ratios = frame.filter(favours=favours)["ratio"].to_list()
        for ours, ratio, theirs in zip(rows_of_pass(frame, favours), ratios, rows, strict=True):
            assert ours[0] == theirs[0]
            assert (*ours[1:], ratio) == pytest.approx(tuple(theirs[1:]), abs=TRACE["tolerance"])
    [largest] = frame.filter("largest").rows(named=True)
    assert (largest["favours"], largest["document"], largest["step"]) == ("Z", "D", 2)
    assert largest["ratio"] == report.distance.item()
    assert report.table("trace").summary == (
        "The largest ratio is 0.2352, in favour of Z; the labelled documents are L, D."
    )


def test_random_pairs_follow_the_pseudocode():
    rng = np.random.default_rng(3)
    documents = [f"d{number}" for number in range(9)]
    for _ in range(150):
        y, z = (list(rng.permutation(documents)[: rng.integers(1, 8)]) for _ in range(2))
        judged = {document: int(rng.integers(2)) for document in documents if rng.random() < 0.4} | {"outside": 1}
        k = int(rng.integers(1, 7))
        report = trace(y, z, judged, f"nDCG@{k}")
        frame = report.trace_frame()
        for favours, steps in zip("YZ", algorithm_1(y, z, judged, k), strict=True):
            ours = rows_of_pass(frame, favours)
            # Documents with equal differences may be labelled in any order.
            assert np.array([row[3:] for row in ours[1:]]) == pytest.approx(np.array([row[3:] for row in steps[1:]]))
            assert ours[0][4:] == pytest.approx(steps[0][4:])
        assert max(0, frame["ratio"].max()) == pytest.approx(report.distance.item(), abs=1e-15)


def test_no_relevant_documents_at_the_start():
    frame = trace("AB", "BA", {}, "nDCG@2").trace_frame()
    assert frame["ratio"].to_list() == [None, pytest.approx(0.36907), None, pytest.approx(0.36907)]
    assert frame["largest"].to_list() == [False, True, False, False]
    assert trace("AB", "BA", {}, "nDCG@2").table("trace").compact["document"][0] == "(judged)"


def test_counts_of_relevant_documents():
    judged = {"X": 1, "V": 1, "W": 0}
    assert trace("ABC", "D", judged, "nDCG@3").trace_frame()["relevant"].to_list() == [2, 3, 3, 3, 2, 3]
    assert trace("ABC", "D", judged, "R@3").trace_frame()["relevant"].to_list() == [2, 3, 4, 5, 2, 3]
    assert trace("ABC", "D", judged, "R(capped=true)@3").trace_frame()["relevant"].to_list() == [2, 3, 3, 3, 2, 3]


def test_several_gains_follow_the_top_grade():
    """The paper's labels are of the top grade; the largest ratio is then a lower bound of MED."""
    report = trace("AB", "CD", {"A": 1, "C": 0, "D": 0, "E": 1}, "nDCG(gains=exp12, max_rel=2)@2")
    assert report.trace_frame()["ratio"].max() == pytest.approx(0.797, abs=5e-4)
    assert report.distance.item() == pytest.approx(1.0)


def test_several_pairs_and_topics_have_a_neutral_summary():
    runs = {name: {"1": {"a": 2.0, name: 1.0}, "2": {name: 1.0}} for name in "xyz"}
    report = assay.distance.med(assay.read({"1": {"a": 1}, "2": {"a": 1}}, runs), "nDCG@2", trace=True)
    assert report.table("trace").summary == "The trace has 24 steps for 6 combinations of runs and topic."
    assert {"run", "other run", "topic"} <= set(report.table("trace").compact.columns)


def test_a_trace_must_be_requested_for_a_measure_that_has_one():
    with pytest.raises(MeasureError, match=r"measure 'AP@2': a trace shows Algorithm 1, which is for nDCG"):
        trace("AB", "BA", {}, "AP@2")
    campaign = assay.read(runs={"Y": make_run("AB"), "Z": make_run("BA")})
    with pytest.raises(InputError, match="trace=True"):
        assay.distance.med(campaign, "nDCG@2").table("trace")
