"""Leaderboard: the best runs by each measure, and the runs that differ significantly from the best."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.significance._leaderboard import rank_runs
from assay.views.report.context import ReportContext
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Chart, Figures
from assay.views.report.many_runs import MIN_RUNS, draw_staircase, tabulate_staircase
from assay.views.report.phrasing import FEW_TOPICS, NO_VALUE, Name, format_interval, format_level, is_finite
from assay.views.report.section import Content

MAX_RUNS_IN_FIGURE = 20
"""Maximum number of runs in the figure; the table has all runs."""
MIN_TOPICS_FOR_INTERVAL = 5
"""Minimum number of topics for which the headline mentions the interval."""
_MAX_LETTERS = 16  # If a run has more group letters, all letters are omitted, because they would be unreadable.


def compute(context: ReportContext, figures: Figures) -> Content:
    """Rank the runs by the first measure, and describe the leader."""
    topics = int((~np.isnan(context.results.values[0])).any(axis=0).sum())
    chart = figures.add(
        "leaderboard",
        context.results,
        measure=str(context.first_measure),
        confidence=context.confidence,
        most=MAX_RUNS_IN_FIGURE,
    )
    has_staircase = context.comparison is not None and context.baseline is None
    return {
        "staircase": add_staircase(context, figures) if has_staircase and len(context.runs) > MIN_RUNS else None,
        "test": context.test_title,
        "leader": describe_leader(context),
        "separation": count_leader_ties(context),
        "others": len(context.measures) - 1,
        "other_leaders": group_other_measures(context),
        "equal_runs": find_equal_runs(context),
        "topics": topics,
        "few_topics": topics < FEW_TOPICS,
        "chart": chart,
        "most": MAX_RUNS_IN_FIGURE,
        "better_than": False,
        **tabulate(context),
    }


def add_staircase(context: ReportContext, figures: Figures) -> Chart:
    """Add the staircase of tied runs."""
    comparison = context.comparison
    assert comparison is not None, "there are many runs"
    return figures.add_frame("staircase", tabulate_staircase(comparison, context.order), draw=draw_staircase)


def describe_leader(context: ReportContext) -> dict[str, Any]:
    """Return the leader (several runs if they are tied) with its value and interval."""
    leaders = context.leaders_by(0)
    row = context.means.row((leaders or [0])[0] * len(context.measures), named=True)
    has_interval = row["topics"] >= MIN_TOPICS_FOR_INTERVAL and is_finite(row["low"]) and is_finite(row["high"])
    return {
        "runs": [context.run_name(run) for run in leaders],
        "value": float(context.overall[(leaders or [0])[0], 0]),
        "topics": row["topics"],
        "interval": format_interval(row["low"], row["high"]) if has_interval else None,
        "lowest": context.first_measure.lower_is_better,
    }


def count_leader_ties(context: ReportContext) -> dict[str, Any] | None:
    """Count the runs that do not differ significantly from the leader; None if there is no leader or all are tied."""
    separation, leaders = context.separation, context.leaders_by(0)
    if separation is None or context.baseline is not None or len(leaders) in (0, len(context.runs)):
        return None
    return {
        "tied": len(separation.tied),
        "untested": len(separation.untested),
        "tested": len(context.runs) - 1 - len(separation.untested),
        "reference": context.run_name(context.runs.index(separation.reference)),
    }


def group_other_measures(context: ReportContext) -> list[dict[str, Any]]:
    """Group the other measures by the runs in first place: the group of the leader, then up to three other groups."""
    leaders = context.leaders_by(0)
    if len(context.runs) < 2 or len(leaders) != 1:
        return []
    groups: dict[tuple[int, ...], list[int]] = {tuple(leaders): []}
    for column in range(1, len(context.measures)):
        first_runs = context.leaders_by(column)
        if first_runs:
            groups.setdefault(tuple(first_runs), []).append(column)
    return [
        {
            "runs": [context.run_name(run) for run in runs],
            "leader": runs == tuple(leaders),
            "values": [(context.measures[i], float(context.overall[runs[0], i])) for i in columns],
        }
        for runs, columns in list(groups.items())[:4]
        if columns
    ]


def find_equal_runs(context: ReportContext) -> list[list[Name]]:
    """Return groups of runs with identical values on every topic by every measure."""
    groups: dict[bytes, list[int]] = {}
    for run in range(len(context.runs)):
        groups.setdefault(context.results.values[:, run].tobytes(), []).append(run)
    return [[context.run_name(run) for run in runs] for runs in groups.values() if len(runs) > 1]


def tabulate(context: ReportContext) -> dict[str, Any]:
    """Tabulate the mean of each run. With several runs, also tabulate groups and every measure with its interval."""
    order = context.order
    columns = {f"m{i}": str(measure) for i, measure in enumerate(context.measures)}
    wide = pl.DataFrame(
        {
            "run": order,
            "place": context.places[order, 0],
            **{column: pl.Series(context.overall[order, i]) for i, column in enumerate(columns)},
            "interval": _format_intervals(context),
        }
    )
    heads = {**columns, "interval": f"{format_level(context.confidence)} interval"}
    heads |= {"better_than": "better than", "worse_than": "worse than"}
    first_columns, other_measures = ["run", "place", "m0", "interval"], list(columns)[1:]
    show = {"run": context.run_name}
    if context.comparison is None:
        means = display(wide.select(*first_columns, *other_measures), heads=heads, show=show)
        return {"means": means, "letters": False, "every_measure": None}
    board = rank_runs(context.comparison).frame()
    if context.baseline is not None:
        means = display(wide.select(*first_columns, *other_measures), heads=heads, show=show)
        return {"means": means, "letters": False, "every_measure": tabulate_every_measure(context, board, False)}
    first_board = board.filter(pl.col("measure") == str(context.first_measure))
    has_letters = max(map(len, first_board["groups"].to_list())) <= _MAX_LETTERS
    test_columns = [*["groups"] * has_letters, "better_than", "worse_than"]
    table = wide.hstack(first_board.select(test_columns)).select(*first_columns, *test_columns, *other_measures)
    means = display(table, heads=heads, show=show)
    every_measure = tabulate_every_measure(context, board, has_letters)
    return {"means": means, "letters": has_letters, "every_measure": every_measure, "better_than": True}


def _format_intervals(context: ReportContext) -> list[str]:
    """Format the intervals of the first measure, best run first."""
    means = context.means.gather_every(len(context.measures))[context.order]
    return [
        format_interval(low, high, 3) if is_finite(low) and is_finite(high) else NO_VALUE
        for low, high in means.select("low", "high").iter_rows()
    ]


def tabulate_every_measure(context: ReportContext, board: pl.DataFrame, has_letters: bool) -> DisplayTable:
    """Tabulate mean, interval and place of each run by every measure."""
    columns = ["run", "measure", "place", "value", "low", "high", "topics", *["groups"] * has_letters]
    run_index = {run: i for i, run in enumerate(context.runs)}
    frame = board.select(columns).with_columns(pl.col("run").replace_strict(run_index, return_dtype=pl.Int64))
    return display(frame, show={"run": context.run_name})
