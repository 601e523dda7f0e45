"""Stratified nested downsampling, compared with its definition and tested for uniformity."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st

from assay.errors import InputError
from assay.meta.downsampling import Strata, check_ratio
from assay.model.qrels import Qrels
from oracles.downsampling import expected_sample_sizes
from strategies import many_examples

RATIOS = (100, 90, 70, 50, 30, 10, 1)


@st.composite
def judgments(draw):
    """Draw topics with no, one, few or many documents per grade, including unusual grades."""
    grades = draw(st.lists(st.sampled_from([-2, -1, 0, 0.5, 1, 2, 1e6]), min_size=1, max_size=4, unique=True))
    topics = draw(st.lists(st.lists(st.sampled_from([0, 1, 2, 3, 9, 10, 11, 25]), min_size=4, max_size=4), max_size=3))
    qrels = {"first": {"only": 1}}
    for number, counts in enumerate(topics):
        documents = [grade for grade, count in zip(grades, counts, strict=False) for _ in range(count)]
        if documents:
            qrels[f"t{number}"] = {f"d{i}": documents[i] for i in draw(st.permutations(range(len(documents))))}
    return qrels


def count_by_grade(qrels: Qrels, mask: np.ndarray) -> dict[tuple[str, float], int]:
    rows = qrels.frame().filter(mask).select("topic", "grade").rows()
    return {(topic, float(grade)): count for (topic, grade), count in Counter(rows).items()}


@many_examples(collection=judgments(), seed=st.integers(0, 3))
def test_sample_sizes_agree_with_the_definition(collection, seed):
    qrels = Qrels.from_dict(collection)
    shuffled = Strata.of(qrels).shuffle(seed)
    for ratio in RATIOS:
        assert count_by_grade(qrels, shuffled.sample(ratio)) == expected_sample_sizes(collection, ratio)


@many_examples(collection=judgments(), seed=st.integers(0, 3))
def test_smaller_samples_are_subsets_of_larger_ones(collection, seed):
    shuffled = Strata.of(Qrels.from_dict(collection)).shuffle(seed)
    pools = [shuffled.sample(ratio) for ratio in RATIOS]
    assert pools[0].all()
    for larger, smaller in pairwise(pools):
        assert not (smaller & ~larger).any()


@many_examples(50, collection=judgments(), seed=st.integers(0, 3))
def test_order_of_the_file_does_not_matter(collection, seed):
    reversed_collection = {
        topic: dict(reversed(documents.items())) for topic, documents in reversed(collection.items())
    }

    def sample_pairs(qrels: Qrels) -> set[tuple[str, str]]:
        return set(qrels.frame().filter(Strata.of(qrels).shuffle(seed).sample(50)).select("topic", "doc").rows())

    assert sample_pairs(Qrels.from_dict(collection)) == sample_pairs(Qrels.from_dict(reversed_collection))


def test_halves_are_rounded_up():
    qrels = Qrels.from_dict({"t": {**{f"r{i}": 1 for i in range(5)}, **{f"n{i}": 0 for i in range(45)}}})
    assert Strata.of(qrels).sample_sizes(50).tolist() == [23, 3]
    assert Strata.of(qrels).sample_sizes(30).tolist() == [14, 2]
    assert Strata.of(qrels).sample_sizes(10).tolist() == [10, 1]


def test_samples_depend_only_on_the_seed():
    qrels = Qrels.from_dict({"t": {f"d{i}": i % 2 for i in range(200)}})
    first = Strata.of(qrels).shuffle(0).sample(50)
    assert np.array_equal(first, Strata.of(qrels).shuffle(0).sample(50))
    assert not np.array_equal(first, Strata.of(qrels).shuffle(1).sample(50))


def test_all_documents_are_equally_likely():
    """With 2000 seeds and 5 of 10 documents, each document is kept 1000 times, within five standard deviations."""
    qrels = Qrels.from_dict({"t": {f"d{i}": 1 for i in range(10)}, "u": {f"d{i}": 2 for i in range(10)}})
    strata = Strata.of(qrels)
    counts = sum(strata.shuffle(seed).sample(50).astype(int) for seed in range(2000))
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(2000 / 4)


def test_topics_are_sampled_independently():
    """Samples of two topics are independent: 5 of 10 documents agree at 5 of 10 positions on average."""
    qrels = Qrels.from_dict({"t": {f"d{i}": 1 for i in range(10)}, "u": {f"d{i}": 1 for i in range(10)}})
    strata = Strata.of(qrels)
    samples = [strata.shuffle(seed).sample(50).reshape(2, 10) for seed in range(500)]
    num_agreeing = np.array([(first == second).sum() for first, second in samples])
    assert abs(num_agreeing.mean() - 5) < 5 * num_agreeing.std() / np.sqrt(500)
    assert num_agreeing.min() < 5 < num_agreeing.max()


@pytest.mark.parametrize("ratio", [0, 0.9, 100.5, -10, float("nan"), True, "90", None])
def test_invalid_ratios_raise(ratio):
    with pytest.raises(InputError, match="ratios are percentages from 1 to 100, such as 90, got"):
        check_ratio(ratio)
