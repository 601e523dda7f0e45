"""``effort(spark, qrels, runs)``: indicators of effort, Twist and archetypes of CRP curves, on a cluster."""

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
    """Measure the effort of users: the indicators and the archetype of the curve for each run and topic.

    Returns a lazy DataFrame with a row for each run and topic and the columns and numbers of
    ``assay.effort.indicators(...).frame()``. It is computed when it is written or collected.

    Parameters
    ----------
    spark
        The session.
    qrels, runs
        As in :func:`assay.spark.evaluate`.
    depth
        The length N of all rankings; by default the length of the longest ranking of the campaign. Finding it takes a
        separate job if *unjudged* is ``condensed``. Values with different N are not comparable.
    length, crossing, endpoint, weights, persistence, rel
        As in the measure ``Twist``; *weights* and *persistence* make rho and Twist discontinuous.
    grades
        Grades to replace by others, such as ``{4: 3, -2: 0}``.
    ties, missing, undefined, unjudged
        As in ``evaluate``; the tie policy must not be ``expected`` and must not depend on the order of lines.
    buckets, broadcast
        As in ``evaluate``.
    """
    _input_frames.refuse_ties(ties, expected="a curve needs an order")
    policies = Policies(ties, missing, undefined, unjudged)
    options: dict[str, Any] = {
        "length": length,
        "crossing": crossing,
        "endpoint": endpoint,
        "persistence": persistence,
        "rel": rel,
    }
    measures = build_effort_measures(depth, weights=None if weights is None else Gains(weights), **options)
    judgments = map_grades(qrels, grades) if grades else qrels
    campaign = build_campaign(spark, judgments, runs, policies, buckets=buckets, broadcast=broadcast, measures=measures)
    check_thresholds(measures, campaign.plan.levels)
    work = partial(compute_bucket_effort, policies=policies, options={**options, "depth": depth, "weights": weights})
    return campaign.map_buckets(work, SCHEMA)


def compute_bucket_effort(bucket: Bucket, *, policies: Policies, options: Mapping[str, Any]) -> pa.Table:
    """Return the indicators of the topics of a bucket."""
    frame = indicators(build_bucket_campaign(bucket, policies), **options).frame()
    return to_arrow(frame.with_columns(pl.col("r", "n").cast(pl.Int64)))


def map_grades(qrels: DataFrame, grades: Mapping[float, float]) -> DataFrame:
    """Replace grades of judgments by others; raise an error for a grade that does not occur."""
    from pyspark.sql import functions as F

    judgments = _input_frames.select_judgments(qrels)
    levels = set(collect(judgments.select("value").distinct())["value"])
    unknown = [grade for grade in grades if float(grade) not in levels]
    if unknown:
        existing = " ".join(f"{level:g}" for level in sorted(level for level in levels if level is not None))
        raise InputError(f"qrels: has no grade {unknown[0]:g}; it has {existing}")
    grade = F.col("value")
    for old, new in grades.items():
        grade = F.when(F.col("value") == float(old), F.lit(float(new))).otherwise(grade)
    return judgments.select("topic", "doc", grade.alias("grade"))
