"""Analyses of DataFrames on a cluster: bounds on values, indicators of effort, and comparisons of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl
from polars import selectors

from assay.effort._indicators import MAIN, MORE, build_effort_measures, indicators
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._facets import refuse_facets
from assay.measures._threshold import check_thresholds
from assay.model.gains import Gains
from assay.model.policies import Policies
from assay.results.run_pairs import require_two_runs
from assay.significance._compare import Comparison, resolve_baselines, resolve_test
from assay.significance._compare import compare as compare_results
from assay.significance.base import SignificanceTest
from assay.spark._campaign import DistributedCampaign
from assay.spark._evaluate import Options, evaluate
from assay.spark._frames import collect, refuse_ties, select_judgments, to_arrow
from assay.uncertainty._bounds import bounds as bounds_of_campaign
from assay.uncertainty._bounds import parse_outside

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from assay.engine.campaign import Campaign
    from assay.results.report import Report
    from assay.spark._buckets import Bucket

BOUNDS_SCHEMA = (
    "run string, measure string, topic string, value double, low double, high double, exact boolean, judged double"
)
EFFORT_SCHEMA = ", ".join(
    [
        "run string, topic string, r bigint, n bigint",
        *(f"{name} double" for name in (*MAIN, *MORE)),
        "still_growing boolean, archetype string",
    ]
)


def bounds(
    spark: SparkSession,
    qrels: DataFrame,
    runs: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    outside: int | str = "none",
    tail: bool = True,
    ties: str = "trec_eval-10",
    missing: str = "empty",
    undefined: str = "zero",
    buckets: int | None = None,
    broadcast: bool | None = None,
) -> DataFrame:
    """Compute the smallest and the largest value over all completions of the judgments.

    Returns a lazy DataFrame ``run, measure, topic, value, low, high, exact, judged``, which is computed when it is
    written or collected. It has a row for each run, measure and topic. The numbers are those of
    ``assay.uncertainty.bounds(...).frame()``.

    Parameters
    ----------
    spark
        The session.
    qrels, runs, measures
        As in :func:`assay.spark.evaluate`.
    outside, tail
        As in :func:`assay.uncertainty.bounds`.
    ties, missing, undefined
        As in ``evaluate``; the tie policy must not be ``expected`` and must not depend on the order of lines. A topic
        that is excluded because it has no relevant documents remains excluded.
    buckets, broadcast
        As in ``evaluate``.
    """
    parsed_measures = parse_measures(measures)
    refuse_ties(ties, expected="bounds need an order")
    policies = Policies(ties, missing, undefined)
    parse_outside(outside)  # raises an error before any job starts
    campaign = DistributedCampaign.build(spark, qrels, runs, policies, buckets=buckets, broadcast=broadcast)
    analysis = partial(bounds_of_campaign, measures=parsed_measures, outside=outside, tail=tail)
    work = partial(analyse_bucket, analysis=analysis, policies=policies)
    return campaign.with_condensed_depth(parsed_measures).map_buckets([work], BOUNDS_SCHEMA)


def analyse_bucket(bucket: Bucket, *, analysis: Callable[[Campaign], Report], policies: Policies) -> pa.Table:
    """Return the rows of a report on the topics of a bucket; *analysis* is the function for one machine."""
    frame = analysis(bucket.build_campaign(policies)).frame()
    return to_arrow(frame.with_columns(selectors.integer().cast(pl.Int64)))


def effort(
    spark: SparkSession,
    qrels: DataFrame,
    runs: DataFrame,
    *,
    depth: int | None = None,
    length: str = "extend",
    crossing: str = "strict",
    endpoint: str = "left",
    weights: str | Mapping[float, float] | None = None,
    persistence: float = 1,
    rel: float = 1,
    grades: Mapping[float, float] | None = None,
    ties: str = "trec_eval-10",
    missing: str = "empty",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    buckets: int | None = None,
    broadcast: bool | None = None,
) -> DataFrame:
    """Measure the effort of users: the indicators and the archetype of the curve for each run and topic.

    Returns a lazy DataFrame with a row for each run and topic, which is computed when it is written or collected. The
    columns and numbers are those of ``assay.effort.indicators(...).frame()``.

    Parameters
    ----------
    spark
        The session.
    qrels, runs
        As in :func:`assay.spark.evaluate`.
    depth
        The length N of all rankings; by default the length of the longest ranking of the campaign. Finding it takes a
        separate job if *unjudged* is ``condensed``. Values with different N are not comparable.
    length, crossing, endpoint, weights, persistence, rel
        As in the measure ``Twist``.
    grades
        Grades to replace by others, such as ``{4: 3, -2: 0}``.
    ties, missing, undefined, unjudged
        As in ``evaluate``; the tie policy must not be ``expected`` and must not depend on the order of lines.
    buckets, broadcast
        As in ``evaluate``.
    """
    refuse_ties(ties, expected="a curve needs an order")
    policies = Policies(ties, missing, undefined, unjudged)
    options: dict[str, Any] = {
        "length": length,
        "crossing": crossing,
        "endpoint": endpoint,
        "persistence": persistence,
        "rel": rel,
    }
    measures = build_effort_measures(depth, weights=None if weights is None else Gains(weights), **options)
    judgments = map_grades(qrels, grades) if grades else qrels
    campaign = DistributedCampaign.build(spark, judgments, runs, policies, buckets=buckets, broadcast=broadcast)
    check_thresholds(measures, campaign.plan.levels)
    refuse_facets(measures, "values on a cluster")
    analysis = partial(indicators, depth=depth, weights=weights, **options)
    work = partial(analyse_bucket, analysis=analysis, policies=policies)
    return campaign.with_condensed_depth(measures).map_buckets([work], EFFORT_SCHEMA)


def map_grades(qrels: DataFrame, grades: Mapping[float, float]) -> DataFrame:
    """Replace grades of judgments by others; raise an error for a grade that does not occur."""
    from pyspark.sql import functions as F

    judgments = select_judgments(qrels)
    levels = set(collect(judgments.select("value").distinct())["value"])
    unknown = [grade for grade in grades if float(grade) not in levels]
    if unknown:
        existing = " ".join(f"{level:g}" for level in sorted(level for level in levels if level is not None))
        raise InputError(f"qrels: has no grade {unknown[0]:g}; it has {existing}")
    grade = F.col("value")
    for old, new in grades.items():
        grade = F.when(F.col("value") == float(old), F.lit(float(new))).otherwise(grade)
    return judgments.select("topic", "doc", grade.alias("grade"))


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
