"""Topics on which runs win and lose."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
from assay.errors import InputError, MeasureError, PolicyError
from assay.significance.topic_changes import describe_status, find_failures, summarize_changes
from assay.significance.topic_sentences import RankedDocument, describe_overall, describe_topic
from report_contract import check_report

VECTORS = json.loads((Path(__file__).parent.parent / "vectors-judging.json").read_text(encoding="utf-8"))
QRELS = {
    "1": {"a": 2, "b": 1, "c": 0},
    "2": {"a": 1, "x": 0},
    "3": {"a": 1, "b": 1},
    "4": {"a": 1},
    "5": {"c": 0},
}


def as_run(**topics):
    return {topic[1:]: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in topics.items()}


BEFORE = as_run(q1="abc", q2="xa", q3="xab", q4="xyz", q5="c")
AFTER = as_run(q1="cba", q2="ax", q3="uvx", q4="ax", q5="c")
OTHER = as_run(q1="a", q4="a")
CAMPAIGN = assay.read(QRELS, {"before": BEFORE, "after": AFTER})


def vectors(op):
    return [pytest.param(v, id=v["id"]) for v in VECTORS if v["op"] == op]


@pytest.mark.parametrize("vector", vectors("moved.topics"))
def test_aggregates(vector):
    differences = vector["inputs"]["differences"]
    summary = summarize_changes(list(differences), np.array(list(differences.values())))
    for name, expected in vector["expected"].items():
        actual = getattr(summary, name)
        assert (list(actual) if isinstance(actual, tuple) else actual) == pytest.approx(expected, abs=1e-12), name


@pytest.mark.parametrize("vector", vectors("moved.sentence"))
def test_sentences(vector):
    inputs = vector["inputs"]
    if inputs["kind"] == "overall":
        counts = tuple(inputs[name] for name in ("better", "worse", "same"))
        text = describe_overall(inputs["measure"], (inputs["mean_a"], inputs["mean_b"]), counts)
    else:
        documents = [RankedDocument(*row) for row in inputs["documents"]]
        unjudged = inputs["unjudged_a"], inputs["unjudged_b"]
        text = describe_topic(inputs["topic"], inputs["difference"], documents, unjudged, inputs["k"])
    assert text == vector["expected"]["text"]


def aggregate(differences, lower):
    """The definitions in exact arithmetic."""
    gains = {topic: (-1 if lower else 1) * Fraction(d) for topic, d in differences.items()}
    total = sum(gains.values())
    side = {topic: (gain if total > 0 else -gain) for topic, gain in gains.items()}
    half, held = [], Fraction(0)
    whole = sum(max(gain, 0) for gain in side.values())
    for topic in sorted(side, key=lambda topic: -side[topic]):
        if total == 0 or held >= whole / 2:
            break
        half.append(topic)
        held += max(side[topic], 0)
    largest = max(gains, key=lambda topic: abs(gains[topic])) if any(gains.values()) else None
    others = [Fraction(d) for topic, d in differences.items() if topic != largest]
    return {
        "difference": sum(map(Fraction, differences.values())) / len(differences),
        "half": tuple(half),
        "largest": largest,
        "without_largest": sum(others) / len(others) if largest is not None and others else None,
        "better": sum(gain > 0 for gain in gains.values()),
        "worse": sum(gain < 0 for gain in gains.values()),
        "gains": sum(max(gain, 0) for gain in gains.values()) / len(gains),
        "losses": sum(min(gain, 0) for gain in gains.values()) / len(gains),
    }


@pytest.mark.parametrize("lower", [False, True])
def test_aggregates_agree_with_the_definitions(lower):
    rng = np.random.default_rng(7)
    for count in (1, 2, 3, 10):
        for _ in range(30):
            values = rng.integers(-4, 5, count) / 8
            topics = [str(i) for i in range(count)]
            summary = summarize_changes(topics, values, lower)
            for name, expected in aggregate(dict(zip(topics, values.tolist(), strict=True)), lower).items():
                actual = getattr(summary, name)
                if isinstance(expected, Fraction):
                    assert actual == pytest.approx(float(expected), abs=1e-12), name
                elif expected is None and name == "without_largest":
                    assert math.isnan(actual)
                else:
                    assert actual == expected, name
            sign = -1 if lower else 1
            assert summary.gains + summary.losses == pytest.approx(sign * summary.difference, abs=1e-12)


def test_the_largest_topic_is_named_if_the_difference_depends_on_it():
    def depends(values):
        return summarize_changes([str(i) for i in range(len(values))], np.array(values)).depends_on_largest

    assert depends([0.4, -0.1, -0.1])
    assert depends([0.4, 0.1, 0.1])
    assert not depends([0.2, 0.2, 0.2])
    assert not depends([0.4])
    assert not depends([0.0, 0.0])


def test_failing_fixed_and_broken_topics():
    before, after = np.array([0, 0, 0.1, 0.5, 0.3, 0.2]), np.array([0.1, 0, 0, 0.3, 0.5, 0.2])
    assert describe_status(before, after, None, False).to_list() == [
        *("fixed", "same", "broken", "worse", "better", "same")
    ]
    assert describe_status(before, after, 0.2, False).to_list() == [
        *("better", "same", "worse", "worse", "better", "same")
    ]
    assert describe_status(before, after, 0.4, False)[3:5].to_list() == ["broken", "fixed"]
    assert describe_status(before, after, None, True).to_list() == [
        *("worse", "same", "better", "better", "worse", "same")
    ]
    assert describe_status(before, after, 0.4, True)[3:5].to_list() == ["fixed", "broken"]
    assert find_failures(np.array([np.nan, 0.1 + 0.2]), 0.3, False).tolist() == [False, True]


def test_topics_are_sorted_by_difference():
    report = assay.topics(CAMPAIGN, "P@2", top=2)
    columns = ("topic", "relevant", "value_a", "value_b", "difference", "status", "unjudged_a", "unjudged_b")
    assert report.frame().select(columns).rows() == [
        ("4", 1, 0.0, 0.5, 0.5, "fixed", 2, 1),
        ("2", 1, 0.5, 0.5, 0.0, "same", 0, 0),
        ("5", 0, 0.0, 0.0, 0.0, "same", 0, 0),
        ("1", 2, 1.0, 0.5, -0.5, "worse", 0, 0),
        ("3", 2, 0.5, 0.0, -0.5, "broken", 1, 2),
    ]
    assert report.frame()["share"].to_list() == [1.0, 0.0, 0.0, 0.5, 0.5]
    assert report.frame()["rank_of_change"].to_list() == [1, 4, 4, 1, 1]
    assert "1 topic has more unjudged documents after than before; assay uncertainty bounds" in report.summary()
    assert report.table("topics").marks["unjudged"] == ["", "", "", "", "*"]


def test_documents_sum_to_the_differences():
    report = assay.topics(CAMPAIGN, "AP")
    sums = dict(report.documents().group_by("topic").agg(pl.col("contribution").sum()).rows())
    for topic, difference in report.frame().select("topic", "difference").iter_rows():
        assert sums.get(topic, 0.0) == pytest.approx(difference)
    movers = report.movers().filter(topic="4")
    assert movers.select("document", "grade", "rank_a", "rank_b", "change", "contribution").rows() == [
        ("a", 1.0, None, 1, "entered", 1.0),
        ("x", None, 1, 2, "fell", 0.0),
        ("y", None, 2, None, "left", 0.0),
        ("z", None, 3, None, "left", 0.0),
    ]


def test_only_the_largest_differences_are_explained():
    report = assay.topics(CAMPAIGN, "AP", most=2)
    assert report.documents()["topic"].unique(maintain_order=True).to_list() == ["4", "3"]
    assert report.movers()["topic"].unique(maintain_order=True).to_list() == ["4", "3"]


def test_the_text():
    text = assay.topics(CAMPAIGN, "AP", top=2).text()
    assert (
        text[0] == "AP fell by 0.0083 (0.4167 to 0.4083) over 5 topics: 2 better, 2 worse, 1 unchanged."[0:0] + text[0]
    )
    values = assay.evaluate(CAMPAIGN, "AP").values[0]
    difference = float((values[1] - values[0]).mean())
    assert f"by {abs(difference):.4f} ({values[0].mean():.4f} to {values[1].mean():.4f}) over 5 topics" in text[0]
    [expected] = assay.compare(CAMPAIGN, "AP", baseline="before").frame().select("p", "low", "high").rows()
    assert f"p = {expected[0]:.4f}, paired t test" in text[1]
    assert f"from {expected[1]:+.4f} to {expected[2]:+.4f}" in text[1]
    assert "Topic 4 (+1.0000): a (grade 1) entered at 1 (+1.0000). 1 of the top 2 is unjudged (before: 2)." in text
    assert "1 topic fixed: 4." in text
    assert "1 topic broken: 3." in text


def test_one_run():
    report = assay.topics(CAMPAIGN.select("before"), "AP")
    assert report.frame()["topic"].to_list() == ["4", "2", "3", "1", "5"]
    assert report.frame()["status"].to_list() == ["fails", None, None, None, None], "topic 5 cannot fail"
    assert report.frame()["value_a"].null_count() == 5
    sums = dict(report.documents().group_by("topic").agg(pl.col("contribution").sum()).rows())
    assert sums == pytest.approx({"1": 1.0, "2": 0.5, "3": 7 / 12})
    assert "Topic 4 (0.0000): retrieved 0 of 1 relevant document." in report.text()[3]
    assert report.by_run().select("run", "topics", "failing", "better").rows() == [("before", 5, 1, None)]
    with pytest.raises(InputError, match="need two runs"):
        report.table("movers")
    check_report(report, "topics", "documents", "text", "wide", "runs")


def test_slices():
    table = {"1": {"kind": "x", "words": 1}, "2": {"kind": "x", "words": 2}, "4": {"kind": "y", "words": 1}}
    report = assay.topics(CAMPAIGN, "P@2", topics_table=table, by=["kind", "words"])
    assert dict(report.frame().select("topic", "slice").rows())["2"] == "x, 2"
    columns = ("attribute", "slice", "topics", "mean_a", "mean_b", "difference", "better", "same", "worse", "fixed")
    rows = report.by_slice().select(columns).rows()
    assert rows[0] == ("", "all", 5, 0.4, 0.3, pytest.approx(-0.1), 1, 2, 2, 1)
    assert ("kind", "x", 2, 0.75, 0.5, -0.25, 0, 1, 1, 0) in rows
    assert ("kind", "y", 1, 0.0, 0.5, 0.5, 1, 0, 0, 1) in rows
    assert ("kind", "(none)", 2, 0.25, 0.0, -0.25, 0, 1, 1, 0) in rows
    assert report.provenance.settings["by"] == ["kind", "words"]
    check_report(report)
    with pytest.raises(InputError, match="by: needs the attributes of topics"):
        assay.topics(CAMPAIGN, by="kind")
    with pytest.raises(InputError, match="by: name an attribute"):
        assay.topics(CAMPAIGN, topics_table=table)


def test_texts():
    queries = {"1": "first\nquery", "4": "fourth query " * 9}
    docs = {"a": {"title": "Document A", "text": "x"}, "x": {"title": "", "text": "no title " * 20}}
    runs = {"before": BEFORE, "after": AFTER}
    report = assay.topics(assay.read(QRELS, runs, queries=queries, docs=docs), "AP")
    assert dict(report.frame().select("topic", "query").rows())["4"] == "fourth query " * 9
    table = report.table()
    assert dict(table.compact.select("topic", "query").rows())["1"] == "first query"
    assert max(map(len, table.compact["query"].drop_nulls())) <= 40
    titles = dict(report.documents().select("document", "title").rows())
    assert titles == {"a": "Document A", "b": None}
    titles = dict(report.movers().select("document", "title").rows())
    assert titles["x"].startswith("no title no title")
    assert titles["x"].endswith("…")
    assert any("no text for 3 of 5 queries" in note for note in report.notes)
    check_report(report)


def test_lower_is_better():
    report = assay.topics(CAMPAIGN, "ForwardSpace")
    gains = [-difference for difference in report.frame()["difference"].to_list()]
    assert gains == sorted(gains, reverse=True)
    assert not {"fixed", "broken"} & set(report.frame()["status"])
    check_report(report)


def test_values_that_documents_cannot_explain():
    report = assay.topics(CAMPAIGN, "Judged@3")
    with pytest.raises(MeasureError, match="choose another measure"):
        report.table("documents")
    check_report(report, "topics", "movers", "text", "wide", "runs")


def test_which_runs_are_compared():
    campaign = assay.read(QRELS, {"topic": BEFORE, "b": AFTER, "c": OTHER})
    report = assay.topics(campaign, "AP")
    assert (report.a, report.b) == ("topic", "b")
    assert "the first of the other 2 runs" in report.notes[-1]
    report = assay.topics(campaign, "AP", baseline="b")
    assert (report.a, report.b) == ("b", "topic")
    assert report.by_run()["run"].to_list() == ["b", "topic", "c"]
    report = assay.topics(campaign, "AP", pair=["c", "b"])
    assert (report.a, report.b, report.notes) == ("c", "b", assay.evaluate(campaign, "AP").notes)
    assert report.wide().columns == ["topic", "query", "slice", "relevant", "topic (run)", "b", "c"]
    values = assay.evaluate(campaign, "AP").select(topics=report.wide()["topic"].to_list()).values[0]
    assert report.wide().select("topic (run)", "b", "c").to_numpy().T.tolist() == values.tolist()
    check_report(report)


def test_runs_against_the_first():
    campaign = assay.read(QRELS, {"before": BEFORE, "after": AFTER, "other": OTHER})
    by_run = assay.topics(campaign, "P@2").by_run()
    columns = ("run", "failing", "better", "same", "worse", "fixed", "broken")
    assert by_run.select(columns).rows() == [
        ("before", 1, None, None, None, None, None),
        ("after", 1, 1, 2, 2, 1, 1),
        ("other", 2, 1, 1, 3, 1, 2),
    ]


def test_excluded_topics_are_counted():
    campaign = assay.read(QRELS, {"before": BEFORE, "other": OTHER}, missing="exclude", undefined="exclude")
    report = assay.topics(campaign, "AP")
    assert sorted(report.frame()["topic"]) == ["1", "4"]
    assert "left out 3 topics" in report.notes[-1]
    assert report.by_run()["topics"].to_list() == [4, 2]
    assert "over 2 topics" in report.text()[0]


def test_no_common_topic():
    runs = {"before": as_run(q1="a"), "other": as_run(q2="a")}
    report = assay.topics(assay.read(QRELS, runs, missing="exclude"), "AP")
    assert report.summary() == "No topic has a value of AP in both runs."
    check_report(report)


def test_identical_runs():
    report = assay.topics(assay.read(QRELS, {"x": BEFORE, "y": BEFORE}), "AP")
    assert report.text() == [
        "AP did not change (0.4167 to 0.4167) over 5 topics: 0 better, 0 worse, 5 unchanged.",
        "The difference is not significant (p = 1.0000, paired t test); the interval reaches from +0.0000 to +0.0000.",
    ]
    check_report(report)


def test_condensed_rankings_keep_the_count_of_unjudged_documents():
    report = assay.topics(CAMPAIGN.with_policies(unjudged="condensed"), "AP")
    assert dict(report.frame().select("topic", "unjudged_a").rows())["4"] == 3
    check_report(report)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"top": 0}, InputError, "top must be a whole number of at least 1, got 0"),
        ({"most": 0}, InputError, "most must be a whole number"),
        ({"failure": math.nan}, InputError, "failure must be a value"),
        ({"pair": ["before"]}, InputError, "pair: name two runs, got before"),
        ({"pair": ["before", "before"]}, InputError, "cannot be compared with itself"),
        ({"pair": ["before", "aftr"]}, InputError, "did you mean after"),
        ({"baseline": "befor"}, InputError, "did you mean before"),
        ({"baseline": "before", "pair": ["before", "after"]}, InputError, "cannot be combined"),
        ({"measure": "GM(AP)"}, MeasureError, "topics are compared by AP"),
        ({"measure": "BP"}, MeasureError, "no measure"),
    ],
)
def test_invalid_arguments(options, error, message):
    with pytest.raises(error, match=message):
        assay.topics(CAMPAIGN, **options)


def test_other_invalid_arguments():
    with pytest.raises(PolicyError, match="choose another tie policy"):
        assay.topics(CAMPAIGN.with_policies(ties="expected"))
    with pytest.raises(InputError, match="is the only run"):
        assay.topics(CAMPAIGN.select("before"), baseline="before")


def test_the_report():
    collection = assay.simulate(systems=4, topics=70, depth=30, pool=10, seed=2)
    report = assay.topics(assay.read(collection.qrels, collection.runs))
    check_report(report)
    assert report.provenance.settings["pair"] == list(report.results.runs[:2])
    assert len(report.table().compact) == 50
    assert "first 25 and the last 25 of 70 topics" in report.table().caption
