"""Evaluate runs in files topic by topic, if there are too many judgments for the memory of each worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.io.source import note_ignored_entries
from assay.measures import Measure
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.model.qrels import Qrels
from assay.results.results import Results
from assay.spark._buckets import to_arrow
from assay.spark._distributed_campaign import DistributedCampaign
from assay.spark._evaluate import evaluate_campaign, refuse_sampling
from assay.spark._input_frames import IN_INPUT_ORDER
from assay.spark._read_runs import read_rows
from assay.spark._session import one_line_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def evaluate_by_topic(
    spark: SparkSession,
    judgments: Qrels,
    runs: Any,
    measures: tuple[Measure, ...],
    policies: Policies,
    *,
    lenient: bool,
) -> Results:
    """Group the rows of run files and the judgments by topic in a shuffle, then evaluate them."""
    refuse_sampling(measures, policies)
    by_line = policies.ties in IN_INPUT_ORDER
    files = read_rows(spark, runs, lenient=lenient, rank=policies.ties == "rank", by_line=by_line)
    with one_line_errors():
        table = spark.createDataFrame(to_arrow(judgments.frame()))
    campaign = DistributedCampaign.build(
        spark, table, files.rows, names=files.names, rank=by_line or policies.ties == "rank", broadcast=False
    )
    results = evaluate_campaign(
        campaign,
        measures,
        Provenance.of(judgments, files.runs, files.names, policies),
        input_notes=(*judgments.notes, *note_ignored_entries(runs)),
        run_notes=tuple((run.notes, notes) for run, notes in zip(files.runs, files.name_notes, strict=True)),
    )
    return results.results()
