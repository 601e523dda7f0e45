"""Runs joined judgment by judgment: any part of the judgments gives what evaluating with that part alone gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from assay import evaluate
from assay.meta.pools import Pools
from assay.evaluation import evaluated
from assay.measures import measures
from assay.model.policies import Policies
from oracles import pool_depth as oracle
from pool_cases import DOCS, QRELS, highest, runs
from strategies import often

CHOSEN = measures(["AP", "P@2", "nDCG", "RBP(p=0.5)", "bpref"])
KEPT = st.sets(st.tuples(st.sampled_from(["t1", "t2"]), st.sampled_from(DOCS)))
UNJUDGED = st.sampled_from(["nonrelevant", "condensed"])


def chosen(pools, part):
    """Which judgments of the whole are in a part."""
    return np.array([doc in part.get(topic, {}) for topic, doc, _ in pools.qrels.frame().rows()], dtype=bool)


@often(
    80,
    qrels=QRELS,
    runs=runs(1),
    kept=st.sets(st.tuples(st.sampled_from(["t1", "t2"]), st.sampled_from(DOCS))),
    unjudged=UNJUDGED,
)
def test_a_part_is_what_the_part_alone_gives(qrels, runs, kept, unjudged):
    assume(highest(qrels) >= 1)
    policies = Policies(unjudged=unjudged)
    pools = Pools.of(qrels, runs, policies)
    part = {t: {d: g for d, g in docs.items() if (t, d) in kept} for t, docs in qrels.items()}
    got = evaluated(pools.part(chosen(pools, part)), CHOSEN)
    part = {topic: docs for topic, docs in part.items() if docs}
    if not part:
        assert not got.values.any()
        return
    assume(not 0 < highest(part) < 1)
    assume(all(any(run.get(topic) for topic in part) for run in runs.values()))  # any other run is refused
    # A topic without judgments is not in the qrels; with the whole it stays, and counts 0.
    want = evaluate(part, runs, CHOSEN, unjudged=unjudged)
    for i, topic in enumerate(got.topics):
        expected = want.values[:, :, want.topics.index(topic)] if topic in part else np.zeros(got.values.shape[:2])
        assert got.values[:, :, i] == pytest.approx(expected, abs=1e-12)


@often(80, qrels=QRELS, runs=runs(1), depth=st.integers(1, 9), some=st.sets(st.integers(0, 3)))
def test_pools(qrels, runs, depth, some):
    pools = Pools.of(qrels, runs, Policies())
    assert (pools.pool(depth) == chosen(pools, oracle.pool(qrels, runs.values(), depth))).all()
    numbers = sorted(i for i in some if i < len(runs))
    mine = [runs[f"r{i}"] for i in numbers]
    assert (pools.pool(depth, numbers) == chosen(pools, oracle.pool(qrels, mine, depth))).all()


def test_all_judgments_are_the_default():
    qrels, runs = {"t": {"a": 1, "b": 0}}, {"r": {"t": {"b": 2.0, "a": 1.0, "x": 3.0}}}
    pools = Pools.of(qrels, runs, Policies())
    assert evaluated(pools.part(), CHOSEN).values.tolist() == evaluate(qrels, runs, CHOSEN).values.tolist()
    assert pools.best_rank().tolist() == [3, 2]
    assert Pools.of(qrels, {"r": {"t": {"x": 3.0}}}, Policies()).best_rank().tolist() == [np.inf, np.inf]


def test_parts_keep_the_scale_of_all_judgments():
    """The top grade is that of all judgments, although no document of the part has it."""
    qrels, runs = {"t": {"a": 1, "b": 3}}, {"r": {"t": {"a": 2.0}}}
    part = Pools.of(qrels, runs, Policies()).part(np.array([True, False]))
    assert evaluated(part, measures("RBP(p=0.5,gains=unit)")).values.ravel() == pytest.approx([0.5 / 3])
