"""Contributions of documents to a difference, compared with the differences and with evaluations of coalitions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assay import evaluate, read
from assay.errors import MeasureError, PolicyError
from assay.measures import measure as parse_measure
from assay.significance.document_contributions import COLUMNS, explain_differences, list_movers
from assay.simulation import simulate
from oracles.contributions import shapley

VECTORS = json.loads((Path(__file__).parent.parent / "vectors-judging.json").read_text(encoding="utf-8"))
QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}, "3": {"c": 0}}
RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "u": 1.0}},
    "y": {"1": {"c": 3.0, "u": 2.0, "a": 1.0}, "2": {"u": 2.0, "a": 1.0}, "3": {"c": 1.0}},
}
CAMPAIGN = read(QRELS, RUNS)


def explain(campaign, measure, runs=("x", "y"), topics=None):
    return explain_differences(campaign, parse_measure(measure), runs, campaign.topics if topics is None else topics)


def as_run(documents):
    return {"q": {doc: -float(rank) for rank, doc in enumerate(documents)}}


def vectors(op):
    return [pytest.param(v, id=v["id"]) for v in VECTORS if v["op"] == op]


@pytest.mark.parametrize("vector", vectors("moved.documents"))
def test_vectors(vector):
    inputs, expected = vector["inputs"], vector["expected"]
    campaign = read({"q": inputs["grades"]}, {run: as_run(inputs[run]) for run in "ab"})
    values = evaluate(campaign, inputs["measure"]).values[0, :, 0]
    assert values == pytest.approx([expected["value_a"], expected["value_b"]])
    frame = explain(campaign, inputs["measure"], ("a", "b"))
    found = dict.fromkeys(expected["contributions"], 0.0) | dict(frame.select("document", "contribution").rows())
    assert found == pytest.approx(expected["contributions"], abs=vector["tolerance"])
    assert frame["contribution"].sum() == pytest.approx(expected["difference"], abs=vector["tolerance"])


@pytest.mark.parametrize("vector", vectors("moved.movers"))
def test_movers(vector):
    inputs, expected = vector["inputs"], vector["expected"]
    campaign = read({"q": inputs["grades"]}, {run: as_run(inputs[run]) for run in "ab"})
    frame = list_movers(campaign, ("a", "b"), ["q"], inputs["k"])
    assert [list(row) for row in frame.drop("topic").rows()] == expected["rows"]


def test_small_example():
    frame = explain(CAMPAIGN, "P@2")
    assert frame.schema == COLUMNS
    assert frame.rows() == [
        ("1", "a", 2.0, 1, 3, -0.5, 0.0),
        ("1", "b", 1.0, 2, None, -0.5, 0.0),
        ("2", "a", 1.0, 1, 2, 0.0, 0.0),
    ]


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP(p=0.8)", "RR", "ERR"])
@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_contributions_sum_to_the_difference(measure, unjudged):
    collection = simulate(systems=3, topics=6, depth=60, pool=20, seed=5)
    campaign = read(collection.qrels, collection.runs, unjudged=unjudged)
    a, _, b = campaign.runs
    values = evaluate(campaign, measure).values[0]
    frame = explain(campaign, measure, (a, b), campaign.topics[::-1])
    order = frame["topic"].unique(maintain_order=True).to_list()
    assert order == [topic for topic in campaign.topics[::-1] if topic in order]
    sums = dict(frame.group_by("topic").agg(pl.col("contribution").sum()).rows())
    for index, topic in enumerate(campaign.topics):
        assert sums.get(topic, 0.0) == pytest.approx(values[2, index] - values[0, index], abs=1e-12)
    exchanged = explain(campaign, measure, (b, a), campaign.topics[::-1])
    assert (
        exchanged.select("document", "rank_b", "rank_a").rows() == frame.select("document", "rank_a", "rank_b").rows()
    )
    assert exchanged["contribution"].to_list() == pytest.approx((-frame["contribution"]).to_list())


def test_contributions_to_the_value_of_one_run():
    values = evaluate(CAMPAIGN, "AP").values[0]
    frame = explain(CAMPAIGN, "AP", ("y",))
    assert frame["rank_a"].null_count() == len(frame)
    for index, topic in enumerate(CAMPAIGN.topics):
        assert frame.filter(topic=topic)["contribution"].sum() == pytest.approx(values[1, index])


def test_estimated_contributions_are_near_the_mean_over_all_coalitions():
    """Q has no closed form. The worth of a coalition is the difference if the other documents have the grade 0."""
    qrels = {"q": {"a": 1, "b": 1, "c": 1, "d": 1, "x": 0, "y": 0}}
    runs = {"x": as_run("xaybc"), "y": as_run("abxycd")}

    def worth(coalition):
        # The recall base must stay that of the topic, so documents that are not retrieved replace the others.
        grades = {doc: (0 if grade and doc not in coalition else grade) for doc, grade in qrels["q"].items()}
        missing = {f"missing {i}": 1 for i in range(4 - len(coalition))}
        one, other = evaluate({"q": grades | missing}, runs, "Q").values[0, :, 0]
        return other - one

    frame = explain(read(qrels, runs), "Q")
    expected = shapley(["a", "b", "c", "d"], worth)
    for document, contribution, error in frame.select("document", "contribution", "error").iter_rows():
        assert abs(contribution - expected[document]) <= 5 * error + 1e-9
    assert frame["contribution"].sum() == pytest.approx(worth(frozenset("abcd")))


def test_the_relevance_threshold_is_respected():
    qrels = {"q": {"a": 2, "b": 1, "c": 0}}
    runs = {"x": {"q": {"a": 3.0, "b": 2.0}}, "y": {"q": {"b": 3.0, "c": 2.0}}}
    documents = {one: set(explain(read(qrels, runs), one)["document"]) for one in ("AP(rel=2)", "AP", "nDCG@10")}
    assert documents == {"AP(rel=2)": {"a"}, "AP": {"a", "b"}, "nDCG@10": {"a", "b"}}


def test_topics_without_relevant_documents():
    assert explain(CAMPAIGN, "AP", topics=["3"]).is_empty()
    assert explain(CAMPAIGN, "AP", topics=[]).schema == COLUMNS


def test_condensed_rankings_have_condensed_ranks():
    campaign = CAMPAIGN.with_policies(unjudged="condensed")
    assert explain(campaign, "P@2").filter(topic="1", document="a").select("rank_a", "rank_b").row(0) == (1, 2)
    assert "u" not in list_movers(campaign, ("x", "y"), campaign.topics, 5)["document"]


def test_qrels_with_relevant_documents_only():
    campaign = read({"1": {"a": 1, "b": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"u": 1.0}}})
    assert explain(campaign, "P@1").select("document", "contribution").rows() == [("a", -1.0)]


def test_measures_that_documents_cannot_explain_are_refused():
    for one in ("Judged@5", "NumRet", "TurnAround"):
        with pytest.raises(MeasureError, match="choose another measure"):
            explain(CAMPAIGN, one)
    with pytest.raises(PolicyError, match="choose another tie policy"):
        explain(read(QRELS, RUNS, ties="expected"), "AP")


def test_only_the_runs_that_are_needed_are_read(tmp_path, monkeypatch):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for name in "xyz":
        (tmp_path / f"{name}.run").write_text(f"1 Q0 a 1 2 {name}\n1 Q0 {name} 2 1 {name}\n")
    campaign = read(tmp_path / "qrels", [tmp_path / f"{name}.run" for name in "xyz"])
    (tmp_path / "y.run").unlink()
    assert campaign.rankings(runs=("z", "x")).doc.to_list() == ["a", "z", "a", "x"]
    (tmp_path / "x.run").write_text("1 Q0 a 1 2 x\n")
    assert campaign.rankings(runs=("z", "x")).doc.to_list() == ["a", "z", "a", "x"]
    with pytest.raises((OSError, ValueError)):
        campaign.rankings(runs=("x", "z"))


def test_random_rankings_agree_with_the_difference():
    rng = np.random.default_rng(3)
    documents = [f"d{i}" for i in range(12)]
    grades = {doc: int(rng.integers(0, 4)) for doc in documents[:9]}
    runs = {name: as_run(list(rng.permutation(documents)[:7])) for name in "xy"}
    campaign = read({"q": grades}, runs)
    for one in ("AP", "nDCG@5", "RR(rel=2)", "ERR@4", "Q"):
        x, y = evaluate(campaign, one).values[0, :, 0]
        assert explain(campaign, one)["contribution"].sum() == pytest.approx(y - x, abs=1e-9)
