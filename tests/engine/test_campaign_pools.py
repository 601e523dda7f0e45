"""A campaign restricted to some judgments gives the same values as evaluation with these judgments only."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from assay import evaluate, read
from assay.measures import measures
from oracles import pool_depth as oracle
from pool_cases import DOCS, QRELS, highest, runs
from strategies import many_examples

MEASURES = measures(["AP", "P@2", "nDCG", "RBP(p=0.5)", "bpref"])
PAIRS = st.sets(st.tuples(st.sampled_from(["t1", "t2"]), st.sampled_from(DOCS)))
UNJUDGED = st.sampled_from(["nonrelevant", "condensed"])
KEEP = st.sampled_from(["grades", "judgments", "documents", "runs"])


def judgment_mask(campaign, part):
    """Return a mask of the judgments that are in *part*."""
    return np.array([doc in part.get(topic, {}) for topic, doc, _ in campaign.qrels.frame().rows()], dtype=bool)


@many_examples(80, qrels=QRELS, runs=runs(1), pairs=PAIRS, unjudged=UNJUDGED, keep=KEEP)
def test_with_judgments_equals_reading_only_these_judgments(qrels, runs, pairs, unjudged, keep):
    assume(highest(qrels) >= 1)
    campaign = read(qrels, runs, unjudged=unjudged, keep=keep)
    part = {t: {d: g for d, g in docs.items() if (t, d) in pairs} for t, docs in qrels.items()}
    results = evaluate(campaign.with_judgments(judgment_mask(campaign, part)), MEASURES)
    part = {topic: docs for topic, docs in part.items() if docs}
    if not part:
        assert not results.values.any()
        return
    assume(not 0 < highest(part) < 1)
    assume(all(any(run.get(topic) for topic in part) for run in runs.values()))  # Other runs raise an error.
    # A topic without judgments is not in the qrels; the campaign keeps it, with the value 0.
    direct = evaluate(part, runs, MEASURES, unjudged=unjudged)
    for i, topic in enumerate(results.topics):
        expected = (
            direct.values[:, :, direct.topics.index(topic)] if topic in part else np.zeros(results.values.shape[:2])
        )
        assert results.values[:, :, i] == pytest.approx(expected, abs=1e-12)


@many_examples(80, qrels=QRELS, runs=runs(1), depth=st.integers(1, 9), some=st.sets(st.integers(0, 3)))
def test_pools_agree_with_the_definition(qrels, runs, depth, some):
    campaign = read(qrels, runs, keep="judgments")
    assert ((campaign.best_rank() <= depth) == judgment_mask(campaign, oracle.pool(qrels, runs.values(), depth))).all()
    numbers = sorted(i for i in some if i < len(runs))
    selected_runs = [runs[f"r{i}"] for i in numbers]
    pool = judgment_mask(campaign, oracle.pool(qrels, selected_runs, depth))
    assert ((campaign.best_rank(numbers) <= depth) == pool).all()
    assert np.array_equal(campaign.pool(depth, numbers).whole.counts, campaign.with_judgments(pool).whole.counts)


def test_selecting_all_judgments_changes_nothing():
    qrels, runs = {"t": {"a": 1, "b": 0}}, {"r": {"t": {"b": 2.0, "a": 1.0, "x": 3.0}}}
    campaign = read(qrels, runs)
    every = campaign.with_judgments(np.ones(2, dtype=bool))
    assert evaluate(every, MEASURES).values.tolist() == evaluate(qrels, runs, MEASURES).values.tolist()
    assert campaign.best_rank().tolist() == [3, 2]
    assert read(qrels, {"r": {"t": {"x": 3.0}}}).best_rank().tolist() == [np.inf, np.inf]


def test_selected_judgments_keep_the_top_grade_of_all():
    """The top grade is that of all judgments, even if no document of the pool has it."""
    campaign = read({"t": {"a": 1, "b": 3}}, {"r": {"t": {"a": 2.0}}})
    part = campaign.with_judgments(np.array([True, False]))
    assert evaluate(part, "RBP(p=0.5,gains=unit)").values.ravel() == pytest.approx([0.5 / 3])


@many_examples(40, qrels=QRELS, runs=runs(2), pairs=PAIRS, keep=KEEP)
def test_the_order_of_derivations_does_not_matter(qrels, runs, pairs, keep):
    """Judgments can be dropped, grades replaced, and runs and topics selected in any order."""
    assume(highest({"t2": qrels["t2"]}) >= 1)
    part = {t: {d: g for d, g in docs.items() if (t, d) in pairs} for t, docs in qrels.items()}
    grades = {highest(qrels): 3.0}
    steps = (
        lambda campaign: campaign.select(["r1", "r0"], ["t2"]),
        lambda campaign: campaign.with_judgments(judgment_mask(campaign, part)),
        lambda campaign: campaign.with_grades(grades),
    )
    derived = []
    for order in permutations(steps):
        campaign = read(qrels, runs, keep=keep)
        for step in order:
            campaign = step(campaign)
        derived.append(campaign)
    for campaign in derived:
        assert campaign.best_rank([0]).tolist() == derived[0].best_rank([0]).tolist()
        assert campaign.qrels.frame().equals(derived[0].qrels.frame())
        assert evaluate(campaign, MEASURES).values.tolist() == evaluate(derived[0], MEASURES).values.tolist()
