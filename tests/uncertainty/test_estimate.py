"""Estimates of values with random grades for unjudged documents."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.measures import measure as parse_measure
from assay.meta.left_out import mask_unique
from assay.model.judged import Judged
from assay.uncertainty._estimate.expectation import RandomGrades, count_distribution, expect_values
from assay.uncertainty._estimate.priors import PRIORS, fit_logistic, shrink, smooth, support
from assay.uncertainty._estimate.sampling import draw_grades, sample_values
from report_contract import check_report

VECTORS = [
    vector
    for vector in json.loads((Path(__file__).parents[1] / "vectors-more.json").read_text(encoding="utf-8"))
    if vector["section"] == 9
]


def vectors(op: str) -> Any:
    return pytest.mark.parametrize("vector", [v for v in VECTORS if v["op"] == op], ids=lambda v: v["id"])


def random_grades(
    name: str, ranking: list[Any], chance: dict[int, list[float]], judged: Any, ideal: str
) -> RandomGrades:
    """Return one ranking whose document at each rank of *chance* has grades 0, 1, … with these probabilities."""
    rankings = Judged.from_grades([ranking], judged)
    grades = support(rankings.levels)
    table = np.array([chance[rank] for rank in sorted(chance)]).reshape(len(chance), len(grades))
    return RandomGrades.build(parse_measure(name), rankings, grades, table, ideal == "completed")


def draw_values(random: RandomGrades, samples: int) -> Any:
    keys = np.arange(len(random.probabilities), dtype=np.uint64)
    return sample_values(random, draw_grades(random.probabilities, keys, samples, 3), samples)


def test_all_vectors_are_used() -> None:
    assert {v["op"] for v in VECTORS} == {"estimate-mean", "estimate-distribution", "rank-logistic", "unique-prior"}
    assert len(VECTORS) == 14


@vectors("estimate-mean")
def test_vectors_of_means(vector: Any) -> None:
    data = vector["input"]
    chance = {int(rank): [1 - p, p] for rank, p in data["probabilities"].items()}
    zeros = sum(grade == 0 for grade in data["ranking"])
    ideal = "judged" if "judged" in vector["id"] else "completed"
    judged = {1: data["num_rel"], 0: zeros}
    random = random_grades(vector["measure"], data["ranking"], chance, judged, ideal)
    [mean] = expect_values(random)
    assert mean == pytest.approx(vector["expected"], abs=vector["tolerance"])
    sampled = draw_values(random, 2000).mean()
    assert sampled == pytest.approx(vector["expected"], abs=0.03)


@vectors("estimate-distribution")
def test_vectors_of_distributions(vector: Any) -> None:
    data = vector["input"]
    known = sum(grade == 1 for grade in data["ranking"])
    for number, probability in enumerate(count_distribution(np.array([*data["probabilities"].values()])), known):
        assert probability == pytest.approx(vector["expected"].get(str(number), 0), abs=vector["tolerance"])


@vectors("rank-logistic")
def test_vectors_of_the_logistic_regression(vector: Any) -> None:
    ranks, relevant = (np.array(vector["input"][name], dtype=float) for name in ("ranks", "relevant"))
    assert fit_logistic(ranks, relevant) == pytest.approx(vector["expected"], abs=vector["tolerance"])


@vectors("unique-prior")
def test_vectors_of_the_prior_unique(vector: Any) -> None:
    data = vector["input"]
    others = [group for name, group in data["groups"].items() if name != data["own"]]
    contributed = np.array([[doc in group for doc in data["judgments"]] for group in others])
    unique = np.array([*data["judgments"].values()])[mask_unique(contributed)]
    counts = np.array([[(unique == 0).sum(), (unique == 1).sum()]])
    assert shrink(counts, data["smooth"])[0, 1] == pytest.approx(vector["expected"], abs=vector["tolerance"])


# Expectations against the enumeration of all completions --------------------------------------------------------

RANKING = [2, None, 0, None, 1, None, 0]
CHANCE = {2: [0.5, 0.3, 0.2], 4: [0.7, 0.1, 0.2], 6: [0.2, 0.2, 0.6]}
COUNTS = {0: 4, 1: 3, 2: 2}


def enumerate_mean(name: str, ideal: str) -> float:
    """Return the mean value over all completions, one by one."""
    total = 0.0
    for grades in itertools.product(range(3), repeat=3):
        ranking, counts, probability = list(RANKING), dict(COUNTS), 1.0
        for rank, grade in zip(CHANCE, grades, strict=True):
            ranking[rank - 1] = grade
            probability *= CHANCE[rank][grade]
            counts[grade] += 1
        judged = Judged.from_grades([ranking], counts)
        if ideal == "judged":
            judged = replace(judged, counts=np.array([[*COUNTS.values()]]))
        total += probability * float(parse_measure(name).score(judged)[0])
    return total


ADDITIVE = ("P@4", "P(rel=2)@4", "RBP(p=0.5)", "DCG@3", "DCG", "INSQ(T=2)", "SP", "SSP@5")
OTHERS = ("RR", "AP", "nDCG@4", "ERR", "Q", "Recall@4", "RPrec", "Success@2", "bpref", "AP*", "RR@2", "GM(AP)")


@pytest.mark.parametrize("ideal", ["completed", "judged"])
@pytest.mark.parametrize("name", [*ADDITIVE, *OTHERS])
def test_means_agree_with_the_enumeration(name: str, ideal: str) -> None:
    random = random_grades(name, RANKING, CHANCE, COUNTS, ideal)
    expected = enumerate_mean(name, ideal)
    [mean] = expect_values(random)
    sampled = draw_values(random, 1000)
    assert sampled.mean() == pytest.approx(expected, abs=4 * max(sampled.std(), 1e-9) / math.sqrt(1000) + 1e-12)
    if ideal == "completed" or name in ADDITIVE or name == "AP" or not math.isnan(mean):
        assert mean == pytest.approx(expected, abs=1e-12)


def test_draws_have_the_probabilities() -> None:
    table = np.array([[0.5, 0.3, 0.2], [0.99, 0.005, 0.005], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    document, sample, grade = draw_grades(table, np.arange(5, dtype=np.uint64), 20_000, 1)
    drawn = np.zeros((5, 20_000), dtype=int)
    assert len({*zip(document.tolist(), sample.tolist(), strict=True)}) == len(document)
    drawn[document, sample] = grade
    shares = np.stack([(drawn == number).mean(axis=1) for number in range(3)], axis=1)
    assert shares == pytest.approx(table, abs=4 * 0.5 / math.sqrt(20_000))
    assert abs(np.corrcoef(drawn[0], drawn[2])[0, 1]) < 0.03
    assert abs(np.corrcoef(drawn[0][1:], drawn[0][:-1])[0, 1]) < 0.03
    again = draw_grades(table[[2, 0]], np.array([2, 0], dtype=np.uint64), 20_000, 1)
    assert (np.sort(again.draw[again.document == 1]) == np.sort(sample[document == 0])).all()


# The report -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def campaign() -> assay.Campaign:
    collection = assay.simulate(systems=5, topics=8, depth=25, pool=12, seed=5)
    return assay.read(collection.qrels, collection.runs, keep="documents").pool(4)


def test_the_report(campaign: assay.Campaign) -> None:
    report = assay.uncertainty.estimate(
        campaign,
        ["P@10", "AP"],
        samples=60,
        groups=dict.fromkeys(campaign.runs[:3], "a") | dict.fromkeys(campaign.runs[3:], "b"),
    )
    assert check_report(report).name == "means"
    assert report.prior == "unique"
    assert report.provenance.settings["samples"] == 60
    frame = report.frame()
    assert frame["value"].to_list() == pytest.approx(
        assay.evaluate(campaign, ["P@10", "AP"]).overall().ravel().tolist()
    )
    tight = frame.filter(measure="P@10")
    for row in frame.iter_rows(named=True):
        assert row["low"] - 1e-12 <= row["q05"] <= row["q50"] <= row["q95"] <= row["high"] + 1e-12
        assert row["low"] - 1e-12 <= row["mean"] <= row["high"] + 1e-12
    assert tight["exact"].all()
    assert not frame.filter(measure="AP")["exact"].all()


@pytest.mark.parametrize("prior", PRIORS)
def test_the_value_of_a_run_does_not_depend_on_other_runs(campaign: assay.Campaign, prior: str) -> None:
    settings: Any = {"prior": prior, "samples": 5, "leave_out": False, "pool": 4}
    names = ["P@5", "AP", "RR"]
    both = assay.uncertainty.estimate(campaign, names, **settings).by_topic().filter(run=campaign.runs[1])
    if prior == "unique":  # it needs the other groups
        groups = dict(zip(campaign.runs, "aabbb", strict=True))
        reordered = campaign.select(campaign.runs[::-1])
        settings["groups"] = groups
        both = assay.uncertainty.estimate(campaign, names, **settings).by_topic().filter(run=campaign.runs[1])
        alone = assay.uncertainty.estimate(reordered, names, **settings).by_topic().filter(run=campaign.runs[1])
    else:
        alone = assay.uncertainty.estimate(campaign.select(campaign.runs[1]), names, **settings).by_topic()
    assert both.equals(alone)


def test_the_prior_pool_by_hand() -> None:
    campaign = assay.read({"q": {"a": 1, "b": 0, "c": 0}}, {"x": {"q": {"a": 3, "u": 2}}, "y": {"q": {"u": 3, "b": 1}}})
    report = assay.uncertainty.estimate(campaign, "P@2", leave_out=False)
    share = (1 + 0.5) / (3 + 1)
    assert report.frame()["mean"].to_list() == pytest.approx([(1 + share) / 2, share / 2])
    assert smooth(np.array([2, 1])).tolist() == pytest.approx([1 - share, share])
    # The same document is relevant in both runs or in none, so x is better by exactly one document in every draw.
    assert report.pairs().row(0)[1:] == pytest.approx(("x", "y", 0.5, 1.0, 0.0, 0.0))


def test_the_same_seed_gives_the_same_report(campaign: assay.Campaign) -> None:
    first, second, third = (
        assay.uncertainty.estimate(campaign, "AP", samples=5, seed=seed, leave_out=False).frame() for seed in (1, 1, 2)
    )
    assert first.equals(second)
    assert not first.equals(third)


def test_quantiles_of_precision_are_exact(campaign: assay.Campaign) -> None:
    few, many = (assay.uncertainty.estimate(campaign, "P@10", samples=n, leave_out=False) for n in (1, 500))
    assert few.frame().equals(many.frame())
    sampled = assay.uncertainty.estimate(campaign, "Condensed(P@10)", samples=500, leave_out=False)
    assert sampled.overall == pytest.approx(many.overall, abs=0.01)
    assert sampled.overall_quantiles == pytest.approx(many.overall_quantiles, abs=0.02)


def test_judged_rankings_have_no_uncertainty(campaign: assay.Campaign) -> None:
    everything = assay.read({"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 2, "b": 1}}, "y": {"q": {"b": 2, "a": 1}}})
    report = assay.uncertainty.estimate(everything, ["AP", "P@2"], leave_out=False)
    frame = report.frame()
    for column in ("mean", "q05", "q95", "low", "high", "condensed"):
        assert frame[column].to_list() == pytest.approx(frame["value"].to_list())
    assert "No unjudged document" in report.summary()


def test_negative_grades_are_ungraded() -> None:
    runs = {"x": {"q": {"a": 3, "s": 2, "u": 1}}}
    spam = assay.uncertainty.estimate(assay.read({"q": {"a": 1, "b": 0, "s": -2}}, runs), "P@3")
    unjudged = assay.uncertainty.estimate(assay.read({"q": {"a": 1, "b": 0}}, runs), "P@3")
    assert spam.overall == pytest.approx(unjudged.overall)


def test_undefined_and_missing_topics_are_excluded() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0}, "3": {"a": 1}}
    runs = {"x": {"1": {"a": 3, "u": 2}, "2": {"u": 1}}, "y": {"3": {"a": 1}}}
    campaign = assay.read(qrels, runs, undefined="exclude", missing="exclude")
    report = assay.uncertainty.estimate(campaign, ["AP", "P@2"], leave_out=False)
    assert np.isnan(report.mean[0]).tolist() == [[False, True, True], [True, True, False]]
    assert np.isnan(report.overall).sum() == 0
    nothing = assay.read({"1": {"a": 0}}, {"x": {"1": {"u": 1}}}, undefined="exclude")
    report = assay.uncertainty.estimate(nothing, "AP")
    assert report.frame()["mean"].to_list() == [None]
    assert check_report(report).name == "means"


def test_accuracy_is_measured_with_hidden_judgments(campaign: assay.Campaign) -> None:
    collection = assay.simulate(systems=5, topics=8, depth=25, pool=12, seed=5)
    full = assay.read(collection.qrels, collection.runs, keep="documents")
    groups = dict(zip(full.runs, "aabbc", strict=True))
    report = assay.uncertainty.estimate(full, ["P@10", "nDCG@5"], groups=groups, pool=5, samples=50)
    accuracy = report.accuracy
    assert accuracy is not None
    truth = assay.evaluate(full, ["P@10", "nDCG@5"])
    for number, run in enumerate(full.runs):
        others = [i for i, one in enumerate(full.runs) if groups[one] != groups[run]]
        hidden = full.with_judgments(full.best_rank(others) <= 5)
        error = assay.evaluate(hidden, truth.measures).overall()[number] - truth.overall()[number]
        assert accuracy.errors[:, 0, number] == pytest.approx(error)
        evidence = dict(zip(full.runs, "aabbc", strict=True))
        again = assay.uncertainty.estimate(
            hidden, ["P@10", "nDCG@5"], prior="pool", groups=evidence, samples=50, leave_out=False
        )
        assert accuracy.errors[:, 4, number] == pytest.approx(again.overall[:, number] - truth.overall()[number])
    frame = accuracy.frame()
    assert frame["method"].to_list()[:7] == ["zero", "condensed", "middle", *PRIORS]
    assert (frame["rmse"] >= frame["mae"] - 1e-12).all()
    assert (frame["mae"] >= frame["bias"].abs() - 1e-12).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prior": "pol"}, "prior 'pol'.*did you mean pool"),
        ({"ideal": "best"}, "ideal 'best'.*completed"),
        ({"samples": 0}, "samples.*at least 1"),
        ({"pool": 0}, "pool.*at least 1"),
        ({"groups": {}}, "no group for run"),
        ({"measures": "P(rel=9)@5"}, "no grade in the qrels reaches"),
    ],
)
def test_invalid_arguments(campaign: assay.Campaign, settings: Any, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        assay.uncertainty.estimate(campaign, **settings)


def test_unsuitable_campaigns(campaign: assay.Campaign) -> None:
    one = campaign.select(campaign.runs[0])
    with pytest.raises(AssayError, match="no judged document is unique"):
        assay.uncertainty.estimate(one, "P@5", prior="unique")
    report = assay.uncertainty.estimate(one, "P@5")
    assert any("two groups" in note for note in report.notes)
    with pytest.raises(AssayError, match="show accuracy"):
        report.table("accuracy")
    with pytest.raises(AssayError, match="condensed"):
        assay.uncertainty.estimate(campaign.with_policies(unjudged="condensed"), "P@5")


def test_the_logistic_regression_of_separable_and_missing_data() -> None:
    assert fit_logistic(np.zeros(0), np.zeros(0)) == (0.0, 0.0)
    a, b = fit_logistic(np.arange(1, 11), np.arange(1, 11) <= 5)
    assert math.isfinite(a)
    assert b < -10
    assert fit_logistic(np.ones(3), np.ones(3))[0] > 5
