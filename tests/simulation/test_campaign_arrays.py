"""Order of rows and sources of simulated runs and judgments."""

import polars as pl
import pytest

from assay.simulation import simulate


@pytest.fixture(scope="module")
def collection():
    return simulate(systems=20, topics=10, depth=40, pool=5, seed=2)


def test_rows_are_sorted_by_topic_and_rank(collection):
    for run, system in zip(collection.runs, collection.systems, strict=True):
        lines = pl.DataFrame({"topic": run.topic, "rank": run.rank})
        assert lines.equals(lines.sort("topic", "rank"))
        first = lines.group_by("topic").agg(pl.col("rank").min())["rank"].unique().to_list()
        assert first == [0 if system.ranks == "from 0" else 1]


def test_judgments_are_sorted_by_topic_and_document(collection):
    for qrels in (collection.qrels, collection.truth):
        assert qrels.frame().equals(qrels.frame().sort("topic", "doc"))


def test_sources_name_the_simulation(collection):
    assert collection.runs[0].source == "simulated alpha1"
    assert collection.qrels.source == "simulated qrels"
