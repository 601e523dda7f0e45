from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.effort import indicators
from assay.errors import AssayError, InputError
from assay.model.policies import Policies
from assay.spark._campaigns import judge_bucket
from assay.spark._effort import compute_bucket_effort, effort
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


def of_buckets(case: Case, many: int, heavy: int = 0, **options: Any) -> Any:
    """What tasks do, one after the other."""
    policies = Policies(**{name: value for name, value in options.items() if name in READING})
    own = {name: value for name, value in options.items() if name not in READING}
    work = list(build_buckets(case, many, heavy=heavy))
    if policies.unjudged == "condensed":
        longest = max(int(judge_bucket(bucket, policies).length.max()) for bucket in work)
        work = [replace(one, condensed_depth=longest) for one in work]
    return concatenate([compute_bucket_effort(one, policies=policies, options=own) for one in work])


def expected(case: Case, options: dict[str, Any]) -> Any:
    campaign, own = case.read(options)
    return indicators(campaign, **own).frame()


@pytest.mark.parametrize("many", [1, 4, 9])
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
def test_indicators_of_buckets_are_those_of_one_machine(options: dict[str, Any], many: int) -> None:
    case = odd_campaign()
    assert_same_rows(of_buckets(case, many, **options), expected(case, options))


def test_a_topic_of_very_many_runs_comes_in_pieces() -> None:
    case = odd_campaign()
    assert_same_rows(of_buckets(case, 2, heavy=3), expected(case, {}))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"ties": "expected"}, "ties 'expected': a curve needs an order"),
        ({"ties": "file"}, "ties 'file': a DataFrame has no order of rows"),
        ({"unjudged": "maybe"}, "unjudged 'maybe': choose one of nonrelevant, condensed"),
        ({"depth": 0}, "cutoff must be at least 1, got 0"),
        ({"crossing": "sideways"}, "crossing must be one of"),
    ],
)
def test_what_can_be_seen_wrong_is_refused_before_any_job(wrong: dict[str, Any], message: str) -> None:
    nothing: Any = None  # neither a session nor a table is looked at
    with pytest.raises(AssayError, match=message):
        effort(nothing, nothing, nothing, **wrong)


@pytest.mark.scale
def test_effort_on_a_cluster(spark: Any) -> None:
    case = odd_campaign()
    options: Any = {"unjudged": "condensed", "grades": {5: 3, -2: 0}}
    found = effort(spark, *to_dataframes(spark, case), **options)
    assert_same_rows(collect(found), expected(case, options))


def test_grades_that_there_are_not_are_refused(spark: Any) -> None:
    with pytest.raises(InputError, match="qrels: has no grade 7; it has -2 0 1 2 3 5"):
        effort(spark, *to_dataframes(spark, odd_campaign()), grades={7: 1})
