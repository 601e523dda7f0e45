"""Places that missing judgments leave open to each run."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import assay
from assay.distance._med import places as module
from assay.errors import InputError
from assay.model.arrays import competition_ranks
from real_data import read_trec8

DOCUMENTS = [f"d{number}" for number in range(7)]
MEASURES = (
    "P@3", "RBP(p=0.8)", "nDCG@3", "nDCG", "nDCG(gains=exp)@2", "nCG@3", "R@3", "F@3", "AP@3", "AP", "AP(norm=min)@2",
    "SSP@3", "RR", "ERR@3", "Rprec", "Q", "bpref", "MeanNDCG@3", "IPrec@0.5", "ESL", "RankPower@3", "SlidingRatio@2",
    "Frustration@2", "GM(AP)", "Twist",
)  # fmt: skip


def draw_campaign(rng, *, runs=4, topics=2, graded=False):
    grades = 3 if graded else 2
    qrels = {
        str(topic): {doc: int(rng.integers(grades)) for doc in DOCUMENTS if rng.random() < 0.75} | {"out": 1}
        for topic in range(topics)
    }
    retrieved = {
        f"run{run}": {
            topic: {doc: float(-i) for i, doc in enumerate(rng.permutation(DOCUMENTS)[: rng.integers(1, 5)])}
            for topic in qrels
        }
        for run in range(runs)
    }
    return qrels, retrieved


def enumerate_places(qrels, runs, measure, depth):
    """Return the best and the worst place of each run over all completions: every grade of every free document."""
    grades = sorted({0, 1, *(grade for judged in qrels.values() for grade in judged.values())})
    free = sorted(
        {
            (topic, doc)
            for run in runs.values()
            for topic, scores in run.items()
            for doc in sorted(scores, key=lambda doc: -scores[doc])[:depth]
            if doc not in qrels[topic]
        }
    )
    places = []
    for labels in product(grades, repeat=len(free)):
        completed = {topic: dict(judged) for topic, judged in qrels.items()}
        for (topic, doc), grade in zip(free, labels, strict=True):
            completed[topic][doc] = grade
        values = assay.evaluate(completed, runs, measure, undefined="zero").values[0]
        places.append(competition_ranks(values.mean(axis=1), assay.measure(measure).lower_is_better))
    return np.min(places, axis=0), np.max(places, axis=0)


@pytest.mark.parametrize("measure", MEASURES)
def test_ranges_enclose_all_completions(measure, monkeypatch):
    rng = np.random.default_rng(7)
    cases = strict = 0
    while cases < 6:
        qrels, runs = draw_campaign(rng, graded="gains" in measure or measure == "Q")
        parsed = assay.measure(measure)
        depth = None if parsed.reads_beyond_cutoff else getattr(parsed, "cutoff", None)
        if not 1 <= sum(doc not in qrels[t] for t in qrels for doc in DOCUMENTS) <= 4:
            continue
        cases += 1
        best, worst = enumerate_places(qrels, runs, measure, depth)
        campaign = assay.read(qrels, runs)
        exact = assay.distance.med(campaign, measure, places=True).place_frame()
        assert exact["best"].to_list() == exact["best_attained"].to_list() == best.tolist()
        assert exact["worst"].to_list() == exact["worst_attained"].to_list() == worst.tolist()
        assert exact["exact"].all()
        with monkeypatch.context() as patch:
            patch.setattr(module, "MAX_COMPLETIONS", 0)
            frame = assay.distance.med(campaign, measure, places=True).place_frame()
        assert (frame["best"].to_numpy() <= best).all()
        assert (best <= frame["best_attained"].to_numpy()).all()
        assert (frame["worst"].to_numpy() >= worst).all()
        assert (worst >= frame["worst_attained"].to_numpy()).all()
        strict += int(frame["exact"].sum())
    assert strict > 0 or measure in ("bpref",)


def test_documents_outside_a_pair_can_change_its_order():
    """Relevant documents of a third run lower the difference of topic 1, which reverses the order of x and y."""
    qrels = {"1": {"a": 1, "n": 0}, "2": {"a": 0, "n": 1, "r": 1}}
    runs = {
        "x": {"1": {"a": 1.0}, "2": {"a": 1.0}},
        "y": {"1": {"n": 1.0}, "2": {"n": 1.0}},
        "z": {"1": {"u": 1.0, "v": 0.9, "w": 0.8, "s": 0.7}, "2": {"a": 1.0}},
    }
    campaign = assay.read(qrels, runs)
    pair = assay.distance.med(campaign.select(["x", "y"]), "R@4", places=True).place_frame()
    assert pair["worst"].to_list() == [1, 2]
    frame = assay.distance.med(campaign, "R@4", places=True).place_frame()
    assert frame.filter(run="y")["best"].item() == 1
    assert frame.filter(run="x")["worst"].item() > 1


def test_a_completely_judged_campaign_keeps_all_places():
    qrels = {"1": {"a": 1, "b": 0}}
    report = assay.distance.med(
        assay.read(qrels, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}), ["P@1", "AP"], places=True
    )
    assert report.place_frame().select("place", "best", "worst").rows() == [(1, 1, 1), (2, 2, 2)] * 2
    assert report.table("places").summary == (
        "By P@1, no labels change the place of any run. By AP, no labels change the place of any run."
    )


def test_without_judgments_every_place_is_open():
    runs = {name: {"1": {name: 1.0}} for name in "xyz"}
    report = assay.distance.med(assay.read(runs=runs), "P@1", places=True)
    assert report.place_frame().select("place", "best", "worst", "exact").rows() == [(1, 1, 3, True)] * 3


def test_a_heuristic_method_excludes_no_place(monkeypatch):
    monkeypatch.setattr(module, "MAX_COMPLETIONS", 0)
    qrels, runs = draw_campaign(np.random.default_rng(1))
    frame = assay.distance.med(assay.read(qrels, runs), "AP", method="greedy", places=True).place_frame()
    assert frame.select("best", "worst").unique().rows() == [(1, 4)]


def test_places_need_all_pairs_and_must_be_requested():
    campaign = assay.read(runs={name: {"1": {name: 1.0}} for name in "xyz"})
    with pytest.raises(InputError, match=r"places need all pairs of runs; omit first"):
        assay.distance.med(campaign, "P@1", first=True, places=True)
    with pytest.raises(InputError, match="places=True"):
        assay.distance.med(campaign, "P@1").table("places")


def test_places_of_trec8():
    report = assay.distance.med(read_trec8(), ["P@10", "nDCG@10"], places=True)
    frame = report.place_frame()
    assert frame.filter(measure="P@10")["exact"].all()
    assert frame.filter(measure="nDCG@10")["exact"].sum() > 100
    assert (frame["best"] <= frame["best_attained"]).all()
    assert (frame["best_attained"] <= frame["place"]).all()
    assert (frame["place"] <= frame["worst_attained"]).all()
    assert (frame["worst_attained"] <= frame["worst"]).all()
