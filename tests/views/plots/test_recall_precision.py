"""Tests of the figure of recall-precision curves."""

from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.views.plots._style import Style
from assay.views.plots.recall_precision import LEVELS, data, draw
from chart_parts import mark_rows, marks, texts, titles

QRELS = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1, "b": 0, "c": 1, "d": 1}, "none": {"a": 0}}
RUNS = {
    "good": {"1": {"a": 3.0, "x": 2.0, "b": 1.0}, "2": {"b": 4.0, "a": 3.0, "c": 2.0}, "none": {"a": 1.0}},
    "bad": {"1": {"x": 2.0, "y": 1.0}, "2": {"b": 2.0, "d": 1.0}, "none": {"a": 1.0}},
}
CAMPAIGN = assay.read(QRELS, RUNS)


def points_of(run: str, topic: str, rel: float = 1) -> list[tuple[float, float]]:
    """Return recall and precision after each rank."""
    relevant = {document for document, grade in QRELS[topic].items() if grade >= rel}
    ranking = sorted(RUNS[run][topic], key=lambda document: -RUNS[run][topic][document])
    hits = [sum(document in relevant for document in ranking[:k]) for k in range(1, len(ranking) + 1)]
    return [(hit / len(relevant), hit / k) for k, hit in enumerate(hits, 1)]


def interpolated(run: str, topic: str, level: float) -> float:
    """Return the highest precision at any rank where recall is at least *level*."""
    return max((precision for recall, precision in points_of(run, topic) if recall >= level), default=0.0)


@pytest.mark.parametrize("run", RUNS)
def test_interpolated_precision_by_definition(run: str) -> None:
    frame = data(CAMPAIGN, only=run).frame
    assert frame.columns == ["run", "topic", "interpolation", "rank", "recall", "precision"]
    assert frame["recall"].to_list() == list(LEVELS)
    # The topic without relevant documents counts as 0.
    means = [sum(interpolated(run, topic, level) for topic in ("1", "2")) / 3 for level in LEVELS]
    assert frame["precision"].to_list() == pytest.approx(means)
    excluded = data(assay.read(QRELS, RUNS, undefined="exclude"), only=run).frame
    assert excluded["precision"].to_list() == pytest.approx([1.5 * mean for mean in means])


@pytest.mark.parametrize("rel", [1, 2])
def test_recall_and_precision_of_one_topic(rel: float) -> None:
    frame = data(CAMPAIGN, only="good", topic="1", interpolation="none", rel=rel).frame
    assert frame.select("rank", "topic").rows() == [(1, "1"), (2, "1"), (3, "1")]
    assert frame.select("recall", "precision").rows() == [pytest.approx(point) for point in points_of("good", "1", rel)]


def test_means_of_recall_and_precision() -> None:
    frame = data(CAMPAIGN, only="good", interpolation="none").frame
    means = [
        tuple(sum(values) / 3 for values in zip(one, two, strict=True))
        for one, two in zip(points_of("good", "1"), points_of("good", "2"), strict=True)
    ]
    assert frame.select("recall", "precision").rows() == [pytest.approx(mean) for mean in means]


def test_default_runs_are_the_best_by_average_precision() -> None:
    assert data(CAMPAIGN).frame["run"].unique(maintain_order=True).to_list() == ["good", "bad"]
    collection = assay.simulate(systems=7, topics=4, seed=2)
    campaign = assay.read(collection.qrels, collection.runs)
    best = assay.evaluate(campaign, "AP").best("AP")[:4]
    frame = data(campaign, interpolation="none").frame
    assert frame["run"].unique(maintain_order=True).to_list() == best
    ranks = frame.filter(run=best[0])["rank"].to_list()
    assert ranks == sorted(set(ranks)), "ranks ascend"
    assert ranks[:100] == list(range(1, 101))
    assert (ranks[-1], len(ranks) <= 201) == (int(campaign.judged.length.max()), True)


def test_values_agree_with_the_measures() -> None:
    frame = data(CAMPAIGN, only="bad").frame
    assert frame["precision"].mean() == pytest.approx(
        assay.evaluate(CAMPAIGN, "IPrecAvg(points=11)").select("bad").overall()[0, 0]
    )
    last = data(CAMPAIGN, only="bad", interpolation="none").frame.row(-1, named=True)
    recall, precision = assay.evaluate(CAMPAIGN, [f"R@{last['rank']}", f"P@{last['rank']}"]).select("bad").overall()[0]
    assert (last["recall"], last["precision"]) == pytest.approx((recall, precision))


def test_line_and_points_per_run() -> None:
    chart = draw(data(CAMPAIGN).frame)
    assert marks(chart) == ["line", "circle", *2 * ["rule", "text"]]
    assert texts(chart) == ["good", "bad"]
    assert "mean over topics" in titles(chart)
    assert len(mark_rows(chart, "circle")) == 22
    assert "topic 2" in titles(draw(data(CAMPAIGN, topic="2", interpolation="none").frame, Style(width=320)))


def test_topics_without_relevant_documents() -> None:
    campaign = assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}}, undefined="exclude")
    for interpolation in ("11-point", "none"):
        frame = data(campaign, interpolation=interpolation).frame
        assert frame.is_empty()
        assert texts(draw(frame)) == ["no run has a value"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"only": "god"}, "there is no run god; did you mean good?"),
        ({"only": []}, "this figure shows 1 to 8 runs, got 0"),
        ({"topic": "3"}, "has no topic 3"),
        ({"interpolation": "linear"}, "choose one of 11-point, none"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        data(CAMPAIGN, **options)
    assert message in str(error.value)
