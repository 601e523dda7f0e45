"""Leaving out what one group alone contributed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from assay import read
from assay.measures import measures
from assay.meta._pool_depth import pool_depth
from oracles import kendall as rank
from oracles import pool_depth as oracle
from pool_cases import QRELS, highest, runs
from real_data import real
from strategies import many_examples

CHOSEN = measures(["AP", "P@2", "NumNonrelJudgedRet"])
GROUPS = st.lists(st.sampled_from(["A", "B", "C"]), min_size=4, max_size=4)


@many_examples(60, qrels=QRELS, runs=runs(2), named=GROUPS, depth=st.integers(1, 9))
def test_the_definition(qrels, runs, named, depth):
    assume(highest(qrels) >= 1)
    groups = dict(zip(runs, named, strict=False))
    left = pool_depth(read(qrels, runs), CHOSEN, [1, depth], groups=groups).left_out
    assert left.depth == max(1, depth)
    assert [left.groups[i] for i in left.group] == list(groups.values())
    for number, group in enumerate(left.groups):
        mine = [run for name, run in runs.items() if groups[name] == group]
        others = [run for name, run in runs.items() if groups[name] != group]
        part = oracle.remove_unique_contributions(qrels, mine, others, left.depth)
        gone = [qrels[t][d] for t in qrels for d in qrels[t] if d not in part[t]]
        assert left.unique[number].tolist() == [len(gone), sum(grade >= 1 for grade in gone)]
        for i, one in enumerate(CHOSEN):
            total = len(qrels) if one.aggregate == "sum" else 1
            sign = -1 if one.lower_is_better else 1
            orders = [[total * oracle.mean(one, some, run) for run in runs.values()] for some in (part, qrels)]
            for j, name in enumerate(runs):
                if groups[name] != group:
                    continue
                for k, order in enumerate(orders[::-1]):
                    assert left.values[i, j, k] == pytest.approx(order[j], abs=1e-12)
                    better = sum(sign * value > sign * order[j] + 1e-9 for value in order)
                    assert left.ranks[i, j, k] == 1 + better
            estimate, truth = ([sign * round(value, 9) for value in order] for order in orders)
            defined = len(set(estimate)) > 1 and len(set(truth)) > 1
            for got, want in ((left.tau, rank.tau_b(estimate, truth)), (left.tau_ap, rank.tau_ap(estimate, truth))):
                assert got[number, i] == pytest.approx(want if defined else np.nan, abs=1e-12, nan_ok=True)


SIMPLE = {"q": {"a": 1, "b": 1, "c": 0}}
THREE = {"x1": {"q": {"a": 2.0, "c": 1.0}}, "x2": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}


def report(**more):
    groups = {"x1": "X", "x2": "X", "y": "Y"}
    return pool_depth(read(SIMPLE, THREE), ["P@1", "RR"], [2], groups=groups, **more).left_out


def test_a_report():
    left = report()
    assert left.frame().filter(measure="P@1").drop("measure").rows() == [
        ("X", "x1", 1.0, 0.0, -1.0, 1, 2, 1),
        ("X", "x2", 1.0, 0.0, -1.0, 1, 2, 1),
        ("Y", "y", 1.0, 0.0, -1.0, 1, 3, 2),
    ]
    assert left.by_group().filter(measure="RR").rows() == [
        ("X", 2, 2, 1, "RR", -1.0, 1, None, None),
        ("Y", 1, 1, 1, "RR", -1.0, 2, None, None),
    ]
    assert left.by_measure().rows() == [
        ("P@1", 2, -1.0, -1.0, 2, None, None),
        ("RR", 2, -1.0, -1.0, 2, None, None),
    ]


def test_a_summary():
    assert report().summary() == (
        "Leaving out the judgments that only one of 2 groups contributed to the pool of depth 2 (3 in all, 2 relevant) "
        "moves a run of the group by at most 2 ranks (P@1 and RR)."
    )
    alone = {"x1": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"a": 2.0}}, "z": {"q": {"a": 2.0}}}
    same = pool_depth(read({"q": {"a": 1}}, alone), "RR", [2], groups={"x1": "X", "y": "Y", "z": "Z"}).left_out
    assert same.summary().endswith("moves no run of the group to another rank.")


def test_runs_that_did_not_contribute_lose_nothing():
    left = report(contributors=["x1", "x2"])
    assert left.unique.tolist() == [[2, 1], [0, 0]]
    assert (left.values[:, 2, 0] == left.values[:, 2, 1]).all()


def test_trec8_against_the_published_list():
    """MAP without what the own group contributed to the depth-10 pool, as its makers publish it.

    Their pool takes tied documents in the order of lines, ours as trec_eval does: of 129 runs 85 agree to all digits.
    With their order of tied documents all of them do.
    """
    folder = real("trec8-adhoc")
    shallow = folder / "depth10"
    campaign = read(shallow / "depth10.qrels.gz", folder / "runs", unjudged="condensed", keep="judgments")
    found = pool_depth(campaign, "AP", [10], groups=folder / "runs-pids.txt").left_out
    lines = (shallow / "depth10.loo-map").read_text().splitlines()
    published = {run: float(value) for run, value in map(str.split, lines)}
    apart = np.abs(found.values[0, :, 1] - [published[run] for run in found.runs])
    assert len(found.groups) == 41
    assert (apart <= 5.0001e-5).sum() >= 80
    assert apart.max() < 0.01
    everything = np.abs(found.values[0, :, 0] - found.values[0, :, 1])
    assert everything.max() > 0.02  # what is left out matters more than that
