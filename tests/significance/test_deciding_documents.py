"""Documents that decide a difference, compared with evaluations in which one document is non-relevant."""

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


def test_the_relevance_threshold_is_respected() -> None:
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    runs = {"x": {"q": {"a": 3.0, "b": 2.0}}, "y": {"q": {"b": 3.0, "c": 2.0}}}
    documents = {
        measure: set(rank_deciding_documents(read(qrels, runs), measure, "x", "y")["document"])
        for measure in ("AP(rel=2)", "AP", "nDCG@10")
    }
    assert documents == {"AP(rel=2)": {"a"}, "AP": {"a", "b"}, "nDCG@10": {"a", "b"}}


def test_small_example() -> None:
    frame = rank_deciding_documents(CAMPAIGN, "P@2", "x", "y")
    assert frame.columns == ["topic", "document", "grade", "rank_a", "rank_b", "effect"]
    assert frame.rows() == [
        ("1", "a", 2.0, 1, 3, 0.5),
        ("1", "b", 1.0, 2, None, 0.5),
        ("2", "a", 1.0, 1, 2, 0.0),
    ]


def test_swapping_the_runs_negates_effects() -> None:
    frame = rank_deciding_documents(CAMPAIGN, "AP", "x", "y")
    reversed_frame = rank_deciding_documents(CAMPAIGN, "AP", "y", "x")
    assert frame.select("topic", "document", "rank_a", "rank_b").rows() == (
        reversed_frame.select("topic", "document", "rank_b", "rank_a").rows()
    )
    assert np.allclose(frame["effect"].to_numpy(), -reversed_frame["effect"].to_numpy())


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP(p=0.8)", "RR", "bpref", "Twist@60", "Rprec"])
def test_effect_agrees_with_an_evaluation_without_the_document(measure: str) -> None:
    simulation = simulate(systems=2, topics=3, depth=60, pool=20, seed=5)
    frame = simulation.qrels.frame()
    qrels = {
        topic: dict(rows.select("doc", "grade").rows())
        for (topic,), rows in frame.partition_by("topic", as_dict=True).items()
    }
    campaign = read(simulation.qrels, simulation.runs)
    effects = rank_deciding_documents(campaign, measure, *campaign.runs)
    before = evaluate(qrels, simulation.runs, measure)
    assert len(effects) > 10
    for row in effects.sample(10, seed=1).iter_rows(named=True):
        changed_qrels = {**qrels, row["topic"]: {**qrels[row["topic"]], row["document"]: 0}}
        after = evaluate(changed_qrels, simulation.runs, measure)
        index = before.topics.index(row["topic"])
        a, b = (before.values[0, :, index] - after.values[0, :, index]).tolist()
        assert row["effect"] == pytest.approx(a - b, abs=1e-12)


def test_effects_of_an_additive_measure_add_up() -> None:
    simulation = simulate(systems=2, topics=6, depth=60, pool=20, seed=1)
    campaign = read(simulation.qrels, simulation.runs)
    frame = rank_deciding_documents(campaign, "RBP(p=0.9)", *campaign.runs)
    values = evaluate(simulation.qrels, simulation.runs, "RBP(p=0.9)").values[0]
    by_topic = dict(frame.group_by("topic").agg(pl.col("effect").sum()).rows())
    for index, topic in enumerate(campaign.topics):
        assert by_topic.get(topic, 0.0) == pytest.approx(values[0, index] - values[1, index])


def test_order_by_effect_and_selection_of_topics() -> None:
    sizes = rank_deciding_documents(CAMPAIGN, "AP", "x", "y")["effect"].abs().to_list()
    assert sizes == sorted(sizes, reverse=True)
    assert set(rank_deciding_documents(CAMPAIGN, "AP", "x", "y", topics=["2"])["topic"]) == {"2"}
    assert rank_deciding_documents(CAMPAIGN, "AP", "x", "y", topics=["3"]).is_empty()
    assert rank_deciding_documents(CAMPAIGN, "AP", "x", "y", topics=[]).columns == list(module.COLUMNS)


def test_block_size_does_not_matter(monkeypatch) -> None:
    whole = rank_deciding_documents(CAMPAIGN, "AP", "x", "y")
    monkeypatch.setattr(module, "_BLOCK", 1)
    assert rank_deciding_documents(CAMPAIGN, "AP", "x", "y").equals(whole)


def test_the_only_relevant_document_of_a_topic() -> None:
    """Without its only relevant document, a topic has no value."""
    for undefined in ("zero", "exclude"):
        campaign = CAMPAIGN.with_policies(undefined=undefined)
        frame = rank_deciding_documents(campaign, "AP", "x", "y", topics=["2"])
        assert frame["effect"].to_list() == [0.5]


def test_qrels_with_relevant_documents_only() -> None:
    campaign = read({"1": {"a": 1, "b": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"u": 1.0}}})
    frame = rank_deciding_documents(campaign, "P@1", "x", "y")
    assert frame.select("document", "effect").rows() == [("a", 1.0)]


def test_condensed_rankings_report_condensed_ranks() -> None:
    frame = rank_deciding_documents(CAMPAIGN.with_policies(unjudged="condensed"), "P@2", "x", "y")
    assert frame.filter(topic="1", document="a").select("rank_a", "rank_b").row(0) == (1, 2)


def test_unknown_run_raises() -> None:
    with pytest.raises(InputError, match="there is no run w"):
        rank_deciding_documents(CAMPAIGN, "AP", "x", "w")
