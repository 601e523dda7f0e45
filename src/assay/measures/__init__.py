"""The catalogue of measures: one module for each family, imported when one of its measures is named.

To write a measure, import everything from here: the base classes ``Measure`` and ``Additive``, the parameters
``cutoff``, ``rel``, ``gains``, ``max_rel``, ``floor`` and ``param``, the helper ``ratio``, the array types ``Floats``
and ``Ints``, and ``Judged``, the judged rankings that ``Measure.score`` receives.
"""

from __future__ import annotations

from typing import Any

from assay.measures._base import Additive, Measure, ratio
from assay.measures._notation import catalogue, from_ir_measures, measure, measures
from assay.measures._parameters import cutoff, floor, gains, max_rel, param, rel
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged

__all__ = [
    "Additive",
    "Floats",
    "Ints",
    "Judged",
    "Measure",
    "catalogue",
    "cutoff",
    "floor",
    "from_ir_measures",
    "gains",
    "max_rel",
    "measure",
    "measures",
    "param",
    "ratio",
    "rel",
]


def __getattr__(name: str) -> Any:
    """Return the class of a measure: ``from assay.measures import nDCG``."""
    classes = {cls.__name__: cls for cls in catalogue().values()}
    if name not in classes:
        raise AttributeError(f"module 'assay.measures' has no attribute {name!r}")
    return classes[name]
