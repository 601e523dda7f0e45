"""Simulated rankings of one topic."""

import numpy as np
import pytest

from assay.simulation.documents import draw_documents
from assay.simulation.parameters import Parameters
from assay.simulation.ranking import SimulatedRankings, SystemColumns, retrieve
from assay.simulation.systems import System, draw_systems
from assay.simulation.topics import draw_topic

PARAMETERS = Parameters(systems=30, topics=20, depth=80)


@pytest.fixture(scope="module")
def topic():
    documents = draw_documents(PARAMETERS.documents, np.random.default_rng(1))
    return draw_topic(0, PARAMETERS, documents, np.random.default_rng(2))


def rank_topic(topic, systems, index=0):
    return retrieve(topic, index, SystemColumns.from_systems(systems), PARAMETERS, np.random.default_rng(4))


def test_each_system_retrieves_a_document_at_most_once(topic):
    rankings = rank_topic(topic, draw_systems(PARAMETERS, np.random.default_rng(3)))
    assert rankings.candidate.shape == rankings.units.shape == (30, 80)
    assert all(len(np.unique(row)) == 80 for row in rankings.candidate)


def test_scores_descend_unless_ranks_precede_rescoring(topic):
    systems = draw_systems(PARAMETERS, np.random.default_rng(3))
    descends = (np.diff(rank_topic(topic, systems).units) <= 0).all(axis=1)
    assert descends.tolist() == [system.ranks != "before rescoring" for system in systems]


def test_better_systems_retrieve_more_relevant_documents(topic):
    grade = topic.grade[rank_topic(topic, [System(f"s{q}", f"s{q}", q, 0.4, "bm25") for q in (0, 1, 3, 8)]).candidate]
    relevant_retrieved = (grade > 0).sum(axis=1)
    assert relevant_retrieved[0] < relevant_retrieved[1] < relevant_retrieved[2] <= relevant_retrieved[3]


def test_runs_of_a_family_overlap_more_than_unrelated_runs(topic):
    names = [("a1", "a"), ("a2", "a"), ("b1", "b")]
    candidate = rank_topic(topic, [System(name, family, 1.3, 0.3, "bm25") for name, family in names]).candidate
    same_family, other_family = (len(np.intersect1d(candidate[0], candidate[i])) for i in (1, 2))
    assert same_family > other_family > 0


def test_only_the_skipped_topic_is_empty(topic):
    systems = [System("a1", "a", 1, 0.5, "bm25", skips=3), System("a2", "a", 1, 0.5, "bm25")]
    assert rank_topic(topic, systems, index=3).length.tolist() == [0, 80]
    assert rank_topic(topic, systems, index=4).length.tolist() == [80, 80]


def test_short_runs_are_short_for_some_topics(topic):
    systems = [System(f"a{i}", "a", 1, 0.5, "bm25", short=i < 100) for i in range(200)]
    length = rank_topic(topic, systems).length
    assert 10 < (length[:100] < 80).sum() < 60
    assert length.min() >= 1
    assert (length[100:] == 80).all()


def test_count_tied_counts_documents_with_equal_scores():
    units = np.array([[5, 5, 5, 3, 2, 2], [6, 5, 4, 3, 2, 1], [9, 9, 9, 9, 9, 9], [1, 3, 1, 2, 2, 7]])
    rankings = SimulatedRankings(np.tile(np.arange(6), (4, 1)), units, np.array([5, 6, 0, 6]))
    assert rankings.count_tied().tolist() == [3, 0, 0, 4]
