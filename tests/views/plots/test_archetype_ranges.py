"""Tests of the figure of ranges of indicators by archetype."""

from __future__ import annotations

import math
from statistics import median

import pytest

import assay
from assay import effort
from assay.views.plots._crp_layers import ARCHETYPES
from assay.views.plots._style import Style
from assay.views.plots.archetype_ranges import INDICATORS, data, draw
from assay.views.plots.archetypes import COUNTS, EXAMPLES, LENGTH
from chart_parts import mark_rows, titles
from oracles import effort as oracle

COLLECTION = assay.simulate(systems=5, topics=10, seed=4)
CAMPAIGN = assay.read(COLLECTION.qrels, COLLECTION.runs)


def test_one_row_for_each_archetype_and_indicator() -> None:
    frame = data(CAMPAIGN).frame
    assert frame["archetype"].unique(maintain_order=True).to_list() == list(ARCHETYPES)
    assert frame["indicator"].to_list() == list(INDICATORS) * len(ARCHETYPES)
    report = effort.indicators(CAMPAIGN)
    assert data(report).frame.equals(frame)
    for archetype in ARCHETYPES:
        rankings = report.frame().filter(archetype=archetype)
        for indicator in ("rho", "sigma_plus", "sigma_minus", "sigma", "twist"):
            row = frame.filter(archetype=archetype, indicator=indicator).row(0, named=True)
            values = rankings[indicator].to_list()
            assert (row["rankings"], row["defined"]) == (len(values), len(values))
            expected = (min(values), median(values), max(values)) if values else (None, None, None)
            assert (row["low"], row["median"], row["high"]) == pytest.approx(expected)


def test_examples_of_the_archetypes() -> None:
    """Each archetype has one example; the ranks relative to R are those of its curve."""
    documents = [f"{grade}-{number}" for grade, count in COUNTS.items() for number in range(count)]
    qrels = {"q": {document: int(document[0]) for document in documents}}
    runs = {}
    for archetype, text in EXAMPLES.items():
        unused = {grade: [document for document in documents if document[0] == grade] for grade in "123"}
        ranking = [unused[grade].pop() if grade != "0" else f"x{rank}" for rank, grade in enumerate(text)]
        runs[archetype] = {"q": {document: -float(rank) for rank, document in enumerate(ranking)}}
    runs["worst"] = {"q": {"x": 1.0}}
    frame = data(assay.read(qrels, runs), depth=LENGTH).frame
    assert frame["rankings"].to_list() == [1] * len(frame)
    relevant = sum(COUNTS.values())
    for archetype, text in EXAMPLES.items():
        grades = [*map(int, text), *[0] * (LENGTH - len(text))]
        crp = oracle.running_sum(oracle.rp(grades, oracle.ideal_vector(COUNTS, LENGTH)))
        crossings = [j for j in range(1, LENGTH) if crp[j - 1] < 0 <= crp[j]]
        row = frame.filter(archetype=archetype, indicator="x").row(0, named=True)
        assert row["defined"] == bool(crossings)
        assert row["median"] == (pytest.approx(crossings[0] / relevant) if crossings else None)
        balance = frame.filter(archetype=archetype, indicator="balance_point")["median"].item()
        recovery = frame.filter(archetype=archetype, indicator="rho")["median"].item()
        assert recovery == pytest.approx(0 if balance is None else 1 / balance)


def test_panels_and_boxes() -> None:
    frame = data(CAMPAIGN).frame
    for width in (320, 900):
        chart = draw(frame, Style(width=width))
        assert titles(chart) == list(INDICATORS.values())
        assert len(mark_rows(chart, "bar")) == frame["median"].drop_nulls().len()
        assert all(math.isfinite(row["high"]) for row in mark_rows(chart, "rule"))


def test_topics_without_relevant_documents() -> None:
    assert data(assay.read({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}})).frame.is_empty()
