"""Values of a measure, prepared for significance tests."""

from __future__ import annotations

import numpy as np

from assay.errors import MeasureError
from assay.model.arrays import Floats
from assay.results.aggregation import GEOMETRIC_FLOOR
from assay.results.results import Results


def prepare_values(results: Results, index: int, complete_topics: bool = False) -> Floats:
    """Return the values of the measure at *index*: runs x topics; logarithms if its mean is geometric.

    With *complete_topics*, a topic counts only if all runs have a value. Tests of all runs together require this.
    """
    measure, values = results.measures[index], results.values[index]
    if np.isinf(values).any():
        run, topic = np.argwhere(np.isinf(values))[0]
        ranking = f"{results.runs[run]} on topic {results.topics[topic]}"
        raise MeasureError(f"measure '{measure}': is infinite for {ranking}, so the means of runs cannot be compared")
    if measure.aggregate == "geometric":
        values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
    return np.where(np.isnan(values).any(axis=0), np.nan, values) if complete_topics else values
