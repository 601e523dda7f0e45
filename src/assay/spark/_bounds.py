"""``bounds(spark, qrels, runs, measures)``: bounds on values of measures given incomplete judgments, on a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.policies import Policies
from assay.spark import _input_frames
from assay.spark._buckets import to_arrow
from assay.spark._campaigns import build_bucket_campaign, build_campaign
from assay.uncertainty._bounds import bounds as bounds_of_campaign
from assay.uncertainty._bounds import parse_outside

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from assay.spark._buckets import Bucket

SCHEMA = "run string, measure string, topic string, value double, low double, high double, exact boolean, judged double"


def bounds(
    spark: SparkSession,
    qrels: DataFrame,
    runs: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    outside: int | str = "none",
    tail: bool = True,
    ties: str = "trec_eval-10",
    missing: str = "empty",
    undefined: str = "zero",
    buckets: int | None = None,
    broadcast: bool | None = None,
) -> DataFrame:
    """Compute the smallest and the largest value over all completions of the judgments.

    Returns a lazy DataFrame ``run, measure, topic, value, low, high, exact, judged`` with a row for each run, measure
    and topic and the numbers of ``assay.uncertainty.bounds(...).frame()``. It is computed when it is written or
    collected.

    Parameters
    ----------
    spark
        The session.
    qrels, runs, measures
        As in :func:`assay.spark.evaluate`.
    outside, tail
        As in :func:`assay.uncertainty.bounds`.
    ties, missing, undefined
        As in ``evaluate``; the tie policy must not be ``expected`` and must not depend on the order of lines. A topic
        that is excluded because it has no relevant documents remains excluded.
    buckets, broadcast
        As in ``evaluate``.
    """
    parsed_measures = parse_measures(measures)
    _input_frames.refuse_ties(ties, expected="bounds need an order")
    policies = Policies(ties, missing, undefined)
    parse_outside(outside)  # raises an error before any job starts
    campaign = build_campaign(
        spark, qrels, runs, policies, measures=parsed_measures, buckets=buckets, broadcast=broadcast
    )
    work = partial(compute_bucket_bounds, measures=parsed_measures, policies=policies, outside=outside, tail=tail)
    return campaign.map_buckets(work, SCHEMA)


def compute_bucket_bounds(
    bucket: Bucket, *, measures: tuple[Measure, ...], policies: Policies, outside: int | str, tail: bool
) -> pa.Table:
    """Return the bounds of the topics of a bucket."""
    campaign = build_bucket_campaign(bucket, policies)
    return to_arrow(bounds_of_campaign(campaign, measures, outside=outside, tail=tail).frame())
