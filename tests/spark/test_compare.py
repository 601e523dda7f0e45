from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.errors import AssayError, InputError
from assay.spark._compare import compare
from spark_bucket_cases import odd_campaign, to_dataframes


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"measures": "ndgc"}, "there is no measure ndgc"),
        ({"test": "u"}, "test 'u': choose one of"),
        ({"correction": "most"}, "correction 'most': choose one of holm"),
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"ties": "file"}, "ties 'file': a DataFrame has no order of rows"),
    ],
)
def test_what_can_be_seen_wrong_is_refused_before_any_job(wrong: dict[str, Any], message: str) -> None:
    nothing: Any = None  # neither a session nor a table is looked at
    with pytest.raises(AssayError, match=message):
        compare(nothing, nothing, nothing, **{"measures": "AP", **wrong})


@pytest.mark.scale
def test_a_comparison_on_a_cluster(spark: Any) -> None:
    case = odd_campaign()
    options: Any = {"test": "randomization", "resamples": 500, "seed": 4, "baseline": "alpha1", "margin": "5%"}
    found = compare(spark, *to_dataframes(spark, case), ["AP", "P@10"], undefined="exclude", **options)
    expected = assay.compare(assay.evaluate(case.qrels, case.runs, ["AP", "P@10"], undefined="exclude"), **options)
    assert found.frame().equals(expected.frame(), null_equal=True)
    assert sorted(found.notes) == sorted(expected.notes)
    assert found.provenance.settings == expected.provenance.settings


def test_what_runs_tell_is_refused_before_they_are_evaluated(spark: Any) -> None:
    qrels, runs = to_dataframes(spark, odd_campaign())
    with pytest.raises(InputError, match="baseline 'alpha' is not among the runs"):
        compare(spark, qrels, runs, "AP", baseline="alpha")
    with pytest.raises(InputError, match="need at least two runs"):
        compare(spark, qrels, runs.where("run = 'alpha1'"), "AP")
