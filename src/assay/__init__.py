"""Evaluate ranked retrieval: from run files and relevance judgments to values per topic, strict and fast.

>>> import assay
>>> results = assay.evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.2, "d2": 0.8}}, ["AP", "nDCG@10"])
>>> results
Results(1 run x 1 topic: AP, nDCG@10)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay._version import VERSION

if TYPE_CHECKING:
    from assay.distance.maximized import med
    from assay.distance.overlap import overlap
    from assay.effort.against_gain import effort_gain
    from assay.effort.curve import curve
    from assay.effort.indicators import effort_report
    from assay.engine.campaign import Campaign, read
    from assay.errors import AssayError
    from assay.measures import catalogue, measure
    from assay.meta.correlation import correlate
    from assay.meta.judgments import judgment_report
    from assay.meta.pool_depth import pool_depth
    from assay.meta.power import discriminative_power
    from assay.meta.robustness import robustness
    from assay.meta.significance_counts import significance_counts
    from assay.meta.study import study
    from assay.model.judged import Judged
    from assay.model.qrels import Qrels, read_qrels
    from assay.model.run import Run, read_run, read_runs
    from assay.results._evaluate import evaluate
    from assay.results.table import Results
    from assay.significance._compare import compare
    from assay.simulation import simulate
    from assay.theory.axioms import check_axioms
    from assay.theory.balancing import balance_report
    from assay.theory.order import order_report
    from assay.uncertainty.bounding import bounds
    from assay.uncertainty.depth import depth_plans
    from assay.uncertainty.judge_next import judge_next
    from assay.uncertainty.residuals import residual_curves
    from assay.uncertainty.ties import tie_report
    from assay.views.plots._figures import plot

__version__ = VERSION

# Where each public name lives; a module is loaded when its first name is used.
_HOME = {
    "AssayError": "assay.errors",
    "Campaign": "assay.engine.campaign",
    "Judged": "assay.model.judged",
    "Qrels": "assay.model.qrels",
    "Results": "assay.results.table",
    "Run": "assay.model.run",
    "balance_report": "assay.theory.balancing",
    "bounds": "assay.uncertainty.bounding",
    "catalogue": "assay.measures",
    "check_axioms": "assay.theory.axioms",
    "compare": "assay.significance._compare",
    "correlate": "assay.meta.correlation",
    "curve": "assay.effort.curve",
    "depth_plans": "assay.uncertainty.depth",
    "discriminative_power": "assay.meta.power",
    "effort_gain": "assay.effort.against_gain",
    "effort_report": "assay.effort.indicators",
    "evaluate": "assay.results._evaluate",
    "judge_next": "assay.uncertainty.judge_next",
    "judgment_report": "assay.meta.judgments",
    "measure": "assay.measures",
    "med": "assay.distance.maximized",
    "order_report": "assay.theory.order",
    "overlap": "assay.distance.overlap",
    "plot": "assay.views.plots._figures",
    "pool_depth": "assay.meta.pool_depth",
    "read": "assay.engine.campaign",
    "read_qrels": "assay.model.qrels",
    "read_run": "assay.model.run",
    "read_runs": "assay.model.run",
    "residual_curves": "assay.uncertainty.residuals",
    "robustness": "assay.meta.robustness",
    "significance_counts": "assay.meta.significance_counts",
    "simulate": "assay.simulation",
    "study": "assay.meta.study",
    "tie_report": "assay.uncertainty.ties",
}

__all__ = [
    "AssayError",
    "Campaign",
    "Judged",
    "Qrels",
    "Results",
    "Run",
    "__version__",
    "balance_report",
    "bounds",
    "catalogue",
    "check_axioms",
    "compare",
    "correlate",
    "curve",
    "depth_plans",
    "discriminative_power",
    "effort_gain",
    "effort_report",
    "evaluate",
    "judge_next",
    "judgment_report",
    "measure",
    "med",
    "order_report",
    "overlap",
    "plot",
    "pool_depth",
    "read",
    "read_qrels",
    "read_run",
    "read_runs",
    "residual_curves",
    "robustness",
    "significance_counts",
    "simulate",
    "study",
    "tie_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
