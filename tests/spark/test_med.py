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


def of_tasks(
    case: Case, measures: list[str], many: int, parts: int, *, judged: bool = True, **options: Any
) -> MedReport:
    """What tasks do, one after the other; and what the driver makes of it."""
    names = tuple(run.name for run in case.runs)
    ties = options.pop("ties", "trec_eval-10")
    request = MedRequest(parse_measures(measures), **options)
    pairs = all_pairs(len(names), first=False)
    tables = [
        compute_bucket_distances(bucket, pairs=some, request=request, ties=ties, judged=judged)
        for bucket in build_buckets(case, many)
        for some in np.array_split(pairs, parts)
    ]
    rows = pl.DataFrame(pl.from_arrow(pa.concat_tables(tables))).sample(fraction=1, shuffle=True, seed=2)
    return assemble_report(rows, names, pairs, request, Provenance((), Policies()))


def equal(found: MedReport, expected: MedReport) -> None:
    for name in ("difference", "up", "down", "up_bound", "down_bound"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    assert found.table("topics").frame.equals(expected.table("topics").frame, null_equal=True)
    assert set(found.notes) <= set(expected.notes)


@pytest.mark.parametrize(("many", "parts"), [(1, 1), (4, 3), (6, 15)])
def test_distances_of_tasks_are_those_of_one_machine(many: int, parts: int) -> None:
    case = odd_campaign(systems=6, topics=6, depth=15)
    equal(of_tasks(case, FAST, many, parts), assay.distance.med(case.read()[0], FAST))


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
    campaign, own = case.read(options)
    equal(of_tasks(case, measures, 3, 4, **options), assay.distance.med(campaign, measures, **own))


def test_without_judgments() -> None:
    case = odd_campaign(systems=5, topics=6, depth=12)
    known = pl.col("topic").is_in(case.qrels.topics)
    runs = [Run.from_frame(run.frame().filter(known), run.name) for run in case.runs]
    plain = Case(case.qrels, runs)
    equal(of_tasks(plain, FAST, 3, 4, judged=False), assay.distance.med(assay.read(runs=runs), FAST))


def test_columns_are_those_of_one_machine() -> None:
    case = odd_campaign(systems=3, topics=6, depth=5)
    assert assay.distance.med(case.read()[0], "P@5").table("topics").frame.columns == list(COLUMNS)


@pytest.mark.parametrize(
    ("wrong", "message"),
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
def test_what_can_be_seen_wrong_is_refused_before_any_job(wrong: dict[str, Any], message: str) -> None:
    nothing: Any = None  # neither a session nor a table is looked at
    with pytest.raises(AssayError, match=message):
        med(nothing, nothing, nothing, **{"measures": "AP", **wrong})


@pytest.mark.scale
def test_distances_on_a_cluster(spark: Any) -> None:
    case = odd_campaign(systems=5, topics=6, depth=12)
    found = med(spark, *to_dataframes(spark, case), ["nDCG@10", "Rprec"], buckets=2, blocks=4)
    expected = assay.distance.med(case.read()[0], ["nDCG@10", "Rprec"])
    report = found.report()
    equal(report, expected)
    assert report.notes == expected.notes
    assert_same_rows(collect(found.frame), expected.topic_frame())


@pytest.mark.scale
def test_without_judgments_on_a_cluster(spark: Any) -> None:
    case = odd_campaign(systems=5, topics=6, depth=12)
    _, runs = to_dataframes(spark, case)
    report, expected = med(spark, None, runs, "P@5").report(), assay.distance.med(assay.read(runs=case.runs), "P@5")
    equal(report, expected)
    assert sorted(report.notes) == sorted(expected.notes)
    alone = runs.where("run = 'alpha1' or (run = 'alpha3' and topic = '999')")
    with pytest.raises(InputError, match="alpha1: shares no topic with another run"):
        med(spark, None, alone, "P@5")
    with pytest.raises(InputError, match="runs: need at least two runs, got 1"):
        med(spark, None, runs.where("run = 'alpha1'"), "P@5")
