"""Simulated collections: reproducibility, structure, files, and similarity to TREC."""

import hashlib

import numpy as np
import polars as pl
import pytest

from assay.io import source, trec
from assay.measures import measure
from assay.measures._values import compute_values
from assay.model.judged import Judged
from assay.simulation import simulate

SIZE = {"systems": 20, "topics": 12, "depth": 120, "pool": 15}


@pytest.fixture(scope="module")
def small():
    return simulate(**SIZE, seed=5)


@pytest.fixture(scope="module")
def trec_like():
    return simulate()


@pytest.fixture(scope="module")
def trec_like_rows(trec_like):
    return rows(trec_like)


def rows(collection):
    """Return every result with run, rank in trec_eval's order, grade (null: unjudged) and true grade."""
    runs = pl.concat([run.frame().with_columns(run=pl.lit(run.name)) for run in collection.runs])
    ordered = runs.sort("run", "topic", "score", "doc", descending=[False, False, True, True])
    ranked = ordered.with_columns(rank=pl.int_range(1, pl.len() + 1).over("run", "topic"))
    judged = ranked.join(collection.qrels.frame(), on=["topic", "doc"], how="left")
    true = collection.truth.frame().rename({"grade": "true"})
    return judged.join(true, on=["topic", "doc"], how="left").with_columns(pl.col("true").fill_null(0))


def digests(directory):
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.rglob("*")
        if path.is_file()
    }


# Seeds ---------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_identical_files(small, tmp_path):
    small.write(tmp_path / "a")
    simulate(**SIZE, seed=5).write(tmp_path / "b")
    assert digests(tmp_path / "a") == digests(tmp_path / "b")


def test_another_seed_gives_a_different_collection(small):
    other = simulate(**SIZE, seed=6)
    assert not other.qrels.frame().equals(small.qrels.frame())
    assert not other.runs[0].frame().equals(small.runs[0].frame())


def test_adding_topics_does_not_change_earlier_topics(small):
    larger = simulate(**(SIZE | {"topics": 15}), seed=5)
    assert larger.systems == small.systems
    top_documents = pl.col("topic").is_in(small.qrels.topics)
    for large, part in zip(
        (larger.qrels, larger.truth, *larger.runs), (small.qrels, small.truth, *small.runs), strict=True
    ):
        assert large.frame().filter(top_documents).equals(part.frame())


# Structure -----------------------------------------------------------------------------------------------------


def test_no_document_is_retrieved_or_judged_twice(small):
    results = rows(small)
    assert len(results) == results.select("run", "topic", "doc").n_unique()
    assert len(small.qrels) == small.qrels.frame().select("topic", "doc").n_unique()


def test_the_pool_is_the_union_of_the_tops_of_contributing_runs(small):
    pooled = [system.name for system in small.systems if system.pooled]
    assert len(pooled) == 18
    tops = rows(small).filter(pl.col("run").is_in(pooled), pl.col("rank") <= 15)
    pool = tops.select("topic", "doc").unique().sort("topic", "doc")
    assert pool.equals(small.qrels.frame().select("topic", "doc"))


def test_judgments_equal_the_true_grades(small):
    judged = rows(small).filter(pl.col("grade").is_not_null())
    assert (judged["grade"] == judged["true"]).all()
    assert set(small.qrels.levels) <= {0, 1, 2, 3}
    assert set(small.truth.levels) <= {1, 2, 3}


def test_documents_are_shared_between_topics(small):
    assert rows(small).group_by("doc").agg(pl.col("topic").n_unique())["topic"].max() > 1


def test_some_relevant_documents_are_never_judged(small):
    relevant = small.qrels.frame().filter(pl.col("grade") > 0)
    assert 0 < len(relevant) < len(small.truth)


def test_runs_lack_only_the_topics_that_they_skip(small):
    for run, system in zip(small.runs, small.systems, strict=True):
        missing = set(small.qrels.topics) - set(run.topic.to_list())
        assert missing == (set() if system.skips is None else {str(401 + system.skips)})


def test_only_short_runs_have_fewer_documents(small):
    for run, system in zip(small.runs, small.systems, strict=True):
        lengths = run.frame().group_by("topic").len()["len"]
        assert lengths.max() <= 120
        assert (lengths.min() < 120) == system.short


def test_scores_tie_only_in_systems_with_ties(small):
    for run, system in zip(small.runs, small.systems, strict=True):
        tied = run.frame().select("topic", "score").is_duplicated().any()
        assert tied == (system.ties != "none")


# Edges ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size",
    [
        {"systems": 1, "topics": 1, "depth": 1, "grades": 2, "pool": 1},
        {"systems": 1, "topics": 3, "depth": 10},
        {"systems": 12, "topics": 1, "depth": 10},
        {"systems": 12, "topics": 10, "depth": 1},
        {"systems": 3, "topics": 2, "depth": 2, "pool": 1},
        {"systems": 4, "topics": 3, "depth": 20, "pool": 100},
        {"systems": 4, "topics": 3, "depth": 20, "grades": 2},
        {"systems": 4, "topics": 3, "depth": 50, "grades": 11},
    ],
)
def test_every_size_can_be_simulated_and_written(size, tmp_path):
    collection = simulate(**size)
    assert len(collection.runs) == size["systems"]
    assert len(collection.qrels.topics) == len(collection.truth.topics) == size["topics"]
    assert max(collection.truth.levels) < size.get("grades", 4)
    collection.write(tmp_path)
    assert len(list((tmp_path / "runs").iterdir())) == size["systems"]


def test_a_pool_deeper_than_the_runs_judges_everything():
    results = rows(simulate(systems=4, topics=3, depth=20, pool=100))
    assert results["grade"].null_count() == 0


# Files ---------------------------------------------------------------------------------------------------------


def test_written_files_can_be_read_back(small, tmp_path):
    small.write(tmp_path)
    qrels = trec.read_qrels(source.read(str(tmp_path / "qrels.txt")))
    assert qrels.frame.rename({"value": "grade"}).equals(small.qrels.frame())
    for run in small.runs:
        (table,) = trec.read_runs(source.read(str(tmp_path / "runs" / f"{run.name}.run")))
        assert table.tag == run.name
        assert table.frame.select("topic", "doc", score="value").equals(run.frame())
        assert table.frame["rank"].cast(pl.Int64).to_list() == run.rank.tolist()
    assert (tmp_path / "README.md").read_text() == small.readme


def test_an_interrupted_write_leaves_no_files(small, tmp_path, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(trec, "write_run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        small.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_progress_is_reported(tmp_path):
    simulation_steps, writing_steps = [], []
    collection = simulate(systems=3, topics=4, depth=5, progress=lambda *step: simulation_steps.append(step))
    collection.write(tmp_path, progress=lambda *step: writing_steps.append(step))
    assert simulation_steps == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert writing_steps == [(1, 3), (2, 3), (3, 3)]


# Similarity to TREC: the bounds surround the values of TREC-8 ad hoc -------------------------------------------------


def test_values_of_systems_are_similar_to_trec(trec_like):
    value = compute_values(measure("AP"), Judged.join(trec_like.qrels, trec_like.runs)).value.reshape(40, 50)
    by_system, by_topic = value.mean(axis=1), value.mean(axis=0)
    assert 0.3 < by_system.max() < 0.48
    assert by_system.min() < 0.06
    assert 0.15 < np.median(by_system) < 0.32
    assert np.quantile(by_topic, 0.1) < 0.1
    assert np.quantile(by_topic, 0.9) > 0.3
    # The value depends mainly, but not only, on quality.
    quality = [system.quality for system in trec_like.systems]
    assert 0.7 < np.corrcoef(quality, by_system)[0, 1] < 0.99


def test_fraction_of_unjudged_documents_is_similar_to_trec(trec_like, trec_like_rows):
    results = trec_like_rows
    assert 0.4 < results["grade"].null_count() / len(results) < 0.75
    deep = results.filter(pl.col("rank") > 500)
    assert 0.5 < deep["grade"].null_count() / len(deep) < 0.85
    assert 900 < len(trec_like.qrels) / 50 < 1800


def test_runs_of_a_family_overlap_more_than_unrelated_runs(trec_like_rows):
    tops = trec_like_rows.filter(pl.col("rank") <= 100).partition_by("run", as_dict=True)
    top_documents = {name: tops[(name,)].select("topic", "doc") for name in ("alpha1", "alpha2", "birch1", "birch2")}

    def overlap(a, b):
        return len(top_documents[a].join(top_documents[b], on=["topic", "doc"])) / len(top_documents[a])

    within_family = min(overlap("alpha1", "alpha2"), overlap("birch1", "birch2"))
    between_families = max(overlap(a, b) for a in ("alpha1", "alpha2") for b in ("birch1", "birch2"))
    assert 0.05 < between_families < within_family < 0.9
