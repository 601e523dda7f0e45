"""Systems: the details of each run, in parts of the page that readers can open."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.effort._indicators import MAIN
from assay.effort.archetypes import NAMES
from assay.model.arrays import Floats, subtract
from assay.views.report.context import MAX_TOPICS_DRAWN, UNJUDGED_DEPTHS, ReportContext
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import is_finite
from assay.views.report.section import Content

TOPICS_PER_TABLE = 5
"""Number of topics in the table of the best topics, and in the table of the worst topics."""


def compute(context: ReportContext, figures: Figures) -> Content:
    """Describe each of the best runs."""
    return {
        "most": context.settings.most,
        "depths": UNJUDGED_DEPTHS,
        "systems": [describe_system(context, figures, run) for run in context.order[: context.settings.most]],
    }


def describe_system(context: ReportContext, figures: Figures, run: int) -> dict[str, Any]:
    """Return the numbers, tables and figure of one run."""
    value, place = float(context.overall[run, 0]), int(context.places[run, 0])
    return {
        "id": f"system-{run}",
        "run": context.runs[run],
        "value": value if is_finite(value) else None,
        "place": place,
        "tied": bool((context.places[:, 0] == place).sum() > 1),
        "other_places": context.places[run, 1:][np.isfinite(context.overall[run, 1:])].tolist(),
        "median": count_above_median(context, run),
        "archetypes": count_archetypes(context, run),
        "unjudged": [fraction for fraction in context.mean_unjudged[run, :2].tolist() if is_finite(fraction)],
        "means": tabulate_means(context, run),
        "chart": None
        if len(context.topics) > MAX_TOPICS_DRAWN
        else figures.add("crp-aggregate", context.effort, run=context.runs[run]),
        "topics": tabulate_topics(context, run),
        "unjudged_topics": tabulate_unjudged(context, run),
    }


def count_above_median(context: ReportContext, run: int) -> tuple[int, int, int]:
    """Count the topics on which a run is better than the median of all runs, worse than it, and has a value."""
    difference = median_differences(context, run)
    return int((difference > 0).sum()), int((difference < 0).sum()), int((~np.isnan(difference)).sum())


def median_differences(context: ReportContext, run: int) -> Floats:
    """Return the difference of a run from the median of all runs by topic, positive if better; NaN without a value."""
    sign = -1.0 if context.first_measure.lower_is_better else 1.0
    return np.asarray(sign * subtract(context.results.values[0, run], context.topic_summary.median))


def count_archetypes(context: ReportContext, run: int) -> list[tuple[int, str]]:
    """Return the archetypes of the rankings of a run with their counts, the most frequent first."""
    kinds = context.effort.archetypes[run]
    counts = [(int((kinds == i).sum()), kind) for i, kind in enumerate(NAMES)]
    return sorted((pair for pair in counts if pair[0]), key=lambda pair: -pair[0])


def tabulate_means(context: ReportContext, run: int) -> DisplayTable:
    """Tabulate mean, place and interval of a run by every measure."""
    size = len(context.measures)
    frame = context.means[run * size : (run + 1) * size].select("measure", "value", "low", "high", "topics")
    if len(context.runs) > 1:
        best = context.overall[context.places.argmin(axis=0), range(size)]
        columns = {"place": pl.Series(context.places[run]), "best": pl.Series(best)}
        frame = frame.with_columns(**columns).select("measure", "value", "place", "best", "low", "high", "topics")
    return display(frame, heads={"place": f"place of {len(context.runs)}", "best": "best run"})


def tabulate_topics(context: ReportContext, run: int) -> dict[str, DisplayTable]:
    """Return tables of the topics of a run by caption: one table, or two tables of the best and the worst topics.

    Topics are sorted by the difference from the median of all runs, or by value if there is a single run.
    """
    values, difference = context.results.values[0, run], median_differences(context, run)
    is_single = len(context.runs) == 1
    key = values if is_single else difference
    with_value = np.flatnonzero(~np.isnan(key))
    order = with_value[np.argsort(-key[with_value], kind="stable")]
    kinds = [*NAMES, None]  # The archetype -1 means none; -1 modulo len(kinds) is the index of None.
    archetypes = [kinds[kind % len(kinds)] for kind in context.effort.archetypes[run]]
    frame = pl.DataFrame(
        {
            "topic": pl.Series(context.topics, dtype=pl.String),
            "relevant": context.judgments.relevant[:, 0],
            "value": values,
            "median": context.topic_summary.median,
            "difference": difference,
            "twist": context.effort.results.values[list(MAIN).index("twist"), run],
            "archetype": pl.Series(archetypes, dtype=pl.String),
        }
    ).drop(("median", "difference") if is_single else ())
    if len(order) > 2 * TOPICS_PER_TABLE:
        best, worst = order[:TOPICS_PER_TABLE], order[::-1][:TOPICS_PER_TABLE]
        tables = {"Best topics of the run": best, "Worst topics of the run": worst}
    else:
        tables = {"Topics of the run, best first": order}
    heads = {"value": str(context.first_measure), "difference": "better by", "twist": "Twist"}
    return {caption: display(frame[rows], heads=heads) for caption, rows in tables.items() if len(rows)}


def tabulate_unjudged(context: ReportContext, run: int) -> DisplayTable | None:
    """Tabulate the topics with the most unjudged documents in the first ranks; None if all are judged."""
    fractions = np.nan_to_num(context.unjudged[run, :, 0], nan=0.0)
    most_unjudged = np.argsort(-fractions, kind="stable")[:TOPICS_PER_TABLE].tolist()
    topics = [topic for topic in most_unjudged if fractions[topic] > 0]
    if not topics:
        return None
    rows = []
    for topic in topics:
        ranks = context.unjudged_ranks(run, topic, UNJUDGED_DEPTHS[0])
        rows.append((context.topics[topic], len(ranks), ", ".join(map(str, ranks))))
    frame = pl.DataFrame(rows, schema=["topic", "unjudged", "ranks"], orient="row")
    return display(frame)
