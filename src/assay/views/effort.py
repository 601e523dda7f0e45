"""The tables of effort: indicators and archetypes, effort against gain, one curve."""

from __future__ import annotations

import polars as pl

from assay.effort.against_gain import EffortGain
from assay.effort.indicators import EffortReport
from assay.views.tables import Table, drop_fractions


def effort(report: EffortReport, per_topic: bool = False, indicators: bool = False, merge: bool = False) -> Table:
    """Return a report as a table."""
    frame = report.frame(indicators) if per_topic else report.summary(indicators, merge)
    wide = frame if per_topic else _without_empty(frame)
    return Table(frame, wide, provenance=report.results.provenance.as_dict(), notes=report.results.notes)


def _without_empty(frame: pl.DataFrame) -> pl.DataFrame:
    """Drop archetypes that do not occur, so that a table fits a screen."""
    counts = [name for name in frame.columns[1:] if frame[name].dtype.is_integer() and name != "curves"]
    return frame.drop([name for name in counts if frame[name].sum() == 0])


def against_gain(grid: EffortGain, shape: str, per_run: bool) -> Table:
    """Return classes, cells or points as a table."""
    frame = {"classes": grid.classes, "cells": grid.frame}[shape](per_run) if shape != "points" else grid.points()
    return Table(frame, frame, provenance=grid.results.provenance.as_dict(), notes=grid.results.notes)


def one_curve(frame: pl.DataFrame) -> Table:
    """Return a curve as a table; grades that are whole numbers have no decimals."""
    return Table(frame, drop_fractions(frame, "grade", "ideal"))
