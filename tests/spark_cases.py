"""Campaigns for the tests of Spark, as polars frames and as Spark DataFrames."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import assay
from assay.spark._frames import to_plain_arrow
from assay.spark._session import ignore_warnings

MEASURES = (
    "AP",
    "nDCG@10",
    "nDCG",
    "P@10",
    "RR",
    "R@100",
    "RBP(p=0.8)",
    "ERR@20",
    "Q",
    "bpref",
    "Rprec",
    "Twist",
    "Twist@50",
    "num_ret",
    "Condensed(of_measure=Twist)",
    "GM(of_measure=AP)",
)


def awkward_campaign(systems: int = 5, topics: int = 14, seed: int = 7) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return judgments and runs with ties, unjudged documents, and missing, unjudged or relevance-free topics."""
    simulated = assay.simulate(systems=systems, topics=topics, seed=seed)
    names = simulated.qrels.topics
    qrels = simulated.qrels.frame().filter(~pl.col("topic").is_in(names[-2:]))
    first_topic = pl.col("topic") == names[0]
    qrels = qrels.with_columns(grade=pl.when(first_topic).then(0.0).otherwise(pl.col("grade").cast(pl.Float64)))
    frames = [
        run.frame().select(pl.lit(run.name).alias("run"), pl.all())
        for run in sorted(simulated.runs, key=lambda run: run.name)
    ]
    frames[0] = frames[0].filter(~pl.col("topic").is_in(names[1:4]))
    frames[1] = frames[1].filter(pl.col("topic") != names[5])
    runs = pl.concat(frames).with_columns(score=pl.col("score").round(1))
    return qrels, runs


def to_dataframe(spark: Any, frame: pl.DataFrame, parts: int = 3) -> Any:
    """Return a frame as a Spark DataFrame with shuffled rows in several partitions."""
    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)
    with ignore_warnings():
        return spark.createDataFrame(to_plain_arrow(shuffled)).repartition(parts)


def assert_same_results(results: assay.Results, expected: assay.Results) -> None:
    """Check that values are equal to the last bit, and that runs, topics, measures and notes are the same."""
    assert (results.runs, results.topics, results.measures) == (expected.runs, expected.topics, expected.measures)
    different = results.values.view(np.int64) != expected.values.view(np.int64)
    different &= ~(np.isnan(results.values) & np.isnan(expected.values))
    assert not different.any(), [str(results.measures[i]) for i in np.unique(np.nonzero(different)[0])]
    assert results.notes == expected.notes
    assert results.provenance.policies == expected.provenance.policies
