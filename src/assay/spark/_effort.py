"""``effort(spark, qrels, runs)``: the indicators of effort, Twist and the archetypes of curves, on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.effort._indicators import MAIN, MORE, build_effort_measures, indicators
from assay.errors import InputError
from assay.measures._threshold import check_thresholds
from assay.model.gains import Gains
from assay.model.policies import Policies
from assay.spark import _input_frames
from assay.spark._buckets import to_arrow
from assay.spark._campaigns import build_bucket_campaign, build_campaign
from assay.spark._collect import collect

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from assay.spark._buckets import Bucket

SCHEMA = ", ".join(
    [
        "run string, topic string, r bigint, n bigint",
        *(f"{name} double" for name in (*MAIN, *MORE)),
        "still_growing boolean, archetype string",
    ]
)


def effort(
    spark: SparkSession,
    qrels: DataFrame,
    runs: DataFrame,
    *,
    depth: int | None = None,
    length: str = "extend",
    crossing: str = "strict",
    endpoint: str = "left",
    weights: str | Mapping[float, float] | None = None,
    persistence: float = 1,
    rel: float = 1,
    grades: Mapping[float, float] | None = None,
    ties: str = "trec_eval-10",
    missing: str = "empty",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    buckets: int | None = None,
    broadcast: bool | None = None,
) -> DataFrame:
    """Measure the effort that rankings cost: the indicators of each run and topic, and the archetypes of their curves.

    Returns a DataFrame with a row for each run and topic, its columns and numbers being those of
    ``assay.effort.indicators(...).frame()``. It is lazy: it is computed when it is written or collected.

    Parameters
    ----------
    spark
        The session.
    qrels, runs
        As in :func:`assay.spark.evaluate`.
    depth
        The length N of all rankings; by default that of the longest one of the whole campaign, which with *unjudged*
        ``condensed`` takes a job of its own to find out. Values with another N are not comparable.
    length, crossing, endpoint, weights, persistence, rel
        As in the measure ``Twist``; *weights* and *persistence* make rho and Twist discontinuous.
    grades
        Grades to be taken for others, such as ``{4: 3, -2: 0}``.
    ties, missing, undefined, unjudged
        As in ``evaluate``; ties must be broken, by something else than the order of lines.
    buckets, broadcast
        Into how many parts topics are cut, and whether judgments are sent to every task; by default as their sizes say.
    """
    _input_frames.refuse_ties(ties, expected="a curve needs an order")
    policies = Policies(ties, missing, undefined, unjudged)
    own: dict[str, Any] = {
        "length": length,
        "crossing": crossing,
        "endpoint": endpoint,
        "persistence": persistence,
        "rel": rel,
    }
    measures = build_effort_measures(depth, weights=None if weights is None else Gains(weights), **own)
    judgments = map_grades(qrels, grades) if grades else qrels
    ready = build_campaign(spark, judgments, runs, policies, buckets=buckets, broadcast=broadcast, measures=measures)
    check_thresholds(measures, ready.plan.levels)
    work = partial(compute_bucket_effort, policies=policies, options={**own, "depth": depth, "weights": weights})
    return ready.map_buckets(work, SCHEMA)


def compute_bucket_effort(bucket: Bucket, *, policies: Policies, options: Mapping[str, Any]) -> pa.Table:
    """Return the indicators of the topics of a bucket."""
    frame = indicators(build_bucket_campaign(bucket, policies), **options).frame()
    return to_arrow(frame.with_columns(pl.col("r", "n").cast(pl.Int64)))


def map_grades(qrels: DataFrame, grades: Mapping[float, float]) -> DataFrame:
    """Judgments with some grades taken for others; grades that there are not are refused."""
    from pyspark.sql import functions as F

    judgments = _input_frames.select_judgments(qrels)
    known = set(collect(judgments.select("value").distinct())["value"])
    strange = [grade for grade in grades if float(grade) not in known]
    if strange:
        levels = " ".join(f"{level:g}" for level in sorted(level for level in known if level is not None))
        raise InputError(f"qrels: has no grade {strange[0]:g}; it has {levels}")
    taken = F.col("value")
    for old, new in grades.items():
        taken = F.when(F.col("value") == float(old), F.lit(float(new))).otherwise(taken)
    return judgments.select("topic", "doc", taken.alias("grade"))
