from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.errors import AssayError, InputError
from assay.spark import compare
from spark_bucket_cases import odd_campaign, to_dataframes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measures": "ndgc"}, "there is no measure ndgc"),
        ({"test": "u"}, "test 'u': choose one of"),
        ({"correction": "most"}, "correction 'most': choose one of holm"),
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"ties": "file"}, "ties 'file': a DataFrame has no order of rows"),
    ],
)
def test_invalid_arguments_are_rejected_before_any_job(arguments: dict[str, Any], message: str) -> None:
    unused: Any = None  # arguments are checked before the session and the DataFrames are used
    with pytest.raises(AssayError, match=message):
        compare(unused, unused, unused, **{"measures": "AP", **arguments})


@pytest.mark.scale
def test_comparison_on_a_cluster(spark: Any) -> None:
    case = odd_campaign()
    options: Any = {"test": "randomization", "resamples": 500, "seed": 4, "baseline": "alpha1", "margin": "5%"}
    comparison = compare(spark, *to_dataframes(spark, case), ["AP", "P@10"], undefined="exclude", **options)
    expected = assay.compare(assay.evaluate(case.qrels, case.runs, ["AP", "P@10"], undefined="exclude"), **options)
    assert comparison.frame().equals(expected.frame(), null_equal=True)
    assert sorted(comparison.notes) == sorted(expected.notes)
    assert comparison.provenance.settings == expected.provenance.settings


def test_runs_are_checked_before_the_evaluation(spark: Any) -> None:
    qrels, runs = to_dataframes(spark, odd_campaign())
    with pytest.raises(InputError, match="baseline 'alpha' is not among the runs"):
        compare(spark, qrels, runs, "AP", baseline="alpha")
    with pytest.raises(InputError, match="need at least two runs"):
        compare(spark, qrels, runs.where("run = 'alpha1'"), "AP")
