"""Evaluation on a Spark cluster: topic by topic, with the same code and the same values as on one machine.

::

    from assay import spark as on_spark

    spark_results = on_spark.evaluate(spark, qrels_df, runs_df, ["AP", "nDCG@10"])
    spark_results.frame  # a lazy DataFrame: run, topic, measure, value
    spark_results.results()  # collected to the driver: the results of assay.evaluate

Every function takes a SparkSession, a DataFrame of judgments (topic, doc, grade) and a DataFrame of runs (run, topic,
doc, score). assay must be installed on the executors.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# This module imports neither pyspark nor polars.
from assay.spark._session import one_line_errors as one_line_errors
from assay.spark._session import session as session

# The module of each other public name, imported when the name is first used.
_MODULES = {
    "SparkResults": "assay.spark._evaluate",
    "bootstrap": "assay.spark._bootstrap",
    "bounds": "assay.spark._bounds",
    "compare": "assay.spark._compare",
    "effort": "assay.spark._effort",
    "evaluate": "assay.spark._evaluate",
    "med": "assay.spark._med",
    "read_runs": "assay.spark._read_runs",
}

__all__ = sorted([*_MODULES, "one_line_errors", "session"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'assay.spark' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
