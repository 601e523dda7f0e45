"""The tables of significance counts."""

from __future__ import annotations

import polars as pl

from assay.meta.significance_counts import SignificanceCounts
from assay.views.compare import uncorrected
from assay.views.tables import Table


def significance_counts(report: SignificanceCounts, each: bool = False) -> Table:
    """Counts per measure, test and level, for people a row for each measure; or the p of every pair."""
    if each:
        frame = report.each()
        return Table(frame, frame, provenance=report.provenance, notes=report.notes, caption=uncorrected(report.tests))
    counts = report.counts()
    columns = {
        f"{test.name} {100 * (1 - level):g}%": counts[:, i, j]
        for i, test in enumerate(report.tests)
        for j, level in enumerate(report.levels)
    }
    names = pl.Series("measure", [str(measure) for measure in report.results.measures], dtype=pl.String)
    pairs = pl.Series("pairs", [len(report.pairs)] * len(names), dtype=pl.Int64)
    wide = pl.DataFrame([names, pairs, *(pl.Series(name, column) for name, column in columns.items())])
    return Table(
        report.frame(),
        wide,
        best=tuple(columns),
        provenance=report.provenance,
        notes=report.notes,
        caption=uncorrected(report.tests),
    )
