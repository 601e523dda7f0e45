"""What deeper judging buys: pools rebuilt from the runs."""

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
from real_data import real
from strategies import many_examples

CHOSEN = measures(["AP", "RBP(p=0.5)", "nDCG", "Rprec"])
SIMPLE = {"q": {"a": 1, "b": 1, "c": 0, "d": 1}}
TWO = {"x": {"q": {"a": 3.0, "b": 2.0, "d": 1.0}}, "y": {"q": {"c": 2.0, "b": 1.0}}}


@many_examples(
    60, qrels=QRELS, runs=runs(2), depths=st.sets(st.integers(1, 9), min_size=1, max_size=3), few=st.booleans()
)
def test_the_definition(qrels, runs, depths, few):
    assume(highest(qrels) >= 1)
    contributors = ["r0", "r1"] if few else list(runs)
    report = pool_depth(read(qrels, runs), CHOSEN, depths, contributors=contributors)
    parts = [oracle.pool(qrels, [runs[name] for name in contributors], depth) for depth in sorted(depths)] + [qrels]
    means = [[[oracle.mean(one, part, run) for run in runs.values()] for part in parts] for one in CHOSEN]
    assert report.depths == tuple(sorted(depths))
    assert report.sizes.tolist() == [
        [sum(map(len, part.values())), sum(grade >= 1 for docs in part.values() for grade in docs.values())]
        for part in parts
    ]
    found = np.stack([one.overall().T for one in report.results], axis=1)
    assert found == pytest.approx(np.array(means), abs=1e-12)
    for i, by_pool in enumerate(found.tolist()):
        for j, order in enumerate(by_pool):
            for got, want in (
                (report.tau, rank.tau_b(order, by_pool[-1])),
                (report.tau_ap, rank.tau_ap(order, by_pool[-1])),
            ):
                defined = len(set(order)) > 1 and len(set(by_pool[-1])) > 1
                assert got[i, j] == pytest.approx(want if defined else np.nan, abs=1e-12, nan_ok=True)


CATALOGUE = tuple(
    measure(text)
    for cls in catalogue().values()
    for text in cls.examples
    if getattr(measure(text), "max_rel", None) is None
)


def with_all_and_none(campaign):
    """The rankings with all judgments, and with none."""
    return (campaign.with_judgments(np.full(len(campaign.qrels), keep)).judged for keep in (True, False))


def sure_of(campaign):
    """The measures of the catalogue that cannot fall."""
    whole, bare = with_all_and_none(campaign)
    return tuple(one for one in CATALOGUE if never_falls(one, whole, bare))


@settings(max_examples=40, deadline=None, phases=[Phase.generate])
@given(qrels=QRELS, runs=runs(2))
def test_what_cannot_fall_does_not(qrels, runs):
    assume(highest(qrels) >= 2)
    campaign = read(qrels, runs)
    sure = sure_of(campaign)
    assert len(sure) > 40
    report = pool_depth(campaign, sure, (1, 2, 3, 5))
    assert report.guaranteed.all()
    assert not report.falls.any(), report.violations()


@pytest.mark.parametrize(
    ("name", "sure"),
    [
        ("RBP(p=0.8)", True),
        ("P@10", True),
        ("ERR", True),
        ("RR", True),
        ("DCG@10", True),
        ("INST(T=1)", True),
        ("DCG(gains={-1:-1,1:1})@10", False),  # a judgment can show a document to be worse than an unjudged one
        ("DCG(gains={0:-1,1:1})@10", True),
        ("RBPnorm(p=0.8)", True),
        ("AP", False),
        ("nDCG", False),
        ("Condensed(P@2)", False),
        ("Unjudged@10", False),
        ("RBPresidual(p=0.8)", False),
    ],
)
def test_what_cannot_fall(name, sure):
    one = measure(name)
    whole, bare = with_all_and_none(read({"q": {"a": 1, "b": -1}}, TWO))
    assert never_falls(one, whole, bare) is sure
    assert not never_falls(one, replace(whole, policies=Policies(unjudged="condensed")), bare)


def test_the_best_document_of_a_topic_can_lower_the_others():
    """RBPnorm divides by the largest grade of the topic, which a deeper pool may raise."""
    report = pool_depth(read({"q": {"a": 1, "b": 1, "c": 0, "z": 2}}, TWO), "RBPnorm(p=0.5)", [1])
    assert not report.guaranteed.any()
    assert report.violations().rows() == [("RBPnorm(p=0.5)", "x", "q", 1, None, 0.5, 0.375)]


def test_condensed_rankings_can_fall():
    runs = {"x": {"q": {"c": 3.0, "a": 2.0}}, "y": {"q": {"a": 1.0}}}
    campaign = read({"q": {"a": 1, "c": 0}}, runs, unjudged="condensed")
    report = pool_depth(campaign, "RR", [1], contributors=["y"])
    assert not report.guaranteed.any()
    assert report.violations().rows() == [("RR", "x", "q", 1, None, 1.0, 0.5)]
    assert report.falls.tolist() == [[[[0.5]], [[0.0]]]]


def test_values_from_sampled_orders_may_fall():
    runs = {"x": {"q": {"c": 1.0, "a": 1.0, "b": 1.0}}, "y": {"q": {"a": 1.0}}}
    exact = pool_depth(read(SIMPLE, runs, ties="expected"), ["RBP(p=0.5)", "INST(T=1)"], [1])
    assert exact.guaranteed.tolist() == [True, False]
    assert exact.results[0].errors[1].any()
    assert pool_depth(read(SIMPLE, runs), ["RBP(p=0.5)", "INST(T=1)"], [1]).guaranteed.all()


def test_a_report():
    report = pool_depth(read(SIMPLE, TWO), ["AP", "RBP(p=0.5)"], [1, 2])
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
    report = pool_depth(read(SIMPLE, TWO), ["AP", "RBP(p=0.5)"], [1, 2])
    assert list(report.tables) == ["pools", "runs", "falls"]
    assert report.table().compact.rows() == [("AP", 1.0, 1.0, 1), ("RBP(p=0.5)", 1.0, 1.0, 0)]
    assert report.table().compact.columns == ["measure", "depth 1", "depth 2", "falls"]
    assert "depth 1: 2 (1 relevant)" in report.table().caption
    assert report.table("runs").compact.columns == ["measure", "run", "depth 1", "depth 2", "all"]
    falls = report.table("falls")
    assert falls.frame.equals(report.violations())
    assert falls.compact.rows() == [("AP", "depth 2", "all", 1, pytest.approx(1 / 12), "y", "q")]
    assert pool_depth(read(SIMPLE, TWO), "RBP(p=0.5)", [1]).table("falls").compact.is_empty()
    for name in ("reuse", "groups", "left-out"):
        with pytest.raises(InputError, match=f"show {name}: needs groups, a dict or a file"):
            report.table(name)


def test_tables_of_groups():
    report = pool_depth(read(SIMPLE, TWO), ["AP", "P@2"], [2], groups={"x": "X", "y": "Y"})
    assert list(report.tables) == ["reuse", "groups", "left-out", "pools", "runs", "falls"]
    assert report.table().frame.equals(report.left_out.by_measure())
    assert report.table().compact.columns[:4] == ["measure", "mean change", "largest change", "ranks moved"]
    assert report.table("groups").frame.equals(report.left_out.by_group())
    assert report.table("left-out").frame.equals(report.left_out.frame())
    assert report.summary() == report.left_out.summary()


def test_summaries():
    assert pool_depth(read(SIMPLE, TWO), ["AP", "RBP(p=0.5)"], [1]).summary() == (
        "The pool of depth 1 has 2 of 4 judgments; tau with the order by all judgments is 1.000 for every measure. "
        "RBP(p=0.5) cannot fall."
    )
    assert "Adding judgments lowered AP on some rankings" in pool_depth(read(SIMPLE, TWO), "AP", [2]).summary()
    runs = {"x": {"q": {"a": 3.0, "c": 2.0}}, "y": {"q": {"c": 2.0, "b": 1.5, "d": 1.0}}}
    other = pool_depth(read(SIMPLE, runs), ["P@1", "P@3"], [1]).summary()
    assert (
        "with it P@1 agrees best with the order of the runs by all judgments (tau 1.000), P@3 worst (-1.000)." in other
    )
    same = {"x": {"q": {"a": 1.0}}, "y": {"q": {"a": 1.0}}}
    assert "no tau is defined" in pool_depth(read(SIMPLE, same), "AP", [1]).summary()


def test_default_measures():
    assert tuple(map(str, pool_depth(read(SIMPLE, TWO), depths=[1]).measures)) == MEASURES


def test_topics_that_are_left_out_do_not_fall():
    qrels = {"q1": {"a": 0, "b": 1}, "q2": {"a": 1}}
    runs = {"x": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, "y": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}}
    report = pool_depth(read(qrels, runs, undefined="exclude"), "AP", [1])
    assert np.isnan(report.results[0].values[0, :, 0]).all()
    assert not report.falls.any()
    assert report.notes == ("pool of depth 1: AP: 1 topic without relevant documents left out: q1",)


def test_progress():
    told = []
    groups = {"x": "X", "y": "Y"}
    pool_depth(read(SIMPLE, TWO), "AP", [1, 2], groups=groups, progress=lambda *numbers: told.append(numbers))
    assert told == [(1, 3), (2, 3), (3, 3), (1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"depths": [0]}, "depths must be whole numbers of at least 1"),
        ({"depths": []}, "name at least one"),
        ({"contributors": ["z"]}, "contributors: there is no run z"),
        ({"contributors": []}, "contributors: name at least one run"),
        ({"groups": {"x": "X"}}, "groups: no group for run y"),
    ],
)
def test_refused(given, message):
    with pytest.raises(InputError, match=message):
        pool_depth(read(SIMPLE, TWO), "AP", **given)


def test_one_run_has_no_order():
    with pytest.raises(InputError, match="runs: need at least two runs, got 1"):
        pool_depth(read(SIMPLE, TWO["x"]), "AP")


def test_one_contributor_by_name():
    assert pool_depth(read(SIMPLE, TWO), "AP", [1], contributors="y").sizes[0].tolist() == [1, 0]


def test_a_simulated_campaign():
    """Deeper pools come nearer; patient users need deeper ones."""
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


def test_trec8():
    """RBP never falls; a patient user's RBP and AP need more judgments; who is like whom is as in the RBP paper."""
    folder = real("trec8-adhoc")
    chosen = ["AP", "RR", "P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"]
    campaign = read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs", keep="judgments")
    report = pool_depth(campaign, chosen, [10, 100])
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
    assert tau[3, 1] > max(tau[3, 0], tau[3, 2])  # p = 0.5 is like RR
