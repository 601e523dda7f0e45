"""The cascade user of ERR: goes down until satisfied."""

from __future__ import annotations

import numpy as np

from assay.model.arrays import Floats
from assay.model.judged import Rows
from assay.model.scan import before, running


def stopping(rows: Rows) -> Floats:
    """For each row, 1/rank times the probability that the user stops there."""
    if not len(rows.rank):
        return np.zeros(0)
    still_looking = before(rows.ranking, running(np.multiply, rows.ranking, 1 - rows.gain), 1.0)
    return rows.gain * still_looking / rows.rank
