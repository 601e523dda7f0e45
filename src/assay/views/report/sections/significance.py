"""Significance: the pairs of runs that differ significantly, and the runs that do not differ from the best run."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.significance._compare import Comparison
from assay.significance.groups import find_groups
from assay.significance.wording import describe_intervals, describe_test, p_label
from assay.views.report.context import ReportContext
from assay.views.report.display_table import DisplayTable, Formats, display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import capitalize, format_p, format_p_cell, format_percent_cell
from assay.views.report.section import Content

MAX_RUNS_SHOWN = 40
"""Number of runs in the matrix, and of rows in the comparison with the best run."""
_MAX_GROUPS = 26  # One letter per group.


def compute(context: ReportContext, figures: Figures) -> Content:
    """Compare all pairs of runs, and the best run with each other run."""
    comparison = context.comparison
    if comparison is None:
        return "There is only one run, so there is nothing to compare."
    if np.isnan(comparison.numbers["p"]).all():
        return "No two runs can be compared: there are too few topics."
    tested, significant = count_pairs(comparison, 0)
    test = comparison.test
    return {
        "tested": tested,
        "differ": significant,
        "only_p": format_p(float(np.nanmin(comparison.numbers["p_adjusted"][0])), comparison.least) if tested else "",
        "separation": describe_leader_ties(context),
        "baseline": None if context.baseline is None else context.run_name(context.baseline),
        "chart": None if context.baseline is not None else figures.add("significance", comparison, most=MAX_RUNS_SHOWN),
        "most": MAX_RUNS_SHOWN,
        "family": comparison.family_title,
        "counts": tabulate_counts(comparison),
        "letters": tabulate_groups(context, comparison),
        "best": context.run_name(_find_reference(context)),
        "against": tabulate_against_best(context, comparison),
        "p": p_label(comparison),
        "alpha": f"{comparison.alpha:g}",
        "test": capitalize(describe_test(comparison)),
        "resampling": test if hasattr(test, "resamples") else None,
        "interval": describe_intervals(comparison),
        "corrected_p": not comparison.test.corrected and comparison.correction != "none",
    }


def count_pairs(comparison: Comparison, measure: int) -> tuple[int, int]:
    """Count the pairs of runs that were tested by a measure, and the pairs that differ significantly."""
    p = comparison.numbers["p_adjusted"][measure]
    return int((~np.isnan(p)).sum()), int((p < comparison.alpha).sum())


def _find_reference(context: ReportContext) -> int:
    """Return the run with which the other runs are compared: the baseline, or the leader."""
    return context.order[0] if context.baseline is None else context.baseline


def describe_leader_ties(context: ReportContext) -> dict[str, Any] | None:
    """Return the best run and the runs not significantly different from it; None for two runs or without tests."""
    separation, others = context.separation, len(context.runs) - 1
    if separation is None or separation.better or len(separation.untested) == others or others < 2:
        return None
    best, *tied = (context.run_name(context.runs.index(run)) for run in (separation.reference, *separation.tied))
    return {"best": best, "tied": tied, "others": others}


def tabulate_counts(comparison: Comparison) -> DisplayTable:
    """Tabulate the pairs that differ significantly by each measure."""
    rows = []
    for i, measure in enumerate(comparison.results.measures):
        tested, differ = count_pairs(comparison, i)
        rows.append((str(measure), tested, differ, differ / tested if tested else None))
    frame = pl.DataFrame(rows, schema=["measure", "pairs", "differ", "share"], orient="row")
    return display(frame, heads={"pairs": "pairs tested"}, show={"share": format_percent_cell})


def tabulate_groups(context: ReportContext, comparison: Comparison) -> DisplayTable | None:
    """Tabulate the groups that the letters of the leaderboard denote; None for a single group or more than 26."""
    if comparison.baselines:  # A baseline leaves most pairs of runs untested.
        return None
    members = find_groups(np.abs(comparison.verdicts(context.first_measure)) == 1, context.order)
    if not 2 <= len(members) <= _MAX_GROUPS:
        return None
    best_first = [[run for run in context.order if row[run]] for row in members]
    rows = [(chr(ord("a") + i), len(runs), i) for i, runs in enumerate(best_first)]
    frame = pl.DataFrame(rows, schema=["group", "runs", "members"], orient="row")
    show: Formats = {"members": lambda i: [context.run_name(run) for run in best_first[i]]}
    return display(frame, show=show, texts=("members",))


def tabulate_against_best(context: ReportContext, comparison: Comparison) -> DisplayTable:
    """Tabulate the comparison of the best run with the next runs."""
    reference = _find_reference(context)
    others = [run for run in context.order if run != reference]
    frame = compare_with(comparison, reference, others[:MAX_RUNS_SHOWN])
    heads = {"mean": str(context.first_measure), "low": "CI low", "high": "CI high", "p_adjusted": p_label(comparison)}
    heads |= {"wins": "topics won", "ties": "tied", "losses": "lost"}
    redundant = ["p"] if comparison.test.corrected else ["p_adjusted"] if p_label(comparison) == "p" else []
    show: Formats = {"run": context.run_name, "p": format_p_cell, "p_adjusted": format_p_cell}
    return display(frame.drop(redundant), heads=heads, show=show)


def compare_with(comparison: Comparison, best: int, others: list[int]) -> pl.DataFrame:
    """Compare one run with others by the first measure.

    The columns are run, mean, difference, low, high, p, p_adjusted, wins, ties and losses. *run* is the index of the
    other run and *mean* its mean. Differences are the first run minus the other run.
    """
    runs, measure = comparison.results.runs, comparison.results.measures[0]
    rows = [comparison.between(measure, runs[best], runs[other]) for other in others]
    numbers = {"mean": "mean_b", **{name: name for name in ("difference", "low", "high", "p", "p_adjusted")}}
    return pl.DataFrame(
        {
            "run": others,
            **{name: pl.Series([row[column] for row in rows]).fill_nan(None) for name, column in numbers.items()},
            **{name: [int(row[name]) for row in rows] for name in ("wins", "ties", "losses")},
        }
    )
