"""A campaign in DataFrames, with the counts over all topics that are needed before topics are processed separately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.notes import TopicCoverage
from assay.spark import _checks, _input_frames
from assay.spark._buckets import JUDGMENTS, MAX_ROWS, RESULTS, Plan, Work, run_work, run_works, to_arrow
from assay.spark._collect import collect
from assay.spark._session import one_line_errors, parallelism, wrap_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BROADCAST = 500_000
"""Maximum number of judgments that are sent to every task: about 20 MB."""


@dataclass(frozen=True, eq=False)
class DistributedCampaign:
    """Judgments and runs in DataFrames, with their counts.

    Attributes
    ----------
    judgments
        The columns topic, doc, value; only the topics if the judgments are broadcast.
    runs
        The columns run, topic, doc, value and optionally rank.
    plan
        Properties of the campaign that executors need.
    topic_count
        Number of judged topics.
    buckets
        Number of partitions over which topics are distributed.
    coverage
        Topic coverage of each run.
    sizes
        A DataFrame run, topic, rows, judged; *judged* is null for a topic without judgments.
    """

    spark: SparkSession
    judgments: DataFrame
    runs: DataFrame
    plan: Plan
    topic_count: int
    buckets: int
    coverage: tuple[TopicCoverage, ...]
    sizes: DataFrame

    @classmethod
    def build(
        cls,
        spark: SparkSession,
        qrels_df: DataFrame,
        runs_df: DataFrame,
        *,
        names: Sequence[str] | None = None,
        broadcast: bool | None = None,
        rank: bool = False,
        buckets: int | None = None,
        rows: int = MAX_ROWS,
    ) -> DistributedCampaign:
        """Count the rows of runs and topics, and build a campaign.

        *names* lists the runs in order; by default they are sorted by name. *rows* is the target number of rows of a
        bucket. *buckets* overrides the resulting number of buckets. The other arguments are those of
        :func:`assay.spark.evaluate`.
        """
        if buckets is not None and buckets < 1:
            raise InputError(f"buckets must be at least 1, got {buckets}")
        judgments, runs = _input_frames.select_judgments(qrels_df), _input_frames.select_runs(runs_df, rank=rank)
        with one_line_errors():
            judgment_counts = _count_judgments(spark, judgments, broadcast)
            sizes = _count_rows(judgment_counts.topics, runs).persist()
            run_counts = _count_by_run(sizes)
            total = sum(counts.row_count for counts in run_counts.values())
            split_topics = _find_large_topics(sizes, rows) if total > rows else {}
            ordered = _order_names(list(run_counts), names)
            plan = Plan(
                names=ordered,
                hashes=_hash_names(spark, ordered) if split_topics else np.zeros(len(ordered), dtype=np.int64),
                max_depth=max((counts.max_depth for counts in run_counts.values()), default=0),
                levels=judgment_counts.levels,
                split_topics=split_topics,
                judgments=judgment_counts.broadcast_data,
            )
        min_buckets = 2 * parallelism(spark)
        return cls(
            spark=spark,
            judgments=judgments if judgment_counts.broadcast_data is None else judgment_counts.topics,
            runs=runs,
            plan=plan,
            topic_count=judgment_counts.topic_count,
            buckets=buckets or max(ceil(total / rows), min(min_buckets, judgment_counts.topic_count)),
            coverage=tuple(
                run_counts[name].coverage if name in run_counts else TopicCoverage(0, 0, 0) for name in ordered
            ),
            sizes=sizes,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The runs, in order."""
        return self.plan.names

    @property
    def max_depth(self) -> int:
        """The length of the longest ranking of a judged topic."""
        return self.plan.max_depth

    def with_condensed_depth(self, depth: int) -> DistributedCampaign:
        """Return a copy with the length of the longest ranking after removing unjudged documents."""
        return replace(self, plan=replace(self.plan, condensed_depth=depth))

    def map_buckets(self, work: Work, schema: str, *, split: bool = True, runs: bool = True) -> DataFrame:
        """Apply *work* to each bucket, and return the results as a lazy DataFrame.

        Parameters
        ----------
        work
            A function from a :class:`Bucket` to a pyarrow table; it may be a closure.
        schema
            The columns of that table in Spark's notation, such as ``run string, n long``.
        split
            If True, a topic with too many documents may be split into several buckets, each with some of the runs.
        runs
            If False, buckets contain judgments only.
        """
        plan = self.plan if split and runs else replace(self.plan, split_topics={})
        rows = self._combine_rows(plan, runs).repartition(self.buckets, "topic", "piece")

        def task(batches: Any) -> Any:
            return wrap_errors(partial(run_work, plan, work), batches)

        with one_line_errors():
            return rows.mapInArrow(task, schema)

    def map_works(self, works: Sequence[Work], schema: str) -> DataFrame:
        """Apply several work functions to each bucket; its rows are sent once per function, and no topic is split."""
        from pyspark.sql import functions as F

        plan = replace(self.plan, split_topics={})
        rows = self._combine_rows(plan).withColumn("work", F.explode(F.sequence(F.lit(0), F.lit(len(works) - 1))))

        def task(batches: Any) -> Any:
            return wrap_errors(partial(run_works, plan, works), batches)

        with one_line_errors():
            return rows.repartition(self.buckets * len(works), "topic", "work").mapInArrow(task, schema)

    def _combine_rows(self, plan: Plan, runs: bool = True) -> DataFrame:
        """Return the rows of judgments and runs in one DataFrame; for broadcast judgments, only their topics."""
        from pyspark.sql import functions as F

        judgments = self.judgments
        if plan.judgments is not None:
            judgments = judgments.select("topic").withColumns(_null_columns(doc="string", value="double"))
        has_rank = "rank" in self.runs.columns
        rank = _null_columns(rank=self.runs.schema["rank"].dataType.simpleString()) if has_rank else {}
        # Every piece of a split topic needs all judgments of the topic.
        judgments = judgments.withColumns(_null_columns(run="string") | rank)
        judgment_rows = _add_pieces(self.spark, judgments, plan.split_topics, all_pieces=True)
        columns = ["kind", "run", "topic", "piece", "doc", "value", *rank]
        judgment_rows = judgment_rows.withColumn("kind", F.lit(JUDGMENTS).cast("tinyint")).select(*columns)
        if not runs:
            return judgment_rows
        run_rows = _add_pieces(self.spark, self.runs, plan.split_topics)
        return judgment_rows.unionByName(run_rows.withColumn("kind", F.lit(RESULTS).cast("tinyint")).select(*columns))

    def unjudged_topics(self, limit: int) -> dict[str, list[str]]:
        """Return the first *limit* topics without judgments of each run that has any."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        if not any(coverage.unjudged_topic_count for coverage in self.coverage):
            return {}
        number = F.row_number().over(Window.partitionBy("run").orderBy("topic"))
        unjudged = self.sizes.where(F.col("judged").isNull())
        first = unjudged.withColumn("number", number).where(F.col("number") <= limit)
        rows = collect(first.select("run", "topic")).sort("run", "topic")
        return {str(run): group["topic"].to_list() for (run,), group in rows.partition_by("run", as_dict=True).items()}

    def count_contradicted_topics(self) -> dict[str, int]:
        """Return, for each run, the number of judged topics in which the rank column contradicts the scores."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        by_rank = Window.partitionBy("run", "topic").orderBy(F.col("rank").cast("double"))
        # A score that is higher than the score at the previous rank contradicts the ranks.
        previous = F.lag("value").over(by_rank)
        rises = self.runs.withColumn("previous", previous).where(F.col("value") > F.col("previous"))
        judged = self.sizes.where(F.col("judged").isNotNull()).select("run", "topic")
        topics = rises.select("run", "topic").distinct().join(judged, ["run", "topic"])
        return dict(collect(topics.groupBy("run").count()).iter_rows())

    def first_topics(self, limit: int) -> list[str]:
        """Return the first *limit* judged topics."""
        return collect(self.judgments.select("topic").distinct().orderBy("topic").limit(limit))["topic"].to_list()


def _null_columns(**types: str) -> dict[str, Any]:
    """Return columns of nulls by name, for given types in Spark's notation."""
    from pyspark.sql import functions as F

    return {name: F.lit(None).cast(kind) for name, kind in types.items()}


class _JudgmentCounts(NamedTuple):
    """Grades and topics of the judgments.

    *levels* are the grades. *topics* is a DataFrame of the topics, and *topic_count* is their number. *broadcast_data*
    holds all judgments as Arrow bytes if they are broadcast; None otherwise.
    """

    levels: np.ndarray
    topics: DataFrame
    topic_count: int
    broadcast_data: bytes | None


class _RunCounts(NamedTuple):
    """Topic coverage of a run, number of its rows, and length of its longest ranking for a judged topic."""

    coverage: TopicCoverage
    row_count: int
    max_depth: int


def _count_judgments(spark: SparkSession, judgments: DataFrame, broadcast: bool | None) -> _JudgmentCounts:
    """Count the judgments; collect them to the driver if *broadcast* is True, or if it is None and there are few."""
    rows = None
    if broadcast is not False:
        rows = collect((judgments if broadcast else judgments.limit(BROADCAST + 1)).select("topic", "doc", "value"))
    if rows is None or (broadcast is None and len(rows) > BROADCAST):
        return _count_distributed_judgments(judgments)
    if not len(rows):
        raise InputError("qrels: contains no judgments")
    _checks.check_judgments(rows)
    topics = rows.select("topic").unique().sort("topic")
    table = spark.createDataFrame(to_arrow(topics))
    return _JudgmentCounts(np.unique(rows["value"].to_numpy()), table, len(topics), _to_arrow_bytes(rows))


def _count_distributed_judgments(judgments: DataFrame) -> _JudgmentCounts:
    """Count judgments without collecting them to the driver."""
    levels = collect(judgments.select("value").distinct())["value"].drop_nulls()
    topics = judgments.select("topic").distinct()
    topic_count = topics.count()
    if not topic_count:
        raise InputError("qrels: contains no judgments")
    return _JudgmentCounts(np.unique(levels.to_numpy()), topics, topic_count, None)


def _to_arrow_bytes(rows: pl.DataFrame) -> bytes:
    stream = BytesIO()
    rows.sort("topic", "doc").write_ipc_stream(stream, compat_level=pl.CompatLevel.oldest())
    return stream.getvalue()


def _count_rows(topics: DataFrame, runs: DataFrame) -> DataFrame:
    """Return a DataFrame run, topic, rows, judged; *judged* is null for topics that are not among *topics*."""
    from pyspark.sql import functions as F

    sizes = runs.groupBy("run", "topic").agg(F.count(F.lit(1)).alias("rows"))
    return sizes.join(topics.withColumn("judged", F.lit(True)), "topic", "left")


def _count_by_run(sizes: DataFrame) -> dict[str, _RunCounts]:
    """Return the counts of each run, sorted by name."""
    from pyspark.sql import functions as F

    rows, judged = F.col("rows"), F.col("judged").isNotNull()
    counts = collect(
        sizes.groupBy("run").agg(
            F.sum(judged.cast("long")).alias("answered"),
            F.sum((~judged).cast("long")).alias("unjudged"),
            F.sum(F.when(~judged, rows).otherwise(0)).alias("unjudged_rows"),
            F.sum(rows).alias("rows"),
            F.max(F.when(judged, rows).otherwise(0)).alias("max_depth"),
        )
    ).sort("run")
    if not len(counts):
        raise InputError("runs: contains no results")
    if counts["run"].null_count():
        raise InputError("runs: the name of the run is missing in some rows")
    return {
        row["run"]: _RunCounts(
            TopicCoverage(row["answered"], row["unjudged"], row["unjudged_rows"]), row["rows"], row["max_depth"]
        )
        for row in counts.iter_rows(named=True)
    }


def _find_large_topics(sizes: DataFrame, max_rows: int) -> dict[str, int]:
    """Return the judged topics with more than *max_rows* documents, and the number of pieces to split each into."""
    from pyspark.sql import functions as F

    by_topic = sizes.where(F.col("judged").isNotNull()).groupBy("topic")
    large = collect(
        by_topic.agg(F.sum("rows").alias("rows"), F.count(F.lit(1)).alias("runs")).where(F.col("rows") > max_rows)
    )
    # A topic is split by runs, so there are no more pieces than runs.
    piece_counts = {topic: min(ceil(rows / max_rows), runs) for topic, rows, runs in large.iter_rows()}
    return {topic: count for topic, count in piece_counts.items() if count > 1}


def _add_pieces(
    spark: SparkSession, rows: DataFrame, split_topics: Mapping[str, int], *, all_pieces: bool = False
) -> DataFrame:
    """Add a column ``piece``: the piece of a split topic that a row belongs to.

    With *all_pieces*, each row is repeated for every piece of its topic.
    """
    from pyspark.sql import functions as F

    if not split_topics:
        return rows.withColumn("piece", F.lit(0))
    table = spark.createDataFrame(sorted(split_topics.items()), "topic string, pieces int")
    joined = rows.join(F.broadcast(table), "topic", "left")
    piece_count = F.coalesce("pieces", F.lit(1))
    if all_pieces:
        return joined.withColumn("piece", F.explode(F.sequence(F.lit(0), piece_count - 1))).drop("pieces")
    return joined.withColumn("piece", F.pmod(F.xxhash64("run"), piece_count).cast("int")).drop("pieces")


def _hash_names(spark: SparkSession, names: tuple[str, ...]) -> np.ndarray:
    """Return Spark's hash of each name."""
    from pyspark.sql import functions as F

    table = spark.createDataFrame([(i, name) for i, name in enumerate(names)], "number int, run string")
    return collect(table.select("number", F.xxhash64("run").alias("hash"))).sort("number")["hash"].to_numpy()


def _order_names(runs: list[str], names: Sequence[str] | None) -> tuple[str, ...]:
    """Return *names*, which must include all *runs*; if *names* is None, return *runs*."""
    if names is None:
        return tuple(runs)
    unknown = [run for run in runs if run not in set(names)]
    if unknown:
        raise InputError(f"runs: run {unknown[0]!r} is not among the given names")
    return tuple(names)
