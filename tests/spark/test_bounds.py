from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import assay
from assay.errors import AssayError, InputError
from assay.measures import measures as parse_measures
from assay.model.policies import Policies
from assay.spark._bounds import bounds, compute_bucket_bounds
from assay.spark._campaigns import judge_bucket
from spark_bucket_cases import assert_same_rows, build_buckets, collect, concatenate, odd_campaign, to_dataframes

MEASURES = ["P@10", "AP", "nDCG@10", "RBP(p=0.8)", "ERR@10", "RR", "Rprec", "bpref", "Twist", "INSQ(T=2)"]


@pytest.mark.parametrize("many", [1, 4, 9])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"outside": 3, "tail": False, "undefined": "exclude"},
        {"outside": "any", "missing": "exclude", "ties": "trec_eval-9"},
    ],
)
def test_bounds_of_buckets_are_those_of_one_machine(options: dict[str, Any], many: int) -> None:
    case = odd_campaign()
    campaign, own = case.read(options)
    expected = assay.uncertainty.bounds(campaign, MEASURES, **own).frame()
    policies = Policies(**{name: value for name, value in options.items() if name in ("ties", "missing", "undefined")})
    found = concatenate(
        (
            compute_bucket_bounds(
                bucket,
                measures=parse_measures(MEASURES),
                policies=policies,
                outside=options.get("outside", "none"),
                tail=options.get("tail", True),
            )
            for bucket in build_buckets(case, many)
        ),
    )
    assert_same_rows(found, expected)


def test_the_longest_ranking_without_unjudged_documents_is_that_of_all() -> None:
    case, chosen = odd_campaign(), ["Condensed(Twist)", "Twist", "Condensed(AP)"]
    work = list(build_buckets(case, 4))
    longest = max(int(judge_bucket(one, Policies(unjudged="condensed")).length.max()) for one in work)
    found = (
        compute_bucket_bounds(
            replace(one, condensed_depth=longest),
            measures=parse_measures(chosen),
            policies=Policies(),
            outside=0,
            tail=True,
        )
        for one in work
    )
    assert_same_rows(concatenate(found), assay.uncertainty.bounds(case.read()[0], chosen).frame())


def test_a_topic_of_very_many_runs_comes_in_pieces() -> None:
    case = odd_campaign()
    chosen = parse_measures(MEASURES)
    found = (
        compute_bucket_bounds(bucket, measures=chosen, policies=Policies(), outside=0, tail=True)
        for bucket in build_buckets(case, 2, heavy=3)
    )
    assert_same_rows(concatenate(found), assay.uncertainty.bounds(case.read()[0], MEASURES).frame())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"measures": "ndgc"}, "there is no measure ndgc"),
        ({"ties": "expected"}, "ties 'expected': bounds need an order"),
        ({"ties": "file"}, "ties 'file': a DataFrame has no order of rows"),
        ({"missing": "all"}, "missing 'all': choose one of empty, exclude"),
        ({"outside": "some"}, "outside 'some': choose none, any or"),
    ],
)
def test_what_can_be_seen_wrong_is_refused_before_any_job(wrong: dict[str, Any], message: str) -> None:
    nothing: Any = None  # neither a session nor a table is looked at
    with pytest.raises(AssayError, match=message):
        bounds(nothing, nothing, nothing, **{"measures": "AP", **wrong})


@pytest.mark.scale
def test_bounds_on_a_cluster(spark: Any) -> None:
    case = odd_campaign()
    qrels, runs = to_dataframes(spark, case)
    found = bounds(spark, qrels, runs, ["AP", "Twist"], outside=2, buckets=3)
    assert_same_rows(collect(found), assay.uncertainty.bounds(case.read()[0], ["AP", "Twist"], outside=2).frame())


def test_a_run_of_other_topics_is_refused(spark: Any) -> None:
    qrels, runs = to_dataframes(spark, odd_campaign())
    with pytest.raises(
        InputError, match=r"alpha3: shares no topic with the qrels \(the run has 999; the qrels have 401"
    ):
        bounds(spark, qrels, runs.where("topic = '999'"), "AP")
