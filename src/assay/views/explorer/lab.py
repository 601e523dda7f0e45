"""The measure lab: leaderboards by other parameters of measures, and how top-heavy the measures are."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay import theory
from assay.errors import AssayError
from assay.measures import Measure
from assay.meta._correlate import correlate
from assay.views.explorer.metadata import CONFIDENCE
from assay.views.explorer.overview import board
from assay.views.explorer.parameters import Query
from assay.views.explorer.state import ExplorerState

LENGTHS = tuple(range(10, 101, 10))
MOST = 8
DEFAULT = ("RBP(p=0.8)",)


def lab(state: ExplorerState, query: Query) -> dict[str, Any]:
    """Leaderboard by the first measure, places by the others, correlation of the measures, and balancing indices."""
    measures = query.measures(DEFAULT, MOST)
    confidence = query.share("confidence", CONFIDENCE)
    query.end()
    results = state.values(measures)
    names = [str(measure) for measure in measures]
    taus = correlate(results).taus.tau if len(state.campaign.runs) > 1 else np.full((len(measures),) * 2, np.nan)
    return {
        "measures": names,
        "lower_is_better": [measure.lower_is_better for measure in measures],
        "confidence": confidence,
        "rows": board(results, names[0], confidence),
        "tau": taus,
        "balance": [describe_balance(measure) for measure in measures],
        "notes": list(results.notes),
    }


def describe_balance(measure: Measure) -> dict[str, Any]:
    """Return the balancing indices for ``LENGTHS`` (None where undefined), or the reason why there are none."""
    balance, reason = None, None
    try:
        balance = theory.balance(measure, LENGTHS).frame()["balance"].to_list()
    except AssayError as error:
        reason = str(error)
    return {"measure": str(measure), "n": list(LENGTHS), "balance": balance, "why": reason}
