from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from assay.effort import indicators
from assay.errors import AssayError, InputError
from assay.model.policies import Policies
from assay.spark import effort
from assay.spark._analyses import analyse_bucket
from spark_bucket_cases import (
    READING,
    Case,
    assert_same_rows,
    build_buckets,
    collect,
    concatenate,
    odd_campaign,
    to_dataframes,
)


def compute_in_buckets(case: Case, number: int, heavy: int = 0, **options: Any) -> Any:
    """Compute the buckets in sequence, as the tasks of a cluster do."""
    policies = Policies(**{name: value for name, value in options.items() if name in READING})
    other_options = {name: value for name, value in options.items() if name not in READING}
    buckets = list(build_buckets(case, number, heavy=heavy))
    if policies.unjudged == "condensed":
        depth = max(int(bucket.judge(policies).length.max()) for bucket in buckets)
        buckets = [replace(bucket, plan=replace(bucket.plan, condensed_depth=depth)) for bucket in buckets]
    analysis = partial(indicators, **other_options)
    return concatenate([analyse_bucket(bucket, analysis=analysis, policies=policies) for bucket in buckets])


def compute_locally(case: Case, options: dict[str, Any]) -> Any:
    campaign, other_options = case.read(options)
    return indicators(campaign, **other_options).frame()


@pytest.mark.parametrize("buckets", [1, 4, 9])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"depth": 10, "crossing": "matters", "endpoint": "right"},
        {"unjudged": "condensed", "undefined": "exclude"},
        {"missing": "exclude", "length": "asis"},
        {"persistence": 0.9},
        {"weights": {1: 1, 2: 2.5, 3: 3.25, 5: 7.1}, "ties": "trec_eval-9"},
    ],
)
def test_indicators_of_buckets_are_the_local_ones(options: dict[str, Any], buckets: int) -> None:
    case = odd_campaign()
    assert_same_rows(compute_in_buckets(case, buckets, **options), compute_locally(case, options))


def test_topic_may_be_split_by_runs() -> None:
    case = odd_campaign()
    assert_same_rows(compute_in_buckets(case, 2, heavy=3), compute_locally(case, {}))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ties": "expected"}, "ties 'expected': a curve needs an order"),
        ({"ties": "file"}, "ties 'file': a DataFrame has no order of rows"),
        ({"unjudged": "maybe"}, "unjudged 'maybe': choose one of nonrelevant, condensed"),
        ({"depth": 0}, "cutoff must be at least 1, got 0"),
        ({"crossing": "sideways"}, "crossing must be one of"),
    ],
)
def test_invalid_arguments_are_rejected_before_any_job(arguments: dict[str, Any], message: str) -> None:
    unused: Any = None  # arguments are checked before the session and the DataFrames are used
    with pytest.raises(AssayError, match=message):
        effort(unused, unused, unused, **arguments)


@pytest.mark.scale
def test_effort_on_a_cluster(spark: Any) -> None:
    case = odd_campaign()
    options: Any = {"unjudged": "condensed", "grades": {5: 3, -2: 0}}
    frame = effort(spark, *to_dataframes(spark, case), **options)
    assert_same_rows(collect(frame), compute_locally(case, options))


def test_unknown_grades_are_rejected(spark: Any) -> None:
    with pytest.raises(InputError, match="qrels: has no grade 7; it has -2 0 1 2 3 5"):
        effort(spark, *to_dataframes(spark, odd_campaign()), grades={7: 1})
