"""The tables of robustness to missing judgments."""

from __future__ import annotations

from assay.meta.robustness import Robustness
from assay.views.tables import Table, drop_fractions

SHOWN = {
    "summary": "mean and spread of tau over the samples of each ratio",
    "seeds": "tau of every sample",
    "pools": "how many judgments the samples have",
}


def robustness(report: Robustness, shown: str = "summary") -> Table:
    """One of the tables; for people, whole percentages without a point."""
    frame = {"summary": report.frame, "seeds": report.each, "pools": report.pools}[shown]()
    return Table(frame, drop_fractions(frame, "ratio"), provenance=report.provenance, notes=report.notes)
