"""``med(spark, qrels, runs, measures)``: maximized effectiveness distances of all pairs of runs, on a cluster.

A task has some topics and some pairs of runs. It has all the runs of its topics, though, as documents that no run of a
pair has may still decide how sums round; pairs are cut only where there are fewer topics than tasks that run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.distance._med.report import MedReport
from assay.distance._med.request import MedRequest
from assay.distance.maximized_effectiveness import all_pairs, build_report, find_extremes
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
from assay.spark import _input_frames
from assay.spark._buckets import to_arrow
from assay.spark._campaigns import build_campaign, build_provenance
from assay.spark._collect import collect, index_names
from assay.spark._distributed_campaign import DistributedCampaign
from assay.spark._session import parallelism
from assay.spark._topic_notes import build_run_notes

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
_EXTREMES = ("difference", "up", "down", "up_bound", "down_bound")
_MORE = tuple(name for name in _EXTREMES if name not in COLUMNS)
_SCHEMA = ", ".join(f"{name} {kind}" for name, kind in {**COLUMNS, **dict.fromkeys(_MORE, "double")}.items())


@dataclass(frozen=True, eq=False)
class SparkDistances:
    """What :func:`med` returns: a DataFrame that Spark has yet to work out, and how it is made.

    Attributes
    ----------
    extremes
        The columns of *frame*, and the extremes that they are made of.
    runs
        The runs, in order.
    pairs
        Pairs x 2: the numbers of the runs.
    judged
        Whether there are judgments.
    provenance
        The version, the inputs and the policies behind the distances.
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
        """Collect everything to the driver, as the report that :func:`assay.distance.med` returns."""
        found = collect(self.extremes.select("run_a", "run_b", "measure", "topic", *_EXTREMES))
        report = gathered(found, self.runs, self.pairs, self.request, self.provenance)
        before, behind = (self._topic_notes(), self._unreached()) if self.judged else ([], self._missing())
        return replace(report, notes=(*before, *report.notes, *behind))

    def _unreached(self) -> list[str]:
        return find_threshold_problems(self.request.measures, self.campaign.plan.levels)

    def _topic_notes(self) -> list[str]:
        """Which topics of a run have no judgments, and how many topics it lacks."""
        notes = build_run_notes(
            self.campaign, self.provenance.sources, left_out=False, ties=self.provenance.policies.ties
        )
        return [note for several in notes for note in several]

    def _missing(self) -> list[str]:
        """Which runs lack topics that others have, where no qrels tell the topics."""
        topics = self.campaign.topics
        return [
            f"{run}: lacks {topics - own.answered} of the {pluralize(topics, 'topic')} of all runs; "
            "counted as empty rankings"
            for run, own in zip(self.runs, self.campaign.coverage, strict=True)
            if own.answered < topics
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
    """Find the largest difference in effectiveness that the judgments allow, as :func:`assay.distance.med` does.

    Parameters
    ----------
    spark
        The session.
    qrels
        As in :func:`assay.spark.evaluate`, or None: nothing is judged.
    runs
        As in :func:`assay.spark.evaluate`; two runs or more, every pair of which is compared.
    measures, depth, method, residual
        As in :func:`assay.distance.med`.
    first
        Compare the first run, in the order of their names, with each of the others only.
    ties
        As in ``evaluate``; ties must be broken, by something else than the order of lines.
    seed
        Of tabu search.
    buckets, blocks
        Into how many parts topics are cut, and pairs of runs. The rankings of a topic are sent once for each part of
        the pairs; by default pairs are cut only if there are fewer topics than tasks that run at once.
    broadcast
        Whether judgments are sent to every task; by default if they are few.
    """
    _input_frames.refuse_ties(ties, expected="distances need an order")
    policies = Policies(ties=ties, seed=seed)
    request, judged = MedRequest(parse_measures(measures), depth, method, residual, seed), qrels is not None
    cut = request.max_depth
    if blocks is not None and blocks < 1:
        raise InputError(f"blocks must be at least 1, got {blocks}")
    judgments = _build_empty_qrels(runs) if qrels is None else qrels
    ready = build_campaign(spark, judgments, runs, policies, buckets=buckets, broadcast=broadcast)
    if len(ready.names) < 2:
        raise InputError(f"runs: name at least two runs to compare, found {len(ready.names)}")
    if qrels is None:
        _refuse_isolated_runs(ready)
    longest = ready.max_depth if cut is None else min(cut, ready.max_depth)
    request = replace(request, measures=tuple(task.measure for task in request.tasks(longest=max(longest, 1))))
    pairs = all_pairs(len(ready.names), first=first)
    parts = min(len(pairs), blocks or ceil(2 * parallelism(spark) / ready.topics))
    work = partial(compute_bucket_distances, request=request, ties=ties, judged=judged)
    extremes = _extremes(ready, work, np.array_split(pairs, parts))
    provenance = build_provenance(ready.names, policies, judged=judged)
    return SparkDistances(extremes, ready.names, pairs, request, judged, provenance, ready)


def _build_empty_qrels(runs: DataFrame) -> DataFrame:
    """Judgments that tell the topics of runs and nothing else."""
    from pyspark.sql import functions as F

    topics = _input_frames.select_runs(runs, rank=False).select("topic").distinct()
    return topics.select("topic", F.lit("-").alias("doc"), F.lit(0.0).alias("grade"))


def _refuse_isolated_runs(campaign: DistributedCampaign) -> None:
    """Refuse a run none of whose topics another run has."""
    from pyspark.sql import functions as F

    shared = campaign.sizes.groupBy("topic").count().where(F.col("count") > 1)
    known = set(collect(campaign.sizes.join(shared, "topic").select("run").distinct())["run"])
    lonely = [name for name in campaign.names if name not in known]
    if lonely:
        raise InputError(f"{lonely[0]}: shares no topic with another run; nothing can be compared")


def _extremes(campaign: DistributedCampaign, work: Callable[..., pa.Table], pairs: list[Ints]) -> DataFrame:
    """The extremes of all topics and pairs, the latter in parts."""
    works = [partial(work, pairs=some) for some in pairs]
    if len(works) == 1:
        return campaign.map_buckets(works[0], _SCHEMA, split=False)
    return campaign.map_works(works, _SCHEMA)


def compute_bucket_distances(bucket: Bucket, *, pairs: Ints, request: MedRequest, ties: str, judged: bool) -> pa.Table:
    """Return the extremes of the topics of a bucket for some pairs of runs."""
    qrels = bucket.qrels if judged else None
    joined = [join_run(qrels, run.table, ties, "documents") for run in bucket.runs]
    rankings = Rankings.from_joined_runs(joined, bucket.names, qrels)
    topics = rankings.topics if qrels is None else qrels.topics
    rankings = replace(rankings.select(topics=topics, depth=request.max_depth), tied=None)
    tasks = request.tasks(longest=int(rankings.length.max(initial=1)))
    extremes, _ = find_extremes(rankings, tasks, pairs)
    provenance = Provenance((), Policies())
    report = build_report(
        rankings.runs, rankings.topics, pairs, extremes, request=request, tasks=tasks, provenance=provenance
    )
    more = {name: getattr(report, name).transpose(1, 0, 2).ravel() for name in _MORE}
    return to_arrow(report.topic_frame().with_columns(**{name: pl.Series(name, of) for name, of in more.items()}))


def gathered(
    rows: pl.DataFrame, runs: tuple[str, ...], pairs: Ints, request: MedRequest, provenance: Provenance
) -> MedReport:
    """The report of the extremes that all tasks found, rows in any order; means are taken in the order of topics."""
    tasks = request.tasks()
    topics = rows["topic"].unique().sort()
    place = index_names(rows["measure"], [str(task.measure) for task in tasks]), _pair(rows, runs, pairs)
    where = (*place, topics.search_sorted(rows["topic"]).to_numpy())
    shape = (len(tasks), len(pairs), len(topics))
    found: dict[str, Floats] = {}
    for name in _EXTREMES:
        found[name] = np.full(shape, np.nan)
        found[name][where] = rows[name].fill_null(np.nan).to_numpy()
    return build_report(runs, tuple(topics), pairs, found, request=request, tasks=tasks, provenance=provenance)


def _pair(rows: pl.DataFrame, runs: tuple[str, ...], pairs: Ints) -> Ints:
    """The number of the pair of each row."""
    number = np.zeros((len(runs), len(runs)), dtype=np.int64)
    number[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    return np.asarray(number[index_names(rows["run_a"], runs), index_names(rows["run_b"], runs)])
