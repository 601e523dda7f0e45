"""Evaluation on a cluster: values are bitwise equal to the local ones, and errors name the run, topic and document."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import assay
from assay.errors import AssayError, InputError, PolicyError
from assay.measures import measures as parse_measures
from assay.spark import evaluate, one_line_errors
from assay.spark._campaign import DistributedCampaign
from assay.spark._evaluate import SparkResults, evaluate_campaign
from spark_cases import MEASURES, assert_same_results, awkward_campaign, to_dataframe

CASES = [
    ({}, True),
    ({"ties": "trec_eval-9", "missing": "exclude", "undefined": "exclude", "unjudged": "condensed"}, False),
]


@pytest.mark.parametrize(("policies", "broadcast"), CASES)
def test_values_and_notes_are_the_local_ones(spark: Any, policies: dict[str, str], broadcast: bool) -> None:
    qrels, runs = awkward_campaign()
    evaluation = evaluate(
        spark,
        to_dataframe(spark, qrels),
        to_dataframe(spark, runs),
        MEASURES,
        broadcast=broadcast,
        buckets=5,
        **policies,
    )
    assert evaluation.frame.columns == ["run", "topic", "measure", "value"]
    expected = assay.evaluate(qrels, runs, MEASURES, **policies)
    assert any("without judgments" in note for note in expected.notes)
    assert any("lacks" in note for note in expected.notes)
    assert any("without relevant documents" in note for note in expected.notes)
    assert_same_results(evaluation.results(), expected)
    assert [(entry.role, entry.name) for entry in evaluation.provenance.inputs] == [
        ("qrels", "qrels"),
        *(("run", name) for name in expected.runs),
    ]


def test_expected_ties_are_the_local_ones(spark: Any) -> None:
    qrels, runs = awkward_campaign(systems=2, topics=6)
    chosen = ("P@10", "nDCG@10", "RBP(p=0.8)")
    results = evaluate(spark, to_dataframe(spark, qrels), to_dataframe(spark, runs), chosen, ties="expected").results()
    assert_same_results(results, assay.evaluate(qrels, runs, chosen, ties="expected"))


def evaluate_in_small_buckets(
    spark: Any, qrels: pl.DataFrame, runs: pl.DataFrame, measures: Any, **options: Any
) -> SparkResults:
    """Evaluate in buckets of a limited number of rows."""
    campaign = DistributedCampaign.build(spark, to_dataframe(spark, qrels), to_dataframe(spark, runs), **options)
    return evaluate_campaign(campaign, parse_measures(measures), campaign.provenance())


@pytest.mark.scale
@pytest.mark.parametrize("broadcast", [True, False])
def test_large_topic_is_split_by_runs(spark: Any, broadcast: bool) -> None:
    """One ranking is much longer than the others, and its topic has more rows than a bucket may contain."""
    qrels, runs = awkward_campaign(systems=4, topics=6)
    topics = sorted(set(qrels["topic"]))
    long_run = pl.DataFrame(
        {
            "run": "long",
            "topic": topics[1],
            "doc": [f"extra{i}" for i in range(20_000)],
            "score": [float(i % 977) for i in range(20_000)],
        }
    )
    runs = pl.concat([runs, long_run])
    evaluation = evaluate_in_small_buckets(
        spark, qrels, runs, ("AP", "nDCG", "Twist", "num_ret"), rows=1500, broadcast=broadcast
    )
    assert evaluation.campaign.plan.split_topics[topics[1]] > 1
    assert_same_results(evaluation.results(), assay.evaluate(qrels, runs, ("AP", "nDCG", "Twist", "num_ret")))


BAD_ROWS = {
    "run 'b', topic 2, document d1: the score must be a finite number, found missing": ("b", "2", "d1", None),
    "run 'b', topic 2, document d1: the score must be a finite number, found nan": ("b", "2", "d1", float("nan")),
    "run 'a': document d1 was retrieved twice for topic 1": ("a", "1", "d1", 7.0),
    "run 'b': the document id of topic 2 is missing": ("b", "2", None, 1.0),
}


@pytest.mark.parametrize("message", BAD_ROWS)
def test_error_names_run_topic_and_document(spark: Any, message: str) -> None:
    qrels = pl.DataFrame({"topic": ["1", "2"], "doc": ["d1", "d1"], "grade": [1.0, 0.0]})
    good = [("a", "1", "d1", 1.0), ("b", "1", "d1", 1.0)]
    runs = pl.DataFrame([*good, BAD_ROWS[message]], schema=["run", "topic", "doc", "score"], orient="row")
    evaluation = evaluate(spark, to_dataframe(spark, qrels), to_dataframe(spark, runs), "AP")
    with pytest.raises(InputError) as error, one_line_errors():
        evaluation.frame.collect()
    assert str(error.value) == message


def test_repeated_judgments_are_rejected_with_and_without_broadcast(spark: Any) -> None:
    qrels = pl.DataFrame({"topic": ["1", "1"], "doc": ["d1", "d1"], "grade": [1.0, 2.0]})
    runs = to_dataframe(spark, pl.DataFrame({"run": ["a"], "topic": ["1"], "doc": ["d1"], "score": [1.0]}))
    message = r"qrels: document d1 of topic 1 is judged twice \(grades 1 and 2\)"
    with pytest.raises(InputError, match=message):
        evaluate(spark, to_dataframe(spark, qrels), runs, "AP", broadcast=True)
    with pytest.raises(InputError, match=message):
        evaluate(spark, to_dataframe(spark, qrels), runs, "AP", broadcast=False).results()


def list_invalid_inputs(spark: Any) -> list[tuple[str, pl.DataFrame, pl.DataFrame, dict[str, Any]]]:
    qrels = pl.DataFrame({"topic": ["1"], "doc": ["d1"], "grade": [1.0]})
    runs = pl.DataFrame({"run": ["a"], "topic": ["1"], "doc": ["d1"], "score": [1.0]})
    return [
        ("no column for the score among", qrels, runs.drop("score"), {}),
        ("no column for the run; name it one of", qrels, runs.drop("run"), {}),
        ("topic ids must be text", qrels.with_columns(topic=pl.lit(1.0)), runs, {}),
        ("the score must be a number", qrels, runs.with_columns(score=pl.lit("x")), {}),
        ("has no rank column", qrels, runs, {"ties": "rank"}),
        ("a DataFrame has no order of rows", qrels, runs, {"ties": "score-file"}),
        ("buckets must be at least 1", qrels, runs, {"buckets": 0}),
        ("shares no topic with the qrels", qrels, runs.with_columns(topic=pl.lit("9")), {}),
        (
            r"no grade in the qrels reaches rel=1 \(the highest is 0.5\)",
            qrels.with_columns(grade=pl.lit(0.5)),
            runs,
            {},
        ),
        ("the name of the run is missing", qrels, runs.with_columns(run=pl.lit(None, pl.String)), {}),
        *(
            ("qrels: contains no judgments", qrels.clear(), runs, {"broadcast": broadcast})
            for broadcast in (True, False)
        ),
        ("runs: contains no results", qrels, runs.clear(), {}),
    ]


def test_invalid_inputs_are_rejected_in_one_line(spark: Any) -> None:
    for message, qrels, runs, options in list_invalid_inputs(spark):
        with pytest.raises(AssayError, match=message) as error:
            evaluate(spark, to_dataframe(spark, qrels), to_dataframe(spark, runs), "AP", **options)
        assert "\n" not in str(error.value)
    with pytest.raises(PolicyError, match="needs sampled orders"):
        evaluate(spark, None, None, ["AP", "Twist"], ties="expected")  # type: ignore[arg-type]


@pytest.mark.scale
def test_ranks_order_documents_and_repeated_ranks_are_rejected(spark: Any) -> None:
    qrels = pl.DataFrame({"topic": ["1"], "doc": ["d2"], "grade": [1.0]})
    runs = pl.DataFrame(
        {"run": "a", "topic": "1", "doc": ["d1", "d2", "d3"], "score": [1.0, 1.0, 1.0], "rank": [3, 1, 2]}
    )
    results = evaluate(spark, to_dataframe(spark, qrels), to_dataframe(spark, runs), "RR", ties="rank").results()
    assert_same_results(results, assay.evaluate(qrels, runs, "RR", ties="rank"))
    repeated = evaluate(
        spark, to_dataframe(spark, qrels), to_dataframe(spark, runs.with_columns(rank=pl.lit(1))), "RR", ties="rank"
    )
    with pytest.raises(InputError, match="rank 1 occurs twice for topic 1"):
        repeated.results()
