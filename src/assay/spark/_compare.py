"""``compare(spark, qrels, runs, measures)``: values from a cluster, compared on the driver.

A test needs the values of two runs on all topics. These measures x runs x topics values are few compared with the
documents. They are collected to the driver and compared by the same code as on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Unpack

from assay.measures import Measure
from assay.results.run_pairs import require_two_runs
from assay.significance._compare import Comparison, resolve_baselines, resolve_test
from assay.significance._compare import compare as compare_results
from assay.significance.base import SignificanceTest
from assay.spark._evaluate import Options, evaluate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def compare(
    spark: SparkSession,
    qrels: DataFrame,
    runs: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    test: str | SignificanceTest = "t",
    correction: str = "holm",
    family: str = "measure",
    baseline: str | Iterable[str] = (),
    alpha: float = 0.05,
    margin: float | str | None = None,
    power: float | None = None,
    detect: float | None = None,
    systems: Mapping[str, str] | None = None,
    resamples: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compare runs with each other, or with baselines, paired by topic.

    Parameters
    ----------
    spark
        The session.
    qrels, runs, measures
        As in :func:`assay.spark.evaluate`; at least two runs.
    test, correction, family, baseline, alpha, margin, power, detect, systems, resamples, seed, progress
        As in :func:`assay.compare`, which compares the values on the driver. To resample all pairs of many runs on the
        cluster, see :func:`assay.spark.bootstrap`.
    options
        As in :func:`assay.spark.evaluate`: ties, missing, undefined, unjudged, broadcast, buckets.
    """
    baselines = [baseline] if isinstance(baseline, str) else list(baseline)
    resolved_test = resolve_test(
        test, correction, family, alpha=alpha, power=power, detect=detect, resamples=resamples, seed=seed
    )
    spark_results = evaluate(spark, qrels, runs, measures, **options)
    if systems is None:  # report errors before the evaluation, which may take long
        require_two_runs(spark_results.runs)
        resolve_baselines(baselines, spark_results.runs, spark_results.provenance)
    return compare_results(
        spark_results.results(),
        test=resolved_test,
        correction=correction,
        family=family,
        baseline=baselines,
        alpha=alpha,
        margin=margin,
        power=power,
        detect=detect,
        systems=systems,
        progress=progress,
    )
