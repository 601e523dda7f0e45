"""A campaign in DataFrames: what must be known of all of it before its topics are run_work on by themselves."""

from __future__ import annotations

from collections.abc import Sequence
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
from assay.spark._buckets import JUDGMENTS, RESULTS, ROWS, Plan, Work, run_work, run_works, to_arrow
from assay.spark._collect import collect
from assay.spark._session import one_line_errors, parallelism, wrap_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BROADCAST = 500_000
"""Up to how many judgments are sent to every task: some 20 MB."""


@dataclass(frozen=True, eq=False)
class DistributedCampaign:
    """Judgments and runs in DataFrames, with their census.

    *judgments* and *runs* have the columns topic, doc, value and run, topic, doc, value (and rank). *topics* is the
    number of judged topics, *sizes* a DataFrame run, topic, rows, known.
    """

    spark: SparkSession
    judgments: DataFrame
    runs: DataFrame
    plan: Plan
    topics: int
    buckets: int
    standing: tuple[TopicCoverage, ...]
    sizes: DataFrame

    @classmethod
    def of(
        cls,
        spark: SparkSession,
        qrels_df: DataFrame,
        runs_df: DataFrame,
        *,
        names: Sequence[str] | None = None,
        broadcast: bool | None = None,
        rank: bool = False,
        buckets: int | None = None,
        rows: int = ROWS,
    ) -> DistributedCampaign:
        """Count the rows of runs and topics.

        *names* gives the order of the runs; by default that of their names.
        """
        if buckets is not None and buckets < 1:
            raise InputError(f"buckets must be at least 1, got {buckets}")
        judgments, runs = _input_frames.select_judgments(qrels_df), _input_frames.select_runs(runs_df, rank=rank)
        with one_line_errors():
            judged = _judged(spark, judgments, broadcast)
            counted = _counted(judged.topics, runs).persist()
            standing = _by_run(counted)
            total = sum(standing[name][1] for name in standing)
            heavy = _heavy(counted, rows) if total > rows else {}
            listed = _order(list(standing), names)
            plan = Plan(
                names=listed,
                hashes=_hashes(spark, listed) if heavy else np.zeros(len(listed), dtype=np.int64),
                longest=max((standing[name][2] for name in standing), default=0),
                levels=judged.levels,
                heavy=heavy,
                judgments=judged.sent,
            )
        fewest = 2 * parallelism(spark)
        return cls(
            spark=spark,
            judgments=judgments if judged.sent is None else judged.topics,
            runs=runs,
            plan=plan,
            topics=judged.number,
            buckets=buckets or max(ceil(total / rows), min(fewest, judged.number)),
            standing=tuple(standing[name][0] if name in standing else TopicCoverage(0, 0, 0) for name in listed),
            sizes=counted,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The runs, in order."""
        return self.plan.names

    @property
    def longest(self) -> int:
        """The length of the longest ranking of a judged topic."""
        return self.plan.max_depth

    def with_condensed_depth(self, longest: int) -> DistributedCampaign:
        """The same with the length of the longest ranking without unjudged documents."""
        return replace(self, plan=replace(self.plan, condensed=longest))

    def map_buckets(self, work: Work, schema: str, *, split: bool = True, runs: bool = True) -> DataFrame:
        """What *work* makes of each bucket, as a DataFrame of *schema* (Spark's words, such as ``run string, n long``).

        Parameters
        ----------
        work
            A function from a :class:`Bucket` to a pyarrow table; a closure is fine.
        split
            Whether a topic of very many documents may come as several buckets, each with some of the runs.
        runs
            Whether runs are wanted; else buckets are of judgments alone.
        """
        plan = self.plan if split and runs else replace(self.plan, heavy={})
        rows = self._rows(plan, runs).repartition(self.buckets, "topic", "piece")

        def task(batches: Any) -> Any:
            return wrap_errors(partial(run_work, plan, work), batches)

        with one_line_errors():
            return rows.mapInArrow(task, schema)

    def map_works(self, works: Sequence[Work], schema: str) -> DataFrame:
        """What each of several *works* makes of each bucket, which is sent to each of them; no topic is split."""
        from pyspark.sql import functions as F

        plan = replace(self.plan, heavy={})
        rows = self._rows(plan).withColumn("part", F.explode(F.sequence(F.lit(0), F.lit(len(works) - 1))))

        def task(batches: Any) -> Any:
            return wrap_errors(partial(run_works, plan, works), batches)

        with one_line_errors():
            return rows.repartition(self.buckets * len(works), "topic", "part").mapInArrow(task, schema)

    def _rows(self, plan: Plan, runs: bool = True) -> DataFrame:
        """Judgments and runs as rows of one kind; of judgments that are broadcast only the topics."""
        from pyspark.sql import functions as F

        judgments = self.judgments
        if plan.judgments is not None:
            judgments = judgments.select("topic").withColumns(_nothing(doc="string", value="double"))
        own = _pieces(self.spark, self.runs, plan.heavy)
        rank = _nothing(rank=self.runs.schema["rank"].dataType.simpleString()) if "rank" in self.runs.columns else {}
        judged = _pieces(self.spark, judgments.withColumns(_nothing(run="string") | rank), plan.heavy, every=True)
        columns = ["kind", "run", "topic", "piece", "doc", "value", *rank]
        first = judged.withColumn("kind", F.lit(JUDGMENTS).cast("tinyint")).select(*columns)
        if not runs:
            return first
        return first.unionByName(own.withColumn("kind", F.lit(RESULTS).cast("tinyint")).select(*columns))

    def foreign(self, most: int) -> dict[str, list[str]]:
        """Of each run the first topics without judgments."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        if not any(one.unjudged for one in self.standing):
            return {}
        place = F.row_number().over(Window.partitionBy("run").orderBy("topic"))
        some = self.sizes.where(F.col("known").isNull()).withColumn("place", place).where(F.col("place") <= most)
        rows = collect(some.select("run", "topic")).sort("run", "topic")
        return {str(run): part["topic"].to_list() for (run,), part in rows.partition_by("run", as_dict=True).items()}

    def contradicted(self) -> dict[str, int]:
        """Count, for each run, the judged topics whose rank column contradicts the scores."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        before = Window.partitionBy("run", "topic").orderBy(F.col("rank").cast("double"))
        rises = self.runs.withColumn("before", F.lag("value").over(before)).where(F.col("value") > F.col("before"))
        judged = self.sizes.where(F.col("known").isNotNull()).select("run", "topic")
        topics = rises.select("run", "topic").distinct().join(judged, ["run", "topic"])
        return dict(collect(topics.groupBy("run").count()).iter_rows())

    def topic_names(self, most: int) -> list[str]:
        """The first judged topics."""
        found = collect(self.judgments.select("topic").distinct().orderBy("topic").limit(most))
        return found["topic"].to_list()


def _nothing(**types: str) -> dict[str, Any]:
    from pyspark.sql import functions as F

    return {name: F.lit(None).cast(kind) for name, kind in types.items()}


class _JudgmentCensus(NamedTuple):
    """Judgments: their grades, their topics (a DataFrame and their number), and all of them if they are to be sent."""

    levels: np.ndarray
    topics: DataFrame
    number: int
    sent: bytes | None


def _judged(spark: SparkSession, judgments: DataFrame, broadcast: bool | None) -> _JudgmentCensus:
    """Judgments are gathered if that is wished, or if they are few."""
    rows = None
    if broadcast is not False:
        rows = collect((judgments if broadcast else judgments.limit(BROADCAST + 1)).select("topic", "doc", "value"))
    if rows is None or (broadcast is None and len(rows) > BROADCAST):
        return _from_afar(judgments)
    if not len(rows):
        raise InputError("qrels: no judgments in it")
    _checks.check_judgments(rows)
    topics = rows.select("topic").unique().sort("topic")
    table = spark.createDataFrame(to_arrow(topics))
    return _JudgmentCensus(np.unique(rows["value"].to_numpy()), table, len(topics), _bytes(rows))


def _from_afar(judgments: DataFrame) -> _JudgmentCensus:
    """What must be known of judgments that stay where they are."""
    levels = collect(judgments.select("value").distinct())["value"].drop_nulls()
    topics = judgments.select("topic").distinct()
    number = topics.count()
    if not number:
        raise InputError("qrels: no judgments in it")
    return _JudgmentCensus(np.unique(levels.to_numpy()), topics, number, None)


def _bytes(rows: pl.DataFrame) -> bytes:
    out = BytesIO()
    rows.sort("topic", "doc").write_ipc_stream(out, compat_level=pl.CompatLevel.oldest())
    return out.getvalue()


def _counted(topics: DataFrame, runs: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    sizes = runs.groupBy("run", "topic").agg(F.count(F.lit(1)).alias("rows"))
    return sizes.join(topics.withColumn("known", F.lit(True)), "topic", "left")


def _by_run(sizes: DataFrame) -> dict[str, tuple[TopicCoverage, int, int]]:
    """Of each run its standing, its rows, and the length of its longest judged ranking."""
    from pyspark.sql import functions as F

    rows, known = F.col("rows"), F.col("known").isNotNull()
    found = collect(
        sizes.groupBy("run").agg(
            F.sum(known.cast("long")).alias("answered"),
            F.sum((~known).cast("long")).alias("foreign"),
            F.sum(F.when(~known, rows).otherwise(0)).alias("foreign_rows"),
            F.sum(rows).alias("rows"),
            F.max(F.when(known, rows).otherwise(0)).alias("longest"),
        )
    ).sort("run")
    if not len(found):
        raise InputError("runs: no results in it")
    if found["run"].null_count():
        raise InputError("runs: the name of the run is missing in some rows")
    standing = [TopicCoverage(*row) for row in found.select("answered", "foreign", "foreign_rows").iter_rows()]
    return {
        run: (own, rows, longest)
        for (run, rows, longest), own in zip(found.select("run", "rows", "longest").iter_rows(), standing, strict=True)
    }


def _heavy(sizes: DataFrame, most: int) -> dict[str, int]:
    """Judged topics with more documents than a bucket should hold, and into how many pieces they go."""
    from pyspark.sql import functions as F

    by_topic = sizes.where(F.col("known").isNotNull()).groupBy("topic")
    found = collect(
        by_topic.agg(F.sum("rows").alias("rows"), F.count(F.lit(1)).alias("runs")).where(F.col("rows") > most)
    )
    pieces = {topic: min(ceil(rows / most), runs) for topic, rows, runs in found.iter_rows()}
    return {topic: number for topic, number in pieces.items() if number > 1}


def _pieces(spark: SparkSession, rows: DataFrame, heavy: Any, *, every: bool = False) -> DataFrame:
    """Rows with the piece of their topic that they belong to; with *every* they belong to all."""
    from pyspark.sql import functions as F

    if not heavy:
        return rows.withColumn("piece", F.lit(0))
    table = spark.createDataFrame(sorted(heavy.items()), "topic string, pieces int")
    joined = rows.join(F.broadcast(table), "topic", "left")
    number = F.coalesce("pieces", F.lit(1))
    if every:
        return joined.withColumn("piece", F.explode(F.sequence(F.lit(0), number - 1))).drop("pieces")
    return joined.withColumn("piece", F.pmod(F.xxhash64("run"), number).cast("int")).drop("pieces")


def _hashes(spark: SparkSession, names: tuple[str, ...]) -> np.ndarray:
    """Spark's hash of each name."""
    from pyspark.sql import functions as F

    table = spark.createDataFrame([(i, name) for i, name in enumerate(names)], "place int, run string")
    return collect(table.select("place", F.xxhash64("run").alias("hash"))).sort("place")["hash"].to_numpy()


def _order(found: list[str], names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(found)
    strange = [name for name in found if name not in set(names)]
    if strange:
        raise InputError(f"runs: there is a run {strange[0]!r} that is not among the names given")
    return tuple(names)
