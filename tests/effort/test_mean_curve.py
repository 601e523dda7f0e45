"""Mean curves of runs over topics."""

import numpy as np
import polars as pl
import pytest

import assay
from assay.effort import mean_curve
from assay.errors import AssayError
from report_contract import check_report

QRELS = {"1": {"a": 2, "b": 1, "c": 1}, "2": {"a": 1, "b": 1}, "3": {"a": 0}, "4": {f"d{i}": 1 for i in range(9)}}
SCORES = {
    "ideal": {"1": "abc", "2": "ab", "4": ["d0", "d1"]},
    "late": {"1": "xyabc", "2": "xyzab"},
    "early": {"1": "axyzvw", "2": "axyz", "3": "a", "4": ["d4"]},
}
RUNS = {
    run: {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in topics.items()}
    for run, topics in SCORES.items()
}
CAMPAIGN = assay.read(QRELS, RUNS)


@pytest.mark.parametrize("missing", ["empty", "exclude"])
@pytest.mark.parametrize(("depth", "norm", "confidence"), [(None, "R", 0.95), (3, "none", 0.9), (12, "R", 0.5)])
def test_means_and_intervals_are_those_of_the_measure_crp(depth, norm, confidence, missing):
    campaign = CAMPAIGN.with_policies(missing=missing, undefined="exclude")
    frame = mean_curve(campaign, depth=depth, norm=norm, confidence=confidence).frame()
    ranks = depth or 6
    assert frame["rank"].to_list() == list(range(1, ranks + 1)) * 3
    results = assay.evaluate(campaign, [f"CRP(norm={norm})@{rank}" for rank in range(1, ranks + 1)])
    expected = results.means(confidence)
    for run in campaign.runs:
        curve, measured = frame.filter(run=run), expected.filter(run=run)
        assert curve["topics"].to_list() == measured["topics"].to_list()
        for name, column in (("mean", "value"), ("low", "low"), ("high", "high")):
            assert np.allclose(curve[name].to_numpy(), measured[column].to_numpy(), rtol=1e-12, atol=1e-12)


def test_one_topic_has_no_interval():
    frame = mean_curve(CAMPAIGN.select(topics="1"), runs="late").frame()
    assert frame["mean"].to_list() == [x / 3 for x in (-3, -5, -3, -2, 0, 0)]
    assert frame["low"].null_count() == frame["high"].null_count() == len(frame)


def test_landmarks():
    report = mean_curve(CAMPAIGN.select(topics=["1", "2"]), runs=["late", "ideal"])
    assert report.runs == ("late", "ideal")
    rows = report.landmarks().rows(named=True)
    curve = report.frame().filter(run="late")["mean"].to_list()
    assert rows[0]["lowest"] == min(curve)
    assert rows[0]["turn_around"] == curve.index(min(curve)) + 1
    assert rows[0]["recovery"] == next(i + 1 for i in range(1, len(curve)) if curve[i - 1] < 0 <= curve[i])
    assert rows[1]["lowest"] == 0
    assert rows[1]["recovery"] is None


def test_summaries():
    two = CAMPAIGN.select(topics=["1", "2"])
    assert mean_curve(two, runs="ideal").summary() == "The mean curve of ideal over 2 topics never falls below 0."
    assert (
        "falls to -1.58 per relevant document at rank 2 and returns to 0 at rank 5."
        in mean_curve(two, runs="late").summary()
    )
    assert "does not return to 0" in mean_curve(two, runs="early", norm="none").summary()
    assert "The mean curve of ideal falls least, to 0.00 per relevant document" in mean_curve(two).summary()
    none = mean_curve(assay.read({"1": {"a": 0}}, {"1": {"a": 1.0}}))
    assert none.summary() == "No topic has relevant documents, so there is no curve."
    assert none.landmarks()["lowest"].to_list() == [None]
    check_report(none)


def test_the_report():
    report = mean_curve(CAMPAIGN, depth=25)
    assert check_report(report).name == "curves"
    assert report.table().compact["rank"].unique().sort().to_list() == [1, 2, 5, 10, 20, 25]
    assert repr(report) == "MeanCurve(3 runs, 25 ranks)"
    assert report.frame().filter(pl.col("rank") == 25)["topics"].to_list() == [3, 3, 3]
    assert report.provenance.settings == {"runs": None, "depth": 25, "norm": "R", "confidence": 0.95, "rel": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runs": "lat"}, "there is no run lat; did you mean late"),
        ({"depth": 0}, "depth must be a whole number of at least 1"),
        ({"norm": "r"}, "norm 'r': choose one of R, none"),
        ({"confidence": 95}, "confidence must lie between 0 and 1"),
        ({"rel": 5}, "rel"),
    ],
)
def test_invalid_arguments_raise_an_error(arguments, message):
    with pytest.raises(AssayError, match=message):
        mean_curve(CAMPAIGN, **arguments)


def test_a_curve_needs_an_order():
    with pytest.raises(AssayError, match="a curve needs an order"):
        mean_curve(assay.read(QRELS, RUNS, ties="expected"))
