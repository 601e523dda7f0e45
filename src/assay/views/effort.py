"""The tables of effort: indicators and archetypes, effort against gain, one curve."""

from __future__ import annotations

import polars as pl

from assay.effort.against_gain import EffortGain
from assay.effort.indicators import EffortReport
from assay.views.tables import Table, drop_fractions


def effort(report: EffortReport, per_topic: bool = False, indicators: bool = False, merge: bool = False) -> Table:
    """A report as a table, for programs and for people alike."""
    frame = report.frame(indicators) if per_topic else report.summary(indicators, merge)
    wide = frame if per_topic else _without_empty(frame)
    return Table(frame, wide, provenance=report.results.provenance.as_dict(), notes=report.results.notes)


def _without_empty(frame: pl.DataFrame) -> pl.DataFrame:
    """Without archetypes that do not occur, so that a table fits a screen."""
    counts = [name for name in frame.columns[1:] if frame[name].dtype.is_integer() and name != "curves"]
    return frame.drop([name for name in counts if frame[name].sum() == 0])


def against_gain(found: EffortGain, shape: str, per_run: bool) -> Table:
    """Classes, cells or points as a table."""
    frame = {"classes": found.classes, "cells": found.frame}[shape](per_run) if shape != "points" else found.points()
    return Table(frame, frame, provenance=found.results.provenance.as_dict(), notes=found.results.notes)


def one_curve(frame: pl.DataFrame) -> Table:
    """A curve as a table; grades that are whole numbers have no digits behind the point."""
    return Table(frame, drop_fractions(frame, "grade", "ideal"))
