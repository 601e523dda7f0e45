"""The table of judging depths."""

from __future__ import annotations

import polars as pl

from assay.uncertainty.depth import DepthPlans
from assay.views.tables import Table


def depth(plans: DepthPlans) -> Table:
    """Tabulate ``p, accuracy, depth, documents``; the wide table writes persistences and accuracies in few digits."""
    frame = plans.frame()
    # With four digits behind the point an accuracy may read 0, and a persistence 1.
    given = [] if plans.sought == "p" else [_texts(frame["p"])]
    accuracy = _texts(frame["accuracy"])
    width = max(len(accuracy.name), *accuracy.str.len_chars())
    wide = frame.with_columns(*given, accuracy.str.pad_start(width))
    return Table(frame, wide, provenance=plans.provenance, notes=plans.notes)


def _texts(values: pl.Series) -> pl.Series:
    texts = [f"{value:g}" if float(f"{value:g}") == value else f"{value:.4g}" for value in values.to_list()]
    return pl.Series(values.name, texts, dtype=pl.String)
