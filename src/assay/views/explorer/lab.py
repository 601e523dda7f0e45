"""The measure lab: what other settings of measures make of the campaign, and how top-heavy they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.measures import Measure
from assay.meta.correlation import correlated
from assay.theory.balancing import balance_report
from assay.views.explorer.campaign import Campaign
from assay.views.explorer.metadata import CONFIDENCE
from assay.views.explorer.overview import board
from assay.views.explorer.parameters import Query

LENGTHS = tuple(range(10, 101, 10))
MOST = 8
DEFAULT = ("RBP(p=0.8)",)


def lab(of: Campaign, query: Query) -> dict[str, Any]:
    """The leaderboard by the first measure with the places by the others, how far they agree, balancing indices."""
    measures = query.measures(DEFAULT, MOST)
    confidence = query.share("confidence", CONFIDENCE)
    query.end()
    results = of.values(measures)
    names = [str(measure) for measure in measures]
    taus = correlated(results).taus.tau if len(of.runs) > 1 else np.full((len(measures),) * 2, np.nan)
    return {
        "measures": names,
        "lower_is_better": [one.lower_is_better for one in measures],
        "confidence": confidence,
        "rows": board(results, names[0], confidence),
        "tau": taus,
        "balance": [_balance(one) for one in measures],
        "notes": list(results.notes),
    }


def _balance(measure: Measure) -> dict[str, Any]:
    """The balancing index for rankings of several lengths, or why there is none."""
    found = balance_of(measure)
    why = found if isinstance(found, str) else None
    return {"measure": str(measure), "n": list(LENGTHS), "balance": None if why else found, "why": why}


def balance_of(measure: Measure) -> list[int | None] | str:
    """The indices for ``LENGTHS``, None where there is none; or why the measure has none at all."""
    try:
        return balance_report(measure, LENGTHS).frame()["balance"].to_list()
    except AssayError as error:
        return str(error)
