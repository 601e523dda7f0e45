"""Agreement of measures: whether they put the runs into the same order."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.meta._correlate import DIFFERENT, EQUIVALENT, Correlation
from assay.views.plots import correlation as correlation_figure
from assay.views.report.context import ReportContext
from assay.views.report.display_table import display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import FEW_RUNS
from assay.views.report.section import Section

TITLE = "Agreement of measures"
_SAME = 1e-9  # taus that differ by less are equal up to rounding


def compute(context: ReportContext, figures: Figures) -> Section:
    """Compare the orders of the runs by each measure with Kendall's tau."""
    correlation = context.correlation
    if correlation is None:
        absence = (
            "Measures can only agree on an order of several runs; here is one."
            if len(context.runs) < 2
            else "There is only one measure here; name several with -m to see whether they agree."
        )
        return Section("agreement", TITLE, {}, absence)
    content = {
        **summarize(correlation),
        "runs": len(correlation.runs),
        "few_runs": len(correlation.runs) < FEW_RUNS,
        "chart": figures.add("correlation", correlation_figure.data(correlation).frame),
        "matrix": display(correlation.matrix().drop("pool")),
    }
    return Section("agreement", TITLE, content)


def summarize(correlation: Correlation) -> dict[str, Any]:
    """Return the pairs of measures that agree most and least, and the numbers that are equivalent and different."""
    rows, columns = np.triu_indices(len(correlation.rows), 1)
    taus = correlation.taus.tau[rows, columns]
    known = np.isfinite(taus)
    pairs = [(correlation.rows[i].measure, correlation.rows[j].measure) for i, j in zip(rows, columns, strict=True)]
    high, low = taus[known].max(initial=-1.0), taus[known].min(initial=1.0)
    return {
        "pairs": int(known.sum()),
        "high": high,
        "low": low,
        "most": [pairs[i] for i in np.flatnonzero(np.abs(taus - high) < _SAME)],
        "least": [pairs[i] for i in np.flatnonzero(np.abs(taus - low) < _SAME)],
        "equivalent": int((taus > EQUIVALENT).sum()),
        "different": int((taus < DIFFERENT).sum()),
        "bounds": (EQUIVALENT, DIFFERENT),
    }
