"""The tables of bounds of RBP against depth and persistence."""

from __future__ import annotations

import polars as pl

from assay.uncertainty.residuals import ResidualCurves
from assay.views.tables import Table


def residual(report: ResidualCurves) -> Table:
    """Tabulate ``run, pool, p, depth, lower, upper, residual``; the wide table has the pools side by side."""
    frame = report.frame()
    return Table(frame, _widen(frame, report.pools), provenance=report.provenance, notes=report.notes)


def _widen(frame: pl.DataFrame, pools: tuple[int | None, ...]) -> pl.DataFrame:
    """Make a row for each run, p and depth, with the bounds of each pool; ``lower@10`` is of the pool of depth 10."""
    keys = ["run", "p", *(["depth"] if frame["depth"].null_count() < len(frame) else [])]
    wide = frame.filter(pl.col("pool").eq_missing(pools[0])).select(*keys)
    for pool in dict.fromkeys(pools):
        bounds = frame.filter(pl.col("pool").eq_missing(pool)).select("lower", "upper")
        wide = wide.hstack([bounds[name].alias(name if pool is None else f"{name}@{pool}") for name in bounds.columns])
    return wide.with_columns(pl.col("p").map_elements(lambda p: f"{p:g}", return_dtype=pl.String))
