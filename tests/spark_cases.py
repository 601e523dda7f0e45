"""Campaigns for the tests of Spark: on one machine as frames, on the cluster as DataFrames."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import assay
from assay.spark._buckets import to_plain_arrow
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


def awkward(systems: int = 5, topics: int = 14, seed: int = 7) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgments and runs with ties, unjudged documents, topics that are missing, not judged or without relevance."""
    made = assay.simulate(systems=systems, topics=topics, seed=seed)
    names = made.qrels.topics
    qrels = made.qrels.frame().filter(~pl.col("topic").is_in(names[-2:]))
    nothing = pl.col("topic") == names[0]
    qrels = qrels.with_columns(grade=pl.when(nothing).then(0.0).otherwise(pl.col("grade").cast(pl.Float64)))
    frames = [
        run.frame().select(pl.lit(run.name).alias("run"), pl.all())
        for run in sorted(made.runs, key=lambda run: run.name)
    ]
    frames[0] = frames[0].filter(~pl.col("topic").is_in(names[1:4]))
    frames[1] = frames[1].filter(pl.col("topic") != names[5])
    runs = pl.concat(frames).with_columns(score=pl.col("score").round(1))
    return qrels, runs


def on_cluster(spark: Any, frame: pl.DataFrame, parts: int = 3) -> Any:
    """A frame as a DataFrame whose rows stand in another order, in several parts."""
    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)
    with ignore_warnings():
        return spark.createDataFrame(to_plain_arrow(shuffled)).repartition(parts)


def same(found: assay.Results, expected: assay.Results) -> None:
    """The same values to the last bit, of the same runs, topics and measures, with the same notes."""
    assert (found.runs, found.topics, found.measures) == (expected.runs, expected.topics, expected.measures)
    different = found.values.view(np.int64) != expected.values.view(np.int64)
    different &= ~(np.isnan(found.values) & np.isnan(expected.values))
    assert not different.any(), [str(found.measures[i]) for i in np.unique(np.nonzero(different)[0])]
    assert found.notes == expected.notes
    assert found.provenance.policies == expected.provenance.policies
