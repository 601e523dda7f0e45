"""Agreement of measures on the order of runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.meta._correlate import DIFFERENT, EQUIVALENT, Correlation
from assay.views.report.context import ReportContext
from assay.views.report.display_table import display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import FEW_RUNS
from assay.views.report.section import Content

_ROUNDING = 1e-9  # Taus that differ by less are equal up to rounding errors.


def compute(context: ReportContext, figures: Figures) -> Content:
    """Compute Kendall's tau between the orders of the runs, for each pair of measures."""
    correlation = context.correlation
    if correlation is None:
        if len(context.runs) < 2:
            return "There is only one run, so measures cannot disagree on the order of runs."
        return "There is only one measure; name several with -m to compare the orders of runs."
    return {
        **summarize(correlation),
        "few_runs": len(correlation.runs) < FEW_RUNS,
        "single_topic": int((~np.isnan(context.results.values)).any(axis=(0, 1)).sum()) == 1,
        "chart": figures.add("correlation", correlation),
        "matrix": display(correlation.matrix().drop("pool")),
    }


def summarize(correlation: Correlation) -> dict[str, Any]:
    """Return the pairs of measures that agree most and least, and count the equivalent and the different pairs."""
    rows, columns = np.triu_indices(len(correlation.rows), 1)
    taus = correlation.taus.tau[rows, columns]
    is_known = np.isfinite(taus)  # Tau is undefined if a measure ties all runs.
    pairs = [(correlation.rows[i].measure, correlation.rows[j].measure) for i, j in zip(rows, columns, strict=True)]
    high, low = taus[is_known].max(initial=-1.0), taus[is_known].min(initial=1.0)
    return {
        "pairs": int(is_known.sum()),
        "high": high,
        "low": low,
        "most": [pairs[i] for i in np.flatnonzero(np.abs(taus - high) < _ROUNDING)],
        "least": [pairs[i] for i in np.flatnonzero(np.abs(taus - low) < _ROUNDING)],
        "equivalent": int((taus > EQUIVALENT).sum()),
        "different": int((taus < DIFFERENT).sum()),
        "bounds": (EQUIVALENT, DIFFERENT),
    }
