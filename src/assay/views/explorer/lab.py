"""The measure lab: leaderboards for other parameters of a measure, and top-heaviness of the measure."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import theory
from assay.errors import AssayError
from assay.measures import Measure
from assay.meta._correlate import correlate
from assay.views.explorer.overview import leaderboard_rows
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import CONFIDENCE, ExplorerState

LENGTHS = tuple(range(10, 101, 10))
MAX_MEASURES = 8
DEFAULT_MEASURE = ("RBP(p=0.8)",)


def lab(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Leaderboard by the first measure, places by all measures, correlation of the measures, and balancing indices."""
    measures = query.measures(DEFAULT_MEASURE, MAX_MEASURES)
    confidence = query.fraction("confidence", CONFIDENCE)
    query.reject_unknown_parameters()
    results = state.values(measures)
    names = [str(measure) for measure in measures]
    taus = correlate(results).taus.tau if len(state.campaign.runs) > 1 else np.full((len(measures),) * 2, np.nan)
    return {
        "measures": names,
        "lower_is_better": [measure.lower_is_better for measure in measures],
        "confidence": confidence,
        "rows": leaderboard_rows(results, names[0], confidence),
        "tau": taus,
        "balance": [describe_balance(measure) for measure in measures],
        "notes": list(results.notes),
    }


def describe_balance(measure: Measure) -> dict[str, Any]:
    """Return the balancing indices for ``LENGTHS`` (None where undefined), or the reason why they do not exist."""
    try:
        balance, reason = theory.balance(measure, LENGTHS).frame()["balance"].to_list(), None
    except AssayError as error:
        balance, reason = None, str(error)
    return {"measure": str(measure), "n": list(LENGTHS), "balance": balance, "why": reason}
