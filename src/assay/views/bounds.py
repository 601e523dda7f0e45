"""The table of bounds."""

from __future__ import annotations

import math

import polars as pl

from assay.uncertainty.bounding import ALL, Bounds
from assay.views.tables import Table


def _outside(number: float) -> str | int:
    return {0: "none", math.inf: "any"}.get(number) or int(number)


def bounds_table(report: Bounds, per_topic: bool = False) -> Table:
    """Tabulate run, measure, topic, value, low, high, exact, judged; the topic ``all`` is the value over topics."""
    means = report.means().with_columns(topic=pl.lit(ALL))
    frame = report.frame()
    means = means.select(frame.columns)
    if per_topic:
        order = [frame.with_columns(last=pl.lit(0)), means.with_columns(last=pl.lit(1))]
        by_run = {run: i for i, run in enumerate(report.results.runs)}
        by_measure = {str(measure): i for i, measure in enumerate(report.results.measures)}
        keys = (pl.col("run").replace_strict(by_run), pl.col("measure").replace_strict(by_measure))
        means = pl.concat(order).sort(*keys, "last", maintain_order=True).drop("last")
    shown = means.with_columns(pl.when("exact").then(pl.lit("yes")).otherwise(pl.lit("outer")).alias("exact"))
    return Table(
        means,
        shown if per_topic else shown.drop("topic"),
        provenance={**report.results.provenance.as_dict(), "outside": _outside(report.outside), "tail": report.tail},
        notes=report.notes,
    )
