"""Tables of MED: distances, a matrix of runs, the labels that reach them."""

from __future__ import annotations

import polars as pl

from assay.distance.maximized import MedReport
from assay.measures import Measure
from assay.results.square import square
from assay.views.tables import Table, drop_fractions


def distances(report: MedReport, per_topic: bool = False) -> Table:
    """A row for each pair and measure, perhaps topic by topic."""
    frame = report.frame(per_topic)
    shown = frame.with_columns(pl.when("exact").then(pl.lit("yes")).otherwise(pl.lit("no")).alias("exact"))
    unneeded = [] if per_topic else ["topic", "direction"]
    if frame["exact"].all():
        unneeded += ["low", "high"]
    return _table(report, frame, shown.drop(unneeded))


def matrix(report: MedReport, of: Measure) -> Table:
    """Runs x runs: the mean distance by one measure."""
    wide = square(report.runs, report.matrix(of), str(of))
    return _table(report, wide, wide)


def labels(report: MedReport) -> Table:
    """The labels that reach each distance; whole grades without digits behind the point."""
    frame = report.label_frame()
    return _table(report, frame, drop_fractions(frame, "grade"))


def _table(report: MedReport, tidy: pl.DataFrame, wide: pl.DataFrame) -> Table:
    how = {"depth": report.depth, "method": report.method, "residual": report.residual, "seed": report.seed}
    return Table(tidy, wide, provenance={**report.provenance.as_dict(), **how}, notes=report.notes)
