"""Bounds per topic and on average, with policies and on real judgments."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from tests.real_data import real
from tests.report_contract import check_report

import assay
from assay.errors import InputError, PolicyError
from assay.uncertainty._bounds import bounds

QRELS = {"1": {"a": 1, "b": 0, "k": 1}, "2": {"e": 1, "f": 0}, "3": {"z": 0}}
RUNS = {
    "bm25": {"1": {"b": 9.0, "a": 8.0, "x": 7.0}, "2": {"e": 9.0, "y": 8.0, "f": 7.0}},
    "dense": {"1": {"x": 9.0, "a": 8.0, "c": 7.0}, "2": {"y": 9.0, "e": 8.0}, "3": {"w": 1.0}},
}
CAMPAIGN = assay.read(QRELS, RUNS)


def get_row(report, run, measure, topic):
    frame = report.frame() if topic != "all" else report.means().with_columns(topic=pl.lit("all"))
    is_row = (pl.col("run") == run) & (pl.col("measure") == measure) & (pl.col("topic") == topic)
    return frame.row(by_predicate=is_row, named=True)


def test_bounds_of_topics():
    report = bounds(CAMPAIGN, ["P@3", "AP", "RBP(p=0.5)"])
    assert get_row(report, "bm25", "P@3", "1")["low"] == pytest.approx(1 / 3)
    assert get_row(report, "bm25", "P@3", "1")["high"] == pytest.approx(2 / 3)
    assert get_row(report, "bm25", "P@3", "1")["judged"] == pytest.approx(2 / 3)
    # If x is relevant, AP is (1/2 + 2/3) / 3, which is larger.
    assert get_row(report, "bm25", "AP", "1")["low"] == pytest.approx(1 / 4)
    assert get_row(report, "bm25", "AP", "1")["high"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    # x, a and c are relevant, and so is k, which is not retrieved.
    assert get_row(report, "dense", "AP", "1")["high"] == pytest.approx(3 / 4)
    assert get_row(report, "dense", "RBP(p=0.5)", "2")["high"] == pytest.approx(1.0)
    assert report.exact.all()


def test_means_over_topics():
    report = bounds(CAMPAIGN, "AP")
    for column in ("value", "low", "high", "judged"):
        topics = report.frame().filter(pl.col("run") == "dense")[column]
        assert get_row(report, "dense", "AP", "all")[column] == pytest.approx(topics.mean())
    assert get_row(report, "bm25", "AP", "3")["low"] == 0.0  # The run lacks the topic, so the ranking is empty.
    assert get_row(report, "dense", "AP", "3")["high"] == 1.0  # No relevant document is known, but w may be relevant.


@pytest.mark.parametrize(
    ("measure", "options", "reason"),
    [
        ("R@2", {}, "unjudged documents below rank 2"),
        ("R@3", {"outside": 1}, "documents outside the ranking"),
        ("RBP(p=0.5)", {}, "--no-tail"),
    ],
)
def test_notes_explain_uncertainty_of_fully_judged_rankings(measure, options, reason):
    judged_to = 2 if measure == "R@2" else 3
    docs = dict(zip("abu", (1, 0, 1), strict=True))
    qrels = {"1": {doc: docs[doc] for doc in "abu"[:judged_to]} | {"k": 1}}
    run = {"x": {"1": {"a": 9.0, "b": 8.0, "u": 7.0}}}
    report = bounds(assay.read(qrels, run), [measure, "P@2"], **options)
    assert report.judged[0] == 1
    assert report.low[0] < report.high[0]
    (note,) = (note for note in report.notes if reason in note)
    assert note.startswith(f"{measure}: uncertain values for 1 fully judged ranking: ")
    certain = bounds(assay.read(qrels, run), "P@2", **options)
    assert not certain.notes, "no note if the bounds are equal"


def test_relevant_documents_outside_the_ranking():
    none, one, any_ = (bounds(CAMPAIGN, ["AP", "P@3"], outside=outside) for outside in ("none", 1, "any"))
    low_bounds = [get_row(report, "dense", "AP", "2")["low"] for report in (none, one, any_)]
    assert low_bounds == [pytest.approx(1 / 2), pytest.approx(1 / 4), 0.0]
    assert np.array_equal(none.high, any_.high)
    assert np.array_equal(none.low[1], any_.low[1])
    assert (one.outside, any_.outside) == (1, math.inf)
    assert np.array_equal(bounds(CAMPAIGN, ["AP", "P@3"], outside="1").low, one.low)


@pytest.mark.parametrize("outside", ["some", -1, True, "1.5", 2.5, 10**9])
def test_invalid_outside_raises(outside):
    with pytest.raises(InputError, match="choose none, any or a number of further relevant documents"):
        bounds(CAMPAIGN, "AP", outside=outside)


def test_bounds_without_the_tail():
    with_tail, without_tail = (
        bounds(CAMPAIGN, "RBP(p=0.5)"),
        bounds(CAMPAIGN, "RBP(p=0.5)", tail=False),
    )
    assert get_row(with_tail, "bm25", "RBP(p=0.5)", "1")["high"] == pytest.approx(0.25 + 0.125 + 0.125)
    assert get_row(without_tail, "bm25", "RBP(p=0.5)", "1")["high"] == pytest.approx(0.25 + 0.125)
    assert get_row(with_tail, "bm25", "RBP(p=0.5)", "3")["high"] == 1.0
    assert get_row(without_tail, "bm25", "RBP(p=0.5)", "3")["high"] == 0.0


def test_policies_for_undefined_and_unsupported_values():
    excluded = bounds(assay.read(QRELS, RUNS, undefined="exclude", missing="exclude"), "AP")
    assert get_row(excluded, "dense", "AP", "3") == {
        **dict.fromkeys(("value", "low", "high", "judged")),
        "run": "dense",
        "measure": "AP",
        "topic": "3",
        "exact": True,
    }
    assert excluded.means()["low"].is_finite().all()
    assert excluded.notes[-1] == (
        "AP: topics without relevant documents are also excluded from the bounds, although further judgments could "
        "find relevant documents"
    )
    with pytest.raises(PolicyError, match="bounds need an order"):
        bounds(assay.read(QRELS, RUNS, ties="expected"), "AP")
    with pytest.raises(PolicyError, match="bounds need the unjudged documents"):
        bounds(assay.read(QRELS, RUNS, unjudged="condensed"), "AP")


def test_outer_bounds_are_noted():
    long_run = {"q": {f"d{i:02}": -float(i) for i in range(40)}}
    report = bounds(assay.read({"q": {"d00": 1}}, long_run), ["BPM(T=2)@30", "AP"])
    meaning = "no completion has a value outside the bounds, but the bounds may not be attained"
    assert report.notes == (f"BPM(T=2)@30: outer bounds for 1 of 1 ranking: {meaning}",)
    assert report.means()["exact"].to_list() == [False, True]
    assert repr(report) == "Bounds(1 run x 1 topic: BPM(T=2)@30, AP)"


def test_graded_q_is_exact_for_few_completions():
    few = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    many = {"q": {f"d{i:02}": -float(i) for i in range(30)}}
    report = bounds(assay.read({"q": {"a": 1, "b": 2, "c": 2}}, {"few": few, "many": many}), "Q")
    assert report.exact[0, :, 0].tolist() == [True, False]


def test_geometric_means_and_sums():
    report = bounds(CAMPAIGN, ["GM(AP)", "NumRel"], outside=3)
    assert get_row(report, "bm25", "NumRel", "all")["high"] == 3 + 2 + 9  # known, unjudged, and outside on three topics
    inner = bounds(CAMPAIGN, "AP", outside=3)
    assert np.array_equal(report.low[0], inner.low[0])
    logs = np.log(np.maximum(inner.high[0, 0], 1e-5))
    assert get_row(report, "bm25", "GM(AP)", "all")["high"] == pytest.approx(math.exp(logs.mean()))


def test_progress_is_reported():
    calls = []
    bounds(CAMPAIGN, "AP", progress=lambda done, total: calls.append((done, total)))
    assert calls == [(2, 2)]


def test_block_size_does_not_matter(monkeypatch):
    together = bounds(CAMPAIGN, ["AP", "nDCG", "bpref", "Twist"])
    monkeypatch.setattr("assay.uncertainty._bounds._BLOCK", 1)
    one_by_one = bounds(CAMPAIGN, ["AP", "nDCG", "bpref", "Twist"])
    assert np.array_equal(together.low, one_by_one.low)
    assert np.array_equal(together.high, one_by_one.high)


CHEAP = (
    *("AP", "AP(norm=min)@100", "nDCG", "nDCG@10", "RBP(p=0.8)", "RBP(p=0.95)", "P@10", "ERR@20", "Rprec", "bpref"),
    *("RR", "R@100", "SSP@10", "AP*", "YAAP", "DCG@10", "INST(T=1)", "NERR10(p=0.9)", "NumRel", "Accuracy"),
)


def test_bounds_of_a_shallow_pool_contain_values_of_the_full_pool():
    """Bounds of TREC-8 judged to depth 10 contain the values of the full pool if any documents may be outside."""
    folder = real("trec8-adhoc")
    runs = [str(path) for path in sorted((folder / "runs").iterdir())[::16]]
    full = assay.evaluate(str(folder / "qrels.trec8.adhoc.txt.gz"), runs, CHEAP)
    shallow = str(folder / "depth10" / "depth10.qrels.gz")
    report = bounds(assay.read(shallow, runs), CHEAP, outside="any")
    assert report.results.topics == full.topics
    outside_bounds = (full.values < report.low - 1e-9) | (full.values > report.high + 1e-9)
    assert outside_bounds.sum(axis=(1, 2)).tolist() == [0] * len(CHEAP)
    without_outside = bounds(assay.read(shallow, runs), ["AP", "P@10"])
    num_below = [(full.matrix(m) < without_outside.low[i] - 1e-9).sum() for i, m in enumerate(["AP", "P@10"])]
    assert num_below[0] > 0  # Other runs retrieved further relevant documents.
    assert num_below[1] == 0  # A measure without a recall base does not depend on them.


# Tables and summary ----------------------------------------------------------------------------------------------


def test_tables() -> None:
    report = bounds(CAMPAIGN)
    assert [str(measure) for measure in report.results.measures] == ["AP", "nDCG@10", "P@10", "RR"]
    table = check_report(report)
    assert table.heading == "measure"
    assert table.compact.columns == ["measure", "run", "value", "lowest", "highest", "width", "judged", "bounds"]
    assert table.frame.columns == ["run", "measure", "topic", "value", "low", "high", "exact", "judged"]
    assert table.frame.drop("topic").equals(report.means())
    topics = report.table("topics").frame
    assert topics["topic"].to_list()[:4] == ["1", "2", "3", "all"]
    assert topics.filter(pl.col("topic") != "all").equals(report.frame())
    outer = check_report(bounds(CAMPAIGN, ["BPM(T=2)@30"]), "means")
    assert ("outer" in outer.caption) == ("outer" in outer.compact["bounds"])
    assert report.provenance.settings["outside"] == "none"
    assert bounds(CAMPAIGN, "P@3", outside="any").provenance.settings["outside"] == "any"
    assert bounds(CAMPAIGN, "P@3", outside=3).provenance.settings["outside"] == 3


JUDGED = {"q": {"a": 1, "b": 0, "c": 1}}
RUNS_OF_JUDGED = {
    "best": {"q": {"a": 3, "c": 2, "x": 1}},
    "worst": {"q": {"b": 3, "z": 2}},
    "middle": {"q": {"b": 3, "a": 2}},
}


def summarize(runs, measures, **options):
    return bounds(assay.read(JUDGED, {run: RUNS_OF_JUDGED[run] for run in runs}), measures, **options).summary()


def test_summary_counts_pairs_with_a_certain_order() -> None:
    assert summarize(["best", "worst"], "P@2") == (
        "For any grades of unjudged documents, the order stays the same for 1 of 1 pair of runs by P@2. "
        "best stays first by P@2."
    )
    assert summarize(["worst", "middle"], "P@2") == (
        "For any grades of unjudged documents, the order stays the same for 0 of 1 pair of runs by P@2. "
        "By P@2 the interval of the leader overlaps with the intervals of other runs."
    )


def test_summary_names_measures_with_braces() -> None:
    assert summarize(["best", "worst"], ["P@2", "DCG(gains={1:2})@2"]).startswith(
        "For any grades of unjudged documents, the order stays the same for 1 of 1 pair of runs by P@2, 1 by DCG("
    )


def test_summary_is_cautious_if_documents_of_other_runs_matter() -> None:
    """Only the other run retrieves z, but its grade changes the recall base of both runs."""
    text = summarize(["best", "worst"], "AP")
    assert text.startswith("The bounds of AP assume that no unjudged document outside a ranking is relevant")
    assert "stays first" not in text
    assert "of 1 pair of runs by AP" in summarize(["best", "worst"], "AP", outside="any")


def test_summary_of_one_run_and_of_certain_values() -> None:
    assert (
        summarize(["worst"], "P@2")
        == "For any grades of its unjudged documents, worst lies between 0.0000 and 0.5000 by P@2."
    )
    assert summarize(["best", "middle"], "P@2") == "No unjudged document of a ranking can change its values."
    several = bounds(assay.read(JUDGED, RUNS_OF_JUDGED), "P@2").summary()
    assert "best stays first by P@2" in several
