"""README of a simulated collection."""

import re

import pytest

from assay.simulation import simulate


@pytest.fixture(scope="module")
def collection():
    return simulate(systems=21, topics=11, depth=33, grades=3, pool=7, seed=12)


def test_the_readme_shows_the_command(collection):
    assert "--systems 21 --topics 11 --depth 33 --grades 3 --pool 7 --seed 12" in collection.readme


def test_the_readme_tabulates_every_parameter(collection):
    rows = {"systems": 21, "topics": 11, "depth": 33, "grades": 3, "pool": 7, "seed": 12}
    assert all(f"| {name} | {value} |" in collection.readme for name, value in rows.items())


def test_the_readme_names_irregular_runs(collection):
    for phrase, condition in {
        "Not pooled": lambda system: not system.pooled,
        "Without results": lambda system: system.skips is not None,
        "With tied scores": lambda system: system.ties != "none",
        "With fewer documents": lambda system: system.short,
        "contradicts the scores (lines": lambda system: system.ranks == "before rescoring",
        "starts at 0": lambda system: system.ranks == "from 0",
    }.items():
        (line,) = (line for line in collection.readme.splitlines() if line.startswith("* ") and phrase in line)
        names = re.findall(r"[a-z]+\d(?=[ ,.])", line.split(": ", 1)[1])
        assert names == [system.name for system in collection.systems if condition(system)]
        assert names


def test_the_counts_agree_with_the_collection(collection):
    qrels, truth = collection.qrels, collection.truth
    relevant = int((qrels.frame()["grade"] > 0).sum())
    assert f"The pools contain {len(qrels)} documents, {relevant} of which are\nrelevant" in collection.readme
    assert f"of all {len(truth)} relevant documents" in collection.readme
    assert f"The runs contain {sum(map(len, collection.runs))} results" in collection.readme
    for grade, count in zip(qrels.levels, qrels.counts.sum(axis=0), strict=True):
        assert f"| {grade:g} | {count} |" in collection.readme


def test_every_run_and_every_topic_has_a_row(collection):
    for run in collection.runs:
        assert re.search(rf"^\| {run.name} \| .* \| {len(run)} \|", collection.readme, re.MULTILINE)
    for topic in collection.qrels.topics:
        assert f"\n| {topic} | " in collection.readme


def test_many_topics_are_summarized():
    readme = simulate(systems=1, topics=201, depth=1).readme
    assert "Topics 401 to 601." in readme
    assert "\n| 401 | " not in readme


def test_topics_without_relevant_pooled_documents_are_counted():
    collection = simulate(systems=1, topics=30, depth=1)
    no_relevant = sum(not collection.qrels.counts[i, collection.qrels.levels > 0].any() for i in range(30))
    assert f"Topics without a relevant document in the pool: {no_relevant}." in collection.readme
