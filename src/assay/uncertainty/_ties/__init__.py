"""Effect of ties: counts of tied documents, values under every tie policy, and extremes over all orders."""

from assay.uncertainty._ties._ties import MEASURES, ties
from assay.uncertainty._ties.report import COUNTS, ORDERS, PRECISIONS, SEEN, TieColumn, TieReport

__all__ = ["COUNTS", "MEASURES", "ORDERS", "PRECISIONS", "SEEN", "TieColumn", "TieReport", "ties"]
