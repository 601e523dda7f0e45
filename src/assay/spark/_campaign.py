"""A campaign in DataFrames, with the counts over all topics that are needed before topics are processed separately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.model.notes import Note, TopicCoverage, no_shared_topic_message, order_notes, topic_notes
from assay.model.policies import IGNORING_SCORES, Policies
from assay.model.provenance import Input, Provenance
from assay.spark import _frames
from assay.spark._buckets import JUDGMENTS, MAX_ROWS, RESULTS, Bucket, Plan, Work, run_works
from assay.spark._frames import collect, to_arrow
from assay.spark._session import one_line_errors, parallelism, require_pyspark, wrap_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

BROADCAST = 500_000
"""Maximum number of judgments that are sent to every task: about 20 MB."""
_LISTED = 6  # one topic more than a note lists, so that the note ends with an ellipsis if there are more topics


@dataclass(frozen=True, eq=False)
class DistributedCampaign:
    """Judgments and runs in DataFrames, with their counts.

    Attributes
    ----------
    judgments
        The columns topic, doc, value; only the topics if the judgments are broadcast.
    runs
        The columns run, topic, doc, value and optionally rank.
    policies
        The policies on ties, missing topics, undefined values and unjudged documents.
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
    sources
        The name of each run in messages: its file, or its name if it comes from a DataFrame.
    """

    spark: SparkSession
    judgments: DataFrame
    runs: DataFrame
    policies: Policies
    plan: Plan
    topic_count: int
    buckets: int
    coverage: tuple[TopicCoverage, ...]
    sizes: DataFrame
    sources: tuple[str, ...]

    @classmethod
    def build(
        cls,
        spark: SparkSession,
        qrels_df: DataFrame,
        runs_df: DataFrame,
        policies: Policies = Policies(),
        *,
        names: Sequence[str] | None = None,
        sources: Sequence[str] | None = None,
        broadcast: bool | None = None,
        buckets: int | None = None,
        rows: int = MAX_ROWS,
    ) -> DistributedCampaign:
        """Count the rows of runs and topics, and build a campaign; refuse a run without a judged topic.

        *names* lists the runs in order; by default they are sorted by name. *rows* is the target number of rows of a
        bucket. *buckets* overrides the resulting number of buckets. The other arguments are those of
        :func:`assay.spark.evaluate`.
        """
        require_pyspark()
        if buckets is not None and buckets < 1:
            raise InputError(f"buckets must be at least 1, got {buckets}")
        needs_rank = policies.ties in ("rank", *_frames.IN_INPUT_ORDER)
        judgments, runs = _frames.select_judgments(qrels_df), _frames.select_runs(runs_df, rank=needs_rank)
        with one_line_errors():
            collected = _collect_judgments(judgments, broadcast)
            topics, topic_count, levels = _count_judgments(spark, judgments, collected)
            sizes = _count_rows(topics, runs).persist()
            counts = _count_by_run(sizes, names)
            total = int(counts["rows"].sum())
            split_topics = _find_large_topics(sizes, rows) if total > rows else {}
            ordered = tuple(counts["run"])
            plan = Plan(
                names=ordered,
                hashes=_hash_names(spark, ordered) if split_topics else np.zeros(len(ordered), dtype=np.int64),
                max_depth=int(counts["max_depth"].to_numpy().max(initial=0)),
                levels=levels,
                split_topics=split_topics,
                judgments=None if collected is None else _to_arrow_bytes(collected),
            )
        campaign = cls(
            spark=spark,
            judgments=judgments if collected is None else topics,
            runs=runs,
            policies=policies,
            plan=plan,
            topic_count=topic_count,
            buckets=buckets or max(ceil(total / rows), min(2 * parallelism(spark), topic_count)),
            coverage=tuple(TopicCoverage(*row) for row in counts.select(TopicCoverage._fields).iter_rows()),
            sizes=sizes,
            sources=ordered if sources is None else tuple(sources),
        )
        campaign._refuse_disjoint_runs()
        return campaign

    @property
    def names(self) -> tuple[str, ...]:
        """The runs, in order."""
        return self.plan.names

    def provenance(self, *, judged: bool = True) -> Provenance:
        """Return the provenance of DataFrames: the names of the runs, and the judgments if *judged* is True."""
        judgments = [Input("qrels", "qrels", "qrels", None)] if judged else []
        return Provenance((*judgments, *(Input("run", name, name, None) for name in self.names)), self.policies)

    def with_condensed_depth(self, measures: tuple[Measure, ...]) -> DistributedCampaign:
        """Add the maximum depth after removing unjudged documents, if a measure needs it; this takes a separate job."""
        depth_measures = [measure for measure in measures if measure.core.uses_max_depth]
        condenses = self.policies.unjudged == "condensed" or any(measure.condenses for measure in depth_measures)
        if not depth_measures or not condenses:
            return self
        condensed = replace(self.policies, unjudged="condensed")

        def work(bucket: Bucket) -> pa.Table:
            length = bucket.judge(condensed).length.max(initial=0)
            return to_arrow(pl.DataFrame({"depth": pl.Series([int(length)], dtype=pl.Int64)}))

        depths = collect(self.map_buckets([work], "depth long"))["depth"]
        return replace(self, plan=replace(self.plan, condensed_depth=max(depths.to_list(), default=0)))

    def map_buckets(self, works: Sequence[Work], schema: str, *, split: bool = True, runs: bool = True) -> DataFrame:
        """Apply each function in *works* to each bucket, and return the results as a lazy DataFrame.

        Parameters
        ----------
        works
            Functions from a :class:`Bucket` to a pyarrow table; they may be closures. The rows of a bucket are sent
            once for each function.
        schema
            The columns of that table in Spark's notation, such as ``run string, n long``.
        split
            If True, a topic with too many documents may be split into several buckets, each with some of the runs.
        runs
            If False, buckets contain judgments only.
        """
        from pyspark.sql import functions as F

        plan = self.plan if split and runs else replace(self.plan, split_topics={})
        rows, keys = self._combine_rows(plan, runs), ["topic", "piece"]
        if len(works) > 1:
            rows = rows.withColumn("work", F.explode(F.sequence(F.lit(0), F.lit(len(works) - 1))))
            keys.append("work")
        with one_line_errors():
            partitions = rows.repartition(self.buckets * len(works), *keys)
            return partitions.mapInArrow(wrap_errors(partial(run_works, plan, works)), schema)

    def _combine_rows(self, plan: Plan, runs: bool) -> DataFrame:
        """Return the rows of judgments and runs in one DataFrame; for broadcast judgments, only their topics."""
        from pyspark.sql import functions as F

        def null_columns(**types: str) -> dict[str, Any]:
            return {name: F.lit(None).cast(kind) for name, kind in types.items()}

        judgments = self.judgments
        if plan.judgments is not None:
            judgments = judgments.select("topic").withColumns(null_columns(doc="string", value="double"))
        has_rank = "rank" in self.runs.columns
        rank = null_columns(rank=self.runs.schema["rank"].dataType.simpleString()) if has_rank else {}
        # Every piece of a split topic needs all judgments of the topic.
        judgments = judgments.withColumns(null_columns(run="string") | rank)
        judgment_rows = _add_pieces(self.spark, judgments, plan.split_topics, all_pieces=True)
        columns = ["kind", "run", "topic", "piece", "doc", "value", *rank]
        judgment_rows = judgment_rows.withColumn("kind", F.lit(JUDGMENTS).cast("tinyint")).select(*columns)
        if not runs:
            return judgment_rows
        run_rows = _add_pieces(self.spark, self.runs, plan.split_topics)
        return judgment_rows.unionByName(run_rows.withColumn("kind", F.lit(RESULTS).cast("tinyint")).select(*columns))

    def run_notes(self) -> list[list[Note]]:
        """Return notes for each run on unjudged topics, missing topics, and ranks that contradict the scores."""
        unjudged = self._list_unjudged_topics()
        ties, exclude_missing = self.policies.ties, self.policies.missing == "exclude"
        contradicted = self._count_contradicted_topics() if ties in IGNORING_SCORES else {}
        return [
            topic_notes(source, coverage, self.topic_count, unjudged.get(name, []), exclude_missing)
            + order_notes(source, contradicted.get(name, 0), ties)
            for source, name, coverage in zip(self.sources, self.names, self.coverage, strict=True)
        ]

    def _refuse_disjoint_runs(self) -> None:
        """Refuse a run that shares no topic with the judgments."""
        for source, name, coverage in zip(self.sources, self.names, self.coverage, strict=True):
            if coverage.unjudged_topic_count and not coverage.judged_topic_count:
                topics = self.judgments.select("topic").distinct().orderBy("topic").limit(_LISTED)
                unjudged_topics = self._list_unjudged_topics()[name]
                raise InputError(no_shared_topic_message(source, unjudged_topics, collect(topics)["topic"].to_list()))

    def _list_unjudged_topics(self) -> dict[str, list[str]]:
        """Return the first topics without judgments of each run that has any."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        if not any(coverage.unjudged_topic_count for coverage in self.coverage):
            return {}
        number = F.row_number().over(Window.partitionBy("run").orderBy("topic"))
        unjudged = self.sizes.where(F.col("judged").isNull())
        first = unjudged.withColumn("number", number).where(F.col("number") <= _LISTED)
        rows = collect(first.select("run", "topic")).sort("run", "topic")
        return dict(rows.group_by("run", maintain_order=True).agg("topic").iter_rows())

    def _count_contradicted_topics(self) -> dict[str, int]:
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


def _collect_judgments(judgments: DataFrame, broadcast: bool | None) -> pl.DataFrame | None:
    """Return all judgments if they are to be broadcast: if *broadcast* is True, or if it is None and there are few."""
    if broadcast is False:
        return None
    limited = judgments if broadcast else judgments.limit(BROADCAST + 1)
    rows = collect(limited.select("topic", "doc", "value"))
    if broadcast is None and len(rows) > BROADCAST:
        return None
    _frames.check_judgments(rows)
    return rows


def _count_judgments(
    spark: SparkSession, judgments: DataFrame, collected: pl.DataFrame | None
) -> tuple[DataFrame, int, np.ndarray]:
    """Return the judged topics, their number, and the grades; *collected* has all judgments if they are broadcast."""
    if collected is None:
        topics, grades = judgments.select("topic").distinct(), collect(judgments.select("value").distinct())
        topic_count = topics.count()
    else:
        topic_frame = collected.select("topic").unique().sort("topic")
        topics, grades, topic_count = spark.createDataFrame(to_arrow(topic_frame)), collected, len(topic_frame)
    if not topic_count:
        raise InputError("qrels: contains no judgments")
    return topics, topic_count, np.unique(grades["value"].drop_nulls().to_numpy())


def _to_arrow_bytes(rows: pl.DataFrame) -> bytes:
    stream = BytesIO()
    rows.sort("topic", "doc").write_ipc_stream(stream, compat_level=pl.CompatLevel.oldest())
    return stream.getvalue()


def _count_rows(topics: DataFrame, runs: DataFrame) -> DataFrame:
    """Return a DataFrame run, topic, rows, judged; *judged* is null for topics that are not among *topics*."""
    from pyspark.sql import functions as F

    sizes = runs.groupBy("run", "topic").agg(F.count(F.lit(1)).alias("rows"))
    return sizes.join(topics.withColumn("judged", F.lit(True)), "topic", "left")


def _count_by_run(sizes: DataFrame, names: Sequence[str] | None) -> pl.DataFrame:
    """Return the topic coverage, the number of rows and the maximum depth of each run.

    Runs are in the order of *names*, which must include all of them; they are sorted by name if *names* is None.
    """
    from pyspark.sql import functions as F

    rows, judged = F.col("rows"), F.col("judged").isNotNull()
    counts = collect(
        sizes.groupBy("run").agg(
            F.sum(judged.cast("long")).alias("judged_topic_count"),
            F.sum((~judged).cast("long")).alias("unjudged_topic_count"),
            F.sum(F.when(~judged, rows).otherwise(0)).alias("unjudged_document_count"),
            F.sum(rows).alias("rows"),
            F.max(F.when(judged, rows).otherwise(0)).alias("max_depth"),
        )
    ).sort("run")
    if not len(counts):
        raise InputError("runs: contains no results")
    if counts["run"].null_count():
        raise InputError("runs: the name of the run is missing in some rows")
    if names is None:
        return counts
    unknown = counts["run"].filter(~counts["run"].is_in(list(names)))
    if len(unknown):
        raise InputError(f"runs: run {unknown[0]!r} is not among the given names")
    return pl.DataFrame({"run": names}).join(counts, on="run", how="left", maintain_order="left").fill_null(0)


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
