"""The tables of the order on runs."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.theory.chain import ChainStep
from assay.theory.order import OrderReport, measurement
from assay.views.tables import Table, drop_fractions

SHOWN = {
    "summary": "each run against all others",
    "pairs": "each pair of runs",
    "matrix": "on how many topics the run of the row is below that of the column",
    "check": "how often each measure contradicts the order",
    "violations": "where it does",
    "profile": "how often two measures disagree where the order is silent",
}
_FEW = 10


def order(report: OrderReport, shown: str | None = None) -> Table:
    """One of the tables; by default pairs of a few runs, or a summary of many."""
    kind = shown or ("pairs" if len(report.results.runs) <= _FEW else "summary")
    made = {
        "summary": report.summary,
        "pairs": report.frame,
        "matrix": report.matrix,
        "check": lambda: _marked(report),
        "violations": report.violations,
        "profile": report.profile,
    }
    frame = made[kind]()
    notes = (*report.results.notes, *_contradictions(report))
    return Table(frame, frame, provenance=report.results.provenance.as_dict(), notes=notes)


def _marked(report: OrderReport) -> pl.DataFrame:
    """With what the catalogue says: measurements of utility never contradict the order."""
    says = ["yes" if measurement(measure) else "not said" for measure in report.results.measures]
    return report.checked().with_columns(measurement=pl.Series(says, dtype=pl.String))


def _contradictions(report: OrderReport) -> list[str]:
    wrong = report.violations()
    notes = []
    for measure in report.results.measures:
        mine = wrong.filter(pl.col("measure") == str(measure))
        if len(mine):
            first = mine.row(0, named=True)
            notes.append(
                f"{measure} contradicts the order {len(mine)} times, first on topic {first['topic']}: "
                f"{first['lower']} is below {first['higher']}, from rank {first['rank']} on"
            )
    return notes


def steps(found: Sequence[ChainStep]) -> Table:
    """A chain as a table: each step with the rank or ranks that it changes."""
    kinds = [pl.Int64, pl.String, pl.Int64, pl.Int64, pl.Float64, pl.Float64]
    names = ["step", "kind", "rank", "other", "before", "after"]
    rows = [(number, *step[:5]) for number, step in enumerate(found, 1)]
    frame = pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")
    return Table(frame, drop_fractions(frame, "before", "after"))
