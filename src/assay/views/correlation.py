"""Tables of the agreement of measures on systems."""

from __future__ import annotations

import polars as pl

from assay.meta.correlation import DIFFERENT, EQUIVALENT, FULL, Correlation
from assay.views.tables import Table

SHOWN = {
    "pairs": "each two measures: tau, tau-AP, p and what tau says",
    "tau": "a matrix of Kendall's tau-b",
    "tau_ap": "a matrix of tau-AP",
    "p": "a matrix of the p-values of tau",
}


def correlation(report: Correlation, shown: str = "pairs") -> Table:
    """Pairs of measures, or a matrix."""
    tidy = report.frame() if shown == "pairs" else _without_pool(report, report.matrix(shown))
    wide = _pairs(report, tidy) if shown == "pairs" else _matrix(report, shown)
    return Table(tidy, wide, provenance=report.provenance, notes=report.notes)


def reading(tau: float | None) -> str:
    """Return the common interpretation of a tau.

    >>> reading(0.95), reading(0.85), reading(0.5)
    ('equivalent', '', 'different')
    """
    if tau is None or DIFFERENT <= tau <= EQUIVALENT:
        return ""
    return "equivalent" if tau > EQUIVALENT else "different"


def _pairs(report: Correlation, frame: pl.DataFrame) -> pl.DataFrame:
    reads = pl.Series("orders", [reading(tau) for tau in frame["tau"].to_list()], dtype=pl.String)
    return _without_pool(report, frame).with_columns(_short(frame["p"])).drop("runs").with_columns(reads)


def _matrix(report: Correlation, shown: str) -> pl.DataFrame:
    frame = report.matrix(shown)
    if shown == "p":
        names = [str(order.measure) for order in report.columns]
        frame = frame.with_columns(*(_short(frame[name]) for name in names))
    nearest = pl.Series("most like", [name or "-" for name in report.nearest()], dtype=pl.String)
    return _without_pool(report, frame).with_columns(*([nearest] if shown == "tau" else []))


def _without_pool(report: Correlation, frame: pl.DataFrame) -> pl.DataFrame:
    """Without the column of pools if there is only that of all judgments."""
    return frame.drop("pool") if all(order.pool == FULL for order in report.rows) else frame


def _short(p: pl.Series) -> pl.Series:
    """p-values as texts that stand like numbers: four digits behind the point would make most of them 0."""
    texts = ["-" if value is None else f"{value:.2g}" for value in p.to_list()]
    width = max(len(text) for text in (p.name, *texts))
    return pl.Series(p.name, [text.rjust(width) for text in texts], dtype=pl.String)
