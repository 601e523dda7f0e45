"""Every analysis of TREC-8 runs gives the same results on the cluster as locally."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay import effort, meta
from assay import spark as cluster
from real_data import real
from spark_bucket_cases import assert_same_rows, collect
from spark_cases import to_dataframe

pytestmark = pytest.mark.scale


@pytest.fixture(scope="module")
def paths() -> tuple[str, list[str]]:
    runs = sorted(map(str, real("trec8-adhoc", "runs").iterdir()))
    return str(real("trec8-adhoc", "qrels.trec8.adhoc.txt.gz")), runs[::13]


@pytest.fixture(scope="module")
def tables(spark: Any, paths: tuple[str, list[str]]) -> tuple[Any, Any]:
    return to_dataframe(spark, assay.model.read_qrels(paths[0]).frame()), cluster.read_runs(spark, paths[1])


def test_bounds(spark: Any, paths: tuple[str, list[str]], tables: tuple[Any, Any]) -> None:
    measures = ["AP", "nDCG@10", "RBP(p=0.95)", "bpref"]
    expected = assay.uncertainty.bounds(assay.read(*paths), measures).frame()
    assert_same_rows(collect(cluster.bounds(spark, *tables, measures)), expected)


def test_effort(spark: Any, paths: tuple[str, list[str]], tables: tuple[Any, Any]) -> None:
    assert_same_rows(collect(cluster.effort(spark, *tables)), effort.indicators(assay.read(*paths)).frame())


def test_distances(spark: Any, paths: tuple[str, list[str]], tables: tuple[Any, Any]) -> None:
    measures = ["nDCG@10", "AP@100"]
    report = cluster.med(spark, *tables, measures).report()
    expected = assay.distance.med(assay.read(*paths, keep="documents"), measures)
    assert_same_rows(report.table("topics").frame, expected.table("topics").frame)


def test_comparison(spark: Any, paths: tuple[str, list[str]], tables: tuple[Any, Any]) -> None:
    comparison, expected = cluster.compare(spark, *tables, ["AP"]), assay.compare(assay.evaluate(*paths, ["AP"]))
    assert comparison.frame().equals(expected.frame(), null_equal=True)


def test_bootstrap(spark: Any, paths: tuple[str, list[str]], tables: tuple[Any, Any]) -> None:
    report = cluster.bootstrap(spark, *tables, ["AP"], resamples=500, seed=2)
    expected = meta.power(assay.read(*paths), ["AP"], resamples=500, seed=2)
    np.testing.assert_array_equal(report.asl, expected.asl)
    assert report.curves().equals(expected.curves(), null_equal=True)
