from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay.distance._med.request import MedRequest
from assay.distance.maximized_effectiveness import MedReport, all_pairs
from assay.errors import AssayError, InputError
from assay.measures import measures as parse_measures
from assay.model import Run
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.spark._med import COLUMNS, assemble_report, compute_bucket_distances, med
from spark_bucket_cases import Case, assert_same_rows, build_buckets, collect, odd_campaign, to_dataframes

FAST = ["P@10", "RBP(p=0.8)", "nDCG@10", "Rprec", "RR", "SDCG@10", "F@3"]
SLOW = ["AP@5", "ERR@5", "Twist@4"]


def run_tasks(
    case: Case, measures: list[str], buckets: int, pair_blocks: int, *, judged: bool = True, **options: Any
) -> MedReport:
    """Run all tasks in sequence and assemble the report, as the driver does."""
    names = tuple(run.name for run in case.runs)
    ties = options.pop("ties", "trec_eval-10")
    request = MedRequest(parse_measures(measures), **options)
    pairs = all_pairs(len(names), first=False)
    tables = [
        compute_bucket_distances(bucket, pairs=task_pairs, request=request, ties=ties, judged=judged)
        for bucket in build_buckets(case, buckets)
        for task_pairs in np.array_split(pairs, pair_blocks)
    ]
    rows = pl.DataFrame(pl.from_arrow(pa.concat_tables(tables))).sample(fraction=1, shuffle=True, seed=2)
    return assemble_report(rows, names, pairs, request, Provenance((), Policies()))


def assert_equal_reports(report: MedReport, expected: MedReport) -> None:
    for name in ("difference", "up", "down", "up_bound", "down_bound"):
        np.testing.assert_array_equal(getattr(report, name), getattr(expected, name), err_msg=name)
    assert report.table("topics").frame.equals(expected.table("topics").frame, null_equal=True)
    assert set(report.notes) <= set(expected.notes)


@pytest.mark.parametrize(("buckets", "pair_blocks"), [(1, 1), (4, 3), (6, 15)])
def test_distances_of_tasks_are_the_local_ones(buckets: int, pair_blocks: int) -> None:
    case = odd_campaign(systems=6, topics=6, depth=15)
    assert_equal_reports(run_tasks(case, FAST, buckets, pair_blocks), assay.distance.med(case.read()[0], FAST))


@pytest.mark.parametrize(
    ("measures", "options"),
    [
        (SLOW, {}),
        (["AP"], {"depth": 4, "ties": "trec_eval-9"}),
        (["RBP(p=0.8)", "INSQ(T=2)"], {"residual": True}),
        (["AP@3"], {"method": "tabu", "seed": 3}),
    ],
)
def test_methods_and_options(measures: list[str], options: dict[str, Any]) -> None:
    case = odd_campaign(systems=5, topics=6, depth=12)
    campaign, other_options = case.read(options)
    assert_equal_reports(
        run_tasks(case, measures, 3, 4, **options), assay.distance.med(campaign, measures, **other_options)
    )


def test_distances_without_judgments() -> None:
    case = odd_campaign(systems=5, topics=6, depth=12)
    is_judged = pl.col("topic").is_in(case.qrels.topics)
    runs = [Run.from_frame(run.frame().filter(is_judged), run.name) for run in case.runs]
    judged_topics = Case(case.qrels, runs)
    assert_equal_reports(
        run_tasks(judged_topics, FAST, 3, 4, judged=False), assay.distance.med(assay.read(runs=runs), FAST)
    )


def test_columns_are_the_local_ones() -> None:
    case = odd_campaign(systems=3, topics=6, depth=5)
    assert assay.distance.med(case.read()[0], "P@5").table("topics").frame.columns == list(COLUMNS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measures": "ndgc"}, "there is no measure ndgc"),
        ({"ties": "expected"}, "ties 'expected': distances need an order"),
        ({"ties": "file"}, "ties 'file': a DataFrame has no order of rows"),
        ({"depth": 0}, "depth must be a whole number of at least 1, got 0"),
        ({"method": "guess"}, "method 'guess': choose one of exact"),
        ({"residual": True}, "has no residual"),
        ({"blocks": 0}, "blocks must be at least 1, got 0"),
    ],
)
def test_invalid_arguments_are_rejected_before_any_job(arguments: dict[str, Any], message: str) -> None:
    unused: Any = None  # arguments are checked before the session and the DataFrames are used
    with pytest.raises(AssayError, match=message):
        med(unused, unused, unused, **{"measures": "AP", **arguments})


@pytest.mark.scale
def test_distances_on_a_cluster(spark: Any) -> None:
    case = odd_campaign(systems=5, topics=6, depth=12)
    distances = med(spark, *to_dataframes(spark, case), ["nDCG@10", "Rprec"], buckets=2, blocks=4)
    expected = assay.distance.med(case.read()[0], ["nDCG@10", "Rprec"])
    report = distances.report()
    assert_equal_reports(report, expected)
    assert report.notes == expected.notes
    assert_same_rows(collect(distances.frame), expected.topic_frame())


@pytest.mark.scale
def test_distances_without_judgments_on_a_cluster(spark: Any) -> None:
    case = odd_campaign(systems=5, topics=6, depth=12)
    _, runs = to_dataframes(spark, case)
    report, expected = med(spark, None, runs, "P@5").report(), assay.distance.med(assay.read(runs=case.runs), "P@5")
    assert_equal_reports(report, expected)
    assert sorted(report.notes) == sorted(expected.notes)
    disjoint = runs.where("run = 'alpha1' or (run = 'alpha3' and topic = '999')")
    with pytest.raises(InputError, match="alpha1: shares no topic with another run"):
        med(spark, None, disjoint, "P@5")
    with pytest.raises(InputError, match="runs: need at least two runs, got 1"):
        med(spark, None, runs.where("run = 'alpha1'"), "P@5")
