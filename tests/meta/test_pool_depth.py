"""Effect of pool depth, with pools rebuilt from the runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from assay import evaluate, read
from assay.errors import InputError
from assay.measures import catalogue, measure, measures
from assay.meta._correlate import correlate
from assay.meta._pool_depth import MEASURES, never_falls, pool_depth
from assay.model.policies import Policies
from assay.simulation import simulate
from oracles import kendall as rank
from oracles import pool_depth as oracle
from pool_cases import QRELS, highest, runs
from real_data import read_trec8
from strategies import many_examples

TESTED = measures(["AP", "RBP(p=0.5)", "nDCG", "Rprec"])
SMALL_QRELS = {"q": {"a": 1, "b": 1, "c": 0, "d": 1}}
TWO_RUNS = {"x": {"q": {"a": 3.0, "b": 2.0, "d": 1.0}}, "y": {"q": {"c": 2.0, "b": 1.0}}}


@many_examples(
    60,
    qrels=QRELS,
    runs=runs(2),
    depths=st.sets(st.integers(1, 9), min_size=1, max_size=3),
    two_contributors=st.booleans(),
)
def test_agrees_with_the_definition(qrels, runs, depths, two_contributors):
    assume(highest(qrels) >= 1)
    contributors = ["r0", "r1"] if two_contributors else list(runs)
    report = pool_depth(read(qrels, runs), TESTED, depths, contributors=contributors)
    pools = [oracle.pool(qrels, [runs[name] for name in contributors], depth) for depth in sorted(depths)] + [qrels]
    means = [[[oracle.mean(each, pool, run) for run in runs.values()] for pool in pools] for each in TESTED]
    assert report.depths == tuple(sorted(depths))
    assert report.sizes.tolist() == [
        [sum(map(len, pool.values())), sum(grade >= 1 for docs in pool.values() for grade in docs.values())]
        for pool in pools
    ]
    values = np.stack([each.overall().T for each in report.results], axis=1)
    assert values == pytest.approx(np.array(means), abs=1e-12)
    for i, by_pool in enumerate(values.tolist()):
        for j, order in enumerate(by_pool):
            for actual, expected in (
                (report.tau, rank.tau_b(order, by_pool[-1])),
                (report.tau_ap, rank.tau_ap(order, by_pool[-1])),
            ):
                defined = len(set(order)) > 1 and len(set(by_pool[-1])) > 1
                assert actual[i, j] == pytest.approx(expected if defined else np.nan, abs=1e-12, nan_ok=True)


CATALOGUE = tuple(
    measure(text)
    for cls in catalogue().values()
    for text in cls.examples
    if getattr(measure(text), "max_rel", None) is None
)


def judge_all_and_none(campaign):
    """Return the rankings with all judgments and without judgments."""
    return (campaign.with_judgments(np.full(len(campaign.qrels), keep)).judged for keep in (True, False))


def list_monotone_measures(campaign):
    """Return the measures of the catalogue that never decrease with more judgments."""
    all_judgments, no_judgments = judge_all_and_none(campaign)
    return tuple(candidate for candidate in CATALOGUE if never_falls(candidate, all_judgments, no_judgments))


@settings(max_examples=20, deadline=None, phases=[Phase.generate])
@given(qrels=QRELS, runs=runs(2))
def test_guaranteed_measures_never_decrease(qrels, runs):
    assume(highest(qrels) >= 2)
    campaign = read(qrels, runs)
    monotone = list_monotone_measures(campaign)
    assert len(monotone) > 40
    report = pool_depth(campaign, monotone, (1, 2, 3, 5))
    assert report.guaranteed.all()
    assert not report.falls.any(), report.violations()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RBP(p=0.8)", True),
        ("P@10", True),
        ("ERR", True),
        ("RR", True),
        ("DCG@10", True),
        ("INST(T=1)", True),
        ("DCG(gains={-1:-1,1:1})@10", False),  # A judged document may have a lower gain than an unjudged one.
        ("DCG(gains={0:-1,1:1})@10", True),
        ("RBPnorm(p=0.8)", True),
        ("AP", False),
        ("nDCG", False),
        ("Condensed(P@2)", False),
        ("Unjudged@10", False),
        ("RBPresidual(p=0.8)", False),
    ],
)
def test_never_falls(name, expected):
    tested_measure = measure(name)
    all_judgments, no_judgments = judge_all_and_none(read({"q": {"a": 1, "b": -1}}, TWO_RUNS))
    assert never_falls(tested_measure, all_judgments, no_judgments) is expected
    assert not never_falls(
        tested_measure, replace(all_judgments, policies=Policies(unjudged="condensed")), no_judgments
    )


def test_a_higher_grade_may_decrease_rbpnorm():
    """RBPnorm divides by the largest grade of the topic, which a deeper pool may increase."""
    report = pool_depth(read({"q": {"a": 1, "b": 1, "c": 0, "z": 2}}, TWO_RUNS), "RBPnorm(p=0.5)", [1])
    assert not report.guaranteed.any()
    assert report.violations().rows() == [("RBPnorm(p=0.5)", "x", "q", 1, None, 0.5, 0.375)]


def test_values_of_condensed_rankings_may_decrease():
    runs = {"x": {"q": {"c": 3.0, "a": 2.0}}, "y": {"q": {"a": 1.0}}}
    campaign = read({"q": {"a": 1, "c": 0}}, runs, unjudged="condensed")
    report = pool_depth(campaign, "RR", [1], contributors=["y"])
    assert not report.guaranteed.any()
    assert report.violations().rows() == [("RR", "x", "q", 1, None, 1.0, 0.5)]
    assert report.falls.tolist() == [[[[0.5]], [[0.0]]]]


def test_values_from_sampled_orders_may_decrease():
    runs = {"x": {"q": {"c": 1.0, "a": 1.0, "b": 1.0}}, "y": {"q": {"a": 1.0}}}
    exact = pool_depth(read(SMALL_QRELS, runs, ties="expected"), ["RBP(p=0.5)", "INST(T=1)"], [1])
    assert exact.guaranteed.tolist() == [True, False]
    assert exact.results[0].errors[1].any()
    assert pool_depth(read(SMALL_QRELS, runs), ["RBP(p=0.5)", "INST(T=1)"], [1]).guaranteed.all()


def test_report():
    report = pool_depth(read(SMALL_QRELS, TWO_RUNS), ["AP", "RBP(p=0.5)"], [1, 2])
    assert report.runs == ("x", "y")
    assert report.by_run().filter(run="x").rows() == [
        ("x", "AP", 1, 1.0),
        ("x", "AP", 2, 1.0),
        ("x", "AP", None, 1.0),
        ("x", "RBP(p=0.5)", 1, 0.5),
        ("x", "RBP(p=0.5)", 2, 0.75),
        ("x", "RBP(p=0.5)", None, 0.875),
    ]
    summary = report.by_pool()
    assert summary.filter(measure="AP").select("depth", "judgments", "relevant", "mean", "tau").rows() == [
        (1, 2, 1, 0.5, 1.0),
        (2, 3, 2, (1 + 0.25) / 2, 1.0),
        (None, 4, 3, (1 + 1 / 6) / 2, 1.0),
    ]
    assert summary.select("measure", "falls", "largest").rows()[:3] == [
        ("AP", 0, 0.0),
        ("AP", 1, pytest.approx(1 / 4 - 1 / 6)),
        ("AP", None, None),
    ]
    assert summary["p"].to_list() == [1.0] * 6
    assert report.violations().rows() == [("AP", "y", "q", 2, None, 0.25, pytest.approx(1 / 6))]
    assert report.provenance.as_dict()["settings"] == {"depths": [1, 2], "contributors": ["x", "y"]}
    assert report.left_out is None


def test_tables():
    report = pool_depth(read(SMALL_QRELS, TWO_RUNS), ["AP", "RBP(p=0.5)"], [1, 2])
    assert list(report.tables) == ["pools", "runs", "falls"]
    assert report.table().compact.rows() == [("AP", 1.0, 1.0, 1), ("RBP(p=0.5)", 1.0, 1.0, 0)]
    assert report.table().compact.columns == ["measure", "depth 1", "depth 2", "falls"]
    assert "depth 1: 2 (1 relevant)" in report.table().caption
    assert report.table("runs").compact.columns == ["measure", "run", "depth 1", "depth 2", "all"]
    falls = report.table("falls")
    assert falls.frame.equals(report.violations())
    assert falls.compact.rows() == [("AP", "depth 2", "all", 1, pytest.approx(1 / 12), "y", "q")]
    assert pool_depth(read(SMALL_QRELS, TWO_RUNS), "RBP(p=0.5)", [1]).table("falls").compact.is_empty()
    for name in ("reuse", "groups", "left-out"):
        with pytest.raises(InputError, match=f"show {name}: this table needs groups; give a dict, or a file"):
            report.table(name)


def test_tables_of_groups():
    report = pool_depth(read(SMALL_QRELS, TWO_RUNS), ["AP", "P@2"], [2], groups={"x": "X", "y": "Y"})
    assert list(report.tables) == ["reuse", "groups", "left-out", "pools", "runs", "falls"]
    assert report.table().frame.equals(report.left_out.by_measure())
    assert report.table().compact.columns[:4] == ["measure", "mean change", "largest change", "ranks moved"]
    assert report.table("groups").frame.equals(report.left_out.by_group())
    assert report.table("left-out").frame.equals(report.left_out.frame())
    assert report.summary() == report.left_out.summary()


def test_summaries():
    assert pool_depth(read(SMALL_QRELS, TWO_RUNS), ["AP", "RBP(p=0.5)"], [1]).summary() == (
        "The pool of depth 1 contains 2 of 4 judgments; tau with the order by all judgments is 1.000 for every "
        "measure. RBP(p=0.5) cannot fall."
    )
    assert (
        "Adding judgments lowered AP for some rankings" in pool_depth(read(SMALL_QRELS, TWO_RUNS), "AP", [2]).summary()
    )
    runs = {"x": {"q": {"a": 3.0, "c": 2.0}}, "y": {"q": {"c": 2.0, "b": 1.5, "d": 1.0}}}
    summary = pool_depth(read(SMALL_QRELS, runs), ["P@1", "P@3"], [1]).summary()
    assert "P@1 preserves the order of the runs best (tau 1.000); P@3 preserves it least (tau -1.000)." in summary
    equal_runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}}
    assert "tau is undefined" in pool_depth(read(SMALL_QRELS, equal_runs), "AP", [1]).summary()


def test_default_measures():
    assert tuple(map(str, pool_depth(read(SMALL_QRELS, TWO_RUNS), depths=[1]).measures)) == MEASURES


def test_excluded_topics_do_not_decrease():
    qrels = {"q1": {"a": 0, "b": 1}, "q2": {"a": 1}}
    runs = {"x": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, "y": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}}
    report = pool_depth(read(qrels, runs, undefined="exclude"), "AP", [1])
    assert np.isnan(report.results[0].values[0, :, 0]).all()
    assert not report.falls.any()
    assert report.notes == ("pool of depth 1: AP: excluded 1 topic without relevant documents: q1",)


def test_progress_is_reported():
    calls = []
    groups = {"x": "X", "y": "Y"}
    pool_depth(
        read(SMALL_QRELS, TWO_RUNS), "AP", [1, 2], groups=groups, progress=lambda *numbers: calls.append(numbers)
    )
    assert calls == [(1, 3), (2, 3), (3, 3), (1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depths": [0]}, "depths must be whole numbers of at least 1"),
        ({"depths": []}, "name at least one"),
        ({"contributors": ["z"]}, "contributors: unknown run z"),
        ({"contributors": []}, "contributors: name at least one run"),
        ({"groups": {"x": "X"}}, "groups: no group for run y"),
    ],
)
def test_invalid_arguments_raise(options, message):
    with pytest.raises(InputError, match=message):
        pool_depth(read(SMALL_QRELS, TWO_RUNS), "AP", **options)


def test_one_run_raises():
    with pytest.raises(InputError, match="runs: need at least two runs, got 1"):
        pool_depth(read(SMALL_QRELS, TWO_RUNS["x"]), "AP")


def test_one_contributor_may_be_a_string():
    assert pool_depth(read(SMALL_QRELS, TWO_RUNS), "AP", [1], contributors="y").sizes[0].tolist() == [1, 0]


def test_simulated_campaign():
    """Tau is larger for deeper pools, and RBP with a larger persistence needs deeper pools."""
    campaign = simulate(systems=12, topics=10, depth=100, pool=50, seed=5)
    report = pool_depth(read(campaign.qrels, campaign.runs), ["RBP(p=0.5)", "RBP(p=0.95)", "AP"], [2, 10, 50])
    assert report.guaranteed.tolist() == [True, True, False]
    assert not report.falls[:2].any()
    assert report.falls[2].any()
    means = report.by_pool()["mean"].to_numpy().reshape(3, 4)
    assert (np.diff(means[:2]) >= 0).all()
    assert (report.tau[0] >= report.tau[1]).all()
    results = evaluate(campaign.qrels, campaign.runs, "AP")
    shallow = report.results[0].overall()[:, 2]
    assert report.tau[2, 0] == pytest.approx(kendalltau(shallow, results.overall()[:, 0]).statistic, abs=1e-12)


def test_trec8_agrees_with_the_rbp_paper():
    """RBP never decreases; RBP with large p and AP need more judgments; nearest measures agree with the RBP paper."""
    names = ["AP", "RR", "P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"]
    report = pool_depth(read_trec8(), names, [10, 100])
    assert report.sizes.tolist() == [[12023, 1909], [86830, 4728], [86830, 4728]]
    assert report.guaranteed.tolist() == [False, True, True, True, True, True]
    assert not report.falls[1:].any()
    assert (report.falls[0] > 0).sum() > 1000
    assert report.tau[:, 0] == pytest.approx([0.919554, 0.999392, 1.0, 1.0, 0.993942, 0.952266], abs=1e-3)
    assert report.tau[2, 0] == 1
    means = report.by_pool().filter(measure="AP")["mean"].to_list()
    assert means[0] > means[1] == means[2]
    assert correlate(report.results[-1]).nearest()[-3:] == ("RBP(p=0.8)", "P@10", "P@10")
    tau = correlate(report.results[-1]).taus.tau
    assert tau[3, 1] > max(tau[3, 0], tau[3, 2])  # RBP with p = 0.5 is closest to RR.
