from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import assay
from assay import meta
from assay.errors import InputError, MeasureError
from assay.meta._power import Power
from assay.results.results import Results
from assay.significance import differences
from assay.significance.base import SignificanceTest, significance_test
from assay.significance.values import prepare_values
from assay.spark import _bootstrap
from spark_bucket_cases import odd_campaign, to_dataframes

MEASURES = ["AP", "P@10", "RR"]


@pytest.fixture(scope="module")
def results() -> Results:
    collection = assay.simulate(systems=9, topics=25, depth=50, pool=10, seed=3)
    return assay.evaluate(collection.qrels, collection.runs, MEASURES)


def remove_topics(results: Results) -> Results:
    """Remove topics from some runs, so pairs have different numbers of topics; one run has a single topic."""
    values = results.values.copy()
    for run, topics in ((1, slice(0, 3)), (4, slice(2, 9)), (6, slice(1, None)), (7, slice(5, 8))):
        values[:, run, topics] = np.nan
    return Results(
        results.runs, results.topics, results.measures, values, results.errors, results.provenance, results.notes
    )


def run_tasks(results: Results, test: SignificanceTest, alpha: float = 0.05) -> tuple[Power, int]:
    """Run all tasks in reverse order and assemble the report; also return the number of tasks."""
    pairs = _bootstrap.pair_runs(results.runs)
    values = [
        prepare_values(results, number, complete_topics=test.corrected) for number in range(len(results.measures))
    ]
    tasks = _bootstrap.plan_tasks(values, pairs, test)
    tables = [_bootstrap.run_task(task, values[task.measure], pairs, test, alpha) for task in reversed(tasks)]
    return _bootstrap.assemble_report(results, test, alpha, pa.concat_tables(tables)), len(tasks)


def assert_equal_power(report: Power, expected: Power) -> None:
    np.testing.assert_array_equal(report.asl, expected.asl)
    np.testing.assert_array_equal(report.delta, expected.delta)
    assert report.notes == expected.notes
    assert report.frame().equals(expected.frame(), null_equal=True)
    assert report.curves().equals(expected.curves(), null_equal=True)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(("name", "tasks"), [("bootstrap", 3), ("tukey-randomized", 3)])
def test_tasks_give_the_local_result(results: Results, name: str, tasks: int, gaps: bool) -> None:
    data = remove_topics(results) if gaps else results
    test = significance_test(name, resamples=300, seed=5)
    report, number_of_tasks = run_tasks(data, test)
    assert_equal_power(report, meta.power(data, test=test))
    assert number_of_tasks == tasks or (gaps and name == "bootstrap" and number_of_tasks > tasks)


def test_groups_of_pairs_are_the_local_ones(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "CELLS", 500)
    test = significance_test("bootstrap", resamples=100, seed=2)
    report, number_of_tasks = run_tasks(remove_topics(results), test)
    assert_equal_power(report, meta.power(remove_topics(results), test=test))
    assert number_of_tasks > 3 * 36 / 5


def test_pair_without_common_topics_is_undefined(results: Results) -> None:
    report, _ = run_tasks(remove_topics(results), significance_test("bootstrap", resamples=50))
    undefined = (report.pairs == 6).any(axis=1)
    assert np.isnan(report.asl[:, undefined]).all()
    assert not np.isnan(report.asl[:, ~undefined]).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measures": "ndgc"}, "there is no measure ndgc"),
        ({"test": "boot"}, "test 'boot': choose one of bootstrap, tukey-randomized"),
        ({"resamples": 0}, "resamples must be a whole number of at least 1, got 0"),
        ({"alpha": 2}, "alpha must lie between 0 and 1"),
        ({"best": 1.5}, "best: the fraction of runs must be above 0"),
    ],
)
def test_invalid_arguments_are_rejected_before_any_job(arguments: dict[str, Any], message: str) -> None:
    unused: Any = None  # arguments are checked before the session and the DataFrames are used
    options = {"measures": "AP", **arguments}
    with pytest.raises((InputError, MeasureError), match=message):
        _bootstrap.bootstrap(unused, unused, unused, **options)


@pytest.mark.scale
@pytest.mark.parametrize("test", ["bootstrap", "tukey-randomized"])
def test_resampling_on_a_cluster(spark: Any, results: Results, test: str) -> None:
    data = remove_topics(results)
    parsed = significance_test(test, resamples=2000, seed=3)
    assert_equal_power(_bootstrap.resample_levels(spark, data, parsed), meta.power(data, test=parsed))


@pytest.mark.scale
def test_bootstrap_from_documents_on_a_cluster(spark: Any) -> None:
    case = odd_campaign()
    qrels, runs = to_dataframes(spark, case)
    report = _bootstrap.bootstrap(spark, qrels, runs, ["P@10"], resamples=200, seed=7, best=0.75)
    assert_equal_power(
        report, meta.power(assay.read(case.qrels, case.runs), ["P@10"], resamples=200, seed=7, best=0.75)
    )
    with pytest.raises(InputError, match="need at least two runs"):
        _bootstrap.bootstrap(spark, qrels, runs.where("run = 'alpha1'"), "P@10")
