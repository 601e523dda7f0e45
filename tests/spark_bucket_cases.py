"""A campaign with many irregularities, and its topics in buckets as executors receive them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

import assay
from assay.model import Qrels, Run
from assay.spark._buckets import JUDGMENTS, RESULTS, Bucket, Plan
from assay.spark._session import one_line_errors
from spark_cases import to_dataframe

READING = ("ties", "missing", "undefined", "unjudged", "grades")


class Case(NamedTuple):
    """Judgments and runs; runs are sorted by name, as in the DataFrames of a cluster."""

    qrels: Qrels
    runs: list[Run]

    def read(self, options: Mapping[str, Any] | None = None) -> tuple[assay.Campaign, dict[str, Any]]:
        """Read the campaign with the reading options among *options*; also return the other options."""
        others = dict(options or {})
        reading = {name: others.pop(name) for name in READING if name in others}
        return assay.read(self.qrels, self.runs, **reading), others

    @property
    def max_depth(self) -> int:
        """Length of the longest ranking of a judged topic."""
        known = pl.col("topic").is_in(self.qrels.topics)
        lengths = (run.frame().filter(known).group_by("topic").len()["len"].to_list() for run in self.runs)
        return max(length for several in lengths for length in several)

    def run_rows(self) -> pl.DataFrame:
        """Return all runs as one frame: run, topic, doc, score."""
        return pl.concat([run.frame().select(pl.lit(run.name).alias("run"), pl.all()) for run in self.runs])

    def qrels_rows(self) -> pl.DataFrame:
        """Return the judgments as a frame: topic, doc, grade."""
        return self.qrels.frame().with_columns(pl.col("grade").cast(pl.Float64))


def odd_campaign(systems: int = 10, topics: int = 9, depth: int = 25, seed: int = 4) -> Case:
    """Return simulated runs with ties; some lack topics, have unjudged topics, or rank documents for one topic only.

    One topic has no relevant documents. Another has grades that occur in no other topic, one of them negative.
    """
    simulated = assay.simulate(systems=systems, topics=topics, depth=depth, pool=6, seed=seed)
    names = simulated.qrels.topics
    grade, special = pl.col("grade").cast(pl.Float64), pl.col("topic") == names[4]
    judged = simulated.qrels.frame().with_columns(
        grade=pl.when(pl.col("topic") == names[2])
        .then(pl.lit(0.0))
        .when(special & (grade == 1))
        .then(pl.lit(-2.0))
        .when(special & (grade >= 2))
        .then(pl.lit(5.0))
        .otherwise(grade)
    )
    runs = []
    for number, run in enumerate(sorted(simulated.runs, key=lambda run: run.name)):
        frame = run.frame().with_columns(pl.col("score").round(1))  # many ties
        if number == 1:
            frame = frame.filter(~pl.col("topic").is_in([names[0], names[3]]))
        if number == 2:
            unjudged_topic = frame.filter(pl.col("topic") == names[1]).with_columns(topic=pl.lit("999"))
            frame = pl.concat([frame, unjudged_topic, unjudged_topic.with_columns(doc=pl.col("doc") + "x")])
        if number == 3:
            frame = frame.filter(pl.col("topic") == names[5])
        runs.append(Run.from_frame(frame, run.name))
    return Case(Qrels.from_frame(judged), runs)


def build_buckets(case: Case, many: int = 3, *, heavy: int = 0) -> Iterator[Bucket]:
    """Yield the topics in *many* buckets with shuffled rows; *heavy* > 0 splits the first topic by runs."""
    names, topics = tuple(run.name for run in case.runs), case.qrels.topics
    judged = case.qrels_rows().select(
        kind=pl.lit(JUDGMENTS), run=pl.lit(None, pl.String), topic="topic", piece=pl.lit(0), doc="doc", value="grade"
    )
    piece = pl.col("run").replace_strict({name: i % heavy if heavy else 0 for i, name in enumerate(names)})
    ranked = case.run_rows().select(
        kind=pl.lit(RESULTS),
        run="run",
        topic="topic",
        piece=pl.when(pl.col("topic") == topics[0]).then(piece).otherwise(0).cast(pl.Int32),
        doc="doc",
        value="score",
    )
    split = judged.filter(pl.col("topic") == topics[0])
    copies = [split.with_columns(piece=pl.lit(number, pl.Int32)) for number in range(1, heavy)]
    rows = pl.concat([judged, *copies, ranked]).sample(fraction=1, shuffle=True, seed=1)
    plan = Plan(
        names=names,
        hashes=np.arange(len(names)),
        max_depth=case.max_depth,
        levels=case.qrels.levels,
        split_topics={topics[0]: heavy} if heavy else {},
    )
    for number in range(many):
        yield from plan.build_buckets(rows.filter(pl.col("topic").is_in(topics[number::many])))


def concatenate(tables: Iterable[pa.Table]) -> pl.DataFrame:
    """Concatenate the tables of all buckets."""
    return pl.DataFrame(pl.from_arrow(pa.concat_tables(list(tables))))


def assert_same_rows(frame: pl.DataFrame, expected: pl.DataFrame) -> None:
    """Check that two frames are equal to the last bit, with rows in any order."""
    assert frame.columns == expected.columns
    keys = [name for name in ("run", "run_a", "run_b", "measure", "topic") if name in expected.columns]
    frame, expected = frame.sort(keys), expected.sort(keys)
    for name in expected.columns:
        assert frame[name].equals(expected[name].cast(frame[name].dtype), null_equal=True), name


def to_dataframes(spark: Any, case: Case) -> tuple[Any, Any]:
    """Return the campaign as Spark DataFrames."""
    return to_dataframe(spark, case.qrels_rows()), to_dataframe(spark, case.run_rows())


def collect(table: Any) -> pl.DataFrame:
    """Collect the rows of a Spark DataFrame."""
    with one_line_errors():
        return pl.DataFrame(pl.from_arrow(table.toArrow()))
