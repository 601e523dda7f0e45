"""How much ties matter: tied documents counted, values under every tie policy, and the extremes over all orders."""

from assay.uncertainty.ties.report import COUNTS, ORDERS, PRECISIONS, SEEN, Column, TieReport
from assay.uncertainty.ties.reporting import tie_report

__all__ = ["COUNTS", "ORDERS", "PRECISIONS", "SEEN", "Column", "TieReport", "tie_report"]
