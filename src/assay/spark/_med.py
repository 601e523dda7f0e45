"""``med(spark, qrels, runs, measures)``: maximum effectiveness difference of all pairs of runs, on a cluster.

A task has some topics and some pairs of runs, but all runs of its topics: documents that neither run of a pair has
retrieved can still affect how sums are rounded. Pairs are only divided if there are fewer topics than concurrent tasks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.distance._med.report import MedReport
from assay.distance._med.request import MedRequest
from assay.distance.maximized_effectiveness import all_pairs, build_report, compute_extremes
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import find_threshold_problems
from assay.model.arrays import Floats, Ints
from assay.model.joined import join_run
from assay.model.notes import pluralize
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.model.rankings import Rankings
from assay.results.run_pairs import require_two_runs
from assay.spark._campaign import DistributedCampaign
from assay.spark._frames import collect, index_names, refuse_ties, select_runs, to_arrow
from assay.spark._session import parallelism

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from assay.spark._buckets import Bucket

COLUMNS = {
    **dict.fromkeys(("run_a", "run_b", "measure", "topic"), "string"),
    **dict.fromkeys(("med", "difference"), "double"),
    "direction": "string",
    "exact": "boolean",
    **dict.fromkeys(("low", "high", "smallest", "largest"), "double"),
}
# The columns from which ``assemble_report`` rebuilds the report; those that are not in COLUMNS are added to each row.
_EXTREME_COLUMNS = ("difference", "up", "down", "up_bound", "down_bound")
_ADDED_COLUMNS = tuple(name for name in _EXTREME_COLUMNS if name not in COLUMNS)
_SCHEMA = ", ".join(f"{name} {kind}" for name, kind in {**COLUMNS, **dict.fromkeys(_ADDED_COLUMNS, "double")}.items())


@dataclass(frozen=True, eq=False)
class SparkDistances:
    """Result of :func:`med`: a lazy DataFrame of distances, with their provenance.

    Attributes
    ----------
    extremes
        The columns of *frame*, and the extremes from which these are computed.
    runs
        The names of the runs, in order.
    pairs
        The indices of the two runs of each pair (pairs x 2).
    judged
        True if there are judgments.
    provenance
        The version, the inputs and the policies of the distances.
    """

    extremes: DataFrame
    runs: tuple[str, ...]
    pairs: Ints
    request: MedRequest
    judged: bool
    provenance: Provenance
    campaign: DistributedCampaign

    @property
    def frame(self) -> DataFrame:
        """A row for each pair of runs, measure and topic, as in ``assay.distance.med(...).topic_frame()``."""
        return self.extremes.select(*COLUMNS)

    def report(self) -> MedReport:
        """Collect the values to the driver, and return the report of :func:`assay.distance.med`."""
        rows = collect(self.extremes.select("run_a", "run_b", "measure", "topic", *_EXTREME_COLUMNS))
        report = assemble_report(rows, self.runs, self.pairs, self.request, self.provenance)
        if not self.judged:
            return replace(report, notes=(*report.notes, *self._missing_notes()))
        topic_notes = [note for run_notes in self.campaign.run_notes() for note in run_notes]
        threshold_notes = find_threshold_problems(self.request.measures, self.campaign.plan.levels)
        return replace(report, notes=(*topic_notes, *report.notes, *threshold_notes))

    def _missing_notes(self) -> list[str]:
        """Return notes on runs that lack topics of other runs, for the case without judgments."""
        topic_count = self.campaign.topic_count
        return [
            f"{run}: lacks {topic_count - coverage.judged_topic_count} of the {pluralize(topic_count, 'topic')} "
            "of all runs; counted as empty rankings"
            for run, coverage in zip(self.runs, self.campaign.coverage, strict=True)
            if coverage.judged_topic_count < topic_count
        ]


def med(
    spark: SparkSession,
    qrels: DataFrame | None,
    runs: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    depth: int | None = None,
    method: str = "exact",
    residual: bool = False,
    first: bool = False,
    ties: str = "trec_eval-10",
    seed: int = 0,
    buckets: int | None = None,
    blocks: int | None = None,
    broadcast: bool | None = None,
) -> SparkDistances:
    """Find the maximum difference in effectiveness over all completions of the judgments.

    The numbers are those of :func:`assay.distance.med`.

    Parameters
    ----------
    spark
        The session.
    qrels
        As in :func:`assay.spark.evaluate`, or None if there are no judgments.
    runs
        As in :func:`assay.spark.evaluate`; at least two runs. All pairs are compared.
    measures, depth, method, residual
        As in :func:`assay.distance.med`.
    first
        Compare only the first run (in order of name) with every other run.
    ties
        As in ``evaluate``; the tie policy must not be ``expected`` and must not depend on the order of lines.
    seed
        Seed of the tabu search.
    buckets, blocks
        Number of parts into which topics (*buckets*) and pairs of runs (*blocks*) are divided. The rankings of a topic
        are sent once for each block of pairs. By default, pairs are divided only if there are fewer topics than
        concurrent tasks.
    broadcast
        As in ``evaluate``.
    """
    refuse_ties(ties, expected="distances need an order")
    policies = Policies(ties=ties, seed=seed)
    request, judged = MedRequest(parse_measures(measures), depth, method, residual, seed), qrels is not None
    max_depth = request.max_depth  # raises an error for invalid arguments before any job starts
    if blocks is not None and blocks < 1:
        raise InputError(f"blocks must be at least 1, got {blocks}")
    judgments = _build_empty_qrels(runs) if qrels is None else qrels
    campaign = DistributedCampaign.build(spark, judgments, runs, policies, buckets=buckets, broadcast=broadcast)
    require_two_runs(campaign.names)
    if qrels is None:
        _refuse_isolated_runs(campaign)
    longest = campaign.plan.max_depth if max_depth is None else min(max_depth, campaign.plan.max_depth)
    request = replace(request, measures=tuple(task.measure for task in request.tasks(longest=max(longest, 1))))
    pairs = all_pairs(len(campaign.names), first=first)
    block_count = min(len(pairs), blocks or ceil(2 * parallelism(spark) / campaign.topic_count))
    works = [
        partial(compute_bucket_distances, pairs=block, request=request, ties=ties, judged=judged)
        for block in np.array_split(pairs, block_count)
    ]
    extremes = campaign.map_buckets(works, _SCHEMA, split=False)
    provenance = campaign.provenance(judged=judged)
    return SparkDistances(extremes, campaign.names, pairs, request, judged, provenance, campaign)


def _build_empty_qrels(runs: DataFrame) -> DataFrame:
    """Return judgments with the topics of the runs and one placeholder document each."""
    from pyspark.sql import functions as F

    topics = select_runs(runs, rank=False).select("topic").distinct()
    return topics.select("topic", F.lit("-").alias("doc"), F.lit(0.0).alias("grade"))


def _refuse_isolated_runs(campaign: DistributedCampaign) -> None:
    """Refuse a run that shares no topic with another run."""
    from pyspark.sql import functions as F

    shared = campaign.sizes.groupBy("topic").count().where(F.col("count") > 1)
    connected = set(collect(campaign.sizes.join(shared, "topic").select("run").distinct())["run"])
    isolated = [name for name in campaign.names if name not in connected]
    if isolated:
        raise InputError(f"{isolated[0]}: shares no topic with another run; nothing can be compared")


def compute_bucket_distances(bucket: Bucket, *, pairs: Ints, request: MedRequest, ties: str, judged: bool) -> pa.Table:
    """Compute MED for the topics of a bucket and the given pairs of runs: a row for each pair, measure and topic."""
    qrels = bucket.qrels if judged else None
    joined = [join_run(qrels, run.table, ties, "documents") for run in bucket.runs]
    rankings = Rankings.from_joined_runs(joined, bucket.plan.names, qrels)
    topics = rankings.topics if qrels is None else qrels.topics
    rankings = replace(rankings.select(topics=topics, depth=request.max_depth), tied=None)
    tasks = request.tasks(longest=int(rankings.length.max(initial=1)))
    extremes, _ = compute_extremes(rankings, tasks, pairs)
    provenance = Provenance((), Policies())
    report = build_report(
        rankings.runs, rankings.topics, pairs, extremes, request=request, tasks=tasks, provenance=provenance
    )
    # The arrays of the report have the shape measures x pairs x topics. The rows of topic_frame are ordered by pair,
    # measure and topic, so the first two axes are exchanged.
    added = [pl.Series(name, getattr(report, name).transpose(1, 0, 2).ravel()) for name in _ADDED_COLUMNS]
    return to_arrow(report.topic_frame().with_columns(added))


def assemble_report(
    rows: pl.DataFrame, runs: tuple[str, ...], pairs: Ints, request: MedRequest, provenance: Provenance
) -> MedReport:
    """Build the report from the rows of all tasks, in any order.

    Topics are sorted first, so means are summed in the same order as on one machine.
    """
    tasks = request.tasks()
    topics = rows["topic"].unique().sort()
    indices = (
        index_names(rows["measure"], [str(task.measure) for task in tasks]),
        _index_pairs(rows, runs, pairs),
        topics.search_sorted(rows["topic"]).to_numpy(),
    )
    shape = (len(tasks), len(pairs), len(topics))
    extremes: dict[str, Floats] = {}
    for name in _EXTREME_COLUMNS:
        extremes[name] = np.full(shape, np.nan)
        extremes[name][indices] = rows[name].fill_null(np.nan).to_numpy()
    return build_report(runs, tuple(topics), pairs, extremes, request=request, tasks=tasks, provenance=provenance)


def _index_pairs(rows: pl.DataFrame, runs: tuple[str, ...], pairs: Ints) -> Ints:
    """Return the index of the pair of each row."""
    pair_index = np.zeros((len(runs), len(runs)), dtype=np.int64)
    pair_index[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    return np.asarray(pair_index[index_names(rows["run_a"], runs), index_names(rows["run_b"], runs)])
