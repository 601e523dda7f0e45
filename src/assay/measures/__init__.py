"""The catalogue of measures: one file each, found by being in this folder."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from assay.measures._base import Additive, Measure
from assay.measures._notation import catalogue, measure, measures

for _module in iter_modules(__path__):
    if not _module.name.startswith("_"):
        import_module(f"{__name__}.{_module.name}")

# `from assay.measures import nDCG` finds each class under its own name.
globals().update({cls.__name__: cls for cls in catalogue().values()})

__all__ = ["Additive", "Measure", "catalogue", "measure", "measures"]
