"""The tables of the balancing index and of the trials that show what it means."""

from __future__ import annotations

import polars as pl

from assay.theory.balancing import Balance
from assay.theory.trials import Trials
from assay.views.tables import Table


def balance(report: Balance) -> Table:
    """``measure, n, balance``; for people, ``none`` where there is no index."""
    frame = report.frame()
    return Table(frame, _with_none(frame), provenance=report.provenance, notes=report.notes)


def _with_none(frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers stay numbers where there is an index for all; beside ``none`` they are texts that stand like numbers."""
    if not frame["balance"].null_count():
        return frame
    shown = frame["balance"].cast(pl.String).fill_null("none")
    return frame.with_columns(shown.str.pad_start(max(len("balance"), *shown.str.len_chars())))


def trials(report: Trials) -> Table:
    """``measure, rank, rejected, first, second, difference``."""
    frame = report.frame()
    return Table(frame, frame, provenance=report.provenance, notes=report.notes)
