"""Evaluation on a Spark cluster: topic by topic, with the kernels of one machine, so that values are the same.

::

    from assay import spark as on_spark

    found = on_spark.evaluate(spark, qrels_df, runs_df, ["AP", "nDCG@10"])
    found.frame  # a DataFrame: run, topic, measure, value
    found.results()  # gathered to the driver, as assay.evaluate returns them

Every function takes a SparkSession, judgments as a DataFrame (topic, doc, grade) and runs as one (run, topic, doc,
score). Executors need assay installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# At once, and not when it is asked for: a module of this name would by then stand in its place.
from assay.spark._session import one_line_errors as one_line_errors
from assay.spark._session import session as session

# Where each public name lives; pyspark is loaded when the first is used.
_HOME = {
    "SparkResults": "assay.spark._evaluate",
    "bootstrap": "assay.spark._bootstrap",
    "bounds": "assay.spark._bounds",
    "compare": "assay.spark._compare",
    "effort": "assay.spark._effort",
    "evaluate": "assay.spark._evaluate",
    "med": "assay.spark._med",
    "read_runs": "assay.spark._read_runs",
}

__all__ = sorted([*_HOME, "one_line_errors", "session"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'assay.spark' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
