"""Estimates of values: the mean and the quantiles over random grades of unjudged documents."""

from assay.uncertainty._estimate._estimate import MEASURES, estimate
from assay.uncertainty._estimate.report import Estimates

__all__ = ["MEASURES", "Estimates", "estimate"]
