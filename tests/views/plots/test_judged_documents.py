"""Tests of the figure of retrieved and judged documents."""

from __future__ import annotations

import pytest

import assay
from assay.errors import AssayError
from assay.views.plots.judged_documents import data, draw
from chart_parts import texts, titles

QRELS = {"1": {"a": 2, "b": 1, "c": 0, "d": 0, "e": 1}, "none": {"a": 0}}
RUNS = {"one": {"1": {"a": 4.0, "x": 3.0, "c": 2.0, "b": 1.0}, "none": {"a": 1.0}}, "two": {"none": {"a": 1.0}}}
CAMPAIGN = assay.read(QRELS, RUNS, keep="documents")


@pytest.mark.parametrize(("depth", "rel"), [(None, 1), (3, 1), (None, 2), (1, 2)])
def test_groups_by_definition(depth: int | None, rel: float) -> None:
    frame = data(CAMPAIGN, topic="1", run="one", depth=depth, rel=rel).frame
    retrieved = ["a", "x", "c", "b"][:depth]
    relevant = {document for document, grade in QRELS["1"].items() if grade >= rel}
    found = relevant & set(retrieved)
    judged = set(QRELS["1"])
    other = (judged - relevant) & set(retrieved)
    unjudged = set(retrieved) - judged
    groups = [found, other, unjudged, relevant - found, judged - relevant - other]
    assert frame["documents"].to_list() == [*map(len, groups), None]
    assert frame["precision"][0] == len(found) / len(retrieved)
    assert frame["recall"][0] == len(found) / len(relevant)


def test_values_agree_with_the_measures() -> None:
    row = data(CAMPAIGN, topic="1", run="one", depth=3).frame.row(0, named=True)
    results = assay.evaluate(CAMPAIGN, ["P@3", "R@3"]).frame().filter(run="one", topic="1")
    assert [row["precision"], row["recall"]] == pytest.approx(results["value"].to_list())


def test_numbers_are_shown() -> None:
    chart = draw(data(CAMPAIGN, topic="1", run="one").frame)
    assert texts(chart) == ["2", "1", "unknown"]
    assert titles(chart)[:2] == ["one, topic 1", "precision 0.5000, recall 0.6667"]


def test_undefined_precision_and_recall() -> None:
    assert "precision 0.0000, no recall" in titles(draw(data(CAMPAIGN, topic="none", run="one").frame))
    assert "no precision, recall 0.0000" in titles(draw(data(CAMPAIGN, topic="1", run="two").frame))
    with pytest.raises(AssayError, match="depth must be at least 1"):
        data(CAMPAIGN, depth=0)
