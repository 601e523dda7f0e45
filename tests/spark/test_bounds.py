from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

import assay
from assay.errors import AssayError, InputError
from assay.model.policies import Policies
from assay.spark import bounds
from assay.spark._analyses import analyse_bucket
from assay.spark._buckets import Bucket
from spark_bucket_cases import assert_same_rows, build_buckets, collect, concatenate, odd_campaign, to_dataframes

MEASURES = ["P@10", "AP", "nDCG@10", "RBP(p=0.8)", "ERR@10", "RR", "Rprec", "bpref", "Twist", "INSQ(T=2)"]


def compute_in_buckets(buckets: Iterable[Bucket], measures: list[str], policies: Policies, **options: Any) -> Any:
    """Compute the buckets in sequence, as the tasks of a cluster do."""
    analysis = partial(assay.uncertainty.bounds, measures=measures, **options)
    return concatenate([analyse_bucket(bucket, analysis=analysis, policies=policies) for bucket in buckets])


@pytest.mark.parametrize("buckets", [1, 4, 9])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"outside": 3, "tail": False, "undefined": "exclude"},
        {"outside": "any", "missing": "exclude", "ties": "trec_eval-9"},
    ],
)
def test_bounds_of_buckets_are_the_local_ones(options: dict[str, Any], buckets: int) -> None:
    case = odd_campaign()
    campaign, other_options = case.read(options)
    expected = assay.uncertainty.bounds(campaign, MEASURES, **other_options).frame()
    policies = {name: value for name, value in options.items() if name not in other_options}
    rows = compute_in_buckets(build_buckets(case, buckets), MEASURES, Policies(**policies), **other_options)
    assert_same_rows(rows, expected)


def test_condensed_depth_is_the_maximum_over_all_buckets() -> None:
    case, chosen = odd_campaign(), ["Condensed(Twist)", "Twist", "Condensed(AP)"]
    buckets = list(build_buckets(case, 4))
    depth = max(int(bucket.judge(Policies(unjudged="condensed")).length.max()) for bucket in buckets)
    buckets = [replace(bucket, plan=replace(bucket.plan, condensed_depth=depth)) for bucket in buckets]
    rows = compute_in_buckets(buckets, chosen, Policies(), outside=0)
    assert_same_rows(rows, assay.uncertainty.bounds(case.read()[0], chosen).frame())


def test_topic_may_be_split_by_runs() -> None:
    case = odd_campaign()
    rows = compute_in_buckets(build_buckets(case, 2, heavy=3), MEASURES, Policies(), outside=0)
    assert_same_rows(rows, assay.uncertainty.bounds(case.read()[0], MEASURES).frame())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measures": "ndgc"}, "there is no measure ndgc"),
        ({"ties": "expected"}, "ties 'expected': bounds need an order"),
        ({"ties": "file"}, "ties 'file': a DataFrame has no order of rows"),
        ({"missing": "all"}, "missing 'all': choose one of empty, exclude"),
        ({"outside": "some"}, "outside 'some': choose none, any or"),
    ],
)
def test_invalid_arguments_are_rejected_before_any_job(arguments: dict[str, Any], message: str) -> None:
    unused: Any = None  # arguments are checked before the session and the DataFrames are used
    with pytest.raises(AssayError, match=message):
        bounds(unused, unused, unused, **{"measures": "AP", **arguments})


@pytest.mark.scale
def test_bounds_on_a_cluster(spark: Any) -> None:
    case = odd_campaign()
    qrels, runs = to_dataframes(spark, case)
    frame = bounds(spark, qrels, runs, ["AP", "Twist"], outside=2, buckets=3)
    assert_same_rows(collect(frame), assay.uncertainty.bounds(case.read()[0], ["AP", "Twist"], outside=2).frame())


def test_run_without_judged_topics_is_rejected(spark: Any) -> None:
    qrels, runs = to_dataframes(spark, odd_campaign())
    with pytest.raises(
        InputError, match=r"alpha3: shares no topic with the qrels \(the run has 999; the qrels have 401"
    ):
        bounds(spark, qrels, runs.where("topic = '999'"), "AP")
