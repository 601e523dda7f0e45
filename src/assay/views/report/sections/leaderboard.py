"""Leaderboard: which run is best, how surely, and by which of the measures."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.views.compare import how
from assay.views.leaderboards import leaderboard
from assay.views.plots.leaderboard import shaped
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.material import Material
from assay.views.report.phrasing import (
    FEW_TOPICS,
    NOTHING,
    capitalize,
    count,
    count_all,
    format_interval,
    format_level,
    is_finite,
)
from assay.views.report.prose import Name, Sentence, enumerate_names, join, sentence
from assay.views.report.run_names import run_name
from assay.views.report.section import Section

TITLE = "Leaderboard"
MOST = 60
"""Runs of the figure; the table has all."""
ENOUGH = 5
"""Topics for an interval that is worth a sentence."""
_LETTERS = 16  # more in a group cannot be read


def compute(material: Material, figures: Figures) -> Section:
    """Order the runs, best first."""
    chart = figures.add("leaderboard", shaped(material.results, material.confidence, MOST))
    content = {
        "other_measures": describe_other_measures(material),
        "equal_runs": describe_equal_runs(material),
        "few_topics": warn_of_few_topics(material),
        "chart": None if np.isnan(material.overall[:, 0]).all() else chart,
        "most": MOST,
        "runs": len(material.runs),
        "measure": material.first,
        "level": format_level(material.confidence),
        "test": describe_test(material),
        **tabulate(material),
    }
    return Section("leaderboard", TITLE, (describe_leader(material), describe_separation(material)), content)


# Sentences -----------------------------------------------------------------------------------------------------


def describe_leader(material: Material) -> Sentence:
    """Name the first run with its value and interval; runs with equal values are tied, and none of them leads."""
    first = material.first_by(0)
    if not first:
        return sentence("No run has a value of {measure}.", measure=material.first)
    if len(material.runs) == 1:
        template = "{run} reaches {measure} {value}{interval}."
    elif len(first) == len(material.runs):
        template = "{all_runs} are tied: they have the same {measure}, {value}."
    elif len(first) > 1:
        template = "{runs} are tied for first, with {measure} {value}."
    else:
        template = "{run} leads with {lowest}{measure} {value}{interval}."
    return sentence(
        template,
        run=run_name(material, first[0]),
        runs=enumerate_names(run_name(material, run) for run in first),
        all_runs=capitalize(count_all(len(first), "run")),
        lowest="the lowest " if material.first.lower_is_better else "",
        measure=material.first,
        value=float(material.overall[first[0], 0]),
        interval=_interval(material, first[0]),
    )


def _interval(material: Material, run: int) -> str:
    """Return the number of topics, and the interval if there are enough of them."""
    row = material.means.row(run * len(material.measures), named=True)
    topics = f"over {count(row['topics'], 'topic')}"
    if row["topics"] < ENOUGH or not (is_finite(row["low"]) and is_finite(row["high"])):
        return f" ({topics})"
    return f" ({format_level(material.confidence)} interval {format_interval(row['low'], row['high'])}, {topics})"


def describe_separation(material: Material) -> str | Sentence | None:
    """Count the runs that do not differ significantly from the first, and name the test and its family."""
    separation, leaders = material.separation, material.first_by(0)
    if separation is None or len(leaders) in (0, len(material.runs)):
        return None
    tested = len(material.runs) - 1 - len(separation.untested)
    if not tested:
        return "Whether runs differ could not be tested: there are too few topics."
    untested = (
        f"; {count(len(separation.untested), 'run')} could not be compared with it" if separation.untested else ""
    )
    return sentence(
        "{which} significantly from {leader}{untested} ({test}).",
        which=_count_tied(len(separation.tied), tested),
        leader="it" if len(leaders) == 1 else run_name(material, material.runs.index(separation.reference)),
        untested=untested,
        test=describe_test(material),
    )


def _count_tied(tied: int, tested: int) -> str:
    """Say how many of the other runs differ, or do not."""
    if tested == 1:
        return "The other run does not differ" if tied else "The other run differs"
    if not tied:
        return f"Each of the other {tested:,} runs differs"
    if tied == tested:
        return "None of the other runs differs"
    return "1 other run does not differ" if tied == 1 else f"{tied:,} other runs do not differ"


def describe_test(material: Material) -> str | None:
    """Return the test, its correction and family, and alpha."""
    return None if material.comparison is None else f"{how(material.comparison)}, alpha {material.settings.alpha:g}"


def describe_other_measures(material: Material) -> Sentence | None:
    """Name the runs that are first by the other measures."""
    leaders = material.first_by(0)
    if len(material.runs) < 2 or len(material.measures) < 2 or len(leaders) != 1:
        return None
    same: list[Measure] = []
    others: dict[tuple[int, ...], list[int]] = {}
    for column, measure in enumerate(material.measures[1:], 1):
        first = material.first_by(column)
        if first == leaders:
            same.append(measure)
        elif first:
            others.setdefault(tuple(first), []).append(column)
    sentences = [_describe_leaders(material, *group) for group in list(others.items())[:3]]
    if same:
        every = len(same) == len(material.measures) - 1 > 1
        names = count_all(len(same), "other measure") if every else enumerate_names(map(Name.of, same))
        sentences.insert(0, sentence("It is also first by {names}.", names=names))
    return join(sentences, " ") if sentences else None


def _describe_leaders(material: Material, first: tuple[int, ...], columns: list[int]) -> Sentence:
    """Name the runs that are first by some measures, with their values."""
    values = enumerate_names(
        sentence("{measure} ({value})", measure=material.measures[i], value=float(material.overall[first[0], i]))
        for i in columns
    )
    if len(first) == len(material.runs):
        return sentence("By {values}, {runs} are tied.", values=values, runs=count_all(len(first), "run"))
    return sentence(
        "By {values}, {runs} {verb}.",
        values=values,
        runs=enumerate_names((run_name(material, run) for run in first), 3),
        verb="comes first" if len(first) == 1 else "are tied for first",
    )


def describe_equal_runs(material: Material) -> Sentence | None:
    """Name runs that have the same values on every topic by every measure."""
    same: dict[bytes, list[int]] = {}
    for run in range(len(material.runs)):
        same.setdefault(material.results.values[:, run].tobytes(), []).append(run)
    groups = [runs for runs in same.values() if len(runs) > 1]
    if not groups:
        return None
    verb = "does" if len(groups) == 2 else "do"
    return sentence(
        "{runs} have the same values on every topic{more}.",
        runs=enumerate_names(run_name(material, run) for run in groups[0]),
        more=f", and so {verb} {count(len(groups) - 1, 'other group')} of runs" if len(groups) > 1 else "",
    )


def warn_of_few_topics(material: Material) -> str | None:
    """Warn that few topics show little."""
    topics = int((~np.isnan(material.results.values[0])).any(axis=0).sum())
    if topics >= FEW_TOPICS:
        return None
    several = len(material.runs) > 1
    if topics < 2:
        chance = ": the order may be owed to chance" if several else ""
        return f"With {count(topics, 'topic')} there is no interval and no test{chance}."
    tests = ", and tests can show little" if several else ""
    return f"With only {count(topics, 'topic')}, intervals are wide{tests}."


# Tables --------------------------------------------------------------------------------------------------------


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


def _format_intervals(material: Material) -> pl.Series:
    """Format the intervals of the first measure, best run first."""
    means = material.means.gather_every(len(material.measures))[list(material.order)]
    texts = [
        format_interval(low, high, 3) if is_finite(low) and is_finite(high) else NOTHING
        for low, high in means.select("low", "high").iter_rows()
    ]
    return pl.Series("interval", texts, dtype=pl.String)


def tabulate_every_measure(material: Material, board: pl.DataFrame, letters: bool) -> DisplayTable:
    """Tabulate mean, interval and place of each run by every measure."""
    columns = ["run", "measure", "place", "value", "low", "high", "topics", *["groups"] * letters]
    numbers = {run: i for i, run in enumerate(material.runs)}
    frame = board.select(columns).with_columns(pl.col("run").replace_strict(numbers, return_dtype=pl.Int64))
    return display(frame, show={"run": partial(run_name, material)})
