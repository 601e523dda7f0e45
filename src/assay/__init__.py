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
    from assay.analyses.effort.indicators import effort_report
    from assay.analyses.ties import tie_report
    from assay.analyses.uncertainty.bounding import bounds
    from assay.analyses.uncertainty.judge_next import judge_next
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
    "bounds": "assay.analyses.uncertainty.bounding",
    "catalogue": "assay.measures",
    "compare": "assay.analyses.compare.comparing",
    "effort_gain": "assay.analyses.effort.against_gain",
    "effort_report": "assay.analyses.effort.indicators",
    "evaluate": "assay.evaluation",
    "judge_next": "assay.analyses.uncertainty.judge_next",
    "measure": "assay.measures",
    "med": "assay.analyses.distance.maximized",
    "overlap": "assay.analyses.distance.overlap",
    "plot": "assay.views.plots._figures",
    "read_qrels": "assay.model.qrels",
    "read_run": "assay.model.run",
    "read_runs": "assay.model.run",
    "simulate": "assay.simulation",
    "tie_report": "assay.analyses.ties",
}

__all__ = [
    "AssayError",
    "Judged",
    "Qrels",
    "Results",
    "Run",
    "__version__",
    "bounds",
    "catalogue",
    "compare",
    "effort_gain",
    "effort_report",
    "evaluate",
    "judge_next",
    "measure",
    "med",
    "overlap",
    "plot",
    "read_qrels",
    "read_run",
    "read_runs",
    "simulate",
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
