"""The effect of ties: counts of tied documents, values under every tie policy, and extremes over all orders."""

from assay.uncertainty.ties._tie_report import tie_report
from assay.uncertainty.ties.report import COUNTS, ORDERS, PRECISIONS, SEEN, TieColumn, TieReport

__all__ = ["COUNTS", "ORDERS", "PRECISIONS", "SEEN", "TieColumn", "TieReport", "tie_report"]
