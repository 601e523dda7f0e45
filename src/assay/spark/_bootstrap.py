"""``bootstrap(spark, qrels, runs, measures)``: bootstrap tests of all pairs of runs on a cluster.

The values of runs and topics are collected to the driver. Executors do the resampling: each task has one measure and
some pairs of runs. All pairs of a measure have the same resamples, which every task draws again from the seed. Pairs
are divided into the same blocks as on one machine, so the numbers are equal to the last bit.

Tests of all runs together (``tukey-randomized``) are divided by measure only: each permutation is drawn for all runs
together and continues the stream of random numbers of the previous permutation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np

from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures import measures as parse_measures
from assay.meta._power import ALPHA, RESAMPLES, Power, build_power_report, compute_pair_levels, parse_test
from assay.meta.selection import BY, count_best, select_best
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_fraction
from assay.results.results import Results
from assay.results.run_pairs import pair_runs, require_two_runs
from assay.significance.base import SignificanceTest
from assay.significance.differences import count_topics, group_pairs
from assay.significance.tests.bootstrap import Bootstrap
from assay.significance.values import prepare_values
from assay.spark._evaluate import Options, evaluate
from assay.spark._session import one_line_errors, wrap_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_SCHEMA = "measure int, pair bigint, asl double, delta double"


class LevelTask(NamedTuple):
    """The work of a task: the index of a measure, and the indices of pairs in the list of all pairs."""

    measure: int
    pairs: Ints


def bootstrap(
    spark: SparkSession,
    qrels: DataFrame,
    runs: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    test: str | SignificanceTest = "bootstrap",
    resamples: int = RESAMPLES,
    alpha: float = ALPHA,
    best: float | None = None,
    seed: int = 0,
    **options: Unpack[Options],
) -> Power:
    """Compare all pairs of runs, and report the fraction of pairs that each measure separates.

    The report is that of :func:`assay.meta.power`, with the same numbers for the same seed: the achieved significance
    level of each pair (``curves()``), and the power of each measure (``frame()``). The last digits of ``delta`` may
    differ if the processors of executors and driver are of different types.

    Parameters
    ----------
    spark
        The session.
    qrels, runs, measures
        As in :func:`assay.spark.evaluate`; at least two runs.
    test
        ``bootstrap``, divided into tasks by measures and pairs, or ``tukey-randomized``, divided by measures only.
    resamples, seed
        Number of resamples and seed of the random numbers; the draws are the same for all pairs and measures.
    alpha
        Significance level: a pair is separated if its achieved level is below *alpha*.
    best
        Fraction of the runs to compare, such as 0.75: the best runs by MAP. By default all runs are compared.
    options
        As in :func:`assay.spark.evaluate`: ties, missing, undefined, unjudged, broadcast, buckets.
    """
    selected = parse_measures(measures)
    parsed_test, level = parse_test(test, resamples, seed), check_fraction("alpha", alpha)
    if best is not None:
        count_best(1, best)  # raises an error if the fraction is invalid
    all_measures = selected if best is None else tuple(dict.fromkeys((*selected, parse_measure(BY))))
    spark_results = evaluate(spark, qrels, runs, all_measures, **options)
    require_two_runs(spark_results.runs)
    results = spark_results.results() if best is None else select_best(spark_results.results(), best)
    return resample_levels(spark, results.select(measures=selected), parsed_test, level)


def resample_levels(spark: SparkSession, results: Results, test: SignificanceTest, alpha: float = ALPHA) -> Power:
    """Resample existing results on the cluster; see :func:`assay.meta.power`."""
    pairs = pair_runs(results.runs)
    values = [
        prepare_values(results, number, complete_topics=test.corrected) for number in range(len(results.measures))
    ]
    tasks = plan_tasks(values, pairs, test)
    # A task only needs the values of its measure, so the values of each measure are broadcast separately.
    shared_values = [spark.sparkContext.broadcast(measure_values) for measure_values in values]
    shared_tasks = spark.sparkContext.broadcast((tasks, pairs))

    def work(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tasks, pairs = shared_tasks.value
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            values = shared_values[tasks[number].measure].value
            yield from run_task(tasks[number], values, pairs, test, alpha).to_batches()

    task_numbers = spark.range(len(tasks), numPartitions=max(1, len(tasks)))
    try:
        with one_line_errors():
            levels = task_numbers.mapInArrow(wrap_errors(work), _SCHEMA).toArrow()
    finally:
        for broadcast in (*shared_values, shared_tasks):
            broadcast.destroy()
    return assemble_report(results, test, alpha, levels)


def plan_tasks(values: Sequence[Floats], pairs: Ints, test: SignificanceTest) -> list[LevelTask]:
    """Divide all pairs of all measures into tasks, in the same blocks that the test itself would use."""
    if not isinstance(test, Bootstrap):
        return [LevelTask(number, np.arange(len(pairs))) for number in range(len(values))]
    tasks = []
    for number, measure_values in enumerate(values):
        for group in group_pairs(count_topics(measure_values, pairs), measure_values.shape[1]):
            tasks += [LevelTask(number, group[rows]) for rows in test.pair_blocks(len(group))]
    return tasks


def run_task(task: LevelTask, values: Floats, pairs: Ints, test: SignificanceTest, alpha: float) -> pa.Table:
    """Return the achieved significance level of each pair of a task, and the difference needed for significance."""
    import pyarrow as pa

    asl, delta = compute_pair_levels(test, values, pairs[task.pairs], alpha)
    measure = np.full(len(task.pairs), task.measure, dtype=np.int32)
    return pa.table({"measure": measure, "pair": task.pairs, "asl": asl, "delta": delta})


def assemble_report(results: Results, test: SignificanceTest, alpha: float, levels: pa.Table) -> Power:
    """Build the report from the rows of all tasks; a pair without a row has too few topics."""
    asl, delta = np.full((2, len(results.measures), len(pair_runs(results.runs))), np.nan)
    measure, pair = levels["measure"].to_numpy(), levels["pair"].to_numpy()
    asl[measure, pair], delta[measure, pair] = levels["asl"].to_numpy(), levels["delta"].to_numpy()
    return build_power_report(results, test, alpha, asl, delta)
