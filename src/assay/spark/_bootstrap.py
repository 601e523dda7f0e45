"""``bootstrap(spark, qrels, runs, measures)``: the significance of all pairs, resample_levels on a cluster.

The values of runs and topics are gathered to the driver. What is long is done by executors: each task has one measure
and some pairs of runs. All pairs of a measure have the same resamples, drawn from the seed, so that every task draws
them again; pairs are cut where they are cut on one machine, so that numbers are the same to the last bit.

Tests that look at all runs at once (``tukey-randomized``) are cut by measures only: an order is drawn for all runs
together, and the next one from where the stream of random numbers then is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.measures import measures as parse_measures
from assay.meta._paired import check_level
from assay.meta._power import ALPHA, RESAMPLES, Power, build_power_report, compute_levels, parse_test
from assay.meta.selection import BY, count_best, select_best
from assay.model.arrays import Floats, Ints
from assay.results.results import Results
from assay.results.run_pairs import pair_runs
from assay.significance._compare import require_two_runs
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
    """The work of a task: the number of a measure, and of pairs in the list of all pairs."""

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
    """Compare every two runs, and report the share of pairs that a measure separates.

    The report is that of :func:`assay.meta.power`, with the same numbers for the same seed: the achieved significance
    level of each pair (``curves()``), and the power of each measure (``frame()``). On processors of another kind than
    that of the driver the last digits of ``delta`` may differ.

    Parameters
    ----------
    spark
        The session.
    qrels, runs, measures
        As in :func:`assay.spark.evaluate`; at least two runs.
    test
        ``bootstrap``, cut by measures and pairs, or ``tukey-randomized``, cut by measures only.
    resamples, seed
        How often is drawn, and from which seed: the same draws for all pairs and measures.
    alpha
        A pair differs if its level is below.
    best
        Only this share of the runs, the best by MAP, such as 0.75.
    options
        As in :func:`assay.spark.evaluate`: ties, topics, undefined, unjudged and how the work is cut.
    """
    chosen = parse_measures(measures)
    how, level = parse_test(test, resamples, seed), check_level("alpha", alpha)
    if best is not None:
        count_best(1, best)
    wanted = chosen if best is None else tuple(dict.fromkeys((*chosen, parse_measure(BY))))
    found = evaluate(spark, qrels, runs, wanted, **options)
    require_two_runs(len(found.runs))
    results = found.results() if best is None else select_best(found.results(), best)
    return resample_levels(spark, results.select(measures=chosen), how, level)


def resample_levels(spark: SparkSession, results: Results, test: SignificanceTest, alpha: float = ALPHA) -> Power:
    """Compute the report from existing results; see :func:`assay.meta.power`."""
    pairs = pair_runs(results.runs)
    values = [prepare_values(results, number, whole=test.corrected) for number in range(len(results.measures))]
    work = pieces(values, pairs, test)
    # A task needs the values of its measure only: each travels by itself, once to each executor.
    sent = [spark.sparkContext.broadcast(of) for of in values]
    how = spark.sparkContext.broadcast((work, pairs))
    numbers = spark.range(len(work), numPartitions=max(1, len(work)))
    task = partial(_batches, sent=sent, how=how, test=test, alpha=alpha)
    try:
        with one_line_errors():
            found = numbers.mapInArrow(task, _SCHEMA).toArrow()
    finally:
        for each in (*sent, how):
            each.destroy()
    return gathered(results, test, alpha, found)


def pieces(values: Sequence[Floats], pairs: Ints, test: SignificanceTest) -> list[LevelTask]:
    """All pairs of all measures as pieces of work, cut where the test itself would cut them."""
    if not isinstance(test, Bootstrap):
        return [LevelTask(number, np.arange(len(pairs))) for number in range(len(values))]
    found = []
    for number, of in enumerate(values):
        for chosen in group_pairs(count_topics(of, pairs), of.shape[1]):
            found += [LevelTask(number, chosen[rows]) for rows in test.pair_blocks(len(chosen))]
    return found


def compute_levels(piece: LevelTask, values: Floats, pairs: Ints, test: SignificanceTest, alpha: float) -> pa.Table:
    """The level of each pair of a piece and the difference that it takes, from the values of its measure."""
    import pyarrow as pa

    asl, delta = compute_levels(test, values, pairs[piece.pairs], alpha)
    measure = np.full(len(piece.pairs), piece.measure, dtype=np.int32)
    return pa.table({"measure": measure, "pair": piece.pairs, "asl": asl, "delta": delta})


def gathered(results: Results, test: SignificanceTest, alpha: float, found: pa.Table) -> Power:
    """What all pieces found, put where it belongs; a pair that is in none has too few topics."""
    asl, delta = np.full((2, len(results.measures), len(pair_runs(results.runs))), np.nan)
    measure, pair = found["measure"].to_numpy(), found["pair"].to_numpy()
    asl[measure, pair], delta[measure, pair] = found["asl"].to_numpy(), found["delta"].to_numpy()
    return build_power_report(results, test, alpha, asl, delta)


def _batches(
    batches: Iterable[pa.RecordBatch], *, sent: Sequence[Any], how: Any, test: SignificanceTest, alpha: float
) -> Iterator[pa.RecordBatch]:
    """What a task does in an executor: its pieces, by their numbers."""

    def work(numbers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        every, pairs = how.value
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                piece = every[number]
                yield from compute_levels(piece, sent[piece.measure].value, pairs, test, alpha).to_batches()

    return wrap_errors(work, batches)
