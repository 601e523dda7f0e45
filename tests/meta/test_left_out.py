"""Leave-one-out pools: judgments that only one group contributed are removed."""

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

TESTED = measures(["AP", "P@2", "NumNonrelJudgedRet"])
GROUPS = st.lists(st.sampled_from(["A", "B", "C"]), min_size=4, max_size=4)


@many_examples(60, qrels=QRELS, runs=runs(2), group_names=GROUPS, depth=st.integers(1, 9))
def test_agrees_with_the_definition(qrels, runs, group_names, depth):
    assume(highest(qrels) >= 1)
    groups = dict(zip(runs, group_names, strict=False))
    result = pool_depth(read(qrels, runs), TESTED, [1, depth], groups=groups).left_out
    assert result.depth == max(1, depth)
    assert [result.groups[i] for i in result.group] == list(groups.values())
    for number, group in enumerate(result.groups):
        own_runs = [run for name, run in runs.items() if groups[name] == group]
        others = [run for name, run in runs.items() if groups[name] != group]
        reduced = oracle.remove_unique_contributions(qrels, own_runs, others, result.depth)
        removed = [qrels[t][d] for t in qrels for d in qrels[t] if d not in reduced[t]]
        assert result.unique[number].tolist() == [len(removed), sum(grade >= 1 for grade in removed)]
        for i, tested_measure in enumerate(TESTED):
            total = len(qrels) if tested_measure.aggregate == "sum" else 1
            sign = -1 if tested_measure.lower_is_better else 1
            orders = [
                [total * oracle.mean(tested_measure, judgments, run) for run in runs.values()]
                for judgments in (reduced, qrels)
            ]
            for j, name in enumerate(runs):
                if groups[name] != group:
                    continue
                for k, order in enumerate(orders[::-1]):
                    assert result.values[i, j, k] == pytest.approx(order[j], abs=1e-12)
                    better = sum(sign * value > sign * order[j] + 1e-9 for value in order)
                    assert result.ranks[i, j, k] == 1 + better
            estimate, expected_order = ([sign * round(value, 9) for value in order] for order in orders)
            defined = len(set(estimate)) > 1 and len(set(expected_order)) > 1
            for actual, expected in (
                (result.tau, rank.tau_b(estimate, expected_order)),
                (result.tau_ap, rank.tau_ap(estimate, expected_order)),
            ):
                assert actual[number, i] == pytest.approx(expected if defined else np.nan, abs=1e-12, nan_ok=True)


SMALL_QRELS = {"q": {"a": 1, "b": 1, "c": 0}}
THREE_RUNS = {"x1": {"q": {"a": 2.0, "c": 1.0}}, "x2": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}


def make_report(**options):
    groups = {"x1": "X", "x2": "X", "y": "Y"}
    return pool_depth(read(SMALL_QRELS, THREE_RUNS), ["P@1", "RR"], [2], groups=groups, **options).left_out


def test_frames_of_the_report():
    result = make_report()
    assert result.frame().filter(measure="P@1").drop("measure").rows() == [
        ("X", "x1", 1.0, 0.0, -1.0, 1, 2, 1),
        ("X", "x2", 1.0, 0.0, -1.0, 1, 2, 1),
        ("Y", "y", 1.0, 0.0, -1.0, 1, 3, 2),
    ]
    assert result.by_group().filter(measure="RR").rows() == [
        ("X", 2, 2, 1, "RR", -1.0, 1, None, None),
        ("Y", 1, 1, 1, "RR", -1.0, 2, None, None),
    ]
    assert result.by_measure().rows() == [
        ("P@1", 2, -1.0, -1.0, 2, None, None),
        ("RR", 2, -1.0, -1.0, 2, None, None),
    ]


def test_summary():
    assert make_report().summary() == (
        "Leaving out the judgments that only one of 2 groups contributed to the pool of depth 2 (3 in total, 2 "
        "relevant) moves a run of the group by at most 2 ranks (P@1 and RR)."
    )
    equal_runs = {"x1": {"q": {"a": 2.0, "c": 1.0}}, "y": {"q": {"a": 2.0}}, "z": {"q": {"a": 2.0}}}
    unchanged = pool_depth(
        read({"q": {"a": 1}}, equal_runs), "RR", [2], groups={"x1": "X", "y": "Y", "z": "Z"}
    ).left_out
    assert unchanged.summary().endswith("does not change the rank of any run of the group.")


def test_runs_without_contributions_do_not_change():
    result = make_report(contributors=["x1", "x2"])
    assert result.unique.tolist() == [[2, 1], [0, 0]]
    assert (result.values[:, 2, 0] == result.values[:, 2, 1]).all()


def test_trec8_agrees_with_the_published_values():
    """MAP without the unique contributions of the own group to the depth-10 pool, as published with that pool.

    The published pool orders tied documents by line, whereas assay orders them as trec_eval does. For this reason only
    85 of 129 runs agree to all digits; with the published order of ties, all agree.
    """
    folder = real("trec8-adhoc")
    shallow = folder / "depth10"
    campaign = read(shallow / "depth10.qrels.gz", folder / "runs", unjudged="condensed", keep="judgments")
    result = pool_depth(campaign, "AP", [10], groups=folder / "runs-pids.txt").left_out
    lines = (shallow / "depth10.loo-map").read_text().splitlines()
    published = {run: float(value) for run, value in map(str.split, lines)}
    deviation = np.abs(result.values[0, :, 1] - [published[run] for run in result.runs])
    assert len(result.groups) == 41
    assert (deviation <= 5.0001e-5).sum() >= 80
    assert deviation.max() < 0.01
    change = np.abs(result.values[0, :, 0] - result.values[0, :, 1])
    assert change.max() > 0.02  # The effect of the removed judgments is larger than that.
