"""Which documents decide a difference: against evaluating the runs once more without each of them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assay import evaluate, read
from assay.errors import InputError
from assay.significance import deciding_documents as module
from assay.significance.deciding_documents import rank_deciding_documents
from assay.simulation import simulate

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}, "3": {"c": 0}}
RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "u": 1.0}},
    "y": {"1": {"c": 3.0, "u": 2.0, "a": 1.0}, "2": {"u": 2.0, "a": 1.0}, "3": {"c": 1.0}},
}


CAMPAIGN = read(QRELS, RUNS)


def test_only_grades_from_the_threshold_on_are_relevant() -> None:
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    runs = {"x": {"q": {"a": 3.0, "b": 2.0}}, "y": {"q": {"b": 3.0, "c": 2.0}}}
    documents = {
        measure: set(rank_deciding_documents(read(qrels, runs), measure, "x", "y")["document"])
        for measure in ("AP(rel=2)", "AP", "nDCG@10")
    }
    assert documents == {"AP(rel=2)": {"a"}, "AP": {"a", "b"}, "nDCG@10": {"a", "b"}}


def test_by_hand() -> None:
    found = rank_deciding_documents(CAMPAIGN, "P@2", "x", "y")
    assert found.columns == ["topic", "document", "grade", "rank_a", "rank_b", "effect"]
    assert found.rows() == [
        ("1", "a", 2.0, 1, 3, 0.5),
        ("1", "b", 1.0, 2, None, 0.5),
        ("2", "a", 1.0, 1, 2, 0.0),
    ]


def test_the_other_way_round() -> None:
    found = rank_deciding_documents(CAMPAIGN, "AP", "x", "y")
    other = rank_deciding_documents(CAMPAIGN, "AP", "y", "x")
    assert found.select("topic", "document", "rank_a", "rank_b").rows() == (
        other.select("topic", "document", "rank_b", "rank_a").rows()
    )
    assert np.allclose(found["effect"].to_numpy(), -other["effect"].to_numpy())


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP(p=0.8)", "RR", "bpref", "Twist@60", "Rprec"])
def test_against_evaluating_again(measure: str) -> None:
    world = simulate(systems=2, topics=3, depth=60, pool=20, seed=5)
    frame = world.qrels.frame()
    qrels = {
        topic: dict(rows.select("doc", "grade").rows())
        for (topic,), rows in frame.partition_by("topic", as_dict=True).items()
    }
    campaign = read(world.qrels, world.runs)
    found = rank_deciding_documents(campaign, measure, *campaign.runs)
    now = evaluate(qrels, world.runs, measure)
    assert len(found) > 10
    for row in found.sample(10, seed=1).iter_rows(named=True):
        less = {**qrels, row["topic"]: {**qrels[row["topic"]], row["document"]: 0}}
        then = evaluate(less, world.runs, measure)
        at = now.topics.index(row["topic"])
        a, b = (now.values[0, :, at] - then.values[0, :, at]).tolist()
        assert row["effect"] == pytest.approx(a - b, abs=1e-12)


def test_effects_of_a_sum_add_up() -> None:
    world = simulate(systems=2, topics=6, depth=60, pool=20, seed=1)
    campaign = read(world.qrels, world.runs)
    found = rank_deciding_documents(campaign, "RBP(p=0.9)", *campaign.runs)
    values = evaluate(world.qrels, world.runs, "RBP(p=0.9)").values[0]
    by_topic = dict(found.group_by("topic").agg(pl.col("effect").sum()).rows())
    for at, topic in enumerate(campaign.topics):
        assert by_topic.get(topic, 0.0) == pytest.approx(values[0, at] - values[1, at])


def test_largest_effect_first_and_some_topics_only() -> None:
    effect = rank_deciding_documents(CAMPAIGN, "AP", "x", "y")["effect"].abs().to_list()
    assert effect == sorted(effect, reverse=True)
    assert set(rank_deciding_documents(CAMPAIGN, "AP", "x", "y", topics=["2"])["topic"]) == {"2"}
    assert rank_deciding_documents(CAMPAIGN, "AP", "x", "y", topics=["3"]).is_empty()
    assert rank_deciding_documents(CAMPAIGN, "AP", "x", "y", topics=[]).columns == list(module.COLUMNS)


def test_in_small_pieces(monkeypatch) -> None:
    whole = rank_deciding_documents(CAMPAIGN, "AP", "x", "y")
    monkeypatch.setattr(module, "_BLOCK", 1)
    assert rank_deciding_documents(CAMPAIGN, "AP", "x", "y").equals(whole)


def test_the_last_relevant_document() -> None:
    """Without it a topic has no relevant document, and no value."""
    for undefined in ("zero", "exclude"):
        campaign = CAMPAIGN.with_policies(undefined=undefined)
        found = rank_deciding_documents(campaign, "AP", "x", "y", topics=["2"])
        assert found["effect"].to_list() == [0.5]


def test_qrels_without_documents_that_are_not_relevant() -> None:
    campaign = read({"1": {"a": 1, "b": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"u": 1.0}}})
    found = rank_deciding_documents(campaign, "P@1", "x", "y")
    assert found.select("document", "effect").rows() == [("a", 1.0)]


def test_condensed_rankings_have_their_own_ranks() -> None:
    found = rank_deciding_documents(CAMPAIGN.with_policies(unjudged="condensed"), "P@2", "x", "y")
    assert found.filter(topic="1", document="a").select("rank_a", "rank_b").row(0) == (1, 2)


def test_unknown_run() -> None:
    with pytest.raises(InputError, match="there is no run w"):
        rank_deciding_documents(CAMPAIGN, "AP", "x", "w")
