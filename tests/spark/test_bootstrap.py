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
from assay.significance.base import SignificanceTest, significance_test
from assay.significance.tests import bootstrap as bootstrap_test
from assay.significance.values import prepare_values
from assay.spark import _bootstrap
from spark_bucket_cases import odd_campaign, to_dataframes

MEASURES = ["AP", "P@10", "RR"]


@pytest.fixture(scope="module")
def results() -> Results:
    made = assay.simulate(systems=9, topics=25, depth=50, pool=10, seed=3)
    return assay.evaluate(made.qrels, made.runs, MEASURES)


def with_gaps(results: Results) -> Results:
    """Runs lack topics, so that pairs have different numbers of them; one run has a single topic."""
    values = results.values.copy()
    for run, topics in ((1, slice(0, 3)), (4, slice(2, 9)), (6, slice(1, None)), (7, slice(5, 8))):
        values[:, run, topics] = np.nan
    return Results(
        results.runs, results.topics, results.measures, values, results.errors, results.provenance, results.notes
    )


def in_pieces(results: Results, test: SignificanceTest, alpha: float = 0.05) -> tuple[Power, int]:
    """What tasks do, one after the other, last first; and how many there were."""
    pairs = _bootstrap.pair_runs(results.runs)
    values = [
        prepare_values(results, number, complete_topics=test.corrected) for number in range(len(results.measures))
    ]
    work = _bootstrap.plan_tasks(values, pairs, test)
    tables = [_bootstrap.run_task(one, values[one.measure], pairs, test, alpha) for one in reversed(work)]
    return _bootstrap.assemble_report(results, test, alpha, pa.concat_tables(tables)), len(work)


def equal(found: Power, expected: Power) -> None:
    np.testing.assert_array_equal(found.asl, expected.asl)
    np.testing.assert_array_equal(found.delta, expected.delta)
    assert found.notes == expected.notes
    assert found.frame().equals(expected.frame(), null_equal=True)
    assert found.curves().equals(expected.curves(), null_equal=True)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(("name", "tasks"), [("bootstrap", 3), ("tukey-randomized", 3)])
def test_pieces_of_work_give_what_one_machine_gives(results: Results, name: str, tasks: int, gaps: bool) -> None:
    given = with_gaps(results) if gaps else results
    test = significance_test(name, resamples=300, seed=5)
    found, many = in_pieces(given, test)
    equal(found, meta.power(given, test=test))
    assert many == tasks or (gaps and name == "bootstrap" and many > tasks)


def test_pairs_are_cut_where_one_machine_cuts_them(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bootstrap_test, _bootstrap.group_pairs.__globals__):
        target: Any = module
        if isinstance(target, dict):
            monkeypatch.setitem(target, "CELLS", 500)
        else:
            monkeypatch.setattr(target, "CELLS", 500)
    test = significance_test("bootstrap", resamples=100, seed=2)
    found, many = in_pieces(with_gaps(results), test)
    equal(found, meta.power(with_gaps(results), test=test))
    assert many > 3 * 36 / 5


def test_a_pair_without_topics_in_common_has_no_level(results: Results) -> None:
    found, _ = in_pieces(with_gaps(results), significance_test("bootstrap", resamples=50))
    lonely = (found.pairs == 6).any(axis=1)
    assert np.isnan(found.asl[:, lonely]).all()
    assert not np.isnan(found.asl[:, ~lonely]).any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"measures": "ndgc"}, "there is no measure ndgc"),
        ({"test": "boot"}, "test 'boot': choose one of bootstrap, tukey-randomized"),
        ({"resamples": 0}, "resamples must be a whole number of at least 1, got 0"),
        ({"alpha": 2}, "alpha must lie between 0 and 1"),
        ({"best": 1.5}, "best: the fraction of runs must be above 0"),
    ],
)
def test_what_can_be_seen_wrong_is_refused_before_any_job(wrong: dict[str, Any], message: str) -> None:
    nothing: Any = None  # neither a session nor a table is looked at
    options = {"measures": "AP", **wrong}
    with pytest.raises((InputError, MeasureError), match=message):
        _bootstrap.bootstrap(nothing, nothing, nothing, **options)


@pytest.mark.scale
@pytest.mark.parametrize("test", ["bootstrap", "tukey-randomized"])
def test_resampling_on_a_cluster(spark: Any, results: Results, test: str) -> None:
    given = with_gaps(results)
    how = significance_test(test, resamples=2000, seed=3)
    equal(_bootstrap.resample_levels(spark, given, how), meta.power(given, test=how))


@pytest.mark.scale
def test_from_documents_to_levels_on_a_cluster(spark: Any) -> None:
    case = odd_campaign()
    qrels, runs = to_dataframes(spark, case)
    found = _bootstrap.bootstrap(spark, qrels, runs, ["P@10"], resamples=200, seed=7, best=0.75)
    equal(found, meta.power(assay.read(case.qrels, case.runs), ["P@10"], resamples=200, seed=7, best=0.75))
    with pytest.raises(InputError, match="need at least two runs"):
        _bootstrap.bootstrap(spark, qrels, runs.where("run = 'alpha1'"), "P@10")
