"""Leaderboard: which run is best, how surely, and by which of the measures."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import polars as pl

from assay.views.compare import how
from assay.views.leaderboards import leaderboard
from assay.views.plots.leaderboard import shaped
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.material import Material
from assay.views.report.names import Name, run_name
from assay.views.report.phrasing import FEW_TOPICS, NOTHING, format_interval, format_level, is_finite
from assay.views.report.section import Section

TITLE = "Leaderboard"
MOST = 60
"""Runs of the figure; the table has all."""
ENOUGH = 5
"""Topics for an interval that is worth a sentence."""
_LETTERS = 16  # more in a group cannot be read


def compute(material: Material, figures: Figures) -> Section:
    """Order the runs, best first."""
    topics = int((~np.isnan(material.results.values[0])).any(axis=0).sum())
    comparison = material.comparison
    content = {
        "runs": len(material.runs),
        "measure": material.first,
        "level": format_level(material.confidence),
        "test": None if comparison is None else f"{how(comparison)}, alpha {material.settings.alpha:g}",
        "leader": describe_leader(material),
        "separation": count_separated(material),
        "others": len(material.measures) - 1,
        "other_leaders": group_other_measures(material),
        "equal_runs": find_equal_runs(material),
        "topics": topics,
        "few_topics": topics < FEW_TOPICS,
        "chart": figures.add("leaderboard", shaped(material.results, material.confidence, MOST)),
        "most": MOST,
        **tabulate(material),
    }
    return Section("leaderboard", TITLE, content)


def _names(material: Material, runs: list[int]) -> list[Name]:
    return [run_name(material, run) for run in runs]


def describe_leader(material: Material) -> dict[str, Any]:
    """Return the runs that are first, several if their values are equal, with their value and interval."""
    first = material.first_by(0)
    row = material.means.row((first or [0])[0] * len(material.measures), named=True)
    certain = row["topics"] >= ENOUGH and is_finite(row["low"]) and is_finite(row["high"])
    return {
        "runs": _names(material, first),
        "value": float(material.overall[(first or [0])[0], 0]),
        "topics": row["topics"],
        "interval": format_interval(row["low"], row["high"]) if certain else None,
        "lowest": material.first.lower_is_better,
    }


def count_separated(material: Material) -> dict[str, Any] | None:
    """Count the runs that do not differ significantly from the first; None if there is none or all are equal."""
    separation, leaders = material.separation, material.first_by(0)
    if separation is None or len(leaders) in (0, len(material.runs)):
        return None
    return {
        "tied": len(separation.tied),
        "untested": len(separation.untested),
        "tested": len(material.runs) - 1 - len(separation.untested),
        "reference": run_name(material, material.runs.index(separation.reference)),
    }


def group_other_measures(material: Material) -> list[dict[str, Any]]:
    """Group the other measures by the runs that are first: the leader's measures, then the first three other groups."""
    leaders = material.first_by(0)
    if len(material.runs) < 2 or len(leaders) != 1:
        return []
    groups: dict[tuple[int, ...], list[int]] = {tuple(leaders): []}
    for column in range(1, len(material.measures)):
        first = material.first_by(column)
        if first:
            groups.setdefault(tuple(first), []).append(column)
    return [
        {
            "runs": _names(material, list(runs)),
            "leader": runs == tuple(leaders),
            "values": [(material.measures[i], float(material.overall[runs[0], i])) for i in columns],
        }
        for runs, columns in list(groups.items())[:4]
        if columns
    ]


def find_equal_runs(material: Material) -> list[list[Name]]:
    """Return groups of runs that have the same values on every topic by every measure."""
    same: dict[bytes, list[int]] = {}
    for run in range(len(material.runs)):
        same.setdefault(material.results.values[:, run].tobytes(), []).append(run)
    return [_names(material, runs) for runs in same.values() if len(runs) > 1]


def tabulate(material: Material) -> dict[str, Any]:
    """Tabulate the means of every run; of several runs also the groups, and every measure with its intervals."""
    order = list(material.order)
    columns = {f"m{i}": str(measure) for i, measure in enumerate(material.measures)}
    wide = pl.DataFrame(
        {
            "run": order,
            "place": material.places[order, 0],
            **{column: pl.Series(material.overall[order, i]) for i, column in enumerate(columns)},
            "interval": _format_intervals(material),
        }
    )
    heads = {**columns, "interval": f"{format_level(material.confidence)} interval"}
    heads |= {"better_than": "better than", "worse_than": "worse than"}
    first, others = ["run", "place", "m0", "interval"], list(columns)[1:]
    show = {"run": partial(run_name, material)}
    if material.comparison is None:
        means = display(wide.select(*first, *others), heads=heads, show=show)
        return {"means": means, "letters": False, "every_measure": None}
    board = leaderboard(material.comparison).tidy
    of_first = board.filter(pl.col("measure") == str(material.first))
    letters = max(map(len, of_first["groups"].to_list())) <= _LETTERS
    more = [*["groups"] * letters, "better_than", "worse_than"]
    means = display(wide.hstack(of_first.select(more)).select(*first, *more, *others), heads=heads, show=show)
    return {"means": means, "letters": letters, "every_measure": tabulate_every_measure(material, board, letters)}


def _format_intervals(material: Material) -> list[str]:
    """Format the intervals of the first measure, best run first."""
    means = material.means.gather_every(len(material.measures))[list(material.order)]
    return [
        format_interval(low, high, 3) if is_finite(low) and is_finite(high) else NOTHING
        for low, high in means.select("low", "high").iter_rows()
    ]


def tabulate_every_measure(material: Material, board: pl.DataFrame, letters: bool) -> DisplayTable:
    """Tabulate mean, interval and place of each run by every measure."""
    columns = ["run", "measure", "place", "value", "low", "high", "topics", *["groups"] * letters]
    numbers = {run: i for i, run in enumerate(material.runs)}
    frame = board.select(columns).with_columns(pl.col("run").replace_strict(numbers, return_dtype=pl.Int64))
    return display(frame, show={"run": partial(run_name, material)})
