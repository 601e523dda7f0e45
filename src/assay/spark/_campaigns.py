"""Build campaigns from DataFrames, and join the rankings of a bucket with its judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from assay.engine.campaign import Campaign
from assay.measures import Measure
from assay.model.joined import join_run
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.provenance import Input, Provenance
from assay.spark._buckets import to_arrow
from assay.spark._collect import collect
from assay.spark._distributed_campaign import DistributedCampaign
from assay.spark._session import require_pyspark
from assay.spark._topic_notes import refuse_disjoint_runs

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from assay.spark._buckets import Bucket


def build_campaign(
    spark: SparkSession,
    qrels: DataFrame,
    runs: DataFrame,
    policies: Policies,
    *,
    measures: tuple[Measure, ...] = (),
    buckets: int | None = None,
    broadcast: bool | None = None,
) -> DistributedCampaign:
    """Build a campaign with the maximum depths for *measures*; refuse a run that shares no topic with the judgments."""
    require_pyspark()
    rank = policies.ties == "rank"
    campaign = DistributedCampaign.build(spark, qrels, runs, rank=rank, buckets=buckets, broadcast=broadcast)
    refuse_disjoint_runs(campaign, campaign.names)
    return add_condensed_depth(campaign, measures, policies)


def build_provenance(names: Sequence[str], policies: Policies, *, judged: bool = True) -> Provenance:
    """Return the provenance of DataFrames: the names of the runs, and the judgments if *judged* is True."""
    judgments = [Input("qrels", "qrels", "qrels", None)] if judged else []
    return Provenance((*judgments, *(Input("run", name, name, None) for name in names)), policies)


def build_bucket_campaign(bucket: Bucket, policies: Policies) -> Campaign:
    """Return a campaign of the runs of a bucket, with the maximum depth of the whole campaign."""
    names = tuple(run.name for run in bucket.runs)
    provenance = Provenance.of(bucket.qrels, bucket.runs, names, policies)
    judged = judge_bucket(bucket, replace(policies, unjudged="nonrelevant"))
    return Campaign(bucket.qrels, names, bucket.qrels.topics, policies, (), provenance, _whole=judged)


def judge_bucket(bucket: Bucket, policies: Policies) -> Judged:
    """Return the judged rankings of a bucket, with the maximum depth of the whole campaign."""
    joined = [join_run(bucket.qrels, run.table, policies.ties) for run in bucket.runs]
    judged = Judged.assemble(bucket.qrels, joined, policies).with_max_depth(bucket.max_depth, bucket.condensed_depth)
    return judged.with_policies(policies)


def add_condensed_depth(
    campaign: DistributedCampaign, measures: tuple[Measure, ...], policies: Policies
) -> DistributedCampaign:
    """Add the maximum depth after removing unjudged documents, if a measure needs it; this takes a separate job."""
    depth_measures = [measure for measure in measures if measure.core.uses_max_depth]
    condenses = policies.unjudged == "condensed" or any(measure.condenses for measure in depth_measures)
    if not depth_measures or not condenses:
        return campaign
    condensed = replace(policies, unjudged="condensed")

    def work(bucket: Bucket) -> pa.Table:
        length = judge_bucket(bucket, condensed).length.max(initial=0)
        return to_arrow(pl.DataFrame({"depth": pl.Series([int(length)], dtype=pl.Int64)}))

    depths = collect(campaign.map_buckets(work, "depth long"))["depth"]
    return campaign.with_condensed_depth(max(depths.to_list(), default=0))
