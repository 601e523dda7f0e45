"""The tables of discriminative power."""

from __future__ import annotations

from assay.meta.power import Power
from assay.views.compare import uncorrected
from assay.views.tables import Table


def power(report: Power, curve: bool = False) -> Table:
    """``measure, test, pairs, dp, delta``, or the curves: the achieved significance level of every pair."""
    frame = report.curves() if curve else report.frame()
    return Table(
        frame,
        frame,
        best=() if curve else ("dp",),
        provenance=report.provenance,
        notes=report.notes,
        caption=uncorrected((report.test,)),
    )
