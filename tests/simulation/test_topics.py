"""Simulated topics: candidates, grades and difficulty."""

import numpy as np
import pytest

from assay.simulation.documents import draw_documents
from assay.simulation.parameters import Parameters
from assay.simulation.topics import draw_topic


def draw(count=1, **sizes):
    parameters = Parameters(**sizes)
    documents = draw_documents(parameters.documents, np.random.default_rng(1))
    return [draw_topic(i, parameters, documents, np.random.default_rng(i)) for i in range(count)]


def test_candidates_are_distinct_documents():
    (topic,) = draw(depth=100)
    assert topic.number == 401
    assert len(np.unique(topic.doc)) == len(topic.doc) == Parameters(depth=100).candidates


def test_number_of_relevant_documents_is_similar_to_trec():
    counts = [len(topic.relevant) for topic in draw(200)]
    assert 55 <= np.median(counts) <= 110
    assert min(counts) >= 5
    assert max(counts) > 300
    # Heavy-tailed: the mean is well above the median.
    assert np.mean(counts) > 1.2 * np.median(counts)


@pytest.mark.parametrize("grades", [2, 3, 4, 6])
def test_higher_grades_are_rarer(grades):
    grade = np.concatenate([topic.grade for topic in draw(60, depth=200, grades=grades)])
    counts = np.bincount(grade, minlength=grades)
    assert len(counts) == grades
    assert (np.diff(counts) < 0).all()


@pytest.mark.parametrize("depth", [1, 2, 10])
def test_shallow_topics_have_at_least_one_relevant_document(depth):
    assert min(len(topic.relevant) for topic in draw(50, depth=depth)) >= 1


def test_the_signal_grows_with_the_grade():
    grade, signal = (np.concatenate([getattr(topic, name) for topic in draw(30)]) for name in ("grade", "signal"))
    assert (signal[grade == 0] == 0).all()
    assert signal[grade == 1].mean() < signal[grade == 2].mean() < signal[grade == 3].mean()


def test_topics_differ_in_difficulty():
    ease = [topic.ease for topic in draw(100, depth=10)]
    assert 0.1 <= min(ease) < 0.5
    assert 1.5 < max(ease) <= 1.9
