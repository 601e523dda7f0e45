"""What analyses need of a campaign and of its buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evaluation import Prepared
from assay.measures import Measure
from assay.model.policies import Policies
from assay.results.provenance import Provenance
from assay.scale.spark._campaign import Campaign
from assay.scale.spark.evaluating import _of_one_length, _share_topics, judged_of
from assay.scale.spark.session import require_pyspark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from assay.scale.spark._buckets import Bucket


def campaign(
    spark: SparkSession,
    qrels: DataFrame,
    runs: DataFrame,
    policies: Policies,
    *,
    measures: tuple[Measure, ...] = (),
    buckets: int | None = None,
    broadcast: bool | None = None,
) -> Campaign:
    """The campaign, with the longest ranking that *measures* look at; a run that shares no topic is refused."""
    require_pyspark()
    rank = policies.ties == "rank"
    found = Campaign.of(spark, qrels, runs, rank=rank, buckets=buckets, broadcast=broadcast)
    _share_topics(found, list(found.names))
    return _of_one_length(found, measures, policies)


def joined(bucket: Bucket, policies: Policies) -> Prepared:
    """The runs of a bucket joined with its judgments; the longest ranking is that of the whole campaign."""
    names = tuple(run.name for run in bucket.runs)
    provenance = Provenance.of(bucket.qrels, bucket.runs, names, policies)
    return Prepared(bucket.qrels, names, judged_of(bucket, policies), provenance, ())
