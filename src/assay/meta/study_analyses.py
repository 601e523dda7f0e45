"""The analyses of a study: each function computes the tables of one step."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.distance.maximized_effectiveness import med
from assay.io.study_record import Files, read_table
from assay.meta._correlate import correlate
from assay.meta._judgments import judgments
from assay.meta._pool_depth import pool_depth
from assay.meta._power import TESTS, power
from assay.meta._robustness import robustness
from assay.meta._significance_counts import significance_counts
from assay.meta.groups import number_groups
from assay.meta.left_out import leave_out
from assay.meta.study_context import StudyContext
from assay.results._evaluate import evaluate
from assay.theory._axioms import axioms
from assay.theory._balance import balance
from assay.theory._order import order

MED_MEASURES = ("SDCG@20", "nDCG@20", "SSP@20", "AP@20", "RBP(p=0.8)")
"""The measures that the paper on MED compares, at a depth that bounds the time, and RBP."""
AXIOM_LENGTH = 6
"""Length of the rankings on which the axioms are checked."""
RANGE_COLUMNS = ("rho", "sigma_plus", "sigma_minus", "sigma", "twist")
"""The indicators whose ranges the paper on Twist compares between archetypes."""


def compute_scores(context: StudyContext) -> Files:
    """Compute the mean of each run and measure, and the value of each topic."""
    return {"scores": context.results.means(), "scores-topics": context.results.frame()}


def compute_judgments(context: StudyContext) -> Files:
    """Count the judgments by topic and grade; each topic also has its ideal DCG and the constants of SDCG."""
    report = judgments(context.campaign)
    constants = report.ideals().select("topic", "place", "all_top", "one_top")
    by_topic = report.by_topic().join(constants, on="topic", how="left", maintain_order="left")
    return {"judgments": by_topic, "judgments-grades": report.frame()}


def compute_correlation(context: StudyContext) -> Files:
    """Correlate measures over all runs and over the best runs, and with shallow pools against all judgments."""
    pools = {depth: evaluate(context.campaign.pool(depth), context.measures) for depth in context.settings.depths}
    frames = [
        correlate(context.results).frame().with_columns(selection=pl.lit("all runs")),
        correlate(context.best).frame().with_columns(selection=pl.lit("best runs")),
        *(
            correlate(context.results, rows=rows).frame().with_columns(selection=pl.lit(f"pool of depth {depth}"))
            for depth, rows in pools.items()
        ),
    ]
    return {"correlation": pl.concat(frames, how="diagonal_relaxed")}


def compute_pool_depth(context: StudyContext) -> Files:
    """Compute values and orders of runs with shallower pools."""
    report = pool_depth(context.campaign, context.measures, context.settings.depths)
    return {"pool-depth": report.by_pool(), "pool-depth-scores": report.by_run()}


def compute_groups(context: StudyContext) -> Files:
    """Evaluate all runs without the judgments that only one group contributed."""
    runs = context.campaign.runs
    members = number_groups(runs, context.settings.groups)
    pooled = max(context.settings.depths), np.arange(len(runs))
    report = leave_out(context.campaign, context.results, members, pooled)
    return {"groups": report.by_group(), "groups-runs": report.frame(), "groups-reuse": report.by_measure()}


def compute_significance_counts(context: StudyContext) -> Files:
    """Count the pairs that differ significantly, over all runs and over the best runs."""
    levels = context.settings.levels
    frames = [
        significance_counts(results, levels=levels).frame().with_columns(selection=pl.lit(name))
        for name, results in (("all runs", context.results), ("best runs", context.best))
    ]
    return {"significance-counts": pl.concat(frames)}


def compute_power(context: StudyContext, name: str) -> Files:
    """Compute the discriminative power of one measure, and the ASL of each run pair."""
    options = context.settings
    label = name_part(name)
    reports = {
        test: power(context.best, name, test=test, resamples=options.resamples, alpha=options.alpha, seed=options.seed)
        for test in TESTS
    }
    asl = [report.curves().with_columns(test=pl.lit(test)) for test, report in reports.items()]
    return {
        f"power-{label}": pl.concat([report.frame() for report in reports.values()]),
        f"asl-{label}": pl.concat(asl),
    }


def merge_power(context: StudyContext) -> Files:
    """Concatenate the tables of the measures, which may have been computed before the study was resumed."""
    labels = [name_part(str(one)) for one in context.measures]
    rows, asl = (
        pl.concat([read_table(context.folder, f"{kind}-{label}") for label in labels]) for kind in ("power", "asl")
    )
    return {"power": rows.sort("test", "dp", descending=[False, True], maintain_order=True), "asl": asl}


def compute_robustness(context: StudyContext) -> Files:
    """Compare the orders of runs by samples of the judgments with the order by all judgments."""
    settings = context.settings
    report = robustness(
        context.campaign,
        context.measures,
        ratios=settings.ratios,
        seeds=settings.seeds,
        best=settings.best,
        seed=settings.seed,
    )
    return {"robustness": report.frame(), "robustness-seeds": report.each()}


def compute_effort(context: StudyContext) -> Files:
    """Compute the indicators of effort, the census of archetypes, and the ranges of indicators by archetype."""
    report = context.effort
    return {
        "indicators": report.frame(),
        "archetypes": report.archetype_counts(),
        "archetype-ranges": _tabulate_ranges(report.frame()),
    }


def _tabulate_ranges(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the smallest, median and largest value of each indicator by archetype."""
    long = frame.unpivot(RANGE_COLUMNS, index="archetype", variable_name="indicator", value_name="value")
    groups = long.drop_nulls().group_by("archetype", "indicator", maintain_order=True)
    value = pl.col("value")
    ranges = groups.agg(
        curves=pl.len().cast(pl.Int64), min=value.min(), median=value.median(), mean=value.mean(), max=value.max()
    )
    return ranges.sort("archetype", maintain_order=True)


def compute_effort_gain(context: StudyContext) -> Files:
    """Classify rankings by effort and gain."""
    return {"effort-gain": context.effort_gain.classes()}


def compute_residual(context: StudyContext) -> Files:
    """Bound RBP by depth and persistence, with a shallow pool and with all judgments."""
    return {"residual": context.residual.frame()}


def compute_order(context: StudyContext) -> Files:
    """Compare rankings by the partial order, and count the pairs that measures order wrongly."""
    report = order(context.campaign, context.measures, unequal="pad")
    return {"order": report.by_run(), "order-measures": report.count_contradictions()}


def compute_axioms(context: StudyContext) -> Files:
    """Check swap and replacement on all short rankings."""
    return {"axioms": axioms(context.measures, length=AXIOM_LENGTH).frame()}


def compute_balance(context: StudyContext) -> Files:
    """Compute the balancing index of each measure by length."""
    return {"balance": balance(context.measures).frame()}


def compute_med(context: StudyContext) -> Files:
    """Compute MED of each pair of the few best runs."""
    return {"med": med(context.top_campaign, MED_MEASURES).frame()}


def name_part(measure: str) -> str:
    """Return the notation of a measure; characters that are not safe in a file name are replaced.

    >>> name_part("RBP(p=0.8)")
    'RBP_p=0.8'
    """
    return "".join(char if char.isalnum() or char in "@.=" else "_" for char in measure).strip("_")
