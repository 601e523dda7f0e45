"""Random orders of tied documents."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

import assay
from assay.model.random_orders import draw, topic_streams

TOPICS = topic_streams(["401", "402", "q\udcff", "é"])


def test_numbers_are_uniform_and_independent():
    numbers = np.array([draw(7, sample, np.repeat(TOPICS[:1], 20), np.arange(20)) for sample in range(4000)])
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert chisquare(np.histogram(numbers, 50, (0, 1))[0]).pvalue > 1e-3
    correlation = np.corrcoef(numbers.T)[np.triu_indices(20, 1)]
    assert np.abs(correlation).max() < 0.08
    serial_correlation = np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]
    assert abs(serial_correlation) < 0.02


def test_all_orders_are_equally_likely():
    ranks, stream = np.arange(4), np.repeat(TOPICS[:1], 4)
    orders = Counter(tuple(np.argsort(draw(0, sample, stream, ranks)).tolist()) for sample in range(24_000))
    assert set(orders) == set(permutations(range(4)))
    assert chisquare(list(orders.values())).pvalue > 1e-3


def test_numbers_differ_between_seeds_samples_topics_and_ranks():
    ranks = np.arange(100)
    draws = [
        draw(seed, sample, np.repeat(stream, 100), ranks)
        for seed in (0, 1, -1)
        for sample in (0, 1)
        for stream in TOPICS
    ]
    assert len(np.unique(np.concatenate(draws))) == 100 * len(draws)


@pytest.mark.parametrize("measure", ["bpref", "ERR@20", "Twist@40", "nERR@10"])
def test_a_value_does_not_depend_on_other_runs_or_topics(measure: str):
    """The value of a run is the same alone, among other runs, and with fewer topics."""
    rng = np.random.default_rng(3)
    qrels = {f"q{t}": {f"d{d}": int(rng.integers(0, 3)) for d in range(30)} for t in range(6)}
    runs = {
        name: {f"q{t}": {f"d{d}": float(rng.integers(0, 4)) for d in rng.permutation(45)[:40]} for t in range(6)}
        for name in ("a", "b", "c")
    }

    def values(chosen: dict, judgments: dict = qrels, **options: object) -> dict:
        frame = assay.evaluate(judgments, chosen, measure, ties="expected", seed=5, **options).frame()
        return {(run, topic): value for run, topic, _, value in frame.iter_rows()}

    together = values(runs)
    for name, run in runs.items():
        alone = values({name: run})
        assert alone == {key: together[key] for key in alone}
    half = {topic: qrels[topic] for topic in list(qrels)[3:]}
    for key, value in values(runs, half).items():
        assert value == together[key]
    other = assay.evaluate(qrels, runs, measure, ties="expected", seed=6).values
    assert (other != assay.evaluate(qrels, runs, measure, ties="expected", seed=5).values).any() or measure == "ERR@20"
