"""Features of a collection."""

from __future__ import annotations

import math

import pytest
from hypothesis import strategies as st

from assay import meta, read
from assay.errors import InputError
from assay.meta.collection_features import count_features
from oracles import collection as oracle
from real_data import real
from report_contract import check_report
from strategies import many_examples

DOCUMENTS = [f"d{i}" for i in range(8)]
JUDGMENTS = st.fixed_dictionaries(
    {"t1": st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1)},
    optional={"t2": st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1)},
)
RANKING = st.tuples(st.permutations(DOCUMENTS), st.integers(1, 8)).map(lambda pair: pair[0][: pair[1]])
# Topic t3 has no judgments. A run must share a topic with the judgments.
RUN = st.fixed_dictionaries({"t1": RANKING}, optional={"t2": RANKING, "t3": RANKING})
RUNS = st.lists(RUN, min_size=1, max_size=4)
QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "x": -1}}
TWO_RUNS = {
    "deep": {"q1": ["a", "b", "c"], "q2": ["x", "a", "u"]},
    "poor": {"q1": ["a", "u", "v", "b"]},
}


def read_rankings(qrels, rankings):
    """Read rankings that are lists of documents."""
    return read(
        qrels,
        {
            name: {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in run.items()}
            for name, run in rankings.items()
        },
    )


@many_examples(100, qrels=JUDGMENTS, runs=RUNS)
def test_agrees_with_the_definition(qrels, runs):
    rankings = {f"r{i}": run for i, run in enumerate(runs)}
    features = count_features(read_rankings(qrels, rankings), [1, 3, 10])
    assert features.pool_depth() == oracle.pool_depth(qrels, runs)
    for i, run in enumerate(runs):
        assert features.pool_depths()[i] == oracle.pool_depth(qrels, [run])
        for j, depth in enumerate(features.depths):
            share = oracle.unjudged_share(qrels, run, depth)
            value = features.unjudged_shares()[j, i]
            assert math.isnan(value) if share is None else value == pytest.approx(share)
    grades = [grade for docs in qrels.values() for grade in docs.values()]
    assert features.grades == tuple(sorted(set(grades)))
    assert features.judged.sum(axis=0).tolist() == [grades.count(grade) for grade in features.grades]


def test_worked_example():
    report = meta.judgments(read_rankings(QRELS, TWO_RUNS), depths=[2])
    assert report.features.frame().rows() == [
        ("runs", "", 2, None, None, None),
        ("topics", "run", 2, 1, 1.5, 2),
        ("retrieved documents", "ranking", 10, 3, 10 / 3, 4),
        ("grades", "", 4, None, None, None),
        ("judged documents", "topic", 5, 2, 2.5, 3),
        ("grade -1", "topic", 1, 0, 0.5, 1),
        ("grade 0", "topic", 2, 1, 1, 1),
        ("grade 1", "topic", 1, 0, 0.5, 1),
        ("grade 2", "topic", 1, 0, 0.5, 1),
        ("pool depth", "run", 1, 1, 1.5, 2),
        ("unjudged in the first 2", "run", pytest.approx(1 / 6), 0, 0.25, 0.5),
    ]
    assert report.features.by_run().rows() == [
        ("deep", 2, 6, 3, 3.0, 3, 2, 2, 0.0),
        ("poor", 1, 4, 4, 4.0, 4, 1, 2, 0.5),
    ]
    summary = report.table("collection").summary
    assert summary.startswith("2 runs, 2 topics. The documents of all runs are judged to depth 1; ")
    assert report.notes == ("poor: lacks 1 of the 2 topics of the qrels; counted as empty rankings",)
    check_report(report)


def test_a_short_run_does_not_limit_the_pool_depth():
    features = count_features(
        read_rankings({"q": {"a": 1, "b": 0, "c": 0}}, {"x": {"q": ["a"]}, "y": {"q": [*"abcz"]}})
    )
    assert features.pool_depths().tolist() == [1, 3]
    assert features.pool_depth() == 3


def test_unjudged_documents_are_counted_under_every_policy():
    campaign = read_rankings(QRELS, TWO_RUNS).with_policies(unjudged="condensed")
    assert meta.judgments(campaign).features.pool_depth() == 1


def test_judgments_alone():
    report = meta.judgments(read(QRELS))
    assert report.table("collection").frame["feature"].to_list()[:3] == ["topics", "grades", "judged documents"]
    assert report.table("collection").frame["total"].to_list()[:3] == [2, 4, 5]
    with pytest.raises(InputError, match="show 'runs': needs runs; name runs after the qrels"):
        report.table("runs")


@pytest.mark.parametrize("depths", [[0], [2.5], ["10"]])
def test_invalid_depths_raise(depths):
    with pytest.raises(InputError, match="depths must be a whole number of at least 1"):
        meta.judgments(read(QRELS), depths=depths)


def test_trec8_agrees_with_the_published_pool():
    """The organisers judged the first 100 documents of 71 of the 129 runs."""
    folder = real("trec8-adhoc")
    features = count_features(read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs"))
    assert (len(features.runs), len(features.topics), features.grades) == (129, 50, (0, 1))
    assert (features.pool_depths() == 100).sum() == 71
    assert features.judged.sum(axis=0).tolist() == [82102, 4728]
    assert features.length.sum() == 6_284_293
