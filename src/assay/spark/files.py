"""``assay eval --engine spark``: from files to results, runs being read in executors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.engine.sources import as_qrels
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.policies import Policies
from assay.model.provenance import Input, Provenance
from assay.model.qrels import Qrels
from assay.results.table import Results
from assay.spark._buckets import as_arrow
from assay.spark._distributed_campaign import DistributedCampaign
from assay.spark._tables import IN_INPUT_ORDER
from assay.spark.evaluating import evaluated, refuse_sampling
from assay.spark.reading import survey
from assay.spark.session import one_line_errors, working

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def evaluate_files(
    qrels: Any,
    runs: Any,
    measures: Any,
    *,
    master: str | None = None,
    grades: Mapping[float, float] | None = None,
    lenient: bool = False,
    **given: Any,
) -> Results:
    """Evaluate runs in files on a cluster; *given* are policies. The results are those of one machine.

    The judgments are read here, on the driver; runs are read where they are evaluated.
    """
    chosen, policies = parse_measures(measures), Policies(**given)
    refuse_sampling(chosen, policies)
    judgments = as_qrels(qrels, lenient=lenient)
    judgments = judgments.regraded(grades) if grades else judgments
    with working(master) as spark:
        return _evaluated(spark, judgments, runs, chosen, policies, lenient=lenient)


def _evaluated(
    spark: SparkSession,
    judgments: Qrels,
    runs: Any,
    measures: tuple[Measure, ...],
    policies: Policies,
    *,
    lenient: bool,
) -> Results:
    by_line = policies.ties in IN_INPUT_ORDER
    by_rank = policies.ties == "rank" or by_line
    read = survey(spark, runs, lenient=lenient, rank=by_rank and not by_line, line=by_line)
    with one_line_errors():
        table = spark.createDataFrame(as_arrow(judgments.frame()))
    campaign = DistributedCampaign.of(spark, table, read.rows, names=read.names, sizes=read.sizes, rank=by_rank)
    inputs = [Input("qrels", judgments.source, judgments.source, judgments.digest)]
    inputs += [Input("run", *one) for one in zip(read.names, read.sources, read.digests, strict=True)]
    found = evaluated(
        campaign,
        measures,
        Provenance(tuple(inputs), policies),
        before=(*judgments.notes, *read.before),
        of_run=tuple(zip(read.notes, read.naming, strict=True)),
    )
    return found.results()
