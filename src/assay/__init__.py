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
    from assay.analyses.compare.comparing import compare
    from assay.analyses.distance.maximized import med
    from assay.analyses.distance.overlap import overlap
    from assay.analyses.effort.against_gain import effort_gain
    from assay.analyses.effort.curve import curve
    from assay.analyses.effort.indicators import effort_report
    from assay.analyses.meta.correlation import correlate
    from assay.analyses.meta.judgments import judgment_report
    from assay.analyses.meta.pool_depth import pool_depth
    from assay.analyses.meta.power import discriminative_power
    from assay.analyses.meta.robustness import robustness
    from assay.analyses.meta.significance_counts import significance_counts
    from assay.analyses.meta.study import study
    from assay.analyses.theory.axioms import check_axioms
    from assay.analyses.theory.balancing import balance_report
    from assay.analyses.theory.order import order_report
    from assay.analyses.ties import tie_report
    from assay.analyses.uncertainty.bounding import bounds
    from assay.analyses.uncertainty.depth import depth_plans
    from assay.analyses.uncertainty.judge_next import judge_next
    from assay.analyses.uncertainty.residuals import residual_curves
    from assay.errors import AssayError
    from assay.evaluation import evaluate
    from assay.measures import catalogue, measure
    from assay.model.judged import Judged
    from assay.model.qrels import Qrels, read_qrels
    from assay.model.run import Run, read_run, read_runs
    from assay.results.table import Results
    from assay.simulation import simulate
    from assay.views.plots._figures import plot

__version__ = VERSION

# Where each public name lives; a module is loaded when its first name is used.
_HOME = {
    "AssayError": "assay.errors",
    "Judged": "assay.model.judged",
    "Qrels": "assay.model.qrels",
    "Results": "assay.results.table",
    "Run": "assay.model.run",
    "balance_report": "assay.analyses.theory.balancing",
    "bounds": "assay.analyses.uncertainty.bounding",
    "catalogue": "assay.measures",
    "check_axioms": "assay.analyses.theory.axioms",
    "compare": "assay.analyses.compare.comparing",
    "correlate": "assay.analyses.meta.correlation",
    "curve": "assay.analyses.effort.curve",
    "depth_plans": "assay.analyses.uncertainty.depth",
    "discriminative_power": "assay.analyses.meta.power",
    "effort_gain": "assay.analyses.effort.against_gain",
    "effort_report": "assay.analyses.effort.indicators",
    "evaluate": "assay.evaluation",
    "judge_next": "assay.analyses.uncertainty.judge_next",
    "judgment_report": "assay.analyses.meta.judgments",
    "measure": "assay.measures",
    "med": "assay.analyses.distance.maximized",
    "order_report": "assay.analyses.theory.order",
    "overlap": "assay.analyses.distance.overlap",
    "plot": "assay.views.plots._figures",
    "pool_depth": "assay.analyses.meta.pool_depth",
    "read_qrels": "assay.model.qrels",
    "read_run": "assay.model.run",
    "read_runs": "assay.model.run",
    "residual_curves": "assay.analyses.uncertainty.residuals",
    "robustness": "assay.analyses.meta.robustness",
    "significance_counts": "assay.analyses.meta.significance_counts",
    "simulate": "assay.simulation",
    "study": "assay.analyses.meta.study",
    "tie_report": "assay.analyses.ties",
}

__all__ = [
    "AssayError",
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
