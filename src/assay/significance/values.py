"""The values of a measure that tests compare."""

from __future__ import annotations

import numpy as np

from assay.errors import MeasureError
from assay.model.arrays import Floats
from assay.results.aggregation import GEOMETRIC_FLOOR
from assay.results.results import Results


def prepare_values(results: Results, number: int, whole: bool = False) -> Floats:
    """Return the values of the measure with this number: runs x topics; logarithms where its means are geometric.

    *whole*: a topic that does not count for one run counts for none, for tests that look at all runs at once.
    """
    measure, values = results.measures[number], results.values[number]
    if np.isinf(values).any():
        run, topic = np.argwhere(np.isinf(values))[0]
        where = f"{results.runs[run]} on topic {results.topics[topic]}"
        raise MeasureError(f"measure '{measure}': it is infinite for {where}, so that runs have no means to compare")
    if measure.aggregate == "geometric":
        values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
    return np.where(np.isnan(values).any(axis=0), np.nan, values) if whole else values
